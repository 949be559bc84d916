"""dynodesk: browse Amazon DynamoDB, and find the stored counts that no longer match their children."""

__version__ = "0.1.0"

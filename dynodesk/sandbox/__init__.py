"""An embedded DynamoDB on the loopback interface, filled with sample tables and planted drift."""

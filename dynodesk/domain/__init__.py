"""Nouns and rules of DynamoDB and of tallies. Standard library only."""

"""Finds tallies that no longer match their children, and says so only when it is true. Plain Python."""

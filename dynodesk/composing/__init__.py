"""Composed requests: built, tried and shown at work. Plain Python: it knows no network, no window, no file."""

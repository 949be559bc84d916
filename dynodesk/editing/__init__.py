"""Edits written, taken back and made for many items at once. Plain Python: it knows no network, no window, no file."""

"""Measurements, printed as JSON lines. They are no tests: a time says something only beside another of the same run."""

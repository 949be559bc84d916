"""What a run established, written as a file or for a terminal. Each writer gives the same numbers."""

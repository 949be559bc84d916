"""The command line. stdout is the result, stderr the narration; scripts read the exit code."""

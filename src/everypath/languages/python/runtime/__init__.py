"""Cases run on the real interpreter, in child processes."""

"""ABS: actor programs, explored over all orders of messages and run on an interpreter of our own."""

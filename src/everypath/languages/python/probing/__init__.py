"""Runs in the child: calls what a module offers with all kinds of inputs, and keeps what reaches something new."""

"""Summaries of methods, and their composition with the calls of a path."""

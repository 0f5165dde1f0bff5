"""Preconditions in the syntax of Java and JML: read from options and comments, compiled to the IR."""

"""Everypath: tests for every path through object-oriented code, up to bounds you choose."""

__version__ = "0.1.0"

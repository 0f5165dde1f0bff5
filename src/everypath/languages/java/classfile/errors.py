"""What can be wrong with a class file."""

from __future__ import annotations


class BadClassFile(Exception):
    """The bytes are no class file that can be read; the message says what is wrong and at which byte."""

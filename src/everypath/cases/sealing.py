"""A checksum in the head of a generated file, by which a file that a person has edited since is told from others."""

from __future__ import annotations

import re
from binascii import crc32

SEAL = "checksum 00000000"
"""Stands in the head of a text until it is sealed."""
_SEALED = re.compile(r"checksum ([0-9a-f]{8})\b")
_LONGEST_HEAD = 4000


def sealed(text: str) -> str:
    """The text with its checksum in the place of `SEAL`."""
    return text.replace(SEAL, f"checksum {_sum(text)}", 1)


def is_intact(text: str) -> bool:
    """Whether a text is just as it was sealed; one without a checksum is not."""
    found = _SEALED.search(text[:_LONGEST_HEAD])
    return found is not None and _sum(f"{text[: found.start()]}{SEAL}{text[found.end() :]}") == found[1]


def _sum(text: str) -> str:
    # Line ends differ between systems, and version control may translate them.
    return f"{crc32(text.replace(chr(13), '').encode('utf-8', 'backslashreplace')):08x}"

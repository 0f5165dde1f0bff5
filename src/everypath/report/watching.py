"""Whether a person watches a stream; asked before the library that draws for people is loaded."""

from __future__ import annotations

import os
from typing import TextIO

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Settings by which a user asks for a terminal's output elsewhere; what they mean is for `rich` to say."""


def is_watched(stream: TextIO) -> bool:
    """Whether the stream may be a terminal."""
    return stream.isatty() or any(name in os.environ for name in _FORCING)

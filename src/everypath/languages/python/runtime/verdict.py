"""What running a case on the real interpreter showed."""

from __future__ import annotations

from everypath.records import dataclass

PASSED = "passed"
FAILED = "failed"
ERROR = "error"
REFUSED = "refused"
TIMEOUT = "timeout"
CRASHED = "crashed"
EXITED = "exited"
UNWRITTEN = "unwritten"
"""There is no test to run: something in it cannot be written down."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one run ended, and which lines of the entry's file its call executed."""

    status: str
    """passed, failed, error, refused, timeout, crashed, exited or unwritten"""
    text: str = ""
    """the assertion, exception, refused operation or signal"""
    phase: str = ""
    """where it ended: import, arrange, check, act or assert"""
    file: str = ""
    line: int = 0
    """the innermost place in the program's own files, 0 if there is none"""
    lines: frozenset[int] = frozenset()
    arcs: frozenset[tuple[int, int]] = frozenset()
    """(previous line, line) inside one call; a call begins at -line of its first line and ends at -1"""
    output: str = ""
    compiled: frozenset[str] = frozenset()
    """the names that stand for compiled functions in the entry's module"""

    @property
    def passed(self) -> bool:
        """Whether the run was exactly as predicted."""
        return self.status == PASSED

"""What a path has shown that a person should look at although it goes on: a broken postcondition, an overflow.

Remarks travel with the statics of a path, under a name that no class has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

from everypath.errors import Span
from everypath.explore.code import is_generated
from everypath.explore.state import State
from everypath.records import dataclass

_PLACE = ("", "remarks")


@dataclass(frozen=True, slots=True)
class Remark:
    """What there is to look at, and where; the kinds are those of findings."""

    kind: str
    message: str
    span: Span


def remark(st: State, kind: str, message: str, span: Span) -> None:
    """Note something about the path, once."""
    told = (kind, message, span.file, span.line)
    known = st.statics.get(_PLACE, ())
    assert isinstance(known, tuple)
    if told not in known:
        st.statics = {**st.statics, _PLACE: (*known, told)}


def remarks_of(st: State) -> Iterator[Remark]:
    """What was noted about the path, in order."""
    known = st.statics.get(_PLACE, ())
    assert isinstance(known, tuple)
    for told in known:
        kind, message, file, line = told  # type: ignore[misc]
        yield Remark(str(kind), str(message), Span(str(file), int(line)))  # type: ignore[arg-type]


def here(st: State) -> Span | None:
    """Where the instruction stands that is being executed; None in code of the library."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_generated(frame.f_code):
        frame = frame.f_back
    if frame is None or st.frame is None or st.frame.code.method.model:
        return None
    code = st.frame.code
    return code.instruction(*code.locate(frame.f_code.co_filename, frame.f_lineno)).span

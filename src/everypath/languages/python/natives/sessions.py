"""What a path has done with objects of the library that stay in the process that made them."""

from __future__ import annotations

from everypath.explore.state import State
from everypath.heap.values import LanguageValue
from everypath.languages.python.runtime.library_child import Operation
from everypath.languages.python.semantics.host_objects import Kept
from everypath.records import dataclass, replace

_SESSION = ("<library>", "session")


@dataclass(frozen=True, slots=True)
class Session(LanguageValue):
    """What a path has done with such objects so far; replaced, not changed, when there is more."""

    operations: tuple[Operation, ...] = ()
    objects: tuple[Kept, ...] = ()


_NOTHING = Session()


def session_of(st: State) -> Session:
    """What the path has done so far."""
    found = st.statics.get(_SESSION, _NOTHING)
    assert isinstance(found, Session)
    return found


def keep_session(st: State, session: Session) -> None:
    """Replace the session of the path."""
    st.statics = {**st.statics, _SESSION: session}


def kept(st: State, number: int, cls: str) -> Kept:
    """The object of a number, which is new if it is the next one."""
    session = session_of(st)
    if number < len(session.objects):
        return session.objects[number]
    made = Kept(cls, number)
    keep_session(st, replace(session, objects=(*session.objects, made)))
    return made

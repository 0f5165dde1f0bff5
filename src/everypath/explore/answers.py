"""What the stand-ins of a path were asked and have answered, in a log that the path carries along.

Every path has one, an empty one for the most part; who asks them is `standins.py`.
"""

from __future__ import annotations

from everypath.explore.state import State
from everypath.heap.values import InputFunction, LanguageValue, Ref, Value
from everypath.records import dataclass, replace

_LOG = ("<stand-ins>", "log")
MADE_WITH = "$made with"
"""the hidden field of an exception that a stand-in raises: the arguments of its constructor"""

Whom = Ref | InputFunction


@dataclass(frozen=True, slots=True)
class Question:
    """A call of a stand-in: the method is empty where a function is called."""

    whom: Whom
    method: str
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """A call and what came of it."""

    question: Question
    answer: Value
    name: str = ""
    """what the answer is called"""
    raised: bool = False
    pure: bool = False
    ignored: bool = False
    """whether the caller does not look at the answer"""
    unsure: bool = False
    """whether nothing declares the type of the answer, or of its parts"""


@dataclass(frozen=True, slots=True)
class Log(LanguageValue):
    """The calls of a path so far; replaced, not changed, when there is one more."""

    calls: tuple[Answered, ...] = ()
    exact: frozenset[Whom] = frozenset()
    """those that must have the signature and the class of what they stand for, because the path depends on them"""
    named: frozenset[Whom] = frozenset()
    """functions whose name was asked for"""


_NOTHING = Log()


def log_of(st: State) -> Log:
    """What the stand-ins of the path have been asked so far."""
    found = st.statics.get(_LOG, _NOTHING)
    assert isinstance(found, Log)
    return found


def keep_log(st: State, log: Log) -> None:
    """Replace the log of the path."""
    st.statics = {**st.statics, _LOG: log}


def note_exact(st: State, whom: Whom) -> None:
    """Note that the path depends on the signature or the class of what a stand-in stands for."""
    log = log_of(st)
    keep_log(st, replace(log, exact=log.exact | {whom}))


def gave(st: State, value: Value) -> bool:
    """Whether a stand-in of the path raised this exception."""
    return any(call.raised and call.answer is value for call in log_of(st).calls)

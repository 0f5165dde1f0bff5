"""Criteria of one's own: when a path ends, and which paths are wanted, decided by small objects of the user.

A coverage criterion has two halves (section 3.6 of "Test Case Generation by Symbolic Execution"). Its *termination*
half says at a choice whether a path goes on no further; it has a method `ends(path)`. Its *selection* half says whether
a path that is over becomes a test; it has a method `wants(path)`. An object may have one or both. What they are given
is the path with its trace, as plain values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from everypath.errors import BadInput
from everypath.explore.outcomes import Cut, Finished, Uncaught
from everypath.explore.search.strategies import Strategy
from everypath.explore.state import State
from everypath.explore.traces import Place, branches_taken, lines

_REGISTERED: dict[str, object] = {}


class Path:
    """A path as criteria see it: what it has executed, what it has decided, and how it ended if it did."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def lines(self) -> list[Place]:
        """The file and number of each line, in order."""
        return lines(self._state)

    @property
    def branches(self) -> list[str]:
        """The branches that were taken, such as `shop.py:12->14`, in order."""
        return branches_taken(self._state)

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices so far."""
        return self._state.choice_sequence()

    @property
    def calls(self) -> list[str]:
        """The functions under way, the innermost first."""
        found = []
        frame = getattr(self._state, "frame", None)
        while frame is not None:
            if not frame.code.method.model:
                found.append(frame.code.method.qualified)
            frame = frame.parent
        return found

    @property
    def raised(self) -> str | None:
        """The class of the error with which the path has ended, if it has."""
        outcome = self._state.outcome
        return outcome.cls.rpartition(".")[2] if isinstance(outcome, Uncaught) else None

    @property
    def finished(self) -> bool:
        """Whether the path has returned or raised."""
        return isinstance(self._state.outcome, (Finished, Uncaught))


def register(name: str, criterion: object) -> None:
    """Make a criterion known under a name, which `Options.criteria` may then have."""
    _REGISTERED[name] = _checked(name, criterion)


def criterion_named(name: str) -> object:
    """The criterion of this name: one that was registered, or `MODULE:OBJECT` of the project in this folder."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise BadInput(f"the criterion {name!r} is not MODULE:OBJECT, such as shop_criteria:short")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: object = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        # Whatever a module of the user's does when it is imported, it is said here.
        raise BadInput(f"the criterion {name} cannot be had: {type(error).__name__}: {error}") from None
    _REGISTERED[name] = _checked(name, found)
    return _REGISTERED[name]


def _checked(name: str, found: object) -> object:
    made = found() if isinstance(found, type) else found
    if not callable(getattr(made, "ends", None)) and not callable(getattr(made, "wants", None)):
        raise BadInput(f"the criterion {name} has neither a method ends(path) nor a method wants(path)")
    return made


def wanted(names: Sequence[str], state: State) -> bool:
    """Whether every criterion that selects wants the path, which is over."""
    return all(_asked(name, "wants", state, True) for name in names)


def _asked(name: str, half: str, state: State, otherwise: bool) -> bool:
    method = getattr(criterion_named(name), half, None)
    if method is None:
        return otherwise
    try:
        return bool(method(Path(state)))
    except Exception as error:
        raise BadInput(f"the criterion {name} raises {type(error).__name__} in {half}(): {error}") from None


class Ending:
    """A search order in which criteria end paths; the others wait as the wrapped order says."""

    def __init__(self, inner: Strategy, names: Sequence[str]) -> None:
        self._inner = inner
        self._names = [name for name in names if hasattr(criterion_named(name), "ends")]

    def add(self, states: list[State]) -> None:
        """Take new states; those that a criterion ends are over."""
        for state in states:
            if state.outcome is None and state.choices is not None:
                for name in self._names:
                    if _asked(name, "ends", state, False):
                        state.outcome = Cut("depth", f"the criterion {name} ends the path")
        self._inner.add(states)

    def select(self) -> State:
        """The next state."""
        return self._inner.select()

    def pending(self) -> Iterable[State]:
        """The states that wait."""
        return self._inner.pending()

    def __len__(self) -> int:
        return len(self._inner)

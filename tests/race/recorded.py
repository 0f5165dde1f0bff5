"""Runs written down by hand: what each thread does, one word after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everypath.race.events import ACQUIRE, ENTER, EXIT, READ, RELEASE, SITES, UPDATE, WRITE, Event, Site
from everypath.race.running import Outcome, Returned, Run

_KINDS = {"r": READ, "w": WRITE, "u": UPDATE, "+": ACQUIRE, "-": RELEASE, ">": ENTER, "<": EXIT}
OBJECTS: dict[str, Any] = {name: type(name, (), {})() for name in ("sut", "sut.left", "sut.right", "fresh")}


def naming(value: Any) -> str | None:
    """Everything but `fresh` was there at the start."""
    return next((name for name, known in OBJECTS.items() if known is value and name != "fresh"), None)


def site(name: str, line: int = 1, function: str = "C.f") -> int:
    """A place in the code."""
    return SITES.number(Site("c.py", line, 0, function, name))


def run(text: str, outcomes: tuple[Sequence[Outcome], Sequence[Outcome]] | None = None) -> Run:
    """`A:rx@3` is thread A reading `sut.x` in line 3, `A:rx@3!` where a switch is possible today, `B:+left` locking;

    `A:wn.fresh` writes an attribute of another object. Threads have a function each, `C.f` and `C.g`.
    """
    events: list[tuple[int, Event]] = []
    held: tuple[list[Any], list[Any]] = ([], [])
    for word in text.split():
        who, _, what = word.partition(":")
        thread = "AB".index(who)
        today, what = what.endswith("!"), what.rstrip("!")
        what, _, line = what.partition("@")
        kind, name = _KINDS[what[0]], what[1:]
        place = site(f"self.{name}", int(line or 1), ("C.f", "C.g")[thread])
        if kind in (ACQUIRE, RELEASE):
            target, key = OBJECTS[f"sut.{name}"], None
        else:
            key, _, owner = name.partition(".")
            target = OBJECTS[owner or "sut"]
        events.append((thread, Event(kind, place, target, key, today, tuple(held[thread]))))
        if kind == ACQUIRE:
            held[thread].append(target)
        elif kind == RELEASE:
            held[thread].remove(target)
    first, second = outcomes or ((Returned(None),), (Returned(None),))
    return Run((tuple(first), tuple(second)), tuple(events), ((0,) * len(first), (0,) * len(second)))

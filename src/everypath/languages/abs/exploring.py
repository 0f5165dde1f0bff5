"""Exploring an entry of an ABS program: a method symbolically, a main block on the interpreter."""

from __future__ import annotations

from typing import cast

from everypath.cases.actors import ActorSuite
from everypath.cases.model import SomeSuite
from everypath.languages.abs.closed import explore_closed
from everypath.languages.abs.loaded import actors_in
from everypath.languages.base import EntryPoint, Loaded, Progress
from everypath.options import Options


def explore(loaded: Loaded, entry: EntryPoint, options: Options, suite: SomeSuite, progress: Progress) -> None:
    """Collect one case for every input and distinct outcome, over all orders of messages."""
    source = actors_in(loaded)
    target = source.target(entry.qualname)
    actors = cast("ActorSuite", suite)
    if entry.kind == "main":
        explore_closed(target.program, target.entry, options, actors, progress)
        return
    # The symbolic machine and the solver are much to load, and main blocks do without.
    from everypath.languages.abs.generation import generate_method

    cls = target.program.classes[entry.cls]
    generate_method(target.program, cls, entry.method, options, actors, progress, source.program)

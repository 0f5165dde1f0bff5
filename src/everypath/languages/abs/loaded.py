"""ABS programs with the methods and main blocks that targets name in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from everypath.cases.describing import NOTHING_SPECIAL, Describer
from everypath.errors import Span
from everypath.explore.search.subject import Subject
from everypath.ir.program import Method, Program
from everypath.languages.abs.lower import MAIN, lower
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.languages.abs.targets import ActorTarget, find_targets
from everypath.languages.base import Definition, EntryPoint, Expanded, Loaded, Source, SourceProblem


class ActorProgram:
    """What some targets name in one file of a program."""

    problems: tuple[SourceProblem, ...] = ()
    definitions: tuple[Definition, ...] = ()
    effects: Method | None = None

    def __init__(self, targets: Sequence[ActorTarget]) -> None:
        entry = targets[0].entry
        self.module = entry.module
        self.file = entry.file
        self.root = Path(entry.file).parent
        self.targets = {_qualname(target): target for target in targets}
        self.entries = tuple(_entry_point(name, target) for name, target in self.targets.items())

    @cached_property
    def program(self) -> Program:
        """The program as IR; a main block is run as it is, so that this is only made where something asks for it."""
        targets = list(self.targets.values())
        # A program may have several main blocks; the one that is meant is alone in the program of its target.
        return lower(next((target for target in targets if not target.entry.cls), targets[0]).program)

    def subject(self, entry: EntryPoint) -> Subject:
        """A method by itself, as if no other task were there."""
        method = self.program.find_method(entry.cls, entry.method)
        assert method is not None
        return Subject(AbsSemantics(self.program), method, entry.cls)

    def describer(self) -> Describer:
        """Values of ABS are plain data and references."""
        return NOTHING_SPECIAL

    def target(self, qualname: str) -> ActorTarget:
        """One of the methods or main blocks."""
        return self.targets[qualname]


def actors_in(loaded: Loaded) -> ActorProgram:
    """A program that comes back to the language that loaded it."""
    assert isinstance(loaded, ActorProgram)
    return loaded


def expand(targets: Iterable[str]) -> Expanded:
    """The files in which the targets name something; one program that cannot be used costs the whole run."""
    groups: dict[tuple[str, str], list[ActorTarget]] = {}
    for target in find_targets(targets):
        groups.setdefault((target.target.partition("::")[0], target.entry.file), []).append(target)
    expanded = Expanded()
    for (place, file), found in groups.items():
        path, module = Path(file), found[0].entry.module
        others = tuple(name for name in found[0].files if name != file)
        source = Source(place, path, file, module=file, root=path.parent, called=module, others=others)
        expanded.sources.append(source)
        expanded.loaded[source] = ActorProgram(found)
    return expanded


def load(target: str) -> ActorProgram:
    """Everything that a target names, whatever files it is in."""
    return ActorProgram(find_targets([target]))


def _qualname(target: ActorTarget) -> str:
    """The member that the target names, with its module where that is needed to tell it from others."""
    return target.target.partition("::")[2]


def _entry_point(qualname: str, target: ActorTarget) -> EntryPoint:
    entry = target.entry
    span = Span(entry.file, entry.line)
    if not entry.cls:
        return EntryPoint(*MAIN, "main", qualname, entry.module, span)
    return EntryPoint(f"{entry.module}.{entry.cls}", entry.name, "method", qualname, entry.module, span)

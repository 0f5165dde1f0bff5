"""What a run will do: its modules, which of their functions, and how much time each of these gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from everypath.errors import BadInput
from everypath.languages.base import Language, Left, Loaded, Source
from everypath.languages.definitions import Definition
from everypath.logic.clock import Stopwatch
from everypath.options import Options
from everypath.records import dataclass, field

if TYPE_CHECKING:
    # Few runs ask git.
    from everypath.planning.git_changes import GitChanges

_OBSERVING = 0.35
"""The share of a limited time that is kept for observing."""
_OBSERVING_BRANCHES = 0.5
"""The same where branches or lines are wanted: a call that was run counts for as much as a path that was followed."""
_SETTLING = 0.1
"""The share that is kept for running all tests of a module together and writing them."""
_EXPLORING = 0.8
"""The share of a function's time for exploring it; the rest is for running its cases."""
_LEAST_RUNNING = 10.0
"""The least number of seconds for the runs of a function, if the time of the whole run is not limited."""
_MOMENT = 0.5
"""Seconds for what must be done even if no time is left."""
_MOST_REHEARSING = 5.0
"""Seconds for running the tests of a module together that are spent even if the time is over."""
_MOST_OBSERVING = 10.0
"""Seconds of observing for a module, if time is not limited."""


class Selection:
    """Which modules and functions a run is about: without those left out, or only those that changed.

    It remembers which patterns were of use.
    """

    def __init__(self, options: Options, language: Language) -> None:
        self.patterns = options.exclude
        self.used: set[str] = set()
        self._changes = _changes_since(options.diff, language) if options.diff is not None else None
        self._options = options
        self._language = language
        self._private = options.private
        self._changed: dict[Source, frozenset[str]] = {}

    @property
    def unused(self) -> list[str]:
        """The patterns that have left nothing out."""
        return [pattern for pattern in self.patterns if pattern not in self.used]

    def takes_module(self, source: Source) -> bool:
        """Whether anything of the module may be asked for; otherwise it is not loaded."""
        if self._excludes(_names_of_module(source)):
            return False
        return self._changes is None or bool(self._changed_in(source)) or self._has_other_tests(source)

    def takes(self, source: Source, qualname: str) -> bool:
        """Whether a function or method is asked for."""
        return not self.excludes(source, qualname) and self.changed(source, qualname)

    def excludes(self, source: Source, qualname: str) -> bool:
        """Whether a function or method is left out by a pattern."""
        return self._excludes(_names_of_function(source, qualname))

    def changed(self, source: Source, qualname: str) -> bool:
        """Whether a function or method differs from the revision, if one is given."""
        if self._changes is None:
            return True
        changed = self._changed_in(source)
        return "*" in changed or qualname.removesuffix(".setter") in changed

    def count(self, source: Source) -> int:
        """Roughly how many functions of a module are asked for, judging by its text alone."""
        member = source.member
        every = self._definitions(source)
        offered = every if self._private else tuple(d for d in every if d.public) or every
        inside = [d.qualname for d in every if d.qualname == member]
        inside += [d.qualname for d in offered if not member or d.qualname.startswith(f"{member}.")]
        return sum(self.takes(source, name) for name in inside)

    def _definitions(self, source: Source) -> tuple[Definition, ...]:
        """The functions of a module; none if it cannot be read, which loading it will report."""
        try:
            return self._language.definitions(source.path.read_bytes())
        except (BadInput, OSError):
            return ()

    def _has_other_tests(self, source: Source) -> bool:
        """Whether somebody has changed the file of tests since the revision, so that it has to be put in order."""
        assert self._changes is not None
        output = Path(self._options.output or "")
        writer = self._language.writer(self._options.format)
        if writer.whole or self._options.output == "-":
            return False
        file = output if output.suffix else output / writer.file_name(source)
        return file.is_file() and self._changes.differs(file.resolve())

    def _changed_in(self, source: Source) -> frozenset[str]:
        assert self._changes is not None
        if source not in self._changed:
            self._changed[source] = self._changes.functions(source.path)
        return self._changed[source]

    def _excludes(self, names: Iterator[str]) -> bool:
        excluded = False
        for name in names:
            for pattern in self.patterns:
                if fnmatchcase(name, pattern):
                    self.used.add(pattern)
                    excluded = True
        return excluded


def _changes_since(revision: str, language: Language) -> GitChanges:
    # Few runs ask git, and what starts processes takes a while to load.
    from everypath.planning.git_changes import GitChanges

    return GitChanges(revision, language)


def _names_of_module(source: Source) -> Iterator[str]:
    """Everything by which a pattern may name a whole module: it, its file, and the packages and folders around it."""
    parts = source.module.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    file = PurePath(source.file)
    yield file.name
    yield file.as_posix()
    for folder in file.parents:
        if folder.name:
            yield folder.name
            yield folder.as_posix()
            yield f"{folder.as_posix()}/"


def _names_of_function(source: Source, qualname: str) -> Iterator[str]:
    """Everything by which a pattern may name a function: it and its class, with and without the module."""
    parts = qualname.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        yield name
        yield f"{source.module}.{name}"
        yield f"{source.module}::{name}"
        yield f"{source.file}::{name}"
    if len(parts) > 1:
        yield parts[-1]


@dataclass(slots=True)
class Plan:
    """The modules of a run in order, each with the targets that are about it."""

    selection: Selection
    modules: dict[str, list[Source]] = field(default_factory=dict)
    """import name -> sources"""
    left: list[Left] = field(default_factory=list)
    loaded: dict[Source, Loaded] = field(default_factory=dict)
    """programs that are already loaded"""
    notes: list[str] = field(default_factory=list)
    """what the user should know about what is left out"""
    by_module: bool = False
    """whether the result is a table of modules: there are several, or a folder was given"""

    @property
    def sources(self) -> list[Source]:
        """Every source, in the order of the run."""
        return [source for sources in self.modules.values() for source in sources]


def make_plan(targets: Sequence[str], options: Options, language: Language) -> Plan:
    """Find the modules of the targets, and drop those of which nothing is asked for."""
    expanded = language.expand(targets)
    plan = Plan(Selection(options, language), left=expanded.left, loaded=expanded.loaded, notes=expanded.notes)
    for source in expanded.sources:
        if plan.selection.takes_module(source):
            plan.modules.setdefault(source.module, []).append(source)
    plan.by_module = expanded.folders or len(plan.modules) > 1 or bool(expanded.left)
    if options.diff is not None and not plan.modules:
        plan.notes.append(f"nothing changed since {options.diff}")
    return plan


class Shares:
    """Shares the time of a run out; what one function or module does not use goes to the later ones.

    Without a limit on the whole, every function has the time of `--time`. With one, a part is kept for what comes
    after the functions of a module, and the functions share the rest: for exploring them and for running their cases.
    """

    def __init__(self, plan: Plan, options: Options) -> None:
        self._each = options.limits.time
        self._total = options.total_time
        self._observing = _OBSERVING_BRANCHES if options.guided else _OBSERVING
        self._observes = options.validate and not options.predicted_only
        self._settles = options.validate
        self._modules = self._left = max(len(plan.modules), 1)
        """how many modules there are, and how many of them are not observed yet"""
        self._later = {source: plan.selection.count(source) if self._total else 0 for source in plan.sources}
        self.watch = Stopwatch()

    def begin(self, source: Source) -> None:
        """From now on the number of functions of this source is known exactly, not estimated from its text."""
        self._later.pop(source, None)

    def seconds(self, left: int) -> float:
        """The time for the next function, if `left` functions of this source are to come; zero if there is none."""
        if self._total is None:
            return self._each
        return max(0.0, min(self._each, self._free() / (left + sum(self._later.values()))))

    def exploring(self, seconds: float) -> float:
        """The part of a function's time for exploring its paths."""
        return _EXPLORING * seconds

    def running(self, left: float) -> float:
        """The time by which a function's cases must have run, if `left` seconds of its own time are left.

        Most functions have few cases, so one whose runs take longer may use time that the others will not need.
        """
        most = _LEAST_RUNNING if self._total is None else max(_MOMENT, self._free() / 4)
        return self.watch.until(max(left, most))

    def observing(self) -> float:
        """The time for what runs of the next module can show: what its functions have left over of its share."""
        if self._total is None:
            return min(self._each, _MOST_OBSERVING)
        left = self._total - self.watch.spent() - self._kept_for(_SETTLING)
        return max(0.0, left / max(self._left, 1))

    def settling(self) -> float:
        """The time by which everything about the current module, which was explored and observed, must be done."""
        self._left = max(self._left - 1, 0)
        if self._total is None:
            return float("inf")
        left = self._total - self.watch.spent() - self._kept_for(self._observing) - self._kept_for(_SETTLING)
        # Tests that were not run together are not written, so there is always a little time for it.
        least = min(_MOST_REHEARSING, _MOMENT + _SETTLING / 2 * self._total / self._modules)
        return self.watch.until(max(least, left / (self._left + 1)))

    def killing(self, functions: int) -> float:
        """The time by which tests must have been run with mutants: as much as a module's functions may take."""
        if self._total is None:
            return self.watch.until(self._each * max(functions, 1))
        return self.watch.until(max(_MOMENT, (self._total - self.watch.spent()) / (self._left + 1)))

    def _free(self) -> float:
        """What is left for the functions."""
        assert self._total is not None
        kept = self._kept_for(self._observing) * self._observes + self._kept_for(_SETTLING) * self._settles
        return self._total - self.watch.spent() - kept

    def _kept_for(self, part: float) -> float:
        return part * (self._total or 0.0) * self._left / self._modules

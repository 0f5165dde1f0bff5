"""What a run will do: its modules, what is left out of them, and how much time each function gets."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.languages.base import Language, Left, Loaded, Source
from everypath.options import Options
from everypath.planning.selection import Selection
from everypath.records import dataclass, field


@dataclass(slots=True)
class Plan:
    """The modules of a run in order, each with the targets that are about it."""

    selection: Selection
    modules: dict[str, list[Source]] = field(default_factory=dict)
    """import name -> sources"""
    left: list[Left] = field(default_factory=list)
    loaded: dict[Source, Loaded] = field(default_factory=dict)
    """programs that are loaded already"""
    notes: list[str] = field(default_factory=list)
    """what the user should know about what is not in it"""
    by_module: bool = False
    """whether the result is a table over modules: several, or those of a folder"""

    @property
    def sources(self) -> list[Source]:
        """Every source, in the order of the run."""
        return [source for sources in self.modules.values() for source in sources]


def make_plan(targets: Sequence[str], options: Options, language: Language) -> Plan:
    """Find the modules of the targets and drop those of which nothing is asked for."""
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
    """Shares the time for exploring out among the functions of a run; what one does not use goes to the later ones."""

    def __init__(self, plan: Plan, options: Options) -> None:
        self._each = options.limits.time
        self._left = options.total_time
        self._later = {source: plan.selection.count(source) if self._left is not None else 0 for source in plan.sources}

    def begin(self, source: Source) -> None:
        """From now on the functions of this source are told exactly, not by the look of its text."""
        self._later.pop(source, None)

    def seconds(self, left: int) -> float:
        """The time for the next function, of which `left` are to come in this source; zero when there is none."""
        if self._left is None:
            return self._each
        return max(0.0, min(self._each, self._left / (left + sum(self._later.values()))))

    def spend(self, seconds: float) -> None:
        """Count the time that a function took."""
        if self._left is not None:
            self._left -= seconds

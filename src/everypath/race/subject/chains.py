"""Chains of calls, such as `sut.every(1).second.do(job)`, for classes whose methods return objects to go on with.

What a method returns may reach back: only a further call on it changes the shared object. So where a method returns an
object of the same package, its attributes and methods are tried, and theirs, until the shared object is another one
than before. Such a chain is a form like any method: other arguments are found for it, others keep its result.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from everypath.race.running import SHARED, Returned
from everypath.race.state.walking import snapshot
from everypath.race.subject.choosing import Chooser, Settled
from everypath.race.subject.surface import NATIVE, Form, surface
from everypath.race.subject.trials import Fit, Trials
from everypath.records import dataclass

_MOST_STEPS = 2
"""At most so many steps lie between the method of the shared object and the last call of a chain."""
_MOST_FORMS, _MOST_MAKERS = 80, 4
_DEPTH, _MOST_HELD = 4, 500
"""How far a result is followed in search of the shared object."""
_NOT_FOLLOWED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
_MOST_LONGER = 3
"""Chains that only have one more step with arguments."""


def chain_forms(cls: type[Any], setup: str, settled: list[Settled], chooser: Chooser, trials: Trials) -> list[Form]:
    """Chains that change the shared object, as forms of the methods with which they begin."""
    made: list[Form] = []
    makers = (one for one in settled if one.fit is Fit.WORKS and one.wrapper == "{}" and "(" in one.form.pattern)
    search = _Search(cls, setup, chooser, trials)
    for one in islice((one for one in makers if search.is_link(one.outcome)), _MOST_MAKERS):
        source = one.source(one.values())
        if source is not None and search.reaches_back(source):
            made += search.chains(one, source)
    return made


@dataclass(slots=True)
class _Link:
    """A beginning of a chain that works, and the object to which it leads."""

    source: str
    value: Any
    steps: int


@dataclass(slots=True)
class _Search:
    _cls: type[Any]
    _setup: str
    _chooser: Chooser
    _trials: Trials
    _left: int = _MOST_FORMS

    def is_link(self, outcome: object) -> bool:
        """Whether the result is an object of the same package, other than one of the class itself."""
        if not isinstance(outcome, Returned):
            return False
        kind = type(outcome.value)
        package = self._cls.__module__.partition(".")[0]
        return kind.__module__.partition(".")[0] == package and not issubclass(kind, self._cls)

    def state(self, source: str) -> Any:
        """What the shared object looks like after a source; None if that does not work."""
        outcome = self._trials.outcome(self._setup, f"[{source}, {SHARED}][1]")
        return snapshot(outcome.value).key if isinstance(outcome, Returned) else None

    def reaches_back(self, source: str) -> bool:
        """Whether what a call returns holds the shared object; only then can a call on it change that."""
        outcome = self._trials.outcome(self._setup, f"[{source}, {SHARED}]")
        if not isinstance(outcome, Returned):
            return False
        returned, shared = outcome.value
        level, seen = [returned], {id(returned)}
        for _ in range(_DEPTH):
            held = [each for each in gc.get_referents(*level) if not issubclass(type(each), _NOT_FOLLOWED)]
            level = [each for each in held if id(each) not in seen][:_MOST_HELD]
            if any(each is shared for each in level):
                return True
            seen.update(map(id, level))
        return False

    def chains(self, maker: Settled, source: str) -> Iterator[Form]:
        """For each call at the end of a chain that changes the shared object: the shortest such chain."""
        assert isinstance(maker.outcome, Returned)
        links, ends, unchanged = [_Link(source, maker.outcome.value, 0)], set[str](), self.state(source)
        rare: list[_Link] = []
        for link in links:
            for step in self._steps(link):
                after = self.state(step.source(step.values()) or SHARED)
                if step.form.method in ends or after is None:
                    continue
                if after != unchanged and "(" in step.form.pattern.removeprefix(link.source):
                    ends.add(step.form.method)
                    yield self._named(step.form, maker)
                    yield from islice(self._longer(link, step, maker, after), _MOST_LONGER)
                elif after == unchanged and self.is_link(step.outcome) and link.steps < _MOST_STEPS:
                    assert isinstance(step.outcome, Returned)
                    further = _Link(step.source(step.values()) or "", step.outcome.value, link.steps + 1)
                    # What takes no arguments, such as a unit, is more often needed than what does.
                    (rare if step.form.parameters else links).append(further)
            links += rare
            rare.clear()

    def _longer(self, link: _Link, last: Settled, maker: Settled, after: Any) -> Iterator[Form]:
        """The same chain with one more step that has arguments and makes a difference."""
        for step in self._steps(link):
            source = step.source(step.values())
            repeated = step.form.method == last.form.method
            if source is None or repeated or not step.form.parameters or not self.is_link(step.outcome):
                continue
            form = _on(source, last.form, link.source)
            values = form.render(last.values())
            state = self.state(values) if values is not None else None
            if state is not None and state != after:
                yield self._named(form, maker)

    def _steps(self, link: _Link) -> Iterator[Settled]:
        """The attributes and methods of an object that work, those with arguments first."""
        forms = [
            form
            for form in surface(type(link.value), (), type(link.value).__name__, [])
            if form.pattern.startswith(f"{SHARED}.")
            and "=" not in form.pattern
            and form.rank != NATIVE
            and ("(" in form.pattern or link.steps < _MOST_STEPS)
        ]
        for form in sorted(forms, key=lambda form: not form.parameters):
            if self._left <= 0:
                return
            self._left -= 1
            step = self._chooser.settle_one(_on(link.source, form, SHARED))
            if step.fit is Fit.WORKS:
                yield step

    @staticmethod
    def _named(form: Form, maker: Settled) -> Form:
        return Form(maker.form.method, form.pattern, form.parameters, maker.form.rank, form.function)


def _on(source: str, form: Form, instead: str) -> Form:
    """The form with another beginning."""
    if "{args}" not in form.pattern:
        # What the source has in braces is no place for an argument.
        source = source.replace("{", "{{").replace("}", "}}")
    pattern = source + form.pattern.removeprefix(instead)
    return Form(form.method, pattern, form.parameters, form.rank, form.function)

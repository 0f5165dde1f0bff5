"""Choosing arguments by trial: which kind of value each parameter wants, and which few calls matter for races."""

from __future__ import annotations

import collections.abc
import inspect
from itertools import islice, product

from everypath.race.running import SHARED, Call, Endless, NotReached, Outcome, Raised, Refused, Returned
from everypath.race.subject.doubles import Stub, stub_function
from everypath.race.subject.scope import Scope
from everypath.race.subject.surface import ASYNCHRONOUS, MANY, NAMED, Form
from everypath.race.subject.trials import Fit, Trials, describe, fit_of
from everypath.race.subject.values import OMITTED, Pool, Pools, further_keys
from everypath.records import dataclass

_TRIALS_PER_FORM = 40
_ITERATION_PROBE = 50
"""An iteration over a new object that gives this many elements is taken to be endless."""
ENDLESS_SHOWN = 20
_SMALL = ("0", "1", "2", "3")
_VALUES_PER_PARAMETER = 6
CALLS_PER_FORM = 4
_DECORATED = ("(stub_function())", "(callback)")
"""Functions for a decorator that a call returns."""


@dataclass(slots=True)
class Settled:
    """A form with the kind of value that each of its parameters wants."""

    form: Form
    pools: list[list[Pool]]
    chosen: list[int]
    """for each parameter, the pool that suits"""
    fit: Fit
    outcome: Outcome
    moved: list[bool]
    """for each parameter, whether its likeliest kind did not work"""
    wrapper: str = "{}"

    def values(self) -> tuple[str | None, ...]:
        """The first value of each chosen pool."""
        return tuple(pools[i][0] for pools, i in zip(self.pools, self.chosen))

    def pool(self, index: int) -> Pool:
        """The chosen pool of a parameter."""
        return self.pools[index][self.chosen[index]]

    def source(self, values: tuple[str | None, ...]) -> str | None:
        """The call with these arguments, drained if it gives something to iterate over."""
        shown = self.form.render(values)
        if shown is None:
            return None
        return self.wrapper.format(shown).replace(f"iter({SHARED})", SHARED) if self.wrapper != "{}" else shown


@dataclass(frozen=True, slots=True)
class Chooser:
    """Settles forms on one setup."""

    _setup: str
    _trials: Trials
    _pools: Pools
    _scope: Scope

    def settle(self, forms: list[Form]) -> list[Settled]:
        """Find suitable values for every form, then make methods agree on what they share."""
        settled = [self._settle(form) for form in forms]
        self._agree(settled)
        for one in settled:
            self._wrap(one)
        return settled

    def settle_one(self, form: Form) -> Settled:
        """Find suitable values for one form by itself."""
        return self._settle(form)

    def _try(self, form: Form, pools: list[list[Pool]], chosen: list[int]) -> tuple[Fit, Outcome | None]:
        values = tuple(pool[i][0] for pool, i in zip(pools, chosen))
        source = form.render(values)
        if source is None or not self._scope.usable(source):
            return Fit.UNUSABLE, None
        outcome = self._trials.outcome(self._setup, source)
        fit = fit_of(outcome)
        if isinstance(outcome, Returned) and isinstance(outcome.value, collections.abc.Iterator):
            # Nothing of a generator has run yet.
            drained = self._trials.outcome(self._setup, self._probe(source))
            fit, outcome = fit_of(drained), outcome if fit_of(drained) is Fit.WORKS else drained
        if fit is Fit.WRONG and not form.parameters:
            # Without arguments nobody but the state of the object can be to blame.
            fit = Fit.DOUBTFUL
        if "None" in values and isinstance(outcome, Raised) and isinstance(outcome.error, (TypeError, AttributeError)):
            fit = Fit.WRONG
        return fit, outcome

    def _probe(self, source: str) -> str:
        """The first elements only: on a new object there are few, unless there is no end of them."""
        probe = f"list(itertools.islice({source}, {_ITERATION_PROBE}))"
        return probe if self._scope.usable(probe) else f"next({source}, None)"

    def _settle(self, form: Form) -> Settled:
        pools = self._pools.of_form(form)
        best = [0] * len(pools)
        fit, outcome = self._try(form, pools, best)
        tried = 1
        for candidate in self._candidates(pools):
            if fit <= Fit.ANOTHER_STATE or tried >= _TRIALS_PER_FORM or _is_final(outcome):
                break
            tried += 1
            other, result = self._try(form, pools, candidate)
            if other < fit or outcome is None:
                best, fit, outcome = candidate, other, result or outcome
        # If leaving an argument out was the first idea, another choice does not show which kind the method needs.
        moved = [i > 0 and options[0] != OMITTED for i, options in zip(best, pools)]
        settled = Settled(form, pools, best, fit, outcome or NotReached(), moved)
        if fit is Fit.DOUBTFUL and not _is_final(outcome):
            self._satisfy(settled)
        return settled

    def _satisfy(self, one: Settled) -> None:
        """Look for other values of the same kinds, since the kinds are right and only the code's own checks refuse."""
        options = [self._values(one, index) for index in range(len(one.pools))]
        best = one.values()
        for values in islice(product(*options), _TRIALS_PER_FORM):
            source = one.form.render(values)
            if source is None or not self._scope.usable(source):
                continue
            outcome = self._trials.outcome(self._setup, source)
            if fit_of(outcome) < one.fit:
                one.fit, one.outcome, best = fit_of(outcome), outcome, values
            if one.fit is Fit.WORKS:
                break
        for index, value in enumerate(best):
            one.moved[index] = one.moved[index] or value != one.values()[index]
            row, chosen = list(one.pools[index]), one.chosen[index]
            row[chosen] = tuple(dict.fromkeys((value, *row[chosen])))
            one.pools[index] = row

    def _values(self, one: Settled, index: int) -> Pool:
        """Values of the kind that was chosen for a parameter, with those that were solved for and small numbers."""
        pool = one.pool(index)
        solved = self._pools.solved(one.form.method, one.form.parameters[index].name)
        numbers = _SMALL if pool[0] is not None and pool[0].lstrip("-").isdigit() else ()
        return tuple(dict.fromkeys((*pool[:2], *solved, *numbers, *pool[2:])))[:_VALUES_PER_PARAMETER]

    @staticmethod
    def _candidates(pools: list[list[Pool]]) -> list[list[int]]:
        """Choices other than the first of everything, those that change the fewest and likeliest first."""
        ranges = [range(min(len(options), 11)) for options in pools]
        if len(pools) <= 3:
            every = [list(choice) for choice in product(*ranges)]
        else:
            every = [[i if at == k else 0 for k in range(len(ranges))] for at, r in enumerate(ranges) for i in r]
        return sorted((c for c in every if any(c)), key=lambda c: (sum(map(bool, c)), sum(c)))

    def _agree(self, settled: list[Settled]) -> None:
        """Give parameters of one role the values with which most methods work: what one puts in, another finds."""
        roles: dict[str, list[tuple[Settled, int]]] = {}
        for one in settled:
            for index, parameter in enumerate(one.form.parameters):
                if one.pool(index) != OMITTED:
                    roles.setdefault(one.form.role(parameter), []).append((one, index))
        for members in roles.values():
            # The kind that a method moved to, away from its first idea, is the one that it needs.
            needed = dict.fromkeys(one.pool(index) for one, index in members if one.moved[index])
            any(self._all_take(members, pool) for pool in needed)

    def _all_take(self, members: list[tuple[Settled, int]], pool: Pool) -> bool:
        changes = []
        for one, index in members:
            if one.pool(index) == pool:
                continue
            if pool not in one.pools[index]:
                one.pools[index].append(pool)
            chosen = list(one.chosen)
            chosen[index] = one.pools[index].index(pool)
            fit, outcome = self._try(one.form, one.pools, chosen)
            if fit > one.fit or outcome is None:
                return False
            changes.append((one, chosen, fit, outcome))
        for one, chosen, fit, outcome in changes:
            one.chosen, one.fit, one.outcome = chosen, fit, outcome
        return True

    def _wrap(self, one: Settled) -> None:
        """Use up what is iterated lazily, and enter context managers: only then does anything happen."""
        if not isinstance(one.outcome, Returned):
            if one.form.method in ("__iter__", "__reversed__"):
                one.wrapper = "list({})"
            return
        value = one.outcome.value
        source = one.source(one.values()) or ""
        if isinstance(value, (collections.abc.Iterator, collections.abc.MappingView)):
            result = self._trials.outcome(self._setup, self._probe(source))
            size = len(result.value) if isinstance(result, Returned) and isinstance(result.value, list) else 0
            endless = size >= _ITERATION_PROBE
            one.wrapper = f"list(itertools.islice({{}}, {ENDLESS_SHOWN}))" if endless else "list({})"
        elif inspect.isawaitable(value) or isinstance(value, collections.abc.AsyncIterator):
            one.fit = Fit.UNUSABLE
        elif not one.form.parameters and "(" not in one.form.pattern:
            return
        elif _is_decorated(value):
            one.wrapper = self._called(source)
        elif _is_manager(value) and not one.form.method.startswith("__") and not isinstance(value, self._pools.cls):
            entered = f"with {source}: pass"
            if self._trials.fit(self._setup, entered) <= Fit.ANOTHER_STATE:
                one.wrapper = "with {}: pass"

    def _called(self, source: str) -> str:
        """How to call a function that a call has made: as it is, or with a function to decorate."""
        for arguments in ("()", *_DECORATED):
            call = f"{source}{arguments}"
            if self._scope.usable(call) and self._trials.fit(self._setup, call) <= Fit.ANOTHER_STATE:
                outcome = self._trials.outcome(self._setup, call)
                again = isinstance(outcome, Returned) and _is_decorated(outcome.value)
                called = again and self._trials.fit(self._setup, f"{call}()") <= Fit.ANOTHER_STATE
                return f"{{}}{arguments}{'()' if called else ''}"
        return "{}"

    def calls(self, one: Settled) -> list[Call]:
        """A few calls of the form: the same key and another, another value for the same key, then options."""
        found: dict[str, Fit] = {}
        for values in self._combinations(one):
            if len(found) >= CALLS_PER_FORM:
                break
            source = one.source(values)
            if source is None or source in found or not self._scope.usable(source):
                continue
            fit = self._trials.fit(self._setup, source)
            if fit <= Fit.DOUBTFUL or (fit is Fit.WRONG and one.fit <= Fit.DOUBTFUL and not one.form.parameters):
                found[source] = fit
        return [Call(one.form.method, source) for source in found]

    def further(self, one: Settled, count: int) -> list[Call]:
        """Calls with still other keys, to fill an object that holds that many more."""
        values = one.values()
        index = next((i for i, value in enumerate(values) if value is not None), None)
        if index is None or one.fit > Fit.ANOTHER_STATE:
            return []
        keys = further_keys(one.form.method, one.pool(index))[:count]
        shown = [one.source((*values[:index], key, *values[index + 1 :])) for key in keys]
        fitting = [source for source in shown if source and self._trials.fit(self._setup, source) <= Fit.ANOTHER_STATE]
        return [Call(one.form.method, source) for source in fitting]

    def _combinations(self, one: Settled) -> list[tuple[str | None, ...]]:
        base = one.values()
        filled = [i for i, value in enumerate(base) if value is not None]
        first, second = _spread(one, 0), _spread(one, 1)
        solved = [
            (*base[:i], value, *base[i + 1 :])
            for i, parameter in enumerate(one.form.parameters)
            for value in self._pools.solved(one.form.method, parameter.name)
        ]
        optional = [
            (*first[:i], value, *first[i + 1 :])
            for i, parameter in enumerate(one.form.parameters)
            if base[i] is None and parameter.kind not in (MANY, NAMED) and not parameter.name.startswith("_")
            for value in self._pools.variants(one.form, parameter)
        ]
        found = [first]
        # What does not wait shows more than a second call that waits.
        found += optional[:1] if one.fit is Fit.ANOTHER_STATE and not filled else []
        found += [second, *solved[:2]]
        if len(filled) > 1:
            found.append(tuple(a if i == filled[0] else b for i, (a, b) in enumerate(zip(first, second))))
        found += optional
        for i in filled:
            found += [(*base[:i], value, *base[i + 1 :]) for value in one.pool(i)[2:5]]
        return [*found, base, *solved[2:]]

    def problem(self, one: Settled) -> str | None:
        """Why the form is left out; None if it is not."""
        if isinstance(one.outcome, Returned) and one.fit is Fit.UNUSABLE:
            return ASYNCHRONOUS
        if one.fit is Fit.UNUSABLE:
            return describe(one.outcome)
        if one.fit is Fit.WRONG or not self.calls(one):
            names = [p.name for p, i in zip(one.form.parameters, one.values()) if i is not None]
            options = " ".join(f"--arg {one.form.method}.{name}=..." for name in names)
            hint = f"; give values with {options}" if names else ""
            return f"no arguments found with which it works: it {describe(one.outcome)}{hint}"
        return None


def _is_final(outcome: Outcome | None) -> bool:
    """Whether other arguments could only do harm: where a file is meant, a number would be one that is open already."""
    return isinstance(outcome, (Refused, Endless)) or (
        isinstance(outcome, Raised) and isinstance(outcome.error, OSError)
    )


def _spread(one: Settled, turn: int) -> tuple[str | None, ...]:
    """The first values or, at the next turn, the second ones; parameters of one kind get different values."""
    seen: dict[Pool, int] = {}
    values = []
    for index in range(len(one.pools)):
        pool = one.pool(index)[:2]
        values.append(pool[(seen.get(pool, 0) + turn) % len(pool)])
        seen[pool] = seen.get(pool, 0) + 1
    return tuple(values)


def _is_decorated(value: object) -> bool:
    """Whether it is a function that the code under test made, not one that was handed in."""
    return inspect.isfunction(value) and value.__code__.co_filename != stub_function.__code__.co_filename


def _is_manager(value: object) -> bool:
    kind = type(value)
    return hasattr(kind, "__enter__") and hasattr(kind, "__exit__") and kind is not Stub

"""The class under test: how to make an object of it, and the calls worth racing, found with no help from the user."""

from __future__ import annotations

import difflib
import enum
import importlib.machinery
import inspect
import sys
import typing
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from everypath.errors import BadInput
from everypath.race.observe.attributes import is_python_class
from everypath.race.running import SHARED, Call, Returned
from everypath.race.subject.bounds import Parameters, bound_of, exchanged, flipped, is_bound, widened
from everypath.race.subject.class_source import Known
from everypath.race.subject.construct import Construction, constructor_parameters, used_as_attribute
from everypath.race.subject.doubles import ATTRIBUTE
from everypath.race.subject.offer import CALL_LIMIT, Offer
from everypath.race.subject.scope import Scope
from everypath.race.subject.surface import OWN, Form, surface
from everypath.race.subject.trials import Attempt, Fit, Trials, describe
from everypath.records import dataclass, field

_SETUPS_COMPARED = 6
_MOST_OPTIONS = 2
"""Options of the constructor that are also tried the other way round."""
_MOST_VALUES = 6
"""Values that the code compares arguments of the constructor with, of which each is tried."""


class NothingToRace(BadInput):
    """The class has no state that two threads could disturb."""


@dataclass(slots=True)
class Subject:
    """A class with everything needed to call it."""

    cls: type[Any]
    setups: tuple[str, ...]
    """the main setup, then others that are worth a search of their own"""
    calls: tuple[Call, ...]
    """the calls for the main setup; those whose method begins with "<" only prepare a state or show it"""
    methods: tuple[str, ...]
    """the methods that are raced and covered by the calls"""
    raced: frozenset[str] | None
    """the methods to race; None for all. The others may prepare a state"""
    problems: tuple[tuple[str, str], ...]
    """(method, why it is left out)"""
    scope: Scope
    uncalled: tuple[tuple[str, str], ...] = ()
    """the methods to race for which there is no call, and why"""
    wider: dict[str, tuple[Call, ...]] = field(default_factory=dict)
    """for setups with more room: calls with further keys and results"""

    @property
    def setup(self) -> str:
        """The main one."""
        return self.setups[0]

    def calls_for(self, setup: str) -> tuple[Call, ...]:
        """The calls for one of the setups."""
        return tuple(dict.fromkeys((*self.calls, *self.wider.get(setup, ()))))


def inspect_class(
    cls: type[Any],
    *,
    setup: str | None,
    methods: tuple[str, ...],
    known: Known,
    names: dict[str, Any],
    attempt: Attempt,
    limit: int = CALL_LIMIT,
) -> Subject:
    """Find a setup and calls by trial; raises BadInput if no object can be made or there is nothing to call."""
    _refuse_classes_without_state(cls)
    scope = Scope(names)
    if scope.refer(cls) is None:
        raise BadInput(f"{cls.__qualname__} is defined inside a function: a test cannot name it; move it to the module")
    trials = Trials(attempt)
    construction = Construction(cls, scope, trials, known)
    problems: list[tuple[str, str]] = []
    forms = _forms(cls, methods, scope, problems)
    parameters = constructor_parameters(cls)
    _check_values(scope, known.fixed, _parameters_by_method(parameters, forms))
    pools = construction.pools(cls)

    def settle(made: str) -> Offer:
        return Offer(made, forms, trials, pools, scope)

    best = _best(_given(cls, setup, scope, trials) if setup else construction.setups(cls), settle)
    if best is None:
        raise construction.failure(cls)
    fixed = setup is not None or any(is_bound(p) and pools.fixed("__init__", p.name) for p in parameters)
    best, setups = (best, (best.setup,)) if fixed else _with_other_bounds(best, parameters, settle, trials)
    if setup is None:
        values = list(construction.other_values(cls))
        other = _with_other_values(best, values, parameters, settle, trials)
        setups = setups if other is best else (other.setup, *setups)
        best = other
        setups += _with_other_options(best.setup, values, parameters, trials)
        setups = tuple(dict.fromkeys(setups))
    raced = frozenset(methods) or None
    calls = best.calls(problems, raced, limit)
    if not calls:
        raise _nothing_to_call(cls, problems)
    covered = tuple(dict.fromkeys(c.method for c in calls if raced is None or c.method in raced))
    problems = _about(raced, problems)
    all_calls = (*calls, *best.preparing(calls))
    wider = {each: best.further(each) for each in setups}
    uncalled = tuple(_about(raced, best.uncalled.items()))
    return Subject(cls, setups, all_calls, covered, raced, tuple(problems), scope, uncalled, wider)


def _best(setups: Iterable[str], settle: Callable[[str], Offer]) -> Offer | None:
    """The first setup with which all methods work; if there is none, the best of the first few."""
    prepared: list[Offer] = []
    for setup in islice(setups, _SETUPS_COMPARED):
        prepared.append(settle(setup))
        if prepared[-1].mismatches == 0:
            break
    return min(prepared, key=lambda each: each.mismatches) if prepared else None


def _nothing_to_call(cls: type[Any], problems: list[tuple[str, str]]) -> NothingToRace:
    reasons = "; ".join(f"{method} {reason}" for method, reason in problems)
    reasons = reasons or "it has no public methods of its own or of its bases"
    return NothingToRace(f"{cls.__qualname__}: nothing to call from two threads: {reasons}")


def _with_other_bounds(
    best: Offer, parameters: Parameters, settle: Callable[[str], Offer], trials: Trials
) -> tuple[Offer, tuple[str, ...]]:
    """The offer with room for one thing or, if that is too little for the calls, for more; and all setups to try."""
    # Only an object with room for one thing may be too small for some calls.
    if bound_of(best.setup, parameters) != 1:
        return best, (best.setup,)
    wider = widened(best.setup, parameters)
    if wider is None or trials.fit(wider, None) is not Fit.WORKS:
        return best, (best.setup,)
    other = settle(wider)
    if other.misfit < best.misfit:
        return other, (wider,)
    return best, (best.setup, wider)


def _with_other_values(
    best: Offer, values: list[tuple[int, str]], parameters: Parameters, settle: Callable[[str], Offer], trials: Trials
) -> Offer:
    """The setup with those arguments, one after the other, with which more of the methods work."""
    for index, value in values[:_MOST_VALUES]:
        changed = exchanged(best.setup, index, parameters[index], value)
        if changed is None or trials.fit(changed, None) is not Fit.WORKS or not best.works_better(changed):
            continue
        other = settle(changed)
        best = other if other.misfit <= best.misfit else best
    return best


def _with_other_options(
    setup: str, values: list[tuple[int, str]], parameters: Parameters, trials: Trials
) -> tuple[str, ...]:
    """The setup with one of its options as the code also knows it: yes for no, another mode, an object for None."""
    # Numbers are mostly limits: on their other side there is seldom more than an error.
    modes = [(index, value) for index, value in values if not value.lstrip("-")[:1].isdigit()]
    given = (exchanged(setup, index, parameters[index], value) for index, value in modes)
    changed = dict.fromkeys((*flipped(setup, parameters), *(each for each in given if each is not None)))
    others = (each for each in changed if each != setup and trials.fit(each, None) is Fit.WORKS)
    return tuple(islice(others, _MOST_OPTIONS))


def _about(raced: frozenset[str] | None, told: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The problems that concern the methods to race."""
    return [(method, what) for method, what in told if raced is None or method in raced]


def _given(cls: type[Any], setup: str, scope: Scope, trials: Trials) -> list[str]:
    """The user's own setup, if it gives an object of the class."""
    if not scope.usable(setup):
        raise BadInput(f"--setup {setup!r} is no expression over the names of {cls.__module__}")
    outcome = trials.outcome(setup, None)
    if not isinstance(outcome, Returned):
        raise BadInput(f"--setup {setup!r} gives no object: it {describe(outcome)}")
    if not isinstance(outcome.value, cls) and not used_as_attribute(cls):
        raise BadInput(f"--setup {setup!r} gives a {type(outcome.value).__name__}, not a {cls.__qualname__}")
    return [setup]


def _parameters_by_method(constructor: Parameters, forms: Iterable[Form]) -> dict[str, list[str]]:
    found = {"__init__": [p.name for p in constructor]}
    for form in forms:
        found.setdefault(form.method, []).extend(p.name for p in form.parameters)
    return found


def _check_values(scope: Scope, args: dict[str, list[str]], known: dict[str, list[str]]) -> None:
    for name, sources in args.items():
        method, _, parameter = name.rpartition(".")
        if method and method not in known:
            near = difflib.get_close_matches(method, known, 3) or sorted(known)[:8]
            raise BadInput(f"--arg {name}: no method {method!r}; there are {', '.join(near)}")
        names = known[method] if method else [each for row in known.values() for each in row]
        if parameter not in names:
            raise BadInput(f"--arg {name}: no parameter has this name; there are {', '.join(dict.fromkeys(names))}")
        for source in sources:
            if not scope.usable(source):
                raise BadInput(f"--arg {name}={source}: this is no expression over the names of the module")


def _forms(cls: type[Any], methods: tuple[str, ...], scope: Scope, problems: list[tuple[str, str]]) -> list[Form]:
    if used_as_attribute(cls):
        return _attribute_forms(cls, problems)
    found = surface(cls, methods, scope.refer(cls) or "", problems)
    if not methods:
        return found
    known = {form.method for form in found}
    for method in methods:
        if method not in known:
            reason = next((reason for name, reason in problems if name == method), None)
            near = difflib.get_close_matches(method, known, 3) or sorted(known)[:8]
            why = f"{method} {reason}" if reason else f"no method {method!r}; there are {', '.join(near)}"
            raise BadInput(f"{cls.__qualname__}: {why}")
    # The other methods still bring the object into states in which the named ones do something else.
    return sorted(found, key=lambda form: form.method not in methods)


def _attribute_forms(cls: type[Any], problems: list[tuple[str, str]]) -> list[Form]:
    """What can be done with a descriptor through an object that has it."""
    found = [Form("__get__", f"{SHARED}.{ATTRIBUTE}", (), OWN)]
    if hasattr(cls, "__set__"):
        value = inspect.Parameter("value", inspect.Parameter.POSITIONAL_ONLY)
        found.append(Form("__set__", f"{SHARED}.{ATTRIBUTE} = {{0}}", (value,), OWN, vars(cls).get("__set__")))
    if hasattr(cls, "__delete__") or not hasattr(cls, "__set__"):
        # Deleting what a descriptor keeps in the object is how its value is forgotten.
        found.append(Form("__delete__", f"del {SHARED}.{ATTRIBUTE}", (), OWN))
    others = [name for name, member in vars(cls).items() if callable(member) and not name.startswith("_")]
    problems.extend((name, "belongs to the descriptor; only the use of the attribute is run") for name in others)
    return found


def _refuse_classes_without_state(cls: type[Any]) -> None:
    name, nothing = cls.__qualname__, "there is nothing to race"
    named_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
    for applies, error, why in (
        (issubclass(cls, enum.Enum), NothingToRace, f"an enumeration: its members are constants, {nothing}"),
        (named_tuple, NothingToRace, f"a named tuple: it cannot change, {nothing}"),
        (issubclass(cls, BaseException), NothingToRace, "an exception: threads do not share it"),
        (issubclass(cls, type), BadInput, "a metaclass: name a class made with it"),
        (getattr(cls, "_is_protocol", False), BadInput, "a protocol: name a class that implements it"),
        (typing.is_typeddict(cls), BadInput, "a typed dictionary: it has no code of its own"),
    ):
        if applies:
            raise error(f"{name} is {why}")
    if _is_native(cls):
        raise BadInput(f"{name} is implemented in C: its steps cannot be observed; name a Python class that uses it")
    _refuse_abstract(cls)


def _refuse_abstract(cls: type[Any]) -> None:
    """Refuse a class with abstract protocol methods (`__len__`, ...), to which no stub can give a meaning."""
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    needed = [
        method
        for method in missing
        if method.startswith("__") or inspect.iscoroutinefunction(inspect.getattr_static(cls, method, None))
    ]
    if needed:
        raise BadInput(f"{cls.__qualname__} is abstract ({', '.join(missing)} missing): name a concrete subclass")


def _is_native(cls: type[Any]) -> bool:
    if not is_python_class(cls):
        return True
    loader = getattr(getattr(sys.modules.get(cls.__module__), "__spec__", None), "loader", None)
    native = importlib.machinery.ExtensionFileLoader, importlib.machinery.BuiltinImporter
    return isinstance(loader, native) or loader is importlib.machinery.BuiltinImporter

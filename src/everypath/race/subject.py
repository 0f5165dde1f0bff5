"""The class under test: how to make an object of it, and the calls worth racing, found with no help from the user."""

from __future__ import annotations

import difflib
import enum
import importlib.machinery
import inspect
import sys
import typing
from operator import itemgetter
from typing import Any

from everypath.errors import BadInput
from everypath.race.calls import SHARED, Call
from everypath.race.choosing import Chooser, Settled
from everypath.race.construct import Construction, constructor_parameters, used_as_attribute
from everypath.race.running import Returned
from everypath.race.scope import Scope
from everypath.race.stubs import ATTRIBUTE
from everypath.race.surface import MINOR, OWN, Form, surface
from everypath.race.trials import Attempt, Fit, Trials, describe
from everypath.records import dataclass

CALL_LIMIT = 40
_SETUPS_COMPARED = 6
_IMMUTABLE_TYPE = 1 << 8
_HEAP_TYPE = 1 << 9


class NothingToRace(BadInput):
    """The class has no state that two threads could disturb."""


@dataclass(slots=True)
class Subject:
    """A class with everything needed to call it."""

    cls: type[Any]
    setup: str
    calls: tuple[Call, ...]
    methods: tuple[str, ...]
    """those that the calls cover"""
    problems: tuple[tuple[str, str], ...]
    """(method, why it is left out)"""
    scope: Scope

    def namespace(self) -> dict[str, Any]:
        """A new dictionary for evaluating the setup and the calls."""
        return self.scope.namespace()


def inspect_class(
    cls: type[Any],
    *,
    setup: str | None,
    methods: tuple[str, ...],
    args: dict[str, list[str]],
    values: dict[tuple[str, str], list[str]],
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
    construction = Construction(cls, scope, trials, args, values)
    problems: list[tuple[str, str]] = []
    forms = _forms(cls, methods, scope, problems)
    _check_values(scope, args, [*(p.name for p in constructor_parameters(cls)), *_parameter_names(forms)])
    pools = construction.pools(cls)
    best: tuple[str, list[Settled]] | None = None
    for count, made in enumerate(_given(cls, setup, scope, trials) if setup else construction.setups(cls)):
        settled = Chooser(made, trials, pools, scope).settle(forms)
        if best is None or _mismatches(settled) < _mismatches(best[1]):
            best = made, settled
        if _mismatches(best[1]) == 0 or count + 1 >= _SETUPS_COMPARED:
            break
    if best is None:
        raise construction.failure(cls)
    chosen, settled = best
    calls = _calls(Chooser(chosen, trials, pools, scope), chosen, settled, trials, problems, limit)
    if not calls:
        reasons = (
            "; ".join(f"{method} {reason}" for method, reason in problems)
            or "it has no public methods of its own or of its bases"
        )
        raise NothingToRace(f"{cls.__qualname__}: nothing to call from two threads: {reasons}")
    covered = tuple(dict.fromkeys(call.method for call in calls))
    return Subject(cls, chosen, tuple(calls), covered, tuple(problems), scope)


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


def _parameter_names(forms: list[Form]) -> list[str]:
    return [parameter.name for form in forms for parameter in form.parameters]


def _check_values(scope: Scope, args: dict[str, list[str]], known: list[str]) -> None:
    for name, sources in args.items():
        if name.rpartition(".")[2] not in known:
            raise BadInput(f"--arg {name}: no parameter has this name; there are {', '.join(dict.fromkeys(known))}")
        for source in sources:
            if not scope.usable(source):
                raise BadInput(f"--arg {name}={source}: this is no expression over the names of the module")


def _forms(cls: type[Any], methods: tuple[str, ...], scope: Scope, problems: list[tuple[str, str]]) -> list[Form]:
    if used_as_attribute(cls):
        return _attribute_forms(cls, problems)
    found = [_named(form, scope.refer(cls)) for form in surface(cls, methods, problems)]
    if not methods:
        return found
    known = {form.method for form in found}
    for method in methods:
        if method not in known:
            reason = next((reason for name, reason in problems if name == method), None)
            near = difflib.get_close_matches(method, known, 3) or sorted(known)[:8]
            why = f"{method} {reason}" if reason else f"no method {method!r}; there are {', '.join(near)}"
            raise BadInput(f"{cls.__qualname__}: {why}")
    problems[:] = [(name, reason) for name, reason in problems if name in methods]
    return [form for form in found if form.method in methods]


def _named(form: Form, name: str | None) -> Form:
    """A call on the class with the name that the class has here."""
    if not form.shared:
        return form
    pattern = form.pattern.replace("{cls}", name or "")
    return Form(form.method, pattern, form.parameters, form.rank, form.function, shared=True)


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


def _mismatches(settled: list[Settled]) -> int:
    """How many methods do not work with the setup, which may have made them of the wrong things."""
    return sum(one.fit in (Fit.WRONG,) for one in settled)


def _calls(
    chooser: Chooser,
    setup: str,
    settled: list[Settled],
    trials: Trials,
    problems: list[tuple[str, str]],
    limit: int,
) -> list[Call]:
    """The calls of all forms, first one of each, then further ones, until there are enough."""
    rows: list[tuple[int, list[Call]]] = []
    for one in settled:
        if one.form.method.startswith("__i") and "=" in one.form.pattern:
            value = one.values()[0]
            if one.fit is Fit.WORKS and not trials.holds(setup, f"{SHARED}.{one.form.method}({value}) is {SHARED}"):
                problems.append((one.form.method, "makes a new object instead of changing this one"))
                continue
        problem = chooser.problem(one)
        if problem is not None:
            problems.append((one.form.method, problem))
            continue
        rows.append((one.form.rank, chooser.calls(one)))
    turns = [((i + (rank == MINOR), rank), call) for rank, row in rows for i, call in enumerate(row)]
    ordered = [call for _, call in sorted(turns, key=itemgetter(0))]
    kept = list(dict.fromkeys(ordered))[:limit]
    covered = {call.method for call in kept}
    cut = [method for method in dict.fromkeys(call.method for call in ordered) if method not in covered]
    if cut:
        others = f" (also {', '.join(cut[1:])})" if cut[1:] else ""
        problems.append((cut[0], f"is left out{others}: more than {limit} calls; name what matters with --method"))
    return kept


def _refuse_classes_without_state(cls: type[Any]) -> None:
    name = cls.__qualname__
    if issubclass(cls, enum.Enum):
        raise NothingToRace(f"{name} is an enumeration: its members are constants, there is nothing to race")
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        raise NothingToRace(f"{name} is a named tuple: it cannot change, there is nothing to race")
    if issubclass(cls, BaseException):
        raise NothingToRace(f"{name} is an exception: threads do not share it")
    if issubclass(cls, type):
        raise BadInput(f"{name} is a metaclass: name a class made with it")
    if getattr(cls, "_is_protocol", False):
        raise BadInput(f"{name} is a protocol: name a class that implements it")
    if typing.is_typeddict(cls):
        raise BadInput(f"{name} is a typed dictionary: it has no code of its own")
    if _is_native(cls):
        raise BadInput(f"{name} is implemented in C: its steps cannot be observed; name a Python class that uses it")
    _refuse_abstract(cls)


def _refuse_abstract(cls: type[Any]) -> None:
    """Abstract protocol methods (`__len__`, ...) need meaning that a stub cannot give."""
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    needed = [
        method
        for method in missing
        if method.startswith("__") or inspect.iscoroutinefunction(inspect.getattr_static(cls, method, None))
    ]
    if needed:
        raise BadInput(f"{cls.__qualname__} is abstract ({', '.join(missing)} missing): name a concrete subclass")


def _is_native(cls: type[Any]) -> bool:
    if not cls.__flags__ & _HEAP_TYPE or cls.__flags__ & _IMMUTABLE_TYPE:
        return True
    loader = getattr(getattr(sys.modules.get(cls.__module__), "__spec__", None), "loader", None)
    native = importlib.machinery.ExtensionFileLoader, importlib.machinery.BuiltinImporter
    return isinstance(loader, native) or loader is importlib.machinery.BuiltinImporter

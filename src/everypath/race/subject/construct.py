"""Making an object of a class with no help: constructor arguments by annotation, name, use and trial."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from everypath.cases.races import CLAMPING
from everypath.errors import BadInput
from everypath.languages.python.parameters.hints import EMPTY
from everypath.race.running import Endless, Raised, Refused, Returned
from everypath.race.subject.annotations import Annotations, accepts
from everypath.race.subject.bounds import is_bound, limits_values
from everypath.race.subject.class_source import UNUSED, Known, Uses, defining
from everypath.race.subject.doubles import ATTRIBUTE
from everypath.race.subject.scope import Scope
from everypath.race.subject.surface import MANY, NAMED, arguments, signature_of
from everypath.race.subject.trials import Fit, Trials, describe
from everypath.race.subject.values import OMITTED, Pool, Pools

_TRIALS = 120
_VARIANTS = 4
"""How many objects of another class are made, from different arguments: a method may not accept all of them."""


class Construction:
    """Finds setups for classes: the one under test and, for its arguments, others."""

    def __init__(self, subject: type[Any], scope: Scope, trials: Trials, known: Known) -> None:
        self._subject = subject
        self._scope = scope
        self._trials = trials
        self._known = known
        self._under_way: set[type[Any]] = {subject}
        self.annotations = Annotations(scope, subject, self._other)

    def pools(self, cls: type[Any]) -> Pools:
        """The pools of the class under test, or of another class, to which the user's values do not apply."""
        known = self._known if cls is self._subject else Known(uses=self._known.uses)
        return Pools(cls, self._scope, self.annotations, known)

    def _other(self, cls: type[Any], depth: int) -> list[str]:
        """An object of another class, for an argument."""
        if cls in self._under_way or depth < 0:
            return []
        candidates = [cls]
        if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
            # One that needs nothing is the plainest, and the least likely to open files.
            candidates = [sub for sub in cls.__subclasses__() if not _required(sub) and not inspect.isabstract(sub)]
        self._under_way.add(cls)
        try:
            found = [source for candidate in candidates[:3] for source in islice(self.setups(candidate), _VARIANTS)]
        finally:
            self._under_way.discard(cls)
        return [*found[:_VARIANTS], "stub_object()"]

    def setups(self, cls: type[Any]) -> Iterator[str]:
        """Sources that make an object, the most sensible first; each was tried."""
        name = self._scope.refer(cls)
        if name is None:
            return
        is_descriptor = used_as_attribute(cls)
        pattern = f"concrete({name})({{}})" if inspect.isabstract(cls) else f"{name}({{}})"
        pattern = f"host({pattern})" if is_descriptor else pattern
        parameters = constructor_parameters(cls)
        pools = self._parameter_pools(cls, parameters, is_descriptor)
        for values in islice(_choices(pools), _TRIALS):
            shown = arguments(parameters, values)
            if shown is None:
                continue
            source = pattern.format(shown)
            if self._scope.usable(source) and self._trials.fit(source, None) is Fit.WORKS:
                yield source
        yield from self._through_class_methods(cls, name)

    def _parameter_pools(
        self, cls: type[Any], parameters: tuple[inspect.Parameter, ...], is_descriptor: bool
    ) -> list[list[Pool]]:
        method = _constructor_name(cls)
        hints = self.annotations.resolve(getattr(cls, method), cls) | self._field_hints(cls)
        uses = self._known.uses.of(cls, method)
        pools = self.pools(cls)
        found: list[list[Pool]] = []
        for parameter in parameters:
            options = self._options(pools, method, parameter, hints, uses)
            if is_descriptor:
                if parameter is parameters[0] and options == [OMITTED]:
                    options = [("stub_function()",), OMITTED]
                options = [tuple(_as_attribute(value) for value in pool) for pool in options]
            found.append(options)
        return found

    def _options(
        self, pools: Pools, method: str, parameter: inspect.Parameter, hints: dict[str, Any], uses: Uses
    ) -> list[Pool]:
        if parameter.kind in (MANY, NAMED):
            return [OMITTED]
        options = pools.of_parameter(method, parameter, parameter.name, hints, uses)
        if pools.fixed(method, parameter.name) is not None:
            return options
        solved = pools.solved(method, parameter.name)
        if parameter.default is inspect.Parameter.empty:
            return [*([tuple(solved)] if solved else []), *options]
        # A bound that is small makes the code for "full" reachable; what is possible without it still is.
        clamps = limits_values(parameter) and CLAMPING in uses.get(parameter.name, UNUSED).ways
        wide = is_bound(parameter) and parameter.default != 1 and not clamps
        return [("1",), ("2",), OMITTED] if wide else [OMITTED]

    def other_values(self, cls: type[Any]) -> Iterator[tuple[int, str]]:
        """Values for parameters, by position, with which methods may do something else than with the likeliest ones.

        Those are the literals that the code compares a parameter with, or the attribute that keeps it, and objects
        of the program's own classes in the place of None.
        """
        method = _constructor_name(cls)
        hints = self.annotations.resolve(getattr(cls, method), cls) | self._field_hints(cls)
        uses, pools = self._known.uses.of(cls, method), self.pools(cls)
        for index, parameter in enumerate(constructor_parameters(cls)):
            # Bounds and options have ways of their own.
            open_to_change = parameter.kind not in (MANY, NAMED) and type(parameter.default) is not bool
            if not open_to_change or is_bound(parameter) or pools.fixed(method, parameter.name) is not None:
                continue
            use, hint = uses.get(parameter.name, UNUSED), hints.get(parameter.name, EMPTY)
            if parameter.default is None:
                made = self.annotations.own_objects(hint) or self.annotations.made_for(parameter.name, use.members)
                yield from ((index, source) for source in made[:1])
            yield from ((index, constant) for constant in use.constants if accepts(hint, ast.literal_eval(constant)))

    def _field_hints(self, cls: type[Any]) -> dict[str, Any]:
        """Annotations of the fields of a dataclass, whose constructor may not have them as objects."""
        if not hasattr(cls, "__dataclass_fields__"):
            return {}
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            found |= self.annotations.resolve(base, cls) if "__annotations__" in vars(base) else {}
        return found

    def _through_class_methods(self, cls: type[Any], name: str) -> Iterator[str]:
        """Class methods without arguments that give an object, for classes that are not constructed directly."""
        for base in cls.__mro__[:-1]:
            for method, member in list(vars(base).items()):
                if not isinstance(member, (classmethod, staticmethod)) or method.startswith("_"):
                    continue
                source = f"{name}.{method}()"
                outcome = self._trials.outcome(source, None)
                if isinstance(outcome, Returned) and isinstance(outcome.value, cls):
                    yield source

    def failure(self, cls: type[Any]) -> BadInput:
        """Why no object could be made, with the argument that is to blame."""
        name = cls.__qualname__
        parameters = constructor_parameters(cls)
        pools = self._parameter_pools(cls, parameters, used_as_attribute(cls))
        required = _required(cls)
        shown = ", ".join(p.name for p in required) or "..."
        advice = f"make the object yourself: --setup '{name}({shown})'"
        first = arguments(parameters, tuple(options[0][0] if options else None for options in pools))
        if any(not options for options in pools) or first is None:
            missing = next((p.name for p, options in zip(parameters, pools) if not options), shown)
            return BadInput(f"{name} cannot be constructed: no value for its argument {missing!r}; {advice}")
        called = f"concrete({name})" if inspect.isabstract(cls) else name
        outcome = self._trials.outcome(f"{called}({first})", None)
        reason = describe(outcome)
        if isinstance(outcome, (Refused, Endless)) or not required:
            return BadInput(f"{name} cannot be constructed: its constructor {reason}; {advice}")
        blamed = _blamed(required, pools, parameters, reason if isinstance(outcome, Raised) else "")
        return BadInput(
            f"{name} cannot be constructed: no value works for its argument {blamed!r} ({reason}); {advice}"
        )


def _blamed(
    required: list[inspect.Parameter], pools: list[list[Pool]], parameters: tuple[inspect.Parameter, ...], reason: str
) -> str:
    mentioned = [p.name for p in required if re.search(rf"\b{re.escape(p.name)}\b", reason)]
    if mentioned:
        return mentioned[0]
    # The more kinds were open, the less was known about the argument.
    open_kinds = {p.name: len(options) for p, options in zip(parameters, pools)}
    return max(required, key=lambda p: open_kinds[p.name]).name


def _choices(pools: list[list[Pool]]) -> Iterator[tuple[str | None, ...]]:
    """First values of every combination of kinds, the likeliest first; then second values of the likeliest kinds."""
    ranges = [range(min(len(options), 11)) for options in pools]
    if any(not r for r in ranges):
        return
    first = tuple(options[0][0] for options in pools)
    yield first
    yield _spread([options[0] for options in pools])
    for at, options in enumerate(pools):
        for value in options[0][1:]:
            yield (*first[:at], value, *first[at + 1 :])
    for at, options in enumerate(pools):
        for index in range(1, len(options)):
            yield (*first[:at], options[index][0], *first[at + 1 :])
    wide = islice(product(*ranges), 5000)
    for choice in sorted(wide, key=lambda c: (sum(map(bool, c)), sum(c))):
        if sum(map(bool, choice)) > 1:
            yield tuple(options[i][0] for options, i in zip(pools, choice))


def _spread(pools: list[Pool]) -> tuple[str | None, ...]:
    """Parameters of one kind with different values: of a beginning and an end, one comes after the other."""
    return tuple(pool[pools[:at].count(pool) % len(pool)] for at, pool in enumerate(pools))


def _as_attribute(source: str | None) -> str | None:
    """Functions given to a descriptor are named after the attribute, as in a class body."""
    return f"stub_function({ATTRIBUTE!r})" if source == "stub_function()" else source


def used_as_attribute(cls: type[Any]) -> bool:
    """Whether objects of the class are made to stand in the body of another class."""
    # Asking the class itself would also find the methods of its metaclass.
    called = defining(cls, "__call__") is not None
    return defining(cls, "__get__") is not None and (not called or "property" in cls.__name__.lower())


def _constructor_name(cls: type[Any]) -> str:
    for base in cls.__mro__[:-1]:
        for name in ("__init__", "__new__"):
            if inspect.isfunction(getattr(vars(base).get(name), "__func__", vars(base).get(name))):
                return name
    return "__init__"


def _required(cls: type[Any]) -> list[inspect.Parameter]:
    parameters = constructor_parameters(cls)
    return [p for p in parameters if p.default is inspect.Parameter.empty and p.kind not in (MANY, NAMED)]


def constructor_parameters(cls: type[Any]) -> tuple[inspect.Parameter, ...]:
    """What the constructor takes; constructors written in C are taken to need nothing."""
    found = signature_of(cls) or ()
    if all(p.kind in (MANY, NAMED) for p in found):
        # A metaclass or `__new__` that passes everything on says nothing; what initialises the object does.
        initialise = next((vars(base)["__init__"] for base in cls.__mro__ if "__init__" in vars(base)), None)
        if inspect.isfunction(initialise):
            return tuple(inspect.signature(initialise).parameters.values())[1:]
    return found

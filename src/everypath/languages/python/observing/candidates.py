"""From a call that a search has found to the inputs of a case: what makes objects becomes a step, the rest a value."""

from __future__ import annotations

import ast
from typing import Any

from everypath.cases.model import (
    Arguments,
    BuildStep,
    Entry,
    Heap,
    Inputs,
    Literal,
    MappingState,
    Named,
    Pointer,
    SequenceState,
    TupleValue,
    Value,
    Written,
)
from everypath.errors import Unsupported
from everypath.languages.python.probing.expressions import (
    After,
    Assigned,
    Attribute,
    Block,
    Call,
    Code,
    Entries,
    Expr,
    Given,
    Inside,
    Items,
    Keywords,
    Method,
    Name,
)
from everypath.languages.python.probing.world import DEFINED, MODULE
from everypath.languages.python.scripts.literals import quoted
from everypath.records import dataclass, replace

_GIVEN = ("place", "value", "raising")
_ATOMS = (type(None), bool, int, float, str, bytes)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that reached something, as a case without an expectation."""

    entry: Entry
    inputs: Inputs


def read_candidate(expr: Expr, entry: Entry, how: str) -> Candidate:
    """The case of a call that is about an entry; `how` says how its result is looked at."""
    return _Reader().candidate(expr, replace(entry, observed=how))


class _Reader:
    """Collects the objects and steps of one call."""

    def __init__(self) -> None:
        self._heap: Heap = {}
        self._steps: list[BuildStep] = []
        self._count = 0

    def candidate(self, expr: Expr, entry: Entry) -> Candidate:
        receiver: Value | None = None
        arguments: Arguments = ()
        match expr:
            case Given(call, how, place, value):
                self._given(how, place, value)
                return self.candidate(call, entry)
            case Block(target, fails):
                return self.candidate(target, replace(entry, observed="failing" if fails else "with"))
            case Call(_, _, given, named):
                arguments = self._arguments(given, named)
            case Method(Name(), name, given, named) if entry.kind in ("static", "class") or name == entry.name:
                # A method that is called on its class, with something else in the place of an object.
                entry = entry if entry.kind != "method" else replace(entry, kind="static")
                arguments = self._arguments(given, named)
            case Method(target, name, given, named):
                receiver = self._value(target)
                arguments = self._arguments(given, named)
                if name != entry.name or entry.kind != "method":
                    # A method of what the entry gave.
                    entry = replace(entry, cls=entry.qualified, name=name, kind="method")
            case Attribute(target, _):
                receiver = self._value(target)
            case Assigned(target, _, value):
                receiver = self._value(target)
                arguments = (("value", self._value(value), "normal"),)
            case _:
                raise Unsupported("this is no call")
        if receiver is not None and not isinstance(receiver, Pointer):
            raise Unsupported("the receiver is no object")
        return Candidate(entry, Inputs(receiver, arguments, self._heap, tuple(self._steps)))

    def _given(self, how: str, place: str, value: Expr) -> None:
        """A step that prepares something, with a fixture."""
        if how in ("write_text", "mkdir"):
            folders = place.split("/")[:-1]
            for number in range(len(folders)):
                self._mkdir("/".join(folders[: number + 1]))
            if how == "mkdir":
                self._mkdir(place)
            else:
                self._steps.append(fixture_step("tmp_path", how, Literal(place), self._value(value)))
        elif how == MODULE:
            given = Written("sys", "sys.modules"), Literal(place), self._value(value)
            self._steps.append(fixture_step("monkeypatch", how, *given))
        elif how == DEFINED:
            self._steps.append(
                fixture_step("monkeypatch", "setattr", Literal(place), self._value(value), Literal(False))
            )
        else:
            self._steps.append(fixture_step("monkeypatch", how, Literal(place), self._value(value)))

    def _mkdir(self, place: str) -> None:
        step = fixture_step("tmp_path", "mkdir", Literal(place))
        if step not in self._steps:
            self._steps.append(step)

    def _arguments(self, given: tuple[Expr, ...], named: Keywords) -> Arguments:
        positional = [(f"argument{number}", self._value(value), "normal") for number, value in enumerate(given, 1)]
        return (*positional, *((name, self._value(value), "keyword") for name, value in named))

    def _value(self, expr: Expr) -> Value:
        match expr:
            case Code(text, module):
                return _written(text, module)
            case Name(module, name):
                return Named(module, name)
            case Inside(name, as_text):
                place = f"tmp_path / {quoted(name)}" if name else "tmp_path"
                return Written("", f"str({place})" if as_text else place)
            case Items("tuple", items):
                return TupleValue(tuple(map(self._value, items)))
            case Items(kind, items):
                return self._object(SequenceState(kind, tuple(map(self._value, items))))
            case Entries(pairs):
                entries = tuple((self._value(key), self._value(value)) for key, value in pairs)
                return self._object(MappingState(entries))
            case Call(module, name, given, named):
                return self._step(module, name, "", given, named)
            case Method(Name(module, owner), name, given, named):
                return self._step(module, f"{owner}.{name}", "", given, named)
            case Method(target, name, given, named):
                receiver = self._value(target)
                if not isinstance(receiver, Pointer):
                    raise Unsupported("the receiver is no object")
                return self._step("builtins", name.strip("_") or "made", name, given, named, receiver.id)
            case After(target, calls):
                made = self._value(target)
                if not isinstance(made, Pointer):
                    raise Unsupported("the receiver is no object")
                for name, given, named in calls:
                    arguments = self._arguments(given, named)
                    self._steps.append(BuildStep(made.id, "builtins", "object", name, arguments))
                return made
        raise Unsupported("a part of it cannot be written in a test")

    def _step(
        self, module: str, name: str, method: str, given: tuple[Expr, ...], named: Keywords, on: str = ""
    ) -> Pointer:
        arguments = self._arguments(given, named)
        target = self._name()
        self._steps.append(BuildStep(target, module, name, method, arguments, on))
        return Pointer(target)

    def _object(self, state: SequenceState | MappingState) -> Pointer:
        name = self._name()
        self._heap[name] = state
        return Pointer(name)

    def _name(self) -> str:
        self._count += 1
        return f"o{self._count}"


def fixture_step(fixture: str, method: str, *arguments: Value) -> BuildStep:
    """What a test asks a fixture of pytest for."""
    return BuildStep("", "", fixture, method, tuple((name, value, "normal") for name, value in zip(_GIVEN, arguments)))


def _written(text: str, module: str) -> Value:
    if not module:
        try:
            value: Any = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return Written("", text)
        if isinstance(value, _ATOMS):
            return Literal(value)
    return Written(module, text)

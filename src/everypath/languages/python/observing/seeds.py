"""From the inputs that symbolic execution has solved to calls that a search begins with.

Also the input of a path that ran differently than predicted is one: what it reaches, the search notices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.cases.model import (
    Arguments,
    CallCase,
    Inputs,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Pointer,
    SequenceState,
    TupleValue,
    Value,
    Written,
)
from everypath.errors import Unsupported
from everypath.languages.python.probing.expressions import (
    After,
    Call,
    Code,
    Entries,
    Expr,
    Items,
    Keywords,
    Method,
    Name,
)

_DEEPEST = 8
_MOST = 120


def seeds_of(cases: Iterable[CallCase]) -> list[Expr]:
    """The calls of those cases that can be told as expressions, each once."""
    return list(dict.fromkeys(_told(cases)))[:_MOST]


def _told(cases: Iterable[CallCase]) -> Iterator[Expr]:
    for case in cases:
        try:
            yield seed_of(case)
        except Unsupported:
            continue


def seed_of(case: CallCase) -> Expr:
    """The call of a case."""
    entry, inputs = case.entry, case.inputs
    reader = _Reader(inputs)
    arguments = reader.arguments(inputs.arguments, 0)
    match entry.kind, entry.cls:
        case "function", None:
            return Call(entry.module, entry.name, *arguments)
        case "constructor", str(cls):
            return Call(entry.module, cls, *arguments)
        case (("static" | "class"), str(cls)):
            return Method(Name(entry.module, cls), entry.name, *arguments)
        case "method", str() if inputs.receiver is not None:
            return Method(reader.value(inputs.receiver, 0), entry.name, *arguments)
    raise Unsupported("this is no plain call")


class _Reader:
    """Reads the objects of one case."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs

    def arguments(self, given: Arguments, depth: int) -> tuple[tuple[Expr, ...], Keywords]:
        if any(kind not in ("normal", "keyword") for _, _, kind in given):
            raise Unsupported("arguments that are unpacked")
        positional = tuple(self.value(value, depth) for _, value, kind in given if kind == "normal")
        return positional, tuple((name, self.value(value, depth)) for name, value, kind in given if kind == "keyword")

    def value(self, value: Value, depth: int) -> Expr:
        if depth > _DEEPEST:
            raise Unsupported("too deep, or a cycle")
        match value:
            case Literal(atom) if atom == atom and atom not in (float("inf"), float("-inf")):
                return Code(repr(atom))
            case Written(module, text):
                return Code(text, module)
            case Named(module, name):
                return Name(module, name)
            case TupleValue(items):
                return Items("tuple", tuple(self.value(item, depth + 1) for item in items))
            case Pointer(target):
                return self._object(target, depth + 1)
        raise Unsupported("a value without an expression")

    def _object(self, target: str, depth: int) -> Expr:
        state = self._inputs.heap.get(target)
        match state:
            case None:
                return self._stepped(target, depth)
            case SequenceState(kind, items) if kind in ("list", "set", "frozenset"):
                return Items(kind, tuple(self.value(item, depth) for item in items))
            case MappingState(pairs, "dict"):
                return Entries(tuple((self.value(k, depth), self.value(v, depth)) for k, v in pairs))
            case ObjectState(cls, module, fields):
                # Most classes take what they hold; where one does not, the search sees that the input cannot be made.
                return Call(module, cls, (), tuple((name, self.value(each, depth)) for name, each in fields))
        raise Unsupported("an object without an expression")

    def _stepped(self, target: str, depth: int) -> Expr:
        steps = [step for step in self._inputs.steps if step.target == target]
        if not steps or steps[0].method or any(step.on for step in steps):
            raise Unsupported("an object that is made in another way")
        made = Call(steps[0].module, steps[0].cls, *self.arguments(steps[0].arguments, depth))
        calls = tuple((step.method, *self.arguments(step.arguments, depth)) for step in steps[1:])
        return After(made, calls) if calls else made

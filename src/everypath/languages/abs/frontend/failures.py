"""Which functions and methods may end with an exception, as far as the program's text tells."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.effects_flow import INIT, MAIN, Key
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.rewrite import parts
from everypath.languages.abs.frontend.types import STDLIB

TOTAL = {
    f"{STDLIB}.{name}"
    for name in (
        "abs",
        "denominator",
        "exp",
        "float",
        "log",
        "numerator",
        "print",
        "println",
        "sqrt",
        "strlen",
        "substr",
        "toString",
        "truncate",
    )
}
"""Builtin functions that always have a value."""


class Failures:
    """What may fail, found as the least fixed point over the calls of functions and of methods on `this`.

    Deep recursion and endless loops are no failures here.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: set[str] = set()
        self._bodies: set[Key] = set()
        self._created: frozenset[str] = frozenset()
        for name, function in program.functions.items():
            if function.body is None and name not in TOTAL:
                self._functions.add(name)
        changed = True
        while changed:
            changed = False
            for name, function in program.functions.items():
                if name not in self._functions and function.body is not None and self._fails(function.body, ""):
                    self._functions.add(name)
                    changed = True
        changed = True
        while changed:
            changed = False
            for key, owner, roots in self._all_bodies():
                if key not in self._bodies:
                    self._created = _created(roots)
                    if any(self._fails(root, owner) for root in roots):
                        self._bodies.add(key)
                        changed = True

    def body(self, key: Key) -> bool:
        """Whether a method, an init block or the main block may end with an exception."""
        return key in self._bodies

    def expression(self, node: t.Expression) -> bool:
        """Whether an expression without side effects may raise an exception."""
        return self._fails(node, "")

    def _all_bodies(self) -> Iterable[tuple[Key, str, list[object]]]:
        for cls in self._program.classes.values():
            begun: list[object] = [f.value for f in cls.fields if f.value is not None]
            if cls.init is not None:
                begun.append(cls.init)
            yield (cls.name, INIT), cls.name, begun
            for method in cls.methods:
                yield (cls.name, method.name), cls.name, [method.body]
        if self._program.main is not None:
            yield MAIN, "", [self._program.main.body]

    def _fails(self, node: object, owner: str) -> bool:
        """Whether anything in the node may raise what nothing in it catches."""
        match node:
            case b.Throw() | b.Die() | t.Get():
                # A `get` raises what the task raised that it waits for.
                return True
            case b.Assert():
                return True
            case b.Evaluate(_, t.AwaitCall(_, _, call)):
                return self._fails(call, owner)
            case t.AwaitCall():
                return True
            case b.Try(_, body, branches, final):
                caught = any(isinstance(branch.pattern, (t.AnyPattern, t.BindPattern)) for branch in branches)
                rest = [*branches, *(() if final is None else (final,))]
                return (not caught and self._fails(body, owner)) or any(self._fails(part, owner) for part in rest)
            case b.Switch(_, subject, branches) if not self._complete(subject, [x.pattern for x in branches]):
                return True
            case t.Case(_, _, subject, choices) if not self._complete(subject, [x.pattern for x in choices]):
                return True
            case t.Access(_, _, accessor, _) if not self._always(accessor):
                return True
            case t.Binary(_, _, "/" | "%", _, divisor) if not (isinstance(divisor, t.Literal) and divisor.value):
                return True
            case t.Call(_, _, function) if function in self._functions:
                return True
            case t.AsyncCall(_, _, target) if not self._is_object(target):
                return True
            case t.SyncCall(_, _, target, method):
                if not isinstance(target, t.This) or (owner, method) in self._bodies:
                    return True
            case t.New(_, _, name) if (name, INIT) in self._bodies:
                return True
        return any(self._fails(part, owner) for part in parts(node))

    def _is_object(self, target: t.Expression) -> bool:
        """Whether a target certainly is not null."""
        return isinstance(target, t.This) or (isinstance(target, t.Local) and target.name in self._created)

    def _always(self, accessor: str) -> bool:
        """Whether every constructor of the accessor's data type has it."""
        found = self._program.accessors[accessor]
        return len(found.positions) == len(self._program.data[found.data].constructors)

    def _complete(self, subject: t.Expression, patterns: list[t.Pattern]) -> bool:
        """Whether one of the patterns matches whatever the subject is; deeper patterns count as possibly failing."""
        seen: set[str] = set()
        for pattern in patterns:
            match pattern:
                case t.AnyPattern() | t.BindPattern():
                    return True
                case t.ConstructorPattern(_, _, constructor, arguments):
                    if all(isinstance(inner, (t.AnyPattern, t.BindPattern)) for inner in arguments):
                        seen.add(constructor)
        name = getattr(subject.type, "name", "")
        data = self._program.data.get(name)
        return data is not None and bool(data.constructors) and seen >= set(data.constructors)


def _created(roots: Iterable[object]) -> frozenset[str]:
    """The local variables that never hold anything but a new object."""
    created: set[str] = set()
    other: set[str] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        match node:
            case b.Declare(_, variable, value):
                (created if isinstance(value, t.New) else other).add(variable.name)
            case b.Assign(_, t.Local(_, _, name), value):
                (created if isinstance(value, t.New) else other).add(name)
        todo.extend(parts(node))
    return frozenset(created - other)

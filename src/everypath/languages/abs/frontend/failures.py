"""Which functions and methods may end with an exception, as far as the program's text tells.

The least fixed point, first over the calls of functions, then over the calls of methods on `this` and the creation of
objects: it begins with nothing failing, and adds what contains a failing operation or calls something that may fail.
"""

from __future__ import annotations

from collections.abc import Iterable

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import INIT, Key, Program
from everypath.languages.abs.frontend.rewrite import grown, nodes, parts
from everypath.languages.abs.frontend.types import STDLIB

TOTAL = {
    f"{STDLIB}.{name}"
    for name in "abs denominator exp float log numerator print println sqrt strlen substr toString truncate".split()
}
"""Builtin functions that always have a value."""


class Failures:
    """What may fail: the least fixed point over the calls of functions and of methods on `this`.

    Deep recursion and endless loops do not count as failures here.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bodies: set[Key] = set()
        self._created: frozenset[str] = frozenset()
        functions = program.functions
        self._functions = {name for name, f in functions.items() if f.body is None and name not in TOTAL}
        grown(self._functions, functions.keys() - TOTAL, lambda name: self._fails(functions[name].body, ""))
        bodies = {key: roots for key, _, roots in program.bodies()}

        def fails(key: Key) -> bool:
            self._created = _created(bodies[key])
            return any(self._fails(root, key[0]) for root in bodies[key])

        grown(self._bodies, bodies, fails)

    def body(self, key: Key) -> bool:
        """Whether a method, an init block or the main block may end with an exception."""
        return key in self._bodies

    def expression(self, node: t.Expression) -> bool:
        """Whether an expression without side effects may raise an exception."""
        return self._fails(node, "")

    def _fails(self, node: object, owner: str) -> bool:
        """Whether anything in the node may raise an exception that nothing in it catches."""
        match node:
            case b.Evaluate(_, t.AwaitCall(_, _, call)):
                return self._fails(call, owner)
            case b.Try(_, body, branches, final):
                caught = any(isinstance(branch.pattern, (t.AnyPattern, t.BindPattern)) for branch in branches)
                rest = [*branches, *(() if final is None else (final,))]
                return (not caught and self._fails(body, owner)) or any(self._fails(part, owner) for part in rest)
        return self._raises(node, owner) or any(self._fails(part, owner) for part in parts(node))

    def _raises(self, node: object, owner: str) -> bool:
        """Whether the node itself may raise, whatever its parts do."""
        match node:
            case b.Throw() | b.Die() | b.Assert() | t.Get() | t.AwaitCall():
                # A `get` raises what the task that it waits for has raised.
                return True
            case b.Switch(_, subject, branches):
                return not self._complete(subject, [x.pattern for x in branches])
            case t.Case(_, _, subject, choices):
                return not self._complete(subject, [x.pattern for x in choices])
            case t.Access(_, _, accessor, _):
                return not self._always(accessor)
            case t.Binary(_, _, "/" | "%", _, divisor):
                return not (isinstance(divisor, t.Literal) and divisor.value)
            case t.Call(_, _, function):
                return function in self._functions
            case t.AsyncCall(_, _, target):
                return not self._is_object(target)
            case t.SyncCall(_, _, target, method):
                return not isinstance(target, t.This) or (owner, method) in self._bodies
            case t.New(_, _, name):
                return (name, INIT) in self._bodies
        return False

    def _is_object(self, target: t.Expression) -> bool:
        """Whether a target certainly is not null."""
        return isinstance(target, t.This) or (isinstance(target, t.Local) and target.name in self._created)

    def _always(self, accessor: str) -> bool:
        """Whether every constructor of the accessor's data type has it."""
        found = self._program.accessors[accessor]
        return len(found.positions) == len(self._program.data[found.data].constructors)

    def _complete(self, subject: t.Expression, patterns: list[t.Pattern]) -> bool:
        """Whether one of the patterns matches whatever the subject is; nested patterns count as possibly not
        matching.
        """
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
    for node in nodes(*roots):
        match node:
            case b.Declare(_, variable, value):
                (created if isinstance(value, t.New) else other).add(variable.name)
            case b.Assign(_, t.Local(_, _, name), value):
                (created if isinstance(value, t.New) else other).add(name)
    return frozenset(created - other)

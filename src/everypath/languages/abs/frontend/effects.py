"""What every method may do, found in the program's text: fields, calls, creations, and what it uses around waiting.

A method's effects include those of the methods that it runs itself, which are synchronous calls on `this` and on
objects of its own cog. A field is named with its class, so that different fields have different names.

Each body is walked in the order of execution, which is a forward data-flow analysis: a point says what may have
happened on the way there, points are joined where ways meet, and a loop is walked until its head no longer changes.
Inside a `try`, the points after its statements are kept, because an exception may lead from each of them to the
branches. Methods that the body runs itself count with what is known about them so far; all walks are repeated until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, TypeVar

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.failures import Failures
from everypath.languages.abs.frontend.program import INIT, MAIN, RUN, Class, Key, Program
from everypath.languages.abs.frontend.rewrite import grown, nodes, parts
from everypath.languages.abs.frontend.types import STDLIB, ClassType, InterfaceType
from everypath.records import dataclass, field, replace

T = TypeVar("T")
Names = frozenset[str]
_NONE: Names = frozenset()
OUTPUT = "<output>"
"""Everything printed goes to one place, which is treated like a field."""

__all__ = ["INIT", "MAIN", "OUTPUT", "Effects", "Key", "effects"]


@dataclass(frozen=True, slots=True)
class Effects:
    """What the program's methods may do, by (qualified class, method); the main block is MAIN, init blocks are INIT."""

    reads: Mapping[Key, frozenset[str]]
    writes: Mapping[Key, frozenset[str]]
    """fields, including those touched by methods that it runs itself; OUTPUT if it may print"""
    own_writes: Mapping[Key, frozenset[str]]
    """fields that its own text assigns to"""
    runs: Mapping[Key, frozenset[Key]]
    """methods that it may run itself, as called in its own text"""
    calls: Mapping[Key, frozenset[Key]]
    """methods that it may call asynchronously, including `run` of the objects that it creates"""
    creates: Mapping[Key, frozenset[str]]
    """classes of the objects that it may create"""
    before: Mapping[Key, frozenset[str]]
    """fields that it uses before it may release its cog"""
    after: Mapping[Key, frozenset[str]]
    """fields that it reads after it may have released its cog; the condition of an `await` counts before and after"""
    across: Mapping[Key, frozenset[str]]
    """fields that it uses before a release and reads after the same one: what other tasks may change in between"""
    releasing: frozenset[Key]
    """methods that may release their cog, in an `await` or `suspend`"""
    blocking: frozenset[Key]
    """methods that may block their cog, in a `get` on a future that was not awaited or in a synchronous call"""
    failing: frozenset[Key]
    """methods that may end with an exception, which takes their object and its other tasks along"""


def effects(program: Program) -> Effects:
    """The effects of all methods of the program."""
    bodies = list(program.bodies())
    colocated = _colocated(program)
    printing = _printing(program)
    found: dict[Key, _Summary] = {}
    changed = True
    while changed:
        changed = False
        for key, cls, roots in bodies:
            walk = _Walk(program, cls, found, colocated.get(key[0], frozenset((key[0],))), printing)
            new = walk.body(key, roots)
            changed = changed or new != found.get(key, _EMPTY)
            found[key] = new
    failures = Failures(program)

    def of_each(pick: Callable[[_Summary], set[T]]) -> dict[Key, frozenset[T]]:
        return {key: frozenset(pick(summary)) for key, summary in found.items()}

    def printed(summary: _Summary) -> set[str]:
        return {OUTPUT} if summary.prints else set()

    return Effects(
        reads=of_each(lambda s: s.reads | printed(s)),
        writes=of_each(lambda s: s.writes | printed(s)),
        own_writes=of_each(lambda s: s.own_writes),
        runs=of_each(lambda s: s.runs),
        calls=of_each(lambda s: s.calls),
        creates=of_each(lambda s: s.creates),
        before=of_each(lambda s: s.before),
        after=of_each(lambda s: s.after),
        across=of_each(lambda s: s.across),
        releasing=frozenset(key for key, s in found.items() if s.releases),
        blocking=frozenset(key for key, s in found.items() if s.blocks),
        failing=frozenset(key for key, _, _ in bodies if failures.body(key)),
    )


def _colocated(program: Program) -> dict[str, frozenset[str]]:
    """For each class, the classes whose objects may share a cog with its objects: by `new local`, and the class
    itself.
    """
    groups: dict[str, set[str]] = {name: {name} for name in program.classes}
    for (owner, _), _, roots in program.bodies():
        for node in nodes(*roots):
            if isinstance(node, t.New) and node.local and owner in groups:
                joined = groups[owner] | groups.get(node.class_name, {node.class_name})
                for name in joined:
                    groups[name] = joined
    return {name: frozenset(group) for name, group in groups.items()}


def _printing(program: Program) -> frozenset[str]:
    """The functions that may print, themselves or through others."""
    called = {
        name: {node.function for node in nodes(function.body) if isinstance(node, t.Call)}
        for name, function in program.functions.items()
        if function.body is not None
    }
    printing = {f"{STDLIB}.print", f"{STDLIB}.println"}
    grown(printing, called, lambda name: not printing.isdisjoint(called[name]))
    return frozenset(printing)


@dataclass(slots=True)
class _Summary:
    """The effects of a body together with those of the methods that it runs itself; `Effects` says what each means."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    own_writes: set[str] = field(default_factory=set)
    runs: set[Key] = field(default_factory=set)
    calls: set[Key] = field(default_factory=set)
    creates: set[str] = field(default_factory=set)
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    across: set[str] = field(default_factory=set)
    releases: bool = False
    blocks: bool = False
    prints: bool = False


_EMPTY = _Summary()


@dataclass(frozen=True, slots=True)
class _Point:
    """What may have happened on the way to a point in a body."""

    used: Names = _NONE
    """fields read or written"""
    stale: Names = _NONE
    """fields that were used before the cog was last released"""
    released: bool = False
    resolved: Names = _NONE
    """local variables whose futures certainly are resolved"""

    def join(self, other: _Point) -> _Point:
        # What may have happened is united; what certainly is the case must be so on both ways.
        return _Point(
            self.used | other.used,
            self.stale | other.stale,
            self.released or other.released,
            self.resolved & other.resolved,
        )


class _Walk:
    """Collects the effects of one body."""

    def __init__(
        self, program: Program, owner: Class | None, known: Mapping[Key, _Summary], colocated: Names, printing: Names
    ) -> None:
        self._program = program
        self._owner = owner
        self._known = known
        self._colocated = colocated
        self._printing = printing
        self._guarded: list[list[_Point]] = []
        """for each enclosing `try`, the points at which its body may have been left"""
        self.found = _Summary()

    def _field(self, name: str) -> str:
        assert self._owner is not None
        return f"{self._owner.name}.{name}"

    def body(self, key: Key, roots: Iterable[t.Expression | b.Statement]) -> _Summary:
        """The effects of a body, as far as those of the methods that it runs are known."""
        point: _Point | None = _Point()
        recover: tuple[b.Branch, ...] = ()
        if self._owner is not None and key[1] == INIT:
            for begun in self._owner.fields:
                if begun.value is not None:
                    self._written(begun.variable.name)
        elif self._owner is not None:
            recover = self._owner.recover
        for root in roots:
            if isinstance(root, t.Expression):
                point = self._expression(root, point or _Point())
            elif recover:
                # A task that fails goes on with the `recover` block of its class.
                self.statement(b.Block(root.span, (b.Try(root.span, root, recover, None),)), point)
            else:
                self.statement(root, point)
        return self.found

    def _written(self, name: str) -> str:
        """Note that a field of `this` gets a value."""
        field = self._field(name)
        self.found.writes.add(field)
        self.found.own_writes.add(field)
        return field

    def statement(self, node: b.Statement, at: _Point | None) -> _Point | None:
        """The point after a statement; None if control does not get there."""
        if at is None:
            return None
        after = self._statement(node, at)
        for points in self._guarded:
            points.append(at if after is None else after)
        return after

    def _statement(self, node: b.Statement, at: _Point) -> _Point | None:
        match node:
            case b.Block(_, statements):
                point: _Point | None = at
                for each in statements:
                    point = self.statement(each, point)
                return point
            case b.Declare(_, variable, value):
                return self._assigned(variable.name, self._expression(value, at))
            case b.Assign(_, t.Local(_, _, name), value):
                return self._assigned(name, self._expression(value, at))
            case b.Assign(_, t.Field(_, _, name), value):
                at = self._expression(value, at)
                return replace(at, used=at.used | {self._written(name)})
            case b.Return() | b.Throw() | b.Die():
                after = self._all(parts(node), at)
                for points in self._guarded:
                    points.append(after)
                return None
            case b.If(_, condition, then, otherwise):
                at = self._expression(condition, at)
                return _joined((self.statement(then, at), self.statement(otherwise, at)))
            case b.Switch(_, subject, branches):
                return self._branches(branches, self._expression(subject, at))
            case b.While(_, condition, body):
                head = self._loop(at, lambda p: self.statement(body, self._expression(condition, p)))
                return self._expression(condition, head)
            case b.Foreach(_, _, _, elements, body):
                return self._loop(self._expression(elements, at), lambda p: self.statement(body, p))
            case b.Try(_, body, branches, final):
                return self._try(body, branches, final, at)
            case b.Await(_, futures, conditions):
                # The guard is looked at once before the cog may be released, and again whenever the task could go on.
                guard = (*futures, *conditions)
                at = self._all(guard, self._released(self._all(guard, at)))
                names = {future.name for future in futures if isinstance(future, t.Local)}
                return replace(at, resolved=at.resolved | names)
            case b.Suspend():
                return self._released(at)
        return self._all(parts(node), at)

    def _loop(self, at: _Point, once: Callable[[_Point], _Point | None]) -> _Point:
        # A join only adds to what may have happened and takes from what is certain, and both are finite: this ends.
        while True:
            after = once(at)
            joined = at if after is None else at.join(after)
            if joined == at:
                return at
            at = joined

    def _branches(self, branches: Iterable[b.Branch], at: _Point) -> _Point | None:
        ends = []
        for branch in branches:
            at = self._all((branch.pattern,), at)
            ends.append(self.statement(branch.body, at))
        return _joined(ends)

    def _try(
        self, body: b.Statement, branches: tuple[b.Branch, ...], final: b.Statement | None, at: _Point
    ) -> _Point | None:
        left = [at]
        self._guarded.append(left)
        end = self.statement(body, at)
        handled = self._branches(branches, reduce(_Point.join, left))
        self._guarded.pop()
        end = _joined((end, handled))
        if final is None:
            return end
        # `finally` runs on every way out, also on those that never come to the end of the `try`.
        after = self.statement(final, reduce(_Point.join, left))
        return None if end is None else after

    def _assigned(self, name: str, at: _Point) -> _Point:
        return replace(at, resolved=at.resolved - {name}) if name in at.resolved else at

    def _released(self, at: _Point) -> _Point:
        self.found.releases = True
        self.found.before |= at.used
        return replace(at, stale=at.stale | at.used, released=True)

    def _all(self, nodes: Iterable[Any], at: _Point) -> _Point:
        for node in nodes:
            at = self._expression(node, at) if isinstance(node, t.Expression) else self._all(parts(node), at)
        return at

    def _expression(self, node: t.Expression, at: _Point) -> _Point:
        """The point after an expression."""
        match node:
            case t.Field(_, _, name):
                return self._read(self._field(name), at)
            case t.AwaitCall(_, _, call):
                return self._released(self._expression(call, at))
        at = self._all(parts(node), at)
        match node:
            case t.AsyncCall(_, _, target, method):
                self.found.calls.update(self._targets(target, method))
            case t.SyncCall(_, _, target, method):
                return self._call(target, method, at)
            case t.New(_, _, name):
                self._create(name)
            case t.Get(_, _, t.Local(_, _, name)):
                self.found.blocks = self.found.blocks or name not in at.resolved
                return replace(at, resolved=at.resolved | {name})
            case t.Get():
                self.found.blocks = True
            case t.Call(_, _, function) if function in self._printing:
                self.found.prints = True
        return at

    def _read(self, field: str, at: _Point) -> _Point:
        self.found.reads.add(field)
        if at.released:
            self.found.after.add(field)
        if field in at.stale:
            self.found.across.add(field)
        return at if field in at.used else replace(at, used=at.used | {field})

    def _targets(self, target: t.Expression, method: str) -> list[Key]:
        """The methods that a call may reach, by the static type of its target."""
        if isinstance(target, t.This) and self._owner is not None:
            return [(self._owner.name, method)]
        match target.type:
            case ClassType(name):
                return [(name, method)]
            case InterfaceType(name):
                return [
                    (cls.name, method)
                    for cls in self._program.classes.values()
                    if name in cls.supers and cls.method(method) is not None
                ]
        return []

    def _call(self, target: t.Expression, method: str, at: _Point) -> _Point:
        targets = self._targets(target, method)
        if isinstance(target, t.This):
            return self._run(targets[0], at)
        # Within the cog it is run at once; elsewhere it is a message and a `get`.
        self.found.calls.update(targets)
        self.found.blocks = True
        return reduce(_Point.join, (self._run(key, at) for key in targets if key[0] in self._colocated), at)

    def _run(self, key: Key, at: _Point) -> _Point:
        self.found.runs.add(key)
        callee = self._known.get(key, _EMPTY)
        self.found.reads |= callee.reads
        self.found.writes |= callee.writes
        self.found.calls |= callee.calls
        self.found.creates |= callee.creates
        self.found.blocks = self.found.blocks or callee.blocks
        self.found.prints = self.found.prints or callee.prints
        self.found.after |= callee.reads if at.released else callee.after
        self.found.across |= callee.across | (callee.reads & at.stale) | (callee.after & at.used)
        stale = at.stale
        if callee.releases:
            self.found.releases = True
            self.found.before |= at.used | callee.before
            stale |= at.used | callee.before
        used = at.used | callee.reads | callee.writes
        return _Point(used, stale, at.released or callee.releases, at.resolved)

    def _create(self, name: str) -> None:
        """The new object's fields are nobody else's yet, so that what its init block does to them is no effect."""
        self.found.creates.add(name)
        begun = self._known.get((name, INIT), _EMPTY)
        self.found.calls |= begun.calls
        self.found.creates |= begun.creates
        self.found.prints = self.found.prints or begun.prints
        cls = self._program.classes.get(name)
        if cls is not None and cls.method(RUN) is not None:
            self.found.calls.add((name, RUN))


def _joined(points: Iterable[_Point | None]) -> _Point | None:
    reached = [point for point in points if point is not None]
    return reduce(_Point.join, reached) if reached else None

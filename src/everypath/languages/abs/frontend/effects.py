"""What every method may do, found in the program's text: fields, calls, creations, waiting and what is around it.

A method's effects include those of the methods that it runs itself, which are synchronous calls on `this` and on
objects of its own cog. A field is named with its class, so that different fields have different names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.effects_flow import EMPTY, Body, Key, Summary, walked
from everypath.languages.abs.frontend.failures import Failures
from everypath.languages.abs.frontend.program import INIT, MAIN, Class, Program
from everypath.languages.abs.frontend.rewrite import grown, nodes
from everypath.languages.abs.frontend.types import STDLIB
from everypath.records import dataclass

T = TypeVar("T")
OUTPUT = "<output>"
"""All that is printed goes to one place, which is touched like a field."""

__all__ = ["INIT", "MAIN", "OUTPUT", "Effects", "Key", "effects"]


@dataclass(frozen=True, slots=True)
class Effects:
    """What the program's methods may do, by (qualified class, method); the main block is MAIN, init blocks are INIT."""

    reads: Mapping[Key, frozenset[str]]
    writes: Mapping[Key, frozenset[str]]
    """fields, also those that methods touch which it runs itself; OUTPUT when it may print"""
    own_writes: Mapping[Key, frozenset[str]]
    """fields that its own text assigns to"""
    runs: Mapping[Key, frozenset[Key]]
    """methods that it may run itself, called in its own text"""
    calls: Mapping[Key, frozenset[Key]]
    """methods that it may call asynchronously, `run` of the objects that it creates included"""
    creates: Mapping[Key, frozenset[str]]
    """classes of the objects that it may create"""
    before: Mapping[Key, frozenset[str]]
    """fields that it uses before it may release its cog"""
    after: Mapping[Key, frozenset[str]]
    """fields that it reads after it may have released its cog; the condition of an `await` is read before and after"""
    across: Mapping[Key, frozenset[str]]
    """fields that it uses before some release and reads after the same one"""
    releasing: frozenset[Key]
    """those that may release their cog, in an `await` or `suspend`"""
    blocking: frozenset[Key]
    """those that may block their cog, in a `get` on a future that was not waited for or in a synchronous call"""
    failing: frozenset[Key]
    """those that may end with an exception, which takes their object and its other tasks along"""


def effects(program: Program) -> Effects:
    """The effects of all methods of the program."""
    bodies = list(_bodies(program))
    colocated = _colocated(program)
    printing = _printing(program)
    found: dict[Key, Summary] = {}
    changed = True
    while changed:
        changed = False
        for body in bodies:
            together = colocated.get(body.key[0], frozenset((body.key[0],)))
            new = walked(program, body, found, together, printing)
            if new != found.get(body.key, EMPTY):
                changed = True
            found[body.key] = new
    failures = Failures(program)

    def of_each(pick: Callable[[Summary], set[T]]) -> dict[Key, frozenset[T]]:
        return {key: frozenset(pick(summary)) for key, summary in found.items()}

    def printed(summary: Summary) -> set[str]:
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
        failing=frozenset(body.key for body in bodies if failures.body(body.key)),
    )


def _bodies(program: Program) -> Iterable[Body]:
    for cls in program.classes.values():
        yield Body((cls.name, INIT), cls, tuple(f for f in cls.fields if f.value is not None), cls.init)
        for method in cls.methods:
            yield Body((cls.name, method.name), cls, (), _with_recovery(cls, method.body))
    if program.main is not None:
        yield Body(MAIN, None, (), program.main.body)


def _with_recovery(cls: Class, body: b.Block) -> b.Block:
    """A task that fails goes on with the `recover` block of its class, where there is one."""
    return b.Block(body.span, (b.Try(body.span, body, cls.recover, None),)) if cls.recover else body


def _colocated(program: Program) -> dict[str, frozenset[str]]:
    """For each class those whose objects may share a cog with its objects: by `new local`, and its own."""
    groups: dict[str, set[str]] = {name: {name} for name in program.classes}
    for cls in program.classes.values():
        for made in _local_creations(cls):
            joined = groups[cls.name] | groups.get(made, {made})
            for name in joined:
                groups[name] = joined
    return {name: frozenset(group) for name, group in groups.items()}


def _local_creations(cls: Class) -> Iterable[str]:
    begun = [f.value for f in cls.fields if f.value is not None]
    init = [] if cls.init is None else [cls.init]
    for node in nodes(*(m.body for m in cls.methods), *begun, *init):
        if isinstance(node, t.New) and node.local:
            yield node.class_name


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

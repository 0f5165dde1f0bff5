"""Which other tasks of a class may change what a method does while it waits.

These are the three prunings of section 4.3 of "Test Case Generation by Symbolic Execution". They start from all methods
of the class under test and drop, one after the other, those whose tasks can only lead to executions that are explored
anyway: methods that write nothing, methods that write only through others, and methods that write nothing the method
under test uses on both sides of a wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product

from everypath.errors import BadInput
from everypath.languages.abs.frontend.effects import OUTPUT, Effects, Key, effects
from everypath.languages.abs.frontend.problems import did_you_mean
from everypath.languages.abs.frontend.program import Class, Method, Program
from everypath.languages.abs.frontend.rewrite import grown
from everypath.records import dataclass

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Pruning:
    """One step: the methods that are left, and why each of the others was dropped."""

    rule: str
    left: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
    """method -> reason, in the order of the source"""


@dataclass(frozen=True, slots=True)
class Related:
    """The methods of a class whose tasks may interleave with one of them and matter."""

    class_name: str
    method: str
    methods: tuple[str, ...]
    """all methods of the class, in the order of the source"""
    prunings: tuple[Pruning, Pruning, Pruning]

    @property
    def left(self) -> frozenset[str]:
        """The methods that are left in the end."""
        return frozenset(self.prunings[-1].left)

    def text(self) -> str:
        """What `everypath show --related` prints."""
        lines = [
            f"{self.class_name}.{self.method}: tasks of the same object that may change what it does",
            "",
            f"  methods of {self.class_name.rpartition('.')[2]}: {_listed(self.methods)}",
        ]
        for number, pruning in enumerate(self.prunings, 1):
            lines += ["", f"  pruning {number}: {pruning.rule}", f"    {_listed(pruning.left)}"]
            lines += [f"    - {name}: {reason}" for name, reason in pruning.dropped]
        return "\n".join(lines) + "\n"


def related(program: Program, cls: str, method: str) -> tuple[Names, Names, Names]:
    """The related methods after each of the three prunings; raises BadInput if there is no such class or method."""
    one, two, three = explained(program, cls, method).prunings
    return frozenset(one.left), frozenset(two.left), frozenset(three.left)


def explained(program: Program, cls: str, method: str, known: Effects | None = None) -> Related:
    """The related methods with the reasons; `known` are the program's effects, if they were found already."""
    owner, _ = _found(program, cls, method)
    found = effects(program) if known is None else known
    names = tuple(m.name for m in owner.methods)
    impure = _impure(found)
    steps = (
        _first(owner, names, impure),
        _second(owner, [name for name in names if (owner.name, name) in impure], found, impure),
    )
    return Related(owner.name, method, names, (*steps, _third(owner, method, steps[1].left, found)))


def queues(related: frozenset[str], bound: int, ordered: bool) -> Iterator[tuple[str, ...]]:
    """The queues to start from: up to `bound` tasks of related methods, shorter queues first.

    If the queue has no order, the same tasks in another order are the same queue.
    """
    names = sorted(related)
    for length in range(bound + 1):
        if ordered:
            yield from product(names, repeat=length)
        else:
            yield from combinations_with_replacement(names, length)


def _found(program: Program, cls: str, method: str) -> tuple[Class, Method]:
    owner = program.named_class(cls)
    if owner is None:
        known = [name.rpartition(".")[2] for name in program.classes if name.rpartition(".")[0] in program.modules]
        raise BadInput(f"there is no class `{cls}`{_hint(cls, known)}")
    found = owner.method(method)
    if found is None:
        message = f"class `{owner.name}` has no method `{method}`{_hint(method, [m.name for m in owner.methods])}"
        raise BadInput(message, owner.span)
    return owner, found


def _hint(wrong: str, known: list[str]) -> str:
    return did_you_mean(wrong, known) or (f"; there is {_listed(known)}" if known else "")


def _impure(found: Effects) -> set[Key]:
    """The methods that write a field themselves or through whatever they call."""
    impure = {key for key, fields in found.own_writes.items() if fields}
    grown(impure, found.calls, lambda key: not impure.isdisjoint(found.runs[key] | found.calls[key]))
    return impure


def _first(owner: Class, names: Iterable[str], impure: set[Key]) -> Pruning:
    """Pruning 1: drop the pure methods."""
    left = tuple(name for name in names if (owner.name, name) in impure)
    dropped = tuple((name, "neither it nor what it calls writes a field") for name in names if name not in left)
    return Pruning("methods that write a field, also through others", left, dropped)


def _second(owner: Class, names: Iterable[str], found: Effects, impure: set[Key]) -> Pruning:
    """Pruning 2: drop methods that write only through others, since those are also run on their own."""
    left, dropped = [], []
    for name in names:
        key = (owner.name, name)
        if found.own_writes[key]:
            left.append(name)
        else:
            through = sorted(_name(called, owner) for called in (found.runs[key] | found.calls[key]) & impure)
            dropped.append((name, f"writes only through {_listed(through)}, which may run without it"))
    return Pruning("methods that write a field themselves", tuple(left), tuple(dropped))


def _third(owner: Class, method: str, names: Iterable[str], found: Effects) -> Pruning:
    """Pruning 3: keep only methods that write what the method uses before it waits and reads after it waited."""
    key = (owner.name, method)
    across = found.across[key]
    left, dropped = [], []
    for name in names:
        writes = found.own_writes[owner.name, name]
        if writes & across:
            left.append(name)
        else:
            dropped.append((name, f"writes {_fields(writes)}: {_why_not(method, writes, key, found)}"))
    rule = f"methods that write what {method} uses before and reads after an await"
    rule += f": {_fields(across)}" if across else f"; {method} has no such field"
    return Pruning(rule, tuple(left), tuple(dropped))


def _why_not(method: str, writes: frozenset[str], key: Key, found: Effects) -> str:
    if key not in found.releasing:
        return f"{method} never waits"
    if not writes & (found.reads[key] | found.writes[key]):
        return f"{method} does not use {_them(writes)}"
    if not writes & found.after[key]:
        return f"{method} does not read {_them(writes)} after an await"
    if not writes & found.before[key]:
        return f"{method} does not use {_them(writes)} before an await"
    return f"{method} does not use {_them(writes)} before and read {_them(writes)} after the same await"


def _them(fields: frozenset[str]) -> str:
    return "it" if len(fields) == 1 else "them"


def _fields(fields: frozenset[str]) -> str:
    return _listed(sorted(field.rpartition(".")[2] for field in fields if field != OUTPUT))


def _name(key: Key, owner: Class) -> str:
    return key[1] if key[0] == owner.name else f"{key[0].rpartition('.')[2]}.{key[1]}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"

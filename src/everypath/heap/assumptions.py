"""Assumptions about the initial heap: which inputs are different objects, share nothing, or contain no cycle.

They are those of section 4 of "A CLP Heap Solver for Test Case Generation". Here they are read, matched with the
parameters and fields of an entry, and stated for a concrete graph. None is no object: it aliases nothing,
shares nothing and has no cycle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from everypath.errors import NOWHERE, BadInput, Span
from everypath.heap.knowledge import NOTHING_KNOWN, Knowledge
from everypath.ir import types as t
from everypath.ir.program import Field, Method, Program
from everypath.ir.types import Type
from everypath.records import dataclass, replace

NOALIAS, NOSHARING, ACYCLIC = "noalias", "nosharing", "acyclic"
_SHAPES = {NOALIAS: "noalias(a, b)", NOSHARING: "nosharing(a, b)", ACYCLIC: "acyclic(a)"}
_FORM = re.compile(r"(\w+)\s*\(([^()]*)\)")
_N = TypeVar("_N", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Assumption:
    """A property that the caller of the entry guarantees about the objects it passes in."""

    kind: str
    """noalias, nosharing or acyclic"""
    names: tuple[str, ...]
    """parameters, or paths of fields that begin with one, such as `self.head`"""
    text: str
    """as the user wrote it"""


def parse_all(texts: Iterable[str]) -> tuple[Assumption, ...]:
    """The assumptions in several texts, each once."""
    found: dict[tuple[str, tuple[str, ...]], Assumption] = {}
    for text in texts:
        for assumption in parse(text):
            found.setdefault((assumption.kind, tuple(sorted(assumption.names))), assumption)
    return tuple(found.values())


def parse(text: str) -> tuple[Assumption, ...]:
    """The assumptions in a text such as `noalias(a, b); acyclic(self.head)`."""
    pieces = [piece.strip() for piece in text.split(";")]
    return tuple(_parse_one(piece) for piece in pieces if piece) or (_parse_one(text),)


def _parse_one(text: str) -> Assumption:
    match = _FORM.fullmatch(text)
    if match is None:
        raise _bad(text, f"is not a heap assumption; write {_known()}, and ';' between several")
    kind, inside = match.groups()
    if kind not in _SHAPES:
        raise _bad(text, f"is of the unknown kind {kind!r}{_close(kind, _SHAPES) or f'; write {_known()}'}")
    names = tuple(re.sub(r"\s*\.\s*", ".", name.strip()) for name in inside.split(",")) if inside.strip() else ()
    count = 1 if kind == ACYCLIC else 2
    if len(names) != count:
        needs = "one reference" if count == 1 else "two references"
        raise _bad(text, f"must be about {needs}, not {len(names)}; write {_SHAPES[kind]}")
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            raise _bad(text, f"names {name!r}, which is no parameter or field; write names such as 'a' or 'self.head'")
    if count == 2 and names[0] == names[1]:
        raise _bad(text, f"contradicts itself: {names[0]!r} is one and the same object; name two different references")
    return Assumption(kind, names, text)


def check(
    assumptions: Iterable[Assumption],
    program: Program,
    method: Method,
    cls: str | None = None,
    constructs: bool = False,
    knowledge: Knowledge = NOTHING_KNOWN,
) -> tuple[Assumption, ...]:
    """The assumptions with their names as the program spells them, if every name is a reference of the entry.

    `cls` is the class under test, of which the method may be inherited; with `constructs` the method is its
    constructor.
    """
    names = _Names(program, method, cls or method.cls, constructs, knowledge)
    return tuple(replace(a, names=tuple(names.reference(a, name) for name in a.names)) for a in assumptions)


class _Names:
    """What the names in assumptions mean for one entry."""

    def __init__(self, program: Program, method: Method, cls: str, constructs: bool, knowledge: Knowledge) -> None:
        self._program = program
        self._method = method
        self._cls = cls
        self._constructs = constructs
        self._knowledge = knowledge

    def reference(self, assumption: Assumption, name: str) -> str:
        """The name with private fields spelled as they are stored; an error unless it can refer to an object."""
        path, *rest = name.split(".")
        types = _options(self._parameter(assumption, path))
        self._need_known(assumption, path, types)
        for part in rest:
            found = self._fields(assumption, path, types, part)
            types = _options(t.union(tuple(field.type for field in found)))
            path = f"{path}.{found[0].name}"
            self._need_known(assumption, path, types)
        if not any(isinstance(o, (t.ClassType, t.ListType, t.ArrayType, t.DictType, t.SetType)) for o in types):
            advice = "name a parameter or field that holds an object, list, dict or set"
            problem = f"names {name!r}, which is {_spelled(types)} and refers to no object of the heap"
            raise self._error(assumption, f"{problem}; {advice}")
        return path

    def _need_known(self, assumption: Assumption, path: str, types: Sequence[Type]) -> None:
        if t.ANY in types:
            raise self._error(
                assumption, f"needs the type of {path!r}, which is not known; annotate it or pass --types"
            )

    def _parameter(self, assumption: Assumption, name: str) -> Type:
        method = self._method
        for position, param in enumerate(method.params):
            if param.name != name:
                continue
            if position or method.kind == "static":
                return param.type
            if self._constructs:
                advice = "name the constructor's other parameters"
                raise self._error(assumption, f"names {name!r}, the object that is only now constructed; {advice}")
            if method.kind == "class":
                raise self._error(assumption, f"names {name!r}, which is a class; name another parameter")
            return t.ClassType(self._cls)
        inputs = [p.name for p in method.params[self._hidden() :]]
        known = f"it has {', '.join(inputs)}" if inputs else "it has none"
        advice = _close(name, inputs) or f"; {known}"
        raise self._error(assumption, f"names {name!r}, but {self._entry()} has no such parameter{advice}")

    def _hidden(self) -> int:
        """How many parameters at the front are not inputs."""
        return int(self._constructs or self._method.kind == "class")

    def _fields(self, assumption: Assumption, path: str, types: Sequence[Type], name: str) -> list[Field]:
        classes = [o.name for o in types if isinstance(o, t.ClassType)]
        found = [field for cls in classes if (field := self._field(cls, name)) is not None]
        if found:
            return found
        if not classes:
            advice = "only fields of objects can be named"
            raise self._error(
                assumption, f"goes through {path!r}, which is {_spelled(types)} and has no fields; {advice}"
            )
        fields = [name for cls in classes for name in self._program.all_fields(cls)]
        known = f"it has {', '.join(fields)}" if fields else "it has none"
        advice = _close(name, fields) or f"; {known}"
        raise self._error(
            assumption, f"names {path + '.' + name!r}, but {_spelled(types)} has no field {name!r}{advice}"
        )

    def _field(self, cls: str, name: str) -> Field | None:
        found = self._program.find_field(cls, name)
        if found is None:
            # Which class's code the user has in mind is not known, so each base may be the one that names the field.
            for base in self._program.mro(cls):
                found = found or self._program.find_field(base, self._knowledge.stored_name(base, name))
        return found

    def _entry(self) -> str:
        if self._method.kind == "static":
            return self._method.name
        return f"{self._cls.rpartition('.')[2]}.{self._method.name}"

    def _error(self, assumption: Assumption, message: str) -> BadInput:
        return _bad(assumption.text, message, self._method.span)


def shared(first: _N, second: _N, successors: Callable[[_N], Iterable[_N]]) -> bool:
    """Whether some node can be reached from both; each node reaches itself."""
    mine = set(_reachable(first, successors))
    return any(node in mine for node in _reachable(second, successors))


def cyclic(start: _N, successors: Callable[[_N], Iterable[_N]]) -> bool:
    """Whether a cycle can be reached; reaching a node in several ways is not a cycle."""
    # Depth first; a cycle is an edge back to a node on the current path, not to any node met before.
    entered = {start}
    above = {start}
    path = [(start, iter(successors(start)))]
    while path:
        node, rest = path[-1]
        for following in rest:
            if following in above:
                return True
            if following not in entered:
                entered.add(following)
                above.add(following)
                path.append((following, iter(successors(following))))
                break
        else:
            path.pop()
            above.discard(node)
    return False


def holds(assumption: Assumption, node: Callable[[str], _N | None], successors: Callable[[_N], Iterable[_N]]) -> bool:
    """Whether a concrete heap satisfies the assumption; `node` finds the object behind a name, or None."""
    nodes = [found for found in map(node, assumption.names) if found is not None]
    # One of them is null or was never looked at, and null is no object.
    if len(nodes) < len(assumption.names):
        return True
    if assumption.kind == ACYCLIC:
        return not cyclic(nodes[0], successors)
    if assumption.kind == NOSHARING:
        return not shared(nodes[0], nodes[1], successors)
    return nodes[0] != nodes[1]


def _reachable(start: _N, successors: Callable[[_N], Iterable[_N]]) -> Iterator[_N]:
    seen = {start}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        yield node
        fresh = [following for following in successors(node) if following not in seen]
        seen.update(fresh)
        waiting += fresh


def _options(type: Type) -> tuple[Type, ...]:
    """What the type can be besides null."""
    options = type.options if isinstance(type, t.UnionType) else (type,)
    return tuple(option for option in options if option != t.NONE)


def _spelled(types: Sequence[Type]) -> str:
    """The types as a user writes them."""
    return re.sub(r"[\w.]+\.(?=\w)", "", " | ".join(map(str, types))) or "None"


def _close(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(dict.fromkeys(known)), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _known() -> str:
    *others, last = _SHAPES.values()
    return f"{', '.join(others)} or {last}"


def _bad(text: str, message: str, span: Span = NOWHERE) -> BadInput:
    return BadInput(f"the assumption {text!r} {message}", span)

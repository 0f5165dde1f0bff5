"""A stored summary as what it was, in the program as it is now; `storing.py` says what the data looks like.

Reading a file makes nothing but the values named here, whatever the file says.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from everypath.errors import Span
from everypath.explore.objects import Restrict
from everypath.explore.outcomes import Activation, Finished, Origin, Uncaught
from everypath.explore.search.summaries.model import Atom, Inlined, Leaf, Place, Question, Step, Summary, Tree, Write
from everypath.explore.search.summaries.storing import CONSTANTS, TYPES, Data
from everypath.heap.alternatives import Alias, Allocate, Bind, Narrow
from everypath.heap.choice import Alternative, Assume
from everypath.heap.store import ClassBound
from everypath.heap.values import UNBOUND, BoundMethod, Cell, DictCell, ListCell, OneOf, OpenList, Ref, Unknown
from everypath.ir import types as t
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.logic.comparisons import not_
from everypath.logic.nodes import Term, Var
from everypath.logic.substitution import CannotRebuild, rebuilt, sum_of

_COMMON: tuple[Type, ...] = (t.INT, t.BOOL, t.STR, t.FLOAT, t.BYTES, t.NONE, t.ANY)


class BadData(Exception):
    """The data is no summary of this program."""


def _type_of(data: Data) -> Type:
    name, *rest = data
    found: Type = TYPES[name](*map(_plain_of, rest))
    known = next((each for each in _COMMON if each == found and not getattr(found, "values", ())), None)
    return found if known is None or getattr(found, "bounds", None) is not None else known


def _plain_of(data: Data) -> Any:
    if isinstance(data, dict):
        return tuple(map(_plain_of, data[""]))
    return _type_of(data) if isinstance(data, list) else data


class _Reader:
    """Makes the values of the tables anew, in an order in which each finds what it is made of."""

    def __init__(self, program: Program, data: Data) -> None:
        self._program = program
        self._data = data
        self._unknowns = [self._unknown(name, options) for name, options in data["unknowns"]]
        self._refs = [
            Ref(cls, name, input, open, None if origin is None else self._unknowns[origin])
            for cls, name, input, open, origin in data["refs"]
        ]
        self._terms: list[Any] = [None] * len(data["terms"])
        # Newer variables are told from older ones by the order in which they are made.
        for row, name, sort, lo, hi in data["variables"]:
            self._terms[row] = Var(name, sort, lo, hi)
        for row, made in enumerate(data["terms"]):
            if made is not None:
                self._terms[row] = self._term(*made)

    def _unknown(self, name: str, options: Data) -> Unknown:
        types = tuple(map(_type_of, options))
        return Unknown(name, types[0] if len(types) == 1 else t.UnionType(types))

    def _term(self, op: str, *rest: Data) -> Any:
        if len(rest) == 1:
            return rebuilt(op, [self.value(each) for each in rest[0]])
        const, parts = rest
        return sum_of(op, const, [(self._terms[row], coefficient) for row, coefficient in parts])

    def summary(self, method: Method) -> Summary:
        data = self._data
        places: dict[Atom, Place] = {}
        for atom, place in data["places"]:
            whole = place if isinstance(place, int) else (self.value(place[0]), self._key(place[1]))
            places[self.value(atom)] = whole
        return Summary(
            method,
            tuple(map(_type_of, data["types"])),
            tuple(map(self.value, data["values"])),
            places,
            self._tree(),
            {(cls, name): self.value(value) for cls, name, value in data["statics"]},
            frozenset(id(self._method(*each)) for each in data["methods"]),
            data["pays"],
        )

    def _method(self, cls: str, name: str) -> Method:
        return self._program.classes[cls].methods[name]

    def _key(self, key: Data) -> object:
        return len if key == "len" else self.value(key[1])

    def value(self, data: Data) -> Any:
        if not isinstance(data, list):
            return data
        kind, *rest = data
        match kind:
            case "f":
                return float.fromhex(rest[0])
            case "x":
                return self._terms[rest[0]]
            case "u":
                return self._unknowns[rest[0]]
            case "r":
                return self._refs[rest[0]]
            case "t":
                return tuple(map(self.value, rest))
            case "o":
                rules = tuple((self.value(guard), self.value(inner)) for guard, inner in rest[0])
                return OneOf(rules, self.value(rest[1]), self.value(rest[2]))
            case "b":
                return BoundMethod(self.value(rest[0]), rest[1])
            case "n":
                return UNBOUND
        return CONSTANTS[rest[0]](*rest[1:])

    def _tree(self) -> Tree:
        nodes: list[Tree] = []
        for parent, answer, kind, *rest in self._data["nodes"]:
            node: Tree
            if kind == "q":
                node = self._question(*rest)
            else:
                node = self._leaf(*rest[0]) if kind == "l" else Inlined(rest[0])
            nodes.append(node)
            if parent >= 0:
                above = nodes[parent]
                assert isinstance(above, Question)
                above.children[answer] = node
        return nodes[0]

    def _question(self, asked: Data, touched: Data) -> Question:
        seen = tuple(map(self.value, touched))
        if asked[0] != "if":
            return Question(tuple(self._alternative(*each) for each in asked), seen)
        condition = self.value(asked[1])
        negation = not_(condition)
        # What was a question must not have become known by building it anew.
        if not isinstance(condition, Term) or not isinstance(negation, Term):
            raise BadData
        return Question((Assume(condition), Assume(negation)), seen, condition)

    def _alternative(self, kind: str, number: int, *rest: Data) -> Alternative:
        match kind:
            case "bind":
                return Bind(self._unknowns[number], self.value(rest[0]))
            case "narrow":
                return Narrow(self._unknowns[number], tuple(map(_type_of, rest[0])))
            case "allocate":
                return Allocate(self._unknowns[number])
            case "alias":
                return Alias(self._unknowns[number], self._refs[rest[0]], _type_of(rest[1]))
            case "restrict":
                return Restrict(self._refs[number], ClassBound(rest[0], tuple(rest[1]), rest[2]))
        raise BadData

    def _leaf(
        self, outcome: Data, touched: Data, writes: Data, lists: Data, cells: Data, trace: Data, decided: bool
    ) -> Leaf:
        return Leaf(
            self._outcome(*outcome),
            tuple(map(self.value, touched)),
            tuple(Write(self.value(target), name, self.value(value)) for target, name, value in writes),
            tuple((self._refs[ref], self._cell(*cell)) for ref, cell in lists),
            {self._refs[ref]: self._cell(*cell) for ref, cell in cells},
            tuple(self._step(*each) for each in trace),
            decided,
        )

    def _step(self, cls: str, name: str, label: str, index: int | None, error: str) -> Step:
        return self._method(cls, name), label, index, error

    def _outcome(self, kind: str, value: Data, cls: str = "", implicit: bool = False, said: Data = None) -> Any:
        if kind == "returns":
            return Finished(self.value(value))
        span, method, called, operands, stack = said
        under_way = tuple(self._activation(*each) for each in stack)
        origin = Origin(Span(*span), method, called, tuple(map(self.value, operands)), partial(iter, under_way))
        return Uncaught(self.value(value), cls, implicit, origin)

    def _activation(self, cls: str, name: str, label: str, index: int, registers: Data, called: bool) -> Activation:
        method = self._method(cls, name)
        block = method.blocks[label]
        instruction = (*block.instructions, block.terminator)[index]
        return Activation(method, label, instruction, tuple(map(self.value, registers)), called)

    def _cell(self, kind: str, *rest: Data) -> Cell:
        match kind:
            case "fields":
                return {name: self.value(value) for name, value in rest[0]}
            case "list":
                return ListCell(tuple(map(self.value, rest[0])), self.value(rest[1]))
            case "open":
                known = tuple((self.value(index), self.value(value)) for index, value in rest[3])
                return OpenList(rest[0], _type_of(rest[1]), self.value(rest[2]), known)
        entries = tuple((self.value(key), self.value(value)) for key, value in rest[0])
        return DictCell(entries, rest[1], frozen=rest[2])


def summary_of(program: Program, method: Method, data: Data) -> Summary:
    """The summary that the data was made of; BadData if it is none of this program."""
    try:
        return _Reader(program, data).summary(method)
    except (AssertionError, AttributeError, CannotRebuild, KeyError, LookupError, TypeError, ValueError) as error:
        raise BadData from error

"""A summary as plain data for a file.

Everything that is found by identity (inputs, variables, objects, terms, nodes of the tree) is a row of a table, and is
meant elsewhere by its number. The kinds of values are few and closed: a summary with any other cannot be stored, and is
made anew in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everypath.errors import Span
from everypath.explore.objects import Restrict
from everypath.explore.outcomes import Activation, Finished, Uncaught
from everypath.explore.search.summaries.model import Leaf, Question, Summary, Tree
from everypath.heap.alternatives import Alias, Allocate, Bind, Narrow
from everypath.heap.choice import Alternative
from everypath.heap.values import UNBOUND, BoundMethod, Cell, DictCell, ListCell, OneOf, OpenList, Ref, Unknown, Value
from everypath.ir import types as t
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.logic.nodes import Comparison, Linear, Node, Term, Var, postorder
from everypath.logic.substitution import is_rebuilt
from everypath.records import fields

TYPES = {
    each.__name__: each
    for each in (
        *(t.Scalar, t.AnyType, t.ClassType, t.MemberType, t.RecordType, t.UnionType, t.ListType, t.ArrayType),
        *(t.SetType, t.DictType, t.TupleType, t.DataType, t.TypeParameter, t.FunctionType, t.FutureType),
    )
}
CONSTANTS = {each.__name__: each for each in (ClassRef, FunctionRef, NativeRef)}
Data = Any
"""What JSON holds."""


class NotStorable(Exception):
    """The summary has something that no file holds."""


# Types, and other values without identity.


def _type_data(type: Type) -> Data:
    return [type.__class__.__name__, *(_plain_data(getattr(type, each.name)) for each in fields(type))]


def _plain_data(value: object) -> Data:
    if value is None or value.__class__ in (bool, int, str):
        return value
    if isinstance(value, tuple):
        return {"": [_plain_data(item) for item in value]}
    if value.__class__.__name__ in TYPES:
        return _type_data(value)  # type: ignore[arg-type]
    raise NotStorable


def _span_data(span: Span) -> Data:
    return [span.file, span.line, span.column]


# To data.


class _Writer:
    """Fills the tables."""

    def __init__(self, program: Program, summary: Summary) -> None:
        self._program = program
        self._summary = summary
        self._variables: list[Var] = []
        self._terms: list[Data] = []
        self._unknowns: list[Data] = []
        self._refs: list[Data] = []
        self._numbers: dict[object, int] = {}
        """term, unknown or object -> its row"""

    def data(self) -> Data:
        summary = self._summary
        nodes = self._nodes(summary.tree)
        known = {id(method): method for method in self._program.methods()}
        if not summary.methods <= known.keys():
            raise NotStorable
        places = [
            [self.value(atom), place if isinstance(place, int) else [self.value(place[0]), self._key(place[1])]]
            for atom, place in summary.places.items()
        ]
        statics = [[cls, name, self.value(value)] for (cls, name), value in summary.statics.items()]
        values = [self.value(value) for value in summary.values]
        variables = sorted(self._variables, key=lambda variable: variable.index)
        return {
            "types": [_type_data(type) for type in summary.types],
            "values": values,
            "places": places,
            "nodes": nodes,
            "statics": statics,
            "methods": sorted(self._method(known[each]) for each in summary.methods),
            "pays": summary.pays,
            "variables": [[self._numbers[each], each.name, each.sort, each.lo, each.hi] for each in variables],
            "terms": self._terms,
            "unknowns": self._unknowns,
            "refs": self._refs,
        }

    def _method(self, method: Method) -> Data:
        cls = self._program.classes.get(method.cls)
        if cls is None or cls.methods.get(method.name) is not method:
            raise NotStorable
        return [method.cls, method.name]

    def _key(self, key: object) -> Data:
        return "len" if key is len else ["k", self.value(key)]  # type: ignore[arg-type]

    # Values.

    def value(self, value: Value) -> Data:
        if value is None or value.__class__ in (bool, int, str):
            return value
        if isinstance(value, float):
            return ["f", value.hex()]
        if isinstance(value, Term):
            return ["x", self._term(value)]
        if type(value) is Unknown:
            return ["u", self._unknown(value)]
        if type(value) is Ref:
            return ["r", self._ref(value)]
        if isinstance(value, tuple):
            return ["t", *map(self.value, value)]
        if type(value) is OneOf:
            rules = [[self.value(guard), self.value(inner)] for guard, inner in value.rules]
            return ["o", rules, self.value(value.otherwise), self.value(value.rest)]
        if type(value) is BoundMethod:
            return ["b", self.value(value.receiver), value.name]
        if value is UNBOUND:
            return ["n"]
        if isinstance(value, (ClassRef, FunctionRef, NativeRef)) and value.__class__.__name__ in CONSTANTS:
            return ["c", value.__class__.__name__, *(getattr(value, each.name) for each in fields(value))]
        raise NotStorable

    def _term(self, term: Term) -> int:
        numbers = self._numbers
        for each in postorder(term, numbers.__contains__):
            if each in numbers:
                continue
            row: Data = None
            if isinstance(each, Var):
                self._variables.append(each)
            elif isinstance(each, (Linear, Comparison)):
                op = each.op if isinstance(each, Comparison) else ""
                row = [op, each.const, [[numbers[atom], coefficient] for atom, coefficient in each.parts]]
            elif isinstance(each, Node) and is_rebuilt(each.op):
                row = [each.op, [self.value(arg) for arg in each.args]]
            else:
                raise NotStorable
            numbers[each] = len(self._terms)
            self._terms.append(row)
        return numbers[term]

    def _unknown(self, unknown: Unknown) -> int:
        if unknown not in self._numbers:
            if unknown.inside is not None:
                raise NotStorable
            self._numbers[unknown] = len(self._unknowns)
            self._unknowns.append([unknown.name, [_type_data(each) for each in unknown.options]])
        return self._numbers[unknown]

    def _ref(self, ref: Ref) -> int:
        if ref not in self._numbers:
            self._numbers[ref] = len(self._refs)
            origin = None if ref.origin is None else self._unknown(ref.origin)
            self._refs.append([ref.cls, ref.name, ref.input, ref.open, origin])
        return self._numbers[ref]

    # The tree.

    def _nodes(self, root: Tree) -> Data:
        """The nodes, each after the one that leads to it."""
        found: list[Data] = []
        waiting: list[tuple[Tree, int, int]] = [(root, -1, 0)]
        while waiting:
            tree, parent, answer = waiting.pop()
            at = len(found)
            if isinstance(tree, Question):
                waiting += [(child, at, number) for number, child in reversed(tree.children.items())]
                found.append([parent, answer, "q", self._asked(tree), self._all(tree.touched)])
            elif isinstance(tree, Leaf):
                found.append([parent, answer, "l", self._leaf(tree)])
            else:
                found.append([parent, answer, "i", tree.reason])
        return found

    def _asked(self, question: Question) -> Data:
        if question.condition is not None:
            return ["if", self.value(question.condition)]
        return [self._alternative(each) for each in question.alternatives]

    def _alternative(self, each: Alternative) -> Data:
        match each:
            case Bind(unknown=unknown, value=value):
                return ["bind", self._unknown(unknown), self.value(value)]
            case Narrow(unknown=unknown, options=options):
                return ["narrow", self._unknown(unknown), [_type_data(option) for option in options]]
            case Allocate(unknown=unknown):
                return ["allocate", self._unknown(unknown)]
            case Alias(unknown=unknown, ref=ref, type=type):
                return ["alias", self._unknown(unknown), self._ref(ref), _type_data(type)]
            case Restrict(ref=ref, bound=bound):
                return ["restrict", self._ref(ref), bound.bound, list(bound.excluded), bound.exact]
        raise NotStorable

    def _all(self, values: Iterable[Value]) -> Data:
        return [self.value(value) for value in values]

    def _leaf(self, leaf: Leaf) -> Data:
        writes = [[self.value(each.target), each.name, self.value(each.value)] for each in leaf.writes]
        lists = [[self._ref(ref), self._cell(cell)] for ref, cell in leaf.lists]
        outcome = self._outcome(leaf.outcome)
        made: dict[Ref, Data] = {}
        # A cell may lead to further objects.
        wanted = [each for value in _results(leaf) for each in _objects(value)]
        while wanted:
            ref = wanted.pop()
            if not ref.input and ref not in made:
                cell = leaf.cells[ref]
                made[ref] = self._cell(cell)
                wanted += [each for value in _held(cell) for each in _objects(value)]
        cells = [[self._ref(ref), cell] for ref, cell in made.items()]
        trace = [[*self._method(method), label, index, error] for method, label, index, error in leaf.trace]
        return [outcome, self._all(leaf.touched), writes, lists, cells, trace, leaf.decided]

    def _outcome(self, outcome: Finished | Uncaught) -> Data:
        if isinstance(outcome, Finished):
            return ["returns", self.value(outcome.value)]
        if type(outcome) is not Uncaught:
            raise NotStorable
        origin = outcome.origin
        stack = [self._activation(each) for each in origin.stack()]
        said = [_span_data(origin.span), origin.method, origin.called, self._shown(origin.operands), stack]
        return ["raises", self.value(outcome.exception), outcome.cls, outcome.implicit, said]

    def _activation(self, each: Activation) -> Data:
        block = each.method.blocks[each.label]
        instructions = (*block.instructions, block.terminator)
        index = next(number for number, one in enumerate(instructions) if one is each.instruction)
        return [*self._method(each.method), each.label, index, self._shown(each.registers), each.called]

    def _shown(self, values: Sequence[Value]) -> Data:
        """What is only shown to people may lack values."""
        found = []
        for value in values:
            try:
                found.append(self.value(value))
            except NotStorable:
                found.append(["n"])
        return found

    def _cell(self, cell: Cell) -> Data:
        if isinstance(cell, dict):
            return ["fields", [[name, self.value(value)] for name, value in cell.items()]]
        if isinstance(cell, ListCell):
            return ["list", self._all(cell.items), self.value(cell.length)]
        if isinstance(cell, OpenList):
            known = [[self.value(index), self.value(value)] for index, value in cell.known]
            return ["open", cell.name, _type_data(cell.element), self.value(cell.length), known]
        if isinstance(cell, DictCell) and not (cell.open or cell.absent or cell.initial or cell.name):
            return ["dict", [[self.value(k), self.value(v)] for k, v in cell.entries], cell.kind, cell.frozen]
        raise NotStorable


def _results(leaf: Leaf) -> list[Value]:
    outcome = leaf.outcome
    result: Value = outcome.value if isinstance(outcome, Finished) else outcome.exception
    held = [value for _, cell in leaf.lists for value in _held(cell)]
    return [result, *held, *(value for write in leaf.writes for value in (write.target, write.value))]


def _held(cell: Cell) -> list[Value]:
    if isinstance(cell, dict):
        return [*cell.values()]
    if isinstance(cell, ListCell):
        return [*cell.items]
    if isinstance(cell, OpenList):
        return [value for _, value in cell.known]
    return [part for entry in cell.entries for part in entry] if isinstance(cell, DictCell) else []


def _objects(value: Value) -> list[Ref]:
    if type(value) is Ref:
        return [value]
    if isinstance(value, tuple):
        return [ref for item in value for ref in _objects(item)]
    if type(value) is OneOf:
        return [ref for item in value.values() for ref in _objects(item)]
    return _objects(value.receiver) if type(value) is BoundMethod else []


def summary_data(program: Program, summary: Summary) -> Data:
    """The summary as JSON can hold it; NotStorable if it cannot."""
    return _Writer(program, summary).data()

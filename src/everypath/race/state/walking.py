"""Everything that can be reached from some objects, taken apart into the nodes of a snapshot.

Objects that can be told apart by identity get a number when they are first met, breadth first from the roots; so two
equal states get the same numbers. Immutable values have no identity worth comparing: equal ones share one node,
whichever objects they are. What breadth-first order leaves open, the order in sets and the addresses that programs
store, is settled at the end (`canonical.py`).

Snapshots are taken after every call and run, so in the common cases (texts, numbers, lists of them) no function is
called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from everypath.race.state.canonical import renumbered, without_addresses
from everypath.race.state.class_layouts import PLANS, Plan, plan_of
from everypath.race.state.graph import CUT, CUT_NODE, REFS, Constant, Node, Ref, Shape, Snapshot, Token, ref
from everypath.records import dataclass, field

LIMIT = 100_000
"""A snapshot is cut after this many parts."""

_ONLY: dict[int, Token] = {id(each): Constant(repr(each)) for each in (None, True, False, ..., NotImplemented)}
_THEMSELVES = frozenset({str, int})
"""Classes whose instances are their own tokens."""


@dataclass(slots=True)
class Walk:
    """What was found: `objects[n]` is what `nodes[n]` describes, or None for a value without an identity."""

    roots: tuple[Token, ...]
    nodes: list[Node]
    objects: list[Any]
    memo: dict[int, Token]
    """id -> token; the objects are kept alive by this"""
    opaque: set[str]
    truncated: bool

    def snapshot(self) -> Snapshot:
        """What was found, without the objects themselves, for comparing it with other states."""
        return Snapshot((self.roots, *self.nodes), frozenset(self.opaque), self.truncated)


def walk(roots: tuple[Any, ...], limit: int = LIMIT) -> Walk:
    """Look at everything reachable, breadth first; objects with an identity are numbered when they are first met."""
    memo = _ONLY.copy()
    objects: list[Any] = []
    plans: list[Plan | None] = []
    nodes: list[Node] = []
    known = PLANS.get
    values: _Values | None = None
    opaque: set[str] = set()

    def token(value: Any) -> Token:
        nonlocal values
        found = memo.get(id(value))
        if found is not None:
            return found
        cls = type(value)
        # Their own tokens, and most of what there is; `bool` is not among them because it would equal a number.
        if cls is str or cls is int:
            return value
        plan = known(id(cls)) or plan_of(cls)
        if plan.choose is not None:
            plan = plan.choose(value)
        if plan.identity:
            number = len(nodes)
            made = memo[id(value)] = REFS[number] if number < len(REFS) else ref(number)
            objects.append(value)
            plans.append(plan)
            # Replaced when its turn comes; if the limit is reached before, it stays.
            nodes.append(CUT_NODE)
            return made
        if plan.atom is not None:
            return (plan.shape, plan.atom(value))
        if cls is tuple and _THEMSELVES.issuperset(map(type, value)):
            return (plan.shape, (), *value)
        # Made when the first composite value is met, because many states have none.
        if values is None:
            values = _Values(token, memo, objects, plans, nodes, limit, opaque)
        if cls is MethodType:
            node = (plan.shape, (), _function_token(value.__func__, token), token(value.__self__))
            if type(node[3]) is Ref:
                return values.ref(value, node)
        return values.composite(value, plan)

    top = tuple(map(token, roots))
    unordered = False
    number = -1
    # The lists grow while they are looked through.
    for value in objects:
        number += 1
        plan = plans[number]
        if plan is None:
            continue
        if limit <= 0:
            break
        names, parts = _opened(plan, value, opaque)
        if len(parts) >= limit:
            parts = parts[: max(limit, 0)]
        limit -= len(parts)
        if _THEMSELVES.issuperset(map(type, parts)):
            if not plan.unordered:
                nodes[number] = (plan.shape, names, *parts)
                continue
            tokens: Any = parts
        else:
            tokens = []
            for part in parts:
                cls = type(part)
                tokens.append(part if cls is str or cls is int else token(part))
        if plan.unordered:
            nodes[number], disorder = _set_node(plan.shape, names, tokens)
            unordered = unordered or disorder
        else:
            nodes[number] = (plan.shape, names, *tokens)
    if values is not None:
        unordered = unordered or values.unordered
    top, nodes, ids = without_addresses(top, nodes, memo)
    objects += [None] * ids
    if unordered:
        # Sets were walked in the order of their hashes, which differs from run to run.
        top, nodes, objects = renumbered(top, nodes, objects)
        memo = {id(value): ref(number) for number, value in enumerate(objects) if value is not None}
    return Walk(top, nodes, objects, memo, opaque, limit <= 0 or (values is not None and values.left <= 0))


def snapshot(*roots: object) -> Snapshot:
    """The snapshot of these objects together; what they share is a part of it."""
    return walk(roots).snapshot()


def _set_node(shape: Shape, names: tuple[str, ...], tokens: list[Token]) -> tuple[Node, bool]:
    """The node of a set, and whether it matters in which order its elements were met."""
    count = len(names)
    elements = tokens[count:]
    disorder = len(elements) > 1 and any(type(each) is Ref for each in elements)
    return (shape, names, *tokens[:count], frozenset(elements)), disorder


FUNCTIONS: dict[int, tuple[Any, Token]] = {}
"""id -> function and token of methods, whose names are asked for often; they live as long as their class"""
_MOST_FUNCTIONS = 5_000


def _function_token(function: Any, token: Callable[[Any], Token]) -> Token:
    """The token of a method's function, remembered unless the function has an identity."""
    remembered = FUNCTIONS.get(id(function))
    if remembered is not None:
        return remembered[1]
    made = token(function)
    if type(function) is FunctionType and type(made) is not Ref:
        if len(FUNCTIONS) >= _MOST_FUNCTIONS:
            FUNCTIONS.clear()
        FUNCTIONS[id(function)] = function, made
    return made


def _opened(plan: Plan, value: Any, opaque: set[str]) -> tuple[tuple[str, ...], Any]:
    """The names of an object's attributes, and their values with its content; empty if it cannot be read."""
    if plan.opaque:
        opaque.add(plan.shape.name)
    try:
        return ((), plan.content(value)) if plan.bare else plan.parts(value)
    except Exception:  # whatever half-made objects, proxies and C code raise
        opaque.add(plan.shape.name)
        return (), ()


@dataclass(slots=True)
class _Values:
    """Immutable values that hold others: equal ones have the same token, whichever object it is."""

    _token: Callable[[Any], Token]
    _memo: dict[int, Token]
    _objects: list[Any]
    _plans: list[Plan | None]
    _nodes: list[Node]
    left: int
    opaque: set[str]
    unordered: bool = False
    _interned: dict[Node, Ref] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def composite(self, value: Any, plan: Plan) -> Token:
        """The token of a value, after those of the values in it."""
        # An explicit stack: a tuple may be nested deeper than the interpreter recurses.
        outer: list[tuple[Any, Plan, tuple[str, ...], Iterator[Any], list[Token]]] = []
        active = {id(value)}
        names, parts = self._opened(value, plan)
        tokens: list[Token] = []
        while True:
            for part in parts:
                cls = type(part)
                if cls is str or cls is int:
                    tokens.append(part)
                    continue
                inner = PLANS.get(id(cls)) or plan_of(cls)
                if inner.identity or inner.atom is not None or inner.choose is not None or id(part) in self._memo:
                    tokens.append(self._token(part))
                elif id(part) in active or self.left <= 0:
                    tokens.append(CUT)
                else:
                    outer.append((value, plan, names, parts, tokens))
                    active.add(id(part))
                    value, plan, tokens = part, inner, []
                    names, parts = self._opened(value, plan)
                    break
            else:
                made: Token = self._finished(plan, names, tokens)
                if not _is_flat(tokens):
                    made = self.ref(value, made)
                if not outer:
                    return made
                active.discard(id(value))
                value, plan, names, parts, tokens = outer.pop()
                tokens.append(made)

    def _opened(self, value: Any, plan: Plan) -> tuple[tuple[str, ...], Iterator[Any]]:
        names, parts = _opened(plan, value, self.opaque)
        self.left -= len(parts)
        return names, iter(parts if self.left > 0 else ())

    def _finished(self, plan: Plan, names: tuple[str, ...], tokens: list[Token]) -> Node:
        if not plan.unordered:
            return (plan.shape, names, *tokens)
        node, disorder = _set_node(plan.shape, names, tokens)
        self.unordered = self.unordered or disorder
        return node

    def ref(self, value: Any, node: Node) -> Ref:
        """The reference to a value's node, the same for equal ones."""
        made = self._interned.get(node)
        if made is None:
            made = self._interned[node] = ref(len(self._nodes))
            self._objects.append(None)
            self._plans.append(None)
            self._nodes.append(node)
        self._memo[id(value)] = made
        # An id in the memo means this value only as long as the value lives.
        self._kept.append(value)
        return made


def _is_flat(tokens: list[Token]) -> bool:
    """Whether a node may stand in the place of a reference; deep nesting would make hashing and comparing recursive."""
    return all((cls := type(each)) is not Ref and (cls is not tuple or len(each) == 2) for each in tokens)

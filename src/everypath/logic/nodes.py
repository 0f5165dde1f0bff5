"""The nodes that terms are made of: variables, linear forms, comparisons and everything else.

Nodes are hash-consed: one that was made before, and is still in use, is given again. So equal terms are the same
object, sets and dicts of terms are cheap, and what is computed once about a term (its variables, text, negation) is
kept with it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from itertools import count
from typing import cast
from zlib import crc32

from everypath.logic.printing import render

Value = int | bool | str | float
Place = tuple[int, str, int]
Rank = tuple[Place, int, int]
Parts = tuple[tuple["Atom", int], ...]

_FIRST: Place = (0, "", 0)
UNKNOWN_RANK: Rank = ((-1, "", 0), 0, 0)
HEAVY = 100
"""Terms of this weight and more are walked without recursion, visiting shared parts once."""


class Term:
    """A symbolic value; equal structure is the same object, so terms compare and hash by identity."""

    __slots__ = ("__weakref__", "_text", "_variables", "negation", "op", "rank", "sort", "weight")

    op: str
    sort: str
    rank: Rank
    """Orders atoms the same way in every run: by newest variable, then structure, then creation."""
    weight: int
    """How many nodes the term has when written out, up to HEAVY."""
    negation: Term | None
    """The negation of a bool term, once somebody asked for it."""
    _variables: frozenset[Var] | None
    _text: str | None

    def __str__(self) -> str:
        text = self._text
        if text is None:
            text = self._text = render(self)
        return text

    def __repr__(self) -> str:
        return f"<{self.sort} {self}>"


_numbers = count(1)


class Var(Term):
    """An input or another unknown; two variables are never the same, whatever their names.

    `index` is their order: parameters as they come, and then their parts by name. Which part a search meets first must
    not matter: one that goes on from another meets them in another order than one from the beginning.
    """

    __slots__ = ("default", "hi", "index", "lo", "name", "number")

    def __init__(self, name: str, sort: str, lo: int | None = None, hi: int | None = None) -> None:
        self.op = "var"
        self.sort = sort
        self.name = name
        self.lo = lo
        self.hi = hi
        self.number = next(_numbers)
        depth = name.count(".") + name.count("[") + name.count("(")
        self.index: Place = (depth, name, self.number) if depth else (0, "", self.number)
        self.rank = (self.index, 0, 0)
        self.weight = 1
        self.negation = None
        self._variables = None
        self._text = name
        self.default: Value = _default(sort, lo, hi)


def _default(sort: str, lo: int | None, hi: int | None) -> Value:
    if sort == "int":
        if lo is not None and lo > 0:
            return lo
        return hi if hi is not None and hi < 0 else 0
    return False if sort == "bool" else 0.0 if sort == "float" else ""


ZERO = Var("0", "int", 0, 0)
"""Stands for the constant zero where a difference of two atoms is expected."""


class Linear(Term):
    """const + sum of coefficient * atom, with atoms in rank order and no zero coefficient."""

    __slots__ = ("const", "parts")

    const: int
    parts: Parts


class Comparison(Term):
    """`const + sum(parts)` compared with zero by op `<=`, `==` or `!=`.

    When the sum is a plain difference, `left - right + const` is the same sum; `right` or `left` is ZERO
    for a comparison of one atom with a constant, both are None for other sums.
    """

    __slots__ = ("const", "left", "parts", "plain", "right")

    const: int
    parts: Parts
    left: Atom | None
    right: Atom | None
    plain: bool
    """Whether every atom is a variable."""


class Node(Term):
    """Any other operation on terms and concrete values; int nodes know bounds that always hold."""

    __slots__ = ("args", "hi", "lo")

    args: tuple[Term | Value, ...]
    lo: int | None
    hi: int | None


Atom = Var | Node


class _Entry(weakref.ref[Term]):
    __slots__ = ("key",)
    key: tuple[object, ...]


_table: dict[tuple[object, ...], _Entry] = {}


def _forget(entry: weakref.ref[Term]) -> None:
    key = entry.key  # type: ignore[attr-defined]
    if _table.get(key) is entry:
        del _table[key]


def _intern(term: Term, key: tuple[object, ...]) -> None:
    entry = _Entry(term, _forget)
    entry.key = key
    _table[key] = entry


def make_linear(const: int, parts: Parts) -> Linear:
    """The linear form itself; `integers.linear` also folds the ones that are simpler terms."""
    key = (const, parts)
    entry = _table.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[return-value]
    term = Linear()
    term.op = "linear"
    term.sort = "int"
    term.rank = UNKNOWN_RANK
    term.negation = term._variables = term._text = None
    term.const = const
    term.parts = parts
    term.weight = _weight_of_parts(parts)
    _intern(term, key)
    return term


def _weight_of_parts(parts: Parts) -> int:
    weight = 1
    for atom, _ in parts:
        weight += atom.weight
    return weight if weight < HEAVY else HEAVY


def make_comparison(op: str, const: int, parts: Parts) -> Comparison:
    """The comparison itself; `comparisons.compare` normalises and folds."""
    key = (op, const, parts)
    entry = _table.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[return-value]
    term = Comparison()
    term.op = op
    term.sort = "bool"
    term.rank = UNKNOWN_RANK
    term.negation = term._variables = term._text = None
    term.const = const
    term.parts = parts
    left: Atom | None = None
    right: Atom | None = None
    if len(parts) == 1:
        ((first, k),) = parts
        term.plain = first.__class__ is Var
        if k == 1:
            left, right = first, ZERO
        elif k == -1:
            left, right = ZERO, first
    elif len(parts) == 2:
        (first, k), (second, m) = parts
        term.plain = first.__class__ is Var and second.__class__ is Var
        if k == 1 and m == -1:
            left, right = first, second
        elif k == -1 and m == 1:
            left, right = second, first
    else:
        term.plain = all(atom.__class__ is Var for atom, _ in parts)
    term.weight = _weight_of_parts(parts)
    term.left = left
    term.right = right
    _intern(term, key)
    return term


def make_node(op: str, sort: str, args: tuple[Term | Value, ...], lo: int | None = None, hi: int | None = None) -> Node:
    """The node for an operation that did not fold."""
    key = (op, sort, args)
    entry = _table.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[return-value]
    return _new_node(key, op, sort, args, lo, hi)


def make_float_node(op: str, sort: str, args: tuple[Term | Value, ...]) -> Node:
    """The node for an operation on floats; 0.0, -0.0 and 0 are different constants there."""
    exact = tuple([arg if isinstance(arg, Term) else (arg.__class__, repr(arg)) for arg in args])
    key = (op, sort, exact)
    entry = _table.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[return-value]
    return _new_node(key, op, sort, args, None, None)


def _new_node(
    key: tuple[object, ...], op: str, sort: str, args: tuple[Term | Value, ...], lo: int | None, hi: int | None
) -> Node:
    term = Node()
    term.op = op
    term.sort = sort
    term.negation = term._variables = term._text = None
    term.args = args
    term.lo = lo
    term.hi = hi
    # Most conditions are never part of a number, and only those need a place in the order of atoms.
    term.rank = UNKNOWN_RANK if sort == "bool" else _rank_of_node(op, args)
    weight = 1
    for arg in args:
        weight += arg.weight if isinstance(arg, Term) else 1
    term.weight = weight if weight < HEAVY else HEAVY
    _intern(term, key)
    return term


_serials = count(1)


# Structural digests use names, never identities or string hashes, so that two processes agree on them.
def _digest(term: Term) -> int:
    return crc32(term.name.encode()) if isinstance(term, Var) else rank(term)[1]


# Small negative numbers share their hash, so numbers are first made non-negative.
def _distinct(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def _rank_of_node(op: str, args: tuple[Term | Value, ...]) -> Rank:
    top = _FIRST
    digests: list[int] = [crc32(op.encode())]
    for arg in args:
        if isinstance(arg, Term):
            top = max(top, rank(arg)[0])
            digests.append(_digest(arg))
        elif isinstance(arg, str):
            digests.append(crc32(arg.encode("utf-8", "surrogatepass")))
        elif isinstance(arg, float):
            digests.append(crc32(repr(arg).encode()))
        else:
            digests.append(_distinct(arg))
    return (top, _distinct(hash(tuple(digests))), next(_serials))


def rank(term: Term) -> Rank:
    """The position of a term in the order of atoms."""
    known = term.rank
    if known is UNKNOWN_RANK:
        for each in postorder(term, lambda below: below.rank is not UNKNOWN_RANK):
            if isinstance(each, Node):
                each.rank = _rank_of_node(each.op, each.args)
            else:
                assert isinstance(each, (Linear, Comparison))
                each.rank = _rank_of_sum(each)
        known = term.rank
    return known


def _rank_of_sum(term: Linear | Comparison) -> Rank:
    digests = [crc32(term.op.encode()), _distinct(term.const)]
    for atom, coefficient in term.parts:
        digests.append(_digest(atom))
        digests.append(_distinct(coefficient))
    top = max(atom.rank[0] for atom, _ in term.parts)
    return (top, _distinct(hash(tuple(digests))), next(_serials))


def children(term: Term) -> list[Term]:
    """The terms directly below a term."""
    if isinstance(term, (Linear, Comparison)):
        return [atom for atom, _ in term.parts]
    if isinstance(term, Node):
        return [arg for arg in term.args if isinstance(arg, Term)]
    return []


def operands(condition: Term) -> tuple[Term, ...]:
    """The parts of a conjunction, disjunction, negation or conditional condition, which are conditions themselves."""
    return cast("tuple[Term, ...]", cast(Node, condition).args)


def postorder(term: Term, known: Callable[[Term], bool]) -> Iterator[Term]:
    """Every term below `term` that is not known, children before parents, without recursion."""
    stack = [(term, False)]
    seen: set[Term] = set()
    while stack:
        top, expanded = stack.pop()
        if expanded:
            yield top
        elif top not in seen and not known(top):
            seen.add(top)
            stack.append((top, True))
            stack.extend((child, False) for child in reversed(children(top)))


def variables(term: Term | Value) -> frozenset[Var]:
    """The variables a term mentions."""
    if not isinstance(term, Term):
        return frozenset()
    known = term._variables
    if known is not None:
        return known
    if isinstance(term, Comparison) and term.plain:
        known = term._variables = frozenset([atom for atom, _ in term.parts])  # type: ignore[misc]
        return known
    for each in postorder(term, lambda t: t._variables is not None):
        if isinstance(each, Var):
            each._variables = frozenset((each,))
        else:
            below = children(each)
            first = below[0]._variables
            assert first is not None
            each._variables = first.union(*(child._variables or () for child in below[1:])) if below[1:] else first
    result = term._variables
    assert result is not None
    return result

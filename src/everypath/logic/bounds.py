"""The first decision layer: classes of equal integers, difference bounds between them, and intervals.

Integers known to differ by a constant form a class with one root. Between roots, `x - y <= c` facts are kept
transitively closed, which decides conjunctions of them exactly; intervals are kept closed under them, so a
bound on a difference that goes through zero is the difference of two interval ends. Disequalities sharpen
bounds that they touch. Everything else is only used to narrow intervals.
"""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Internal
from everypath.logic import ranges
from everypath.logic.comparisons import not_
from everypath.logic.evaluate import evaluate
from everypath.logic.nodes import ZERO, Atom, Comparison, Linear, Node, Term, Value, Var, variables
from everypath.logic.ranges import EVERYTHING, Range

TRUE, FALSE, BOTH, UNSURE = 1, 2, 3, 0

MAX_DEPTH = 4
"""How deep the structure of a non-linear term is looked into for its interval."""
MAX_CLOSURE = 10_000
"""A new difference bound that would combine with more pairs than this is kept without its consequences."""
MAX_SUMS = 12
"""So many of the newest sums are used to narrow intervals again when something else was assumed."""

_FLIP = (UNSURE, FALSE, TRUE, BOTH)
_NOTHING: dict[Atom, int] = {}
_NO_GAPS: dict[Atom, tuple[int, ...]] = {}


class Bounds:
    """What is cheaply known about the integers of one path; cloned before it changes on a fork."""

    __slots__ = (
        "_apart",
        "_below",
        "_facts",
        "_fixed",
        "_hi",
        "_lo",
        "_members",
        "_root",
        "_sums",
        "_todo",
        "_under",
        "exact",
    )

    def __init__(self) -> None:
        self._root: dict[Atom, tuple[Atom, int]] = {}
        self._members: dict[Atom, tuple[Atom, ...]] = {}
        self._under: dict[Atom, dict[Atom, int]] = {}
        """_under[x][y] = c means x - y <= c; rows are shared between clones and replaced, never changed."""
        self._below: dict[Atom, dict[Atom, int]] = {}
        """_below[y][x] = _under[x][y]"""
        self._lo: dict[Atom, int] = {}
        self._hi: dict[Atom, int] = {}
        self._apart: dict[Atom, dict[Atom, tuple[int, ...]]] = {}
        """d in _apart[x][y] means x - y != d"""
        self._sums: tuple[Comparison, ...] = ()
        self._fixed: dict[Var, Value] = {}
        self._facts: dict[Term, bool] = {}
        """Conditions that are not differences, assumed or excluded."""
        self._todo: list[tuple[Callable[[Atom, Atom, int], None], Atom, Atom, int]] = []
        self.exact = True
        """Whether everything assumed is a difference bound or equality of variables, so nothing is lost."""

    def clone(self) -> Bounds:
        """A copy that can change on its own."""
        twin = Bounds.__new__(Bounds)
        twin._root = self._root.copy()
        twin._members = self._members.copy()
        twin._under = self._under.copy()
        twin._below = self._below.copy()
        twin._lo = self._lo.copy()
        twin._hi = self._hi.copy()
        twin._apart = self._apart.copy()
        twin._sums = self._sums
        twin._fixed = self._fixed.copy()
        twin._facts = self._facts.copy()
        twin._todo = []
        twin.exact = self.exact
        return twin

    def decide(self, condition: Term, depth: int = 0) -> int:
        """TRUE, FALSE, BOTH (only while exact) or UNSURE."""
        if condition.__class__ is Comparison:
            left, right = condition.left, condition.right  # type: ignore[attr-defined]
            if left is not None:
                return self._decide_difference(condition, left, right, depth)  # type: ignore[arg-type]
            return self._decide_sum(condition, depth)  # type: ignore[arg-type]
        return self._decide_other(condition, depth)

    def _decide_difference(self, condition: Comparison, left: Atom, right: Atom, depth: int) -> int:
        root = self._root
        k = condition.const
        found = root.get(left)
        if found is not None:
            left, offset = found
            k += offset
        found = root.get(right)
        if found is not None:
            right, offset = found
            k -= offset
        op = condition.op
        if left is right:
            if op == "<=":
                return TRUE if k <= 0 else FALSE
            return TRUE if (k == 0) == (op == "==") else FALSE
        most, least = self._gap(left, right), self._gap(right, left)
        if op == "<=":
            if most is not None and most + k <= 0:
                return TRUE
            if least is not None and k - least > 0:
                return FALSE
        else:
            if (
                (most is not None and most + k < 0)
                or (least is not None and k - least > 0)
                or (-k in self._apart.get(left, _NO_GAPS).get(right, ()))
            ):
                return FALSE if op == "==" else TRUE
            if most is not None and most == -k and least == k:
                return TRUE if op == "==" else FALSE
        if not condition.plain:
            return self._decide_sum(condition, depth)
        return BOTH if self.exact else UNSURE

    def _decide_sum(self, condition: Comparison, depth: int) -> int:
        known = self._facts.get(condition)
        if known is not None:
            return TRUE if known else FALSE
        low, high = self._sum_range(condition.const, condition.parts, depth)
        op = condition.op
        if op == "<=":
            if high is not None and high <= 0:
                return TRUE
            return FALSE if low is not None and low > 0 else UNSURE
        if (low is not None and low > 0) or (high is not None and high < 0):
            return FALSE if op == "==" else TRUE
        if low == 0 and high == 0:
            return TRUE if op == "==" else FALSE
        return UNSURE

    def _decide_other(self, condition: Term, depth: int) -> int:
        known = self._facts.get(condition)
        if known is not None:
            return TRUE if known else FALSE
        op = condition.op
        if depth > MAX_DEPTH:
            return UNSURE
        if op == "and" or op == "or":
            decisive = FALSE if op == "and" else TRUE
            undecided = False
            for arg in condition.args:  # type: ignore[attr-defined]
                verdict = self.decide(arg, depth + 1)
                if verdict == decisive:
                    return decisive
                undecided = undecided or verdict != _FLIP[decisive]
            return UNSURE if undecided else _FLIP[decisive]
        if op == "not":
            return _FLIP[self.decide(condition.args[0], depth + 1)]  # type: ignore[attr-defined]
        values = self._known_values(condition)
        if values is None:
            return UNSURE
        return TRUE if evaluate(condition, values) else FALSE

    def _known_values(self, term: Term) -> dict[Var, Value] | None:
        values: dict[Var, Value] = {}
        for variable in variables(term):
            if variable.sort == "int":
                low, high = self._atom_range(variable)
                if low is None or low != high:
                    return None
                values[variable] = low
            elif variable in self._fixed:
                values[variable] = self._fixed[variable]
            else:
                return None
        return values

    def _gap(self, x: Atom, y: Atom) -> int | None:
        """The least known c with x - y <= c, for roots."""
        if y is ZERO:
            return self._hi.get(x, x.hi)
        low = self._lo.get(y, y.lo)
        if x is ZERO:
            return None if low is None else -low
        direct = self._under.get(x, _NOTHING).get(y)
        if low is None:
            return direct
        high = self._hi.get(x, x.hi)
        if high is None:
            return direct
        return high - low if direct is None or high - low < direct else direct

    def _atom_range(self, atom: Atom) -> Range:
        found = self._root.get(atom)
        if found is None:
            return self._lo.get(atom, atom.lo), self._hi.get(atom, atom.hi)
        root, offset = found
        if root is ZERO:
            return offset, offset
        low, high = self._lo.get(root, root.lo), self._hi.get(root, root.hi)
        return None if low is None else low + offset, None if high is None else high + offset

    def _sum_range(self, const: int, parts: tuple[tuple[Term, int], ...], depth: int = 0) -> Range:
        # Equal atoms are added up first: x - y is exactly c once x == y + c is known.
        rooted: dict[Atom, int] = {}
        for atom, k in parts:
            root, offset = self._root.get(atom, (atom, 0))  # type: ignore[call-overload]
            const += k * offset
            rooted[root] = rooted.get(root, 0) + k
        total: Range = (const, const)
        for root, k in rooted.items():
            if k and root is not ZERO:
                total = ranges.plus(total, ranges.scale(self.interval(root, depth), k))
                if total == EVERYTHING:
                    break
        return total

    def interval(self, term: Term | Value, depth: int = 0) -> Range:
        """Bounds of an integer term that hold on this path."""
        if not isinstance(term, Term):
            return int(term), int(term)
        if isinstance(term, Linear):
            return self._sum_range(term.const, term.parts, depth)
        assert isinstance(term, Var | Node)
        known = self._atom_range(term)
        if term.__class__ is Var or depth > MAX_DEPTH:
            return known
        return ranges.meet(known, self._structural(term, depth + 1))  # type: ignore[arg-type]

    def _structural(self, node: Node, depth: int) -> Range:
        op, args = node.op, node.args
        if op == "mul":
            total: Range = (1, 1)
            for factor in args:
                total = ranges.times(total, self.interval(factor, depth))
            return total
        if op == "floordiv" or op == "floormod":
            low, high = self.interval(args[1], depth)
            if low is not None and low == high and low > 0:
                return (ranges.floordiv if op == "floordiv" else ranges.floormod)(self.interval(args[0], depth), low)
        if op == "ite":
            verdict = self.decide(args[0], depth)  # type: ignore[arg-type]
            if verdict == TRUE:
                return self.interval(args[1], depth)
            if verdict == FALSE:
                return self.interval(args[2], depth)
            return ranges.hull(self.interval(args[1], depth), self.interval(args[2], depth))
        if op == "int_of_bool":
            verdict = self.decide(args[0], depth)  # type: ignore[arg-type]
            return (1, 1) if verdict == TRUE else (0, 0) if verdict == FALSE else (0, 1)
        values = self._known_values(node)
        if values is None:
            return EVERYTHING
        value = evaluate(node, values)
        return value, value  # type: ignore[return-value]

    def value(self, term: Term) -> Value | None:
        """The only value a term can have on this path, if that is plain to see."""
        if term.sort == "int":
            low, high = self.interval(term)
            return low if low is not None and low == high else None
        if term.sort == "bool":
            verdict = self.decide(term)
            return True if verdict == TRUE else False if verdict == FALSE else None
        values = self._known_values(term)
        return None if values is None else evaluate(term, values)

    def assume(self, condition: Term) -> None:
        """Adds a condition that is possible on this path."""
        if isinstance(condition, Comparison):
            if not condition.plain or condition.op == "!=":
                self.exact = False
            if condition.left is not None and condition.right is not None:
                self._assume_difference(condition, condition.left, condition.right)
            else:
                self._note_fact(condition)
                self._sums = (*self._sums, condition)
                self._narrow(condition)
        else:
            self._note_fact(condition)
            self._assume_other(condition)
        self._settle()
        if self._sums:
            # One more round lets sums profit from each other; the layer need not be complete.
            for each in self._sums[-MAX_SUMS:]:
                self._narrow(each)
            self._settle()

    def _note_fact(self, condition: Term) -> None:
        self.exact = False
        self._facts[condition] = True
        opposite = not_(condition)
        assert isinstance(opposite, Term)
        self._facts[opposite] = False

    def _assume_difference(self, condition: Comparison, left: Atom, right: Atom) -> None:
        op = condition.op
        if op == "<=":
            self._bound(left, right, -condition.const)
        elif op == "==":
            self._equate(left, right, -condition.const)
        else:
            self._separate(left, right, -condition.const)

    def _assume_other(self, condition: Term) -> None:
        if isinstance(condition, Var):
            self._fixed[condition] = True
        elif isinstance(condition, Node):
            first = condition.args[0]
            if condition.op == "not" and isinstance(first, Var):
                self._fixed[first] = False
            elif condition.op == "str_eq" and isinstance(first, Var) and isinstance(condition.args[1], str):
                self._fixed[first] = condition.args[1]

    def _settle(self) -> None:
        todo = self._todo
        while todo:
            action, x, y, c = todo.pop()
            action(x, y, c)

    def _rooted(self, x: Atom, y: Atom, c: int) -> tuple[Atom, Atom, int]:
        x, a = self._root.get(x, (x, 0))
        y, b = self._root.get(y, (y, 0))
        return x, y, c - a + b

    def _bound(self, x: Atom, y: Atom, c: int) -> None:
        """x - y <= c"""
        x, y, c = self._rooted(x, y, c)
        if x is y:
            if c < 0:
                raise _contradiction()
            return
        gaps = self._apart.get(x, _NO_GAPS).get(y, ())
        while c in gaps:
            c -= 1
        if y is ZERO:
            self._set_hi(x, c)
        elif x is ZERO:
            self._set_lo(y, -c)
        else:
            self._connect(x, y, c)

    def _connect(self, x: Atom, y: Atom, c: int) -> None:
        under, below = self._under, self._below
        old = under.get(x, _NOTHING).get(y)
        if old is not None and old <= c:
            return
        back = self._gap(y, x)
        if back is not None and back + c < 0:
            raise _contradiction()
        sources = [(x, 0), *below.get(x, _NOTHING).items()]
        targets = [(y, 0), *under.get(y, _NOTHING).items()]
        if len(sources) * len(targets) > MAX_CLOSURE:
            self.exact = False
            sources, targets = sources[:1], targets[:1]
        columns: dict[Atom, dict[Atom, int]] = {}
        changed: list[tuple[Atom, Atom, int]] = []
        for u, p in sources:
            row = under.get(u, _NOTHING)
            fresh: dict[Atom, int] | None = None
            for v, q in targets:
                if u is v:
                    continue
                n = p + c + q
                known = row.get(v)
                if known is None or n < known:
                    if fresh is None:
                        row = fresh = row.copy()
                    fresh[v] = n
                    column = columns.get(v)
                    if column is None:
                        column = columns[v] = below.get(v, _NOTHING).copy()
                    column[u] = n
                    changed.append((u, v, n))
            if fresh is not None:
                under[u] = fresh
        below.update(columns)
        for u, v, n in changed:
            self._connected(u, v, n)

    def _connected(self, u: Atom, v: Atom, n: int) -> None:
        if n in self._apart.get(u, _NO_GAPS).get(v, ()):
            self._todo.append((self._bound, u, v, n - 1))
        elif self._under.get(v, _NOTHING).get(u) == -n:
            self._todo.append((self._equate, u, v, n))
        high = self._hi.get(v, v.hi)
        if high is not None:
            self._set_hi(u, high + n)
        low = self._lo.get(u, u.lo)
        if low is not None:
            self._set_lo(v, low - n)

    def _set_hi(self, x: Atom, c: int) -> None:
        gaps = self._apart.get(x, _NO_GAPS).get(ZERO, ())
        while c in gaps:
            c -= 1
        known = self._hi.get(x, x.hi)
        if known is not None and known <= c:
            return
        low = self._lo.get(x, x.lo)
        if low is not None and low > c:
            raise _contradiction()
        self._hi[x] = c
        if low == c:
            self._todo.append((self._equate, x, ZERO, c))
        for u, p in self._below.get(x, _NOTHING).items():
            self._set_hi(u, c + p)

    def _set_lo(self, x: Atom, c: int) -> None:
        gaps = self._apart.get(x, _NO_GAPS).get(ZERO, ())
        while c in gaps:
            c += 1
        known = self._lo.get(x, x.lo)
        if known is not None and known >= c:
            return
        high = self._hi.get(x, x.hi)
        if high is not None and high < c:
            raise _contradiction()
        self._lo[x] = c
        if high == c:
            self._todo.append((self._equate, x, ZERO, c))
        for v, p in self._under.get(x, _NOTHING).items():
            self._set_lo(v, c - p)

    def _separate(self, x: Atom, y: Atom, d: int) -> None:
        """x - y != d"""
        x, y, d = self._rooted(x, y, d)
        if x is y:
            if d == 0:
                raise _contradiction()
            return
        if x is ZERO:
            x, y, d = y, x, -d
        self._note_gap(x, y, d)
        self._note_gap(y, x, -d)
        if self._gap(x, y) == d:
            self._bound(x, y, d - 1)
        if self._gap(y, x) == -d:
            self._bound(y, x, -d - 1)

    def _note_gap(self, x: Atom, y: Atom, d: int) -> None:
        row = self._apart.get(x, _NO_GAPS)
        known = row.get(y, ())
        if d not in known:
            self._apart[x] = {**row, y: (*known, d)}

    def _equate(self, x: Atom, y: Atom, d: int) -> None:
        """x - y == d: the class of one joins the other's."""
        x, y, d = self._rooted(x, y, d)
        if x is y:
            if d:
                raise _contradiction()
            return
        if x is ZERO or (y is not ZERO and len(self._members.get(x, ())) > len(self._members.get(y, ()))):
            x, y, d = y, x, -d
        if d in self._apart.get(x, _NO_GAPS).get(y, ()):
            raise _contradiction()
        high, low = self._hi.get(x, x.hi), self._lo.get(x, x.lo)
        if y is ZERO:
            # While x is still connected, so that its neighbours learn their bounds from its value.
            self._set_hi(x, d)
            self._set_lo(x, d)
        over, beneath, gaps = self._detach(x)
        root = self._root
        joining = self._members.pop(x, (x,))
        for member in joining:
            root[member] = (y, root.get(member, (x, 0))[1] + d)
        if y is ZERO:
            for z, known in gaps:
                for e in known:
                    self._todo.append((self._separate, z, ZERO, d - e))
            return
        self._members[y] = self._members.get(y, (y,)) + joining
        if high is not None:
            self._set_hi(y, high - d)
        if low is not None:
            self._set_lo(y, low - d)
        for v, c in over:
            self._todo.append((self._bound, y, v, c - d))
        for u, c in beneath:
            self._todo.append((self._bound, u, y, c + d))
        for z, known in gaps:
            for e in known:
                self._todo.append((self._separate, y, z, e - d))

    def _detach(
        self, x: Atom
    ) -> tuple[list[tuple[Atom, int]], list[tuple[Atom, int]], list[tuple[Atom, tuple[int, ...]]]]:
        under, below, apart = self._under, self._below, self._apart
        over = list(under.pop(x, _NOTHING).items())
        beneath = list(below.pop(x, _NOTHING).items())
        gaps = list(apart.pop(x, _NO_GAPS).items())
        for v, _ in over:
            below[v] = {u: c for u, c in below[v].items() if u is not x}
        for u, _ in beneath:
            under[u] = {v: c for v, c in under[u].items() if v is not x}
        for z, _ in gaps:
            apart[z] = {w: c for w, c in apart[z].items() if w is not x}
        return over, beneath, gaps

    def _narrow(self, condition: Comparison) -> None:
        if condition.op == "!=":
            return
        self._narrow_below(condition.const, condition.parts)
        if condition.op == "==":
            self._narrow_below(-condition.const, tuple((atom, -k) for atom, k in condition.parts))

    def _narrow_below(self, const: int, parts: tuple[tuple[Term, int], ...]) -> None:
        """const + sum(parts) <= 0 bounds each part by the least that the others can be."""
        least = const
        loose: tuple[Atom, int] | None = None
        lows: list[tuple[Atom, int, int]] = []
        for atom, k in parts:
            low, high = self._atom_range(atom)  # type: ignore[arg-type]
            end = low if k > 0 else high
            if end is None:
                if loose is not None:
                    return
                loose = (atom, k)  # type: ignore[assignment]
            else:
                least += k * end
                lows.append((atom, k, k * end))  # type: ignore[arg-type]
        if loose is not None:
            self._narrow_atom(*loose, -least)
            return
        for atom, k, own in lows:
            self._narrow_atom(atom, k, own - least)

    def _narrow_atom(self, atom: Atom, k: int, most: int) -> None:
        if k > 0:
            self._bound(atom, ZERO, most // k)
        else:
            self._bound(ZERO, atom, most // -k)


def _contradiction() -> Internal:
    return Internal("a condition was assumed that the path condition excludes")

"""Difference bounds: facts of the form x - y <= c, x - y == c and x - y != c, kept closed for each path.

This is the theory of difference-bound matrices ("Timing Assumptions and Verification of Finite-State Concurrent
Systems", Dill 1989), with rows as dictionaries because most pairs of integers have nothing to do with each other:

1. Integers that differ by a known constant form a class with one root; everything else is said about roots.
2. A new bound x - y <= c is combined with all bounds into x and out of y. The set is then closed under addition, and a
   look-up tells whether a further bound is possible. Without disequalities this decides conjunctions exactly.
3. Bounds by constants are intervals, not differences from a variable zero. They are kept closed under 2, so the gap
   between two integers is at most the difference of the ends of their intervals.
4. A disequality takes effect when a bound reaches it: x - y <= 5 and x - y != 5 give x - y <= 4.
5. Several disequalities can still exhaust an interval, which the closure does not see. They cannot where an integer has
   more values than disequalities and its order relative to others is open: whatever the others are, it finds a place.
"""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Internal
from everypath.logic.nodes import ZERO, Atom
from everypath.logic.ranges import Range, meet

MAX_CLOSURE = 10_000
"""A new bound that would combine with more pairs than this is kept without its consequences."""

_NOTHING: dict[Atom, int] = {}
_NO_GAPS: dict[Atom, tuple[int, ...]] = {}


class Differences:
    """What is known about differences of integers on one path; cloned before it changes on a fork."""

    __slots__ = ("_apart", "_below", "_hi", "_lo", "_members", "_root", "_todo", "_under", "exact")

    def __init__(self) -> None:
        self._root: dict[Atom, tuple[Atom, int]] = {}
        """_root[x] = (r, k) means x == r + k; roots are missing, and known constants have the root ZERO"""
        self._members: dict[Atom, tuple[Atom, ...]] = {}
        self._under: dict[Atom, dict[Atom, int]] = {}
        """_under[x][y] = c means x - y <= c; rows are shared between clones and replaced, never changed."""
        self._below: dict[Atom, dict[Atom, int]] = {}
        """_below[y][x] = _under[x][y]"""
        self._lo: dict[Atom, int] = {}
        self._hi: dict[Atom, int] = {}
        self._apart: dict[Atom, dict[Atom, tuple[int, ...]]] = {}
        """d in _apart[x][y] means x - y != d"""
        self._todo: list[tuple[Callable[[Atom, Atom, int], None], Atom, Atom, int]] = []
        """what follows but would change the tables that are being walked; done by `_settle`"""
        self.exact = True
        """Whether nothing was left out, so that the facts decide what is possible where disequalities leave room."""

    def _copy_to(self, twin: Differences) -> None:
        twin._root = self._root.copy()
        twin._members = self._members.copy()
        twin._under = self._under.copy()
        twin._below = self._below.copy()
        twin._lo = self._lo.copy()
        twin._hi = self._hi.copy()
        twin._apart = self._apart.copy()
        twin._todo = []
        twin.exact = self.exact

    def _gap(self, x: Atom, y: Atom) -> int | None:
        """The least known c with x - y <= c, for two roots; None if there is no bound."""
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

    def _unordered(self, x: Atom, y: Atom) -> bool:
        """Whether nothing is known about any order, and nothing else limits these two, unless one is zero."""
        if self._under or self._lo or self._hi:
            return False
        return (x is ZERO or x.lo is x.hi is None) and (y is ZERO or y.lo is y.hi is None)

    def _roomy(self, x: Atom, y: Atom, op: str, k: int) -> bool:
        """Whether x - y + k, compared with zero, can come out either way whatever is unequal; bounds permit both.

        All else is left as it is in some solution, in which x and y then find other values (rule 5).
        """
        if x is not ZERO and y is not ZERO and self._unordered(x, y):
            return True
        if not (self._at_large(x) and self._at_large(y)):
            return False
        excluded = self._excluded(x) + self._excluded(y)
        low, high = self._ends(x)
        first, last = self._ends(y)
        if op == "<=":
            # At the ends of their ranges, as far as these may be excluded.
            return (low is None or last is None or low + k + excluded <= last) and (
                high is None or first is None or high + k - excluded > first
            )
        if x is ZERO or y is ZERO:
            # The other one gets a certain value; those that differ from it are what has to move.
            other = y if x is ZERO else x
            return _has_more(*self._ends(other), excluded + 1) and all(
                map(self._moves, self._apart.get(other, _NO_GAPS))
            )
        moved = (None if low is None else low + k, None if high is None else high + k)
        return _has_more(*meet(moved, (first, last)), excluded + 1)

    def _ends(self, x: Atom) -> Range:
        """The range of a root."""
        if x is ZERO:
            return 0, 0
        return self._lo.get(x, x.lo), self._hi.get(x, x.hi)

    def _at_large(self, x: Atom) -> bool:
        """Whether nothing is known about the order of an integer and others."""
        return not (self._under.get(x) or self._below.get(x))

    def _excluded(self, x: Atom) -> int:
        """How many values an integer cannot have, given those of all others."""
        return 0 if x is ZERO else sum(map(len, self._apart.get(x, _NO_GAPS).values()))

    def _moves(self, x: Atom) -> bool:
        """Whether an integer finds a value whatever those are that it differs from."""
        return x is ZERO or (self._at_large(x) and _has_more(*self._ends(x), self._excluded(x)))

    def _atom_range(self, atom: Atom) -> Range:
        found = self._root.get(atom)
        if found is None:
            return self._lo.get(atom, atom.lo), self._hi.get(atom, atom.hi)
        root, offset = found
        if root is ZERO:
            return offset, offset
        low, high = self._lo.get(root, root.lo), self._hi.get(root, root.hi)
        return None if low is None else low + offset, None if high is None else high + offset

    def _settle(self) -> None:
        todo = self._todo
        while todo:
            action, x, y, c = todo.pop()
            action(x, y, c)

    def _rooted(self, x: Atom, y: Atom, c: int) -> tuple[Atom, Atom, int]:
        # With x == r + a and y == s + b, x - y <= c says that r - s <= c - a + b.
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
        # A difference that is known not to occur makes the bound tighter, and so on downwards.
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
        # The one way in which bounds contradict each other: the way there and back is negative.
        back = self._gap(y, x)
        if back is not None and back + c < 0:
            raise _contradiction()
        # Since the set is closed, combining with the direct neighbours of both ends reaches everything.
        sources = [(x, 0), *below.get(x, _NOTHING).items()]
        targets = [(y, 0), *under.get(y, _NOTHING).items()]
        # Too dear: the fact itself is kept, and the layer no longer claims to know what is possible.
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
                    # Rows are shared between clones, so a row is copied when its first entry changes.
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
        # Only one value is left.
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
        # Both ends of the difference lie in one class.
        if x is y:
            if d == 0:
                raise _contradiction()
            return
        if x is ZERO:
            x, y, d = y, x, -d
        self._note_gap(x, y, d)
        self._note_gap(y, x, -d)
        # With no bounds at all there is no end to sharpen; common, as references and keys are only told apart.
        if not (self._under or self._lo or self._hi) and x.lo is x.hi is y.lo is y.hi is None:
            return
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
        # The smaller class changes its root; zero always is one.
        if x is ZERO or (y is not ZERO and len(self._members.get(x, ())) > len(self._members.get(y, ()))):
            x, y, d = y, x, -d
        # A variable of which nothing is known only gets a root. This is by far the most frequent case.
        if self._is_new(x):
            self._root[x] = (y, d)
            if y is not ZERO:
                self._members[y] = (*self._members.get(y, (y,)), x)
            return
        if y is not ZERO and self._is_new(y):
            self._root[y] = (x, -d)
            self._members[x] = (*self._members.get(x, (x,)), y)
            return
        if d in self._apart.get(x, _NO_GAPS).get(y, ()):
            raise _contradiction()
        if y is ZERO:
            self._fix(x, d)
        else:
            self._join(x, y, d)

    def _fix(self, x: Atom, d: int) -> None:
        """x == d, for a root of which something is known."""
        # While x is still connected, so that its neighbours learn their bounds from its value.
        self._set_hi(x, d)
        self._set_lo(x, d)
        _, _, gaps = self._detach(x)
        self._move_members(x, ZERO, d)
        for z, known in gaps:
            for e in known:
                self._todo.append((self._separate, z, ZERO, d - e))

    def _join(self, x: Atom, y: Atom, d: int) -> None:
        """x - y == d, for two roots of which something is known: y takes over all of it."""
        high, low = self._hi.get(x, x.hi), self._lo.get(x, x.lo)
        # All that was said about x is taken out first and said about y afterwards, in terms of y.
        over, beneath, gaps = self._detach(x)
        joining = self._move_members(x, y, d)
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

    def _move_members(self, x: Atom, y: Atom, d: int) -> tuple[Atom, ...]:
        """Give the class of x the root y; its members."""
        root = self._root
        joining = self._members.pop(x, (x,))
        for member in joining:
            root[member] = (y, root.get(member, (x, 0))[1] + d)
        return joining

    def _is_new(self, x: Atom) -> bool:
        """Whether nothing is known about a variable yet, the most frequent case by far."""
        return (
            x.lo is None
            and x.hi is None
            and x not in self._apart
            and x not in self._under
            and x not in self._below
            and x not in self._members
            and x not in self._lo
            and x not in self._hi
        )

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


def _has_more(low: int | None, high: int | None, count: int) -> bool:
    return low is None or high is None or high - low >= count


def _contradiction() -> Internal:
    return Internal("a condition was assumed that the path condition excludes")

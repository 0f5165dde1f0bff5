"""The first decision layer: difference bounds between integers, and intervals of everything else.

A comparison of two integers is a bound on their difference, and those form a complete theory (see `differences`). A sum
of more terms is compared by the interval that it lies in, and narrows the intervals of its parts in turn. Other
conditions are kept as facts, with what follows from them for lengths of strings and for floats.
"""

from __future__ import annotations

from collections.abc import Callable

from everypath.logic import ranges
from everypath.logic.comparisons import eq, ge, not_
from everypath.logic.evaluate import evaluate
from everypath.logic.float_bounds import FLOAT_CONDITIONS, FloatBounds
from everypath.logic.float_ranges import TO_WHOLE
from everypath.logic.nodes import (
    HEAVY,
    ZERO,
    Atom,
    Comparison,
    Linear,
    Node,
    Parts,
    Term,
    Value,
    Var,
    make_node,
    operands,
    variables,
)
from everypath.logic.ranges import EVERYTHING, Range
from everypath.logic.semantics import operate
from everypath.logic.strings import str_eq, str_len
from everypath.logic.text_classes import NO_CLASSES
from everypath.logic.verdicts import BOTH, FALSE, TRUE, UNSURE

MAX_DEPTH = 4
"""How deep the structure of a non-linear term is looked into for its interval."""
MAX_SUMS = 12
"""When something else was assumed, at most this many of the newest sums narrow intervals again."""

_FLIP = (UNSURE, FALSE, TRUE, BOTH)
_NO_GAPS: dict[Atom, tuple[int, ...]] = {}


class Bounds(FloatBounds):
    """What is cheaply known about the values of one path; cloned before it changes on a fork."""

    __slots__ = ("_alike", "_sums", "_texts")

    def __init__(self) -> None:
        super().__init__()
        self._sums: tuple[Comparison, ...] = ()
        self._texts: dict[Term, tuple[Node, ...]] = {}
        """Known prefixes, suffixes and parts of strings."""
        self._alike = NO_CLASSES

    def clone(self) -> Bounds:
        """A copy that can change on its own."""
        twin = Bounds.__new__(Bounds)
        self._copy_to(twin)
        twin._sums = self._sums
        twin._alike = self._alike
        twin._texts = self._texts.copy()
        twin._fixed = self._fixed.copy()
        twin._facts = self._facts.copy()
        twin._float_ranges = self._float_ranges
        twin._asked = self._asked
        twin._verdicts = {}
        return twin

    def decide(self, condition: Term, depth: int = 0) -> int:
        """TRUE, FALSE, BOTH (only while exact) or UNSURE."""
        if condition.__class__ is Comparison:
            left, right = condition.left, condition.right  # type: ignore[attr-defined]
            if left is not None:
                return self._decide_difference(condition, left, right, depth)  # type: ignore[arg-type]
            return self._decide_sum(condition, depth)  # type: ignore[arg-type]
        known = self._facts.get(condition)
        if known is not None:
            return TRUE if known else FALSE
        op = condition.op
        # Truth values, such as whether two references are the same, are asked for most, and a fact is kept both ways.
        if op == "var" or (op == "not" and condition.args[0].op == "var"):  # type: ignore[attr-defined]
            return UNSURE
        if condition.weight < HEAVY:
            return self._decide_other(condition, depth)
        # Large conditions share parts, which are looked at once: what is asked about references grows with every link
        # that a path has followed, and is asked again whenever propagation goes round.
        verdict = self._verdicts.get((condition, depth))
        if verdict is None:
            verdict = self._verdicts[condition, depth] = self._decide_other(condition, depth)
        return verdict

    def _decide_difference(self, condition: Comparison, left: Atom, right: Atom, depth: int) -> int:
        k = condition.const
        if self._root:
            left, right, distance = self._rooted(left, right, -k)
            k = -distance
        op = condition.op
        if left is right:
            return _verdict(op, k, k)
        # With nothing known about either side there is no use in looking for gaps, the most frequent case.
        free = self._unordered(left, right)
        if not free:
            most, least = self._gap(left, right), self._gap(right, left)
            verdict = _verdict(op, None if least is None else k - least, None if most is None else most + k)
            if verdict != UNSURE:
                return verdict
        # A known gap settles equality, whatever the bounds are.
        if op != "<=" and -k in self._apart.get(left, _NO_GAPS).get(right, ()):
            return FALSE if op == "==" else TRUE
        if not condition.plain:
            return self._decide_sum(condition, depth)
        # Differences alone are a complete theory, except that disequalities over bounded integers interact.
        if self.exact and (not self._apart or self._roomy(left, right, op, k)):
            return BOTH
        return UNSURE

    def _decide_sum(self, condition: Comparison, depth: int) -> int:
        known = self._facts.get(condition)
        if known is not None:
            return TRUE if known else FALSE
        return _verdict(condition.op, *self._sum_range(condition.const, condition.parts, depth))

    def _decide_other(self, condition: Term, depth: int) -> int:
        op = condition.op
        if depth > MAX_DEPTH:
            return UNSURE
        if op == "and" or op == "or":
            decisive = FALSE if op == "and" else TRUE
            undecided = False
            for arg in operands(condition):
                verdict = self.decide(arg, depth + 1)
                if verdict == decisive:
                    return decisive
                # All parts must have the opposite verdict; one that is open leaves the whole open.
                undecided = undecided or verdict != _FLIP[decisive]
            return UNSURE if undecided else _FLIP[decisive]
        if op == "not":
            return _FLIP[self.decide(operands(condition)[0], depth + 1)]
        if op == "ite":
            return self._decide_conditional(operands(condition), depth)
        if op in FLOAT_CONDITIONS:
            verdict = self.decide_float(condition, depth)  # type: ignore[arg-type]
            # A zero that is known may still have either sign.
            if verdict != UNSURE or op == "fnegzero":
                return verdict
        elif op == "str_eq":
            verdict = self._alike.decide(*condition.args)  # type: ignore[attr-defined]
            if verdict != UNSURE:
                return verdict
        values = self._known_values(condition)
        if values is not None:
            return TRUE if evaluate(condition, values) else FALSE
        return self._decide_text(condition) if self._texts else UNSURE

    def _decide_conditional(self, args: tuple[Term, ...], depth: int) -> int:
        condition, yes, no = args
        verdict = self.decide(condition, depth + 1)
        if verdict == TRUE:
            return self.decide(yes, depth + 1)
        if verdict == FALSE:
            return self.decide(no, depth + 1)
        # Both branches may agree, whatever the condition is.
        first = self.decide(yes, depth + 1)
        return first if first in (TRUE, FALSE) and first == self.decide(no, depth + 1) else UNSURE

    def _decide_text(self, condition: Term) -> int:
        """What known prefixes, suffixes and parts of a string say about a condition on it."""
        if not isinstance(condition, Node) or len(condition.args) != 2 or not isinstance(condition.args[1], str):
            return UNSURE
        op, asked = condition.op, condition.args[1]
        for fact in self._texts.get(condition.args[0], ()):  # type: ignore[arg-type]
            known: str = fact.args[1]  # type: ignore[assignment]
            if op == "str_eq" and not operate(fact.op, (asked, known)):
                return FALSE
            if op == "contains" and asked in known:
                return TRUE
            if op == fact.op == "starts_with":
                if known.startswith(asked):
                    return TRUE
                if not asked.startswith(known):
                    return FALSE
            if op == fact.op == "ends_with":
                if known.endswith(asked):
                    return TRUE
                if not asked.endswith(known):
                    return FALSE
        return UNSURE

    def _known_values(self, term: Term) -> dict[Var, Value] | None:
        values: dict[Var, Value] = {}
        for variable in variables(term):
            if variable.sort == "int":
                low, high = self._atom_range(variable)
                if low is None or low != high:
                    # Exactly one value is left for an integer of this range.
                    return None
                values[variable] = low
            elif variable in self._fixed:
                values[variable] = self._fixed[variable]
            elif variable.sort == "str" and self._atom_range(str_len(variable)) == (0, 0):  # type: ignore[arg-type]
                values[variable] = ""
            else:
                return None
        return values

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
                # No later part can give it an end again.
                if total == EVERYTHING:
                    break
        return total

    def interval(self, term: Term | Value, depth: int = 0) -> Range:
        """Bounds of an integer term that hold on this path."""
        if not isinstance(term, Term):
            return int(term), int(term)
        if isinstance(term, Linear):
            return self._sum_range(term.const, term.parts, depth)
        if isinstance(term, Comparison):
            return 0, 1  # a condition that is used as a number, as in `(a, b)[x > y]`
        assert isinstance(term, (Var, Node))
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
        if op in TO_WHOLE:
            return self.whole_range(node, depth)
        values = self._known_values(node)
        if values is None:
            return EVERYTHING
        value = evaluate(node, values)
        return value, value  # type: ignore[return-value]

    def value(self, term: Term) -> Value | None:
        """The only value that a term can have on this path, if a look at the bounds shows it."""
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
        self._verdicts.clear()
        if isinstance(condition, Comparison):
            if condition.left is not None and condition.right is not None:
                if not condition.plain:
                    self.exact = False
                self._assume_difference(condition, condition.left, condition.right)
            else:
                self._note_fact(condition)
                self._sums = (*self._sums, condition)
                self._narrow(condition)
        else:
            self._note_fact(condition)
            self._assume_other(condition)
        if self._todo:
            self._settle()
        if self._sums:
            # One more round lets sums profit from each other; the layer need not be complete.
            for each in self._sums[-MAX_SUMS:]:
                self._narrow(each)
            self._settle()
        # Again, because something may have been asked half-way.
        self._verdicts.clear()

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
            return
        assert isinstance(condition, Node)
        assume = _ASSUME.get(condition.op)
        if assume is not None:
            assume(self, condition)

    def _assume_not(self, condition: Node) -> None:
        inner = condition.args[0]
        if isinstance(inner, Var):
            self._fixed[inner] = False
        elif isinstance(inner, Node) and inner.op == "str_eq":
            self._alike = self._alike.separated(*inner.args)
            if inner.args[1] == "":
                self._assume_length(inner.args[0], 1, exactly=False)
        elif isinstance(inner, Node) and inner.op in FLOAT_CONDITIONS:
            self.assume_float(inner, holds=False)

    def _assume_equal_texts(self, condition: Node) -> None:
        first, text = condition.args
        self._alike = self._alike.equated(first, text)
        if isinstance(text, str):
            if isinstance(first, Var):
                self._fixed[first] = text
            self._assume_length(first, len(text), exactly=True)

    def _assume_part(self, condition: Node) -> None:
        """A text begins or ends with another one, or contains it."""
        text, part = condition.args
        if isinstance(part, str):
            assert isinstance(text, Term)
            self._texts[text] = (*self._texts.get(text, ()), condition)
            self._assume_length(text, len(part), exactly=False)

    def _assume_class(self, condition: Node) -> None:
        """All characters of a text are of one class; the empty text is only "ascii"."""
        text, name = condition.args
        if name != "ascii":
            self._assume_length(text, 1, exactly=False)

    def _assume_before(self, condition: Node) -> None:
        """A text comes before another one, so it neither comes after it nor equals it."""
        first, second = condition.args
        self._facts[make_node("str_lt", "bool", (second, first))] = False
        equal = str_eq(first, second)  # type: ignore[arg-type]
        if isinstance(equal, Term):
            self._facts[equal] = False
            if isinstance(equal, Node) and equal.op == "str_eq":
                self._alike = self._alike.separated(*equal.args)

    def _assume_length(self, text: Term | Value, least: int, exactly: bool) -> None:
        length = str_len(text)  # type: ignore[arg-type]
        consequence = eq(length, least) if exactly else ge(length, least)
        if isinstance(consequence, Comparison) and consequence.left is not None and consequence.right is not None:
            self._assume_difference(consequence, consequence.left, consequence.right)

    def _narrow(self, condition: Comparison) -> None:
        if condition.op == "!=":
            return
        self._narrow_below(condition.const, condition.parts)
        if condition.op == "==":
            self._narrow_below(-condition.const, tuple((atom, -k) for atom, k in condition.parts))

    def _narrow_below(self, const: int, parts: Parts) -> None:
        """const + sum(parts) <= 0 bounds each part by the least that the others can be."""
        least = const
        # The one part without an end, if any. With two of them neither can be bounded by the rest.
        loose: tuple[Atom, int] | None = None
        lows: list[tuple[Atom, int, int]] = []
        for atom, k in parts:
            low, high = self._atom_range(atom)
            end = low if k > 0 else high
            if end is None:
                if loose is not None:
                    return
                loose = (atom, k)
            else:
                least += k * end
                lows.append((atom, k, k * end))
        if loose is not None:
            self._narrow_atom(*loose, -least)
            return
        # `least` includes the part itself, so its own share is taken out again.
        for atom, k, own in lows:
            self._narrow_atom(atom, k, own - least)

    def _narrow_atom(self, atom: Atom, k: int, most: int) -> None:
        if k > 0:
            self._bound(atom, ZERO, most // k)
        else:
            self._bound(ZERO, atom, most // -k)


def _verdict(op: str, low: int | None, high: int | None) -> int:
    """The truth of a comparison with zero, for a sum that lies in this interval."""
    if op == "<=":
        if high is not None and high <= 0:
            return TRUE
        return FALSE if low is not None and low > 0 else UNSURE
    if (low is not None and low > 0) or (high is not None and high < 0):
        return FALSE if op == "==" else TRUE
    if low == 0 and high == 0:
        return TRUE if op == "==" else FALSE
    return UNSURE


_ASSUME: dict[str, Callable[[Bounds, Node], None]] = {
    "not": Bounds._assume_not,
    "str_eq": Bounds._assume_equal_texts,
    "matches": Bounds._assume_class,
    "str_lt": Bounds._assume_before,
    **dict.fromkeys(("starts_with", "ends_with", "contains"), Bounds._assume_part),
    **dict.fromkeys(FLOAT_CONDITIONS, lambda bounds, condition: bounds.assume_float(condition, holds=True)),
}
"""What follows from a condition with this operator, besides that it holds."""

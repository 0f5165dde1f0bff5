"""`await`: the guards, and the blocks that compute them each time they are looked at."""

from __future__ import annotations

from everypath.ir.instructions import Await, Const, Label, Reg
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.types import BOOL, NUMBERS
from everypath.languages.abs.lower.statements import Statements


class Waiting(Statements):
    """Adds waiting for futures and conditions to a body."""

    def wait(self, node: b.Await) -> None:
        """`await`: the first and all simple conditions are guards of their own, others are computed when those hold.

        A condition that fails must not do so while the task still waits for a future, or while another task's step
        looks whether this one may go on: it lets the task go on, and is then computed once more, to fail.
        """
        span = node.span
        again, after = self.labels("await", "awaited")
        self.start(again)
        futures = self.values(node.futures)
        conditions = [part for condition in node.conditions for part in _conjuncts(condition)]
        fails = not all(map(_is_simple, conditions)) and any(map(self.around.failures.expression, conditions))
        if all(map(_is_simple, conditions[1:])) and not fails:
            guards = (*futures, *map(self.value, conditions))
            self.builder.end(Await(guards, after, again, span=span))
            self.start(after)
            return
        holds, waiting = self.fresh(), self.builder.label("wait")
        if not fails:
            self._decide(conditions, holds, waiting)
            self.start(waiting)
            self.builder.end(Await((*futures, holds), after, again, span=span))
        else:
            broken, passed = self.labels("broken", "passed")
            with self.handled(broken):
                self._decide(conditions, holds, waiting)
            self.start(broken)
            self.emit(Const(holds, True, span=span))
            self.start(waiting)
            self.builder.end(Await((*futures, holds), passed, again, span=span))
            self.start(passed)
            for condition in conditions:
                self.value(condition)
        self.start(after)

    def _decide(self, conditions: list[t.Expression], holds: Reg, done: Label) -> None:
        """Whether all conditions hold; the first that does not is the last to be computed."""
        unmet = self.builder.label("unmet")
        for condition in conditions:
            met = self.builder.label("met")
            self.test(condition, met, unmet)
            self.start(met)
        span = conditions[-1].span
        self.emit(Const(holds, True, span=span))
        self.jump(done, span)
        self.start(unmet)
        self.emit(Const(holds, False, span=span))
        self.jump(done, span)


def _conjuncts(node: t.Expression) -> list[t.Expression]:
    if isinstance(node, t.Binary) and node.operator == "&&":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _is_simple(node: t.Expression) -> bool:
    """Whether computing the expression neither fails nor decides anything: numbers and truth values."""
    match node:
        case t.Literal() | t.Local() | t.Field():
            return node.type == BOOL or node.type in NUMBERS
        case t.Construct(_, type, _, ()):
            return type == BOOL
        case t.Unary(_, _, _, operand):
            return _is_simple(operand)
        case t.Binary(_, _, operator, left, right):
            return operator not in ("/", "%", "&&", "||") and _is_simple(left) and _is_simple(right)
    return False

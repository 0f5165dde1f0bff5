"""Patterns: tests of a value, one constructor or comparison at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from everypath.errors import Span
from everypath.ir.instructions import Argument, Compare, Label, Matches, Move, Reg
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.types import ClassType, InterfaceType, NullType
from everypath.languages.abs.lower.bodies import Body
from everypath.languages.abs.lower.names import FALSE, TRUE


def irrefutable(pattern: t.Pattern) -> bool:
    """Whether the pattern matches everything."""
    return isinstance(pattern, (t.AnyPattern, t.BindPattern))


def constructors_among(patterns: Sequence[t.Pattern]) -> tuple[str, ...]:
    """The constructors for which there is a branch; none when a branch is for others too, or for a comparison."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if not isinstance(pattern, t.ConstructorPattern):
            return ()
        found[pattern.constructor] = None
    return tuple(found)


class Patterns(Body):
    """Adds patterns to a body."""

    def tests(self, patterns: Sequence[t.Pattern]) -> Iterator[tuple[t.Pattern, bool, bool]]:
        """The patterns of a case that may be reached: whether the constructor is certain by then, whether all is."""
        left: set[str] | None = None
        for pattern in patterns:
            known = certain = irrefutable(pattern)
            if isinstance(pattern, t.ConstructorPattern):
                if left is None:
                    data = self.around.program.constructors[pattern.constructor].data
                    left = set(self.around.program.data[data].constructors)
                plain = all(map(irrefutable, pattern.arguments))
                known = left == {pattern.constructor}
                certain = known and plain
                if plain:
                    left.discard(pattern.constructor)
            yield pattern, known, certain
            if certain:
                return

    @abstractmethod
    def value(self, node: t.Expression) -> Reg:
        """A register that holds the value of an expression; a variable's own where it is one."""

    def match(
        self, pattern: t.Pattern, value: Reg, fails: Label, among: tuple[str, ...] = (), known: bool = False
    ) -> None:
        """Go on where the value matches, with the variables bound, and to a label where it does not."""
        span = pattern.span
        match pattern:
            case t.BindPattern(_, _, name):
                self.emit(Move(self.variable(name), value, span=span))
            case t.EqualPattern(_, _, expected):
                equal = self.fresh()
                self.equality(equal, "==", t.Expression(span, pattern.type), expected, span, value)
                self._or_else(equal, fails, span)
            case t.ConstructorPattern(_, _, constructor, arguments):
                if not known:
                    self._constructor(constructor, value, fails, among, span)
                self._arguments(constructor, arguments, value, fails)

    def _constructor(self, constructor: str, value: Reg, fails: Label, among: tuple[str, ...], span: Span) -> None:
        if constructor in (TRUE, FALSE):
            self._or_else(value, fails, span, constructor == TRUE)
            return
        same = self.fresh()
        self.emit(Matches(same, value, constructor, among, span=span))
        self._or_else(same, fails, span)

    def _arguments(self, constructor: str, arguments: tuple[t.Pattern, ...], value: Reg, fails: Label) -> None:
        for index, argument in enumerate(arguments):
            if isinstance(argument, t.AnyPattern):
                continue
            if isinstance(argument, t.BindPattern):
                self.emit(Argument(self.variable(argument.name), value, constructor, index, span=argument.span))
                continue
            part = self.fresh()
            self.emit(Argument(part, value, constructor, index, span=argument.span))
            self.match(argument, part, fails)

    def _or_else(self, condition: Reg, fails: Label, span: Span, wanted: bool = True) -> None:
        matched = self.builder.label("matched")
        yes, no = (matched, fails) if wanted else (fails, matched)
        self.builder.branch(condition, yes, no, span)
        self.start(matched)

    def equality(
        self, dst: Reg, operator: str, left: t.Expression, right: t.Expression, span: Span, known: Reg | None = None
    ) -> None:
        """`==` or `!=`: the same object for references, the same value for everything else.

        `known` is the left value where it was computed before. A null comes last, right before the comparison.
        """
        if known is None and _is_null(left):
            left, right = right, left
        first = self.value(left) if known is None else known
        second = self.value(right)
        if _is_reference(left) or _is_reference(right) or _is_null(right):
            operator = "is" if operator == "==" else "is not"
        self.emit(Compare(dst, operator, first, second, span=span))


def _is_null(node: t.Expression) -> bool:
    return isinstance(node, t.Literal) and node.value is None


def _is_reference(node: t.Expression) -> bool:
    return isinstance(node.type, (InterfaceType, ClassType, NullType))

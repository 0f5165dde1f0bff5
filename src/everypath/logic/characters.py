"""Strings as a length and a function from positions to codes, for conditions that look at single characters.

Most code reads strings character by character, or compares them with constants. Such conditions become linear
arithmetic with one unknown function per string, which the solver decides incrementally and at once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace

from everypath.logic.encoding import Encoder, Expression
from everypath.logic.nodes import Node, Term, Value, Var, children, postorder
from everypath.logic.semantics import MAX_CODE

MAX_CONSTANT = 64
"""Longer constants are left to the theory of strings."""
MAX_READ = 1_000
"""Longer strings are not read from a model."""

_CONNECTIVES = frozenset(("int_of_bool", "ite", "not", "and", "or", "bool_eq"))
_DIVISIONS = frozenset(("floordiv", "floormod", "truncdiv", "truncrem"))


class CharacterEncoder(Encoder):
    """Translates the terms for which `handles` is true, without the theory of strings."""

    def __init__(self, functions: SimpleNamespace, context: int) -> None:
        super().__init__(functions, context)
        self._handled: dict[Term, bool] = {}
        self._strings: dict[Var, tuple[Expression, Expression]] = {}

    def handles(self, term: Term) -> bool:
        """Whether a term is linear and looks at strings only in ways that are translated here."""
        handled = self._handled
        for each in postorder(term, handled.__contains__):
            handled[each] = all(handled[child] for child in children(each)) and _handled_here(each)
        return handled[term]

    def read(self, variable: Var, number: Callable[[Expression], int]) -> str:
        """The value of a string variable, given the values of numbers; characters left open become letters."""
        length, codes = self._string(variable)
        size = min(number(length), MAX_READ)
        read = [number(self._apply(codes, self.number(i))) for i in range(size)]
        return "".join(chr(code) if 0 <= code <= MAX_CODE else "a" for code in read)

    def printable_like(self, variable: Var, text: str) -> list[Expression]:
        """That a string variable is as long as the text and has printable ASCII characters only."""
        f, c = self._f, self._c
        length, codes = self._string(variable)
        wishes = [f.mk_eq(c, length, self.number(len(text)))]
        for i in range(len(text)):
            code = self._apply(codes, self.number(i))
            wishes += [f.mk_le(c, self.number(32), code), f.mk_le(c, code, self.number(126))]
        return wishes

    def _string(self, variable: Var) -> tuple[Expression, Expression]:
        found = self._strings.get(variable)
        if found is None:
            f, c = self._f, self._c
            length = f.mk_fresh_const(c, b"length", self._int)
            domain = (ctypes.c_void_p * 1)(self._int)
            codes = f.mk_fresh_func_decl(c, b"codes", 1, domain, self._int)
            found = self._strings[variable] = (length, codes)
        return found

    def _apply(self, codes: Expression, index: Expression) -> Expression:
        return self._f.mk_app(self._c, codes, 1, (ctypes.c_void_p * 1)(index))

    def _code(self, variable: Var, index: Expression) -> Expression:
        f, c = self._f, self._c
        code = self._apply(self._string(variable)[1], index)
        self._side(f.mk_le(c, self.number(0), code))
        self._side(f.mk_le(c, code, self.number(MAX_CODE)))
        return code

    def _translate(self, term: Term) -> Expression:
        if term.sort == "str":
            # Strings have no expression of their own here; what contains them translates them.
            return 0
        if isinstance(term, Node):
            translate = _TRANSLATIONS.get(term.op)
            if translate is not None:
                return translate(self, *term.args)
        return super()._translate(term)

    def _length(self, s: Var) -> Expression:
        length = self._string(s)[0]
        self._side(self._f.mk_le(self._c, self.number(0), length))
        return length

    def _ord(self, character: Node | Var) -> Expression:
        f, c = self._f, self._c
        if isinstance(character, Var):
            length = self._length(character)
            return self.choose(
                f.mk_eq(c, length, self.number(1)), self._code(character, self.number(0)), self.number(-1)
            )
        variable, index = character.args[0], self._arg(character.args[1])
        assert isinstance(variable, Var)
        inside = self._all(f.mk_le(c, self.number(0), index), f.mk_lt(c, index, self._length(variable)))
        return self.choose(inside, self._code(variable, index), self.number(-1))

    def _all(self, *conditions: Expression) -> Expression:
        return self.nary("mk_and", *conditions)

    def _any(self, *conditions: Expression) -> Expression:
        return self.nary("mk_or", *conditions)

    def _spells(self, s: Var, start: Expression, text: str) -> list[Expression]:
        """That the characters from a position on are those of a text."""
        f, c = self._f, self._c
        return [
            f.mk_eq(c, self._code(s, self.nary("mk_add", start, self.number(i))), self.number(ord(character)))
            for i, character in enumerate(text)
        ]

    def _equals(self, s: Var | Node, text: str) -> Expression:
        f, c = self._f, self._c
        if isinstance(s, Var):
            return self._all(
                f.mk_eq(c, self._length(s), self.number(len(text))), *self._spells(s, self.number(0), text)
            )
        variable, start, stop = s.args[0], self._arg(s.args[1]), self._arg(s.args[2])
        assert isinstance(variable, Var)
        size = self.nary("mk_add", start, self.number(len(text)))
        return self._all(
            f.mk_eq(c, stop, size),
            f.mk_le(c, self.number(0), start),
            f.mk_le(c, stop, self._length(variable)),
            *self._spells(variable, start, text),
        )

    def _starts_with(self, s: Var, text: str) -> Expression:
        enough = self._f.mk_le(self._c, self.number(len(text)), self._length(s))
        return self._all(enough, *self._spells(s, self.number(0), text))

    def _ends_with(self, s: Var, text: str) -> Expression:
        length = self._length(s)
        enough = self._f.mk_le(self._c, self.number(len(text)), length)
        start = self.nary("mk_add", length, self.number(-len(text)))
        return self._all(enough, *self._spells(s, start, text))

    def _less(self, a: Var | str, b: Var | str) -> Expression:
        if isinstance(a, Var):
            assert isinstance(b, str)
            return self._below(a, b)
        assert isinstance(b, Var)
        return self._above(b, a)

    def _at_most(self, a: Var | str, b: Var | str) -> Expression:
        return self._f.mk_not(self._c, self._less(b, a))

    def _below(self, s: Var, text: str) -> Expression:
        """s < text: at the first position where they differ, s has ended or has the smaller code."""
        f, c, length = self._f, self._c, self._length(s)
        result = f.mk_false(c)
        for k in reversed(range(len(text))):
            position, code = self.number(k), self.number(ord(text[k]))
            here = self._code(s, position)
            goes_on = f.mk_lt(c, position, length)
            smaller = self._any(f.mk_lt(c, here, code), self._all(f.mk_eq(c, here, code), result))
            result = self._any(f.mk_eq(c, length, position), self._all(goes_on, smaller))
        return result

    def _above(self, s: Var, text: str) -> Expression:
        """text < s: at the first position where they differ, the text has ended or s has the larger code."""
        f, c, length = self._f, self._c, self._length(s)
        result = f.mk_lt(c, self.number(len(text)), length)
        for k in reversed(range(len(text))):
            position, code = self.number(k), self.number(ord(text[k]))
            here = self._code(s, position)
            larger = self._any(f.mk_lt(c, code, here), self._all(f.mk_eq(c, here, code), result))
            result = self._all(f.mk_lt(c, position, length), larger)
        return result


_TRANSLATIONS: dict[str, Callable[..., Expression]] = {
    "len": CharacterEncoder._length,
    "ord": CharacterEncoder._ord,
    "str_eq": CharacterEncoder._equals,
    "starts_with": CharacterEncoder._starts_with,
    "ends_with": CharacterEncoder._ends_with,
    "str_lt": CharacterEncoder._less,
    "str_le": CharacterEncoder._at_most,
}


def _short(text: Term | Value) -> bool:
    return isinstance(text, str) and len(text) <= MAX_CONSTANT


def _handled_here(term: Term) -> bool:
    """Whether a term is handled, provided that the terms below it are."""
    if not isinstance(term, Node):
        return True
    op, args = term.op, term.args
    first = args[0]
    if op in _CONNECTIVES:
        return term.sort != "str"
    if op in _DIVISIONS:
        return not isinstance(args[1], Term)
    if op in ("at", "substring", "len"):
        return isinstance(first, Var)
    if op == "ord":
        return isinstance(first, Var) or (isinstance(first, Node) and first.op == "at")
    if op == "str_eq":
        known = isinstance(first, Var) or (isinstance(first, Node) and first.op == "substring")
        return known and _short(args[1])
    if op in ("starts_with", "ends_with"):
        return isinstance(first, Var) and _short(args[1])
    if op in ("str_lt", "str_le"):
        return any(isinstance(one, Var) and _short(other) for one, other in (args, args[::-1]))
    return False

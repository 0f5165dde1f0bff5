"""Strings as a length and a function from positions to codes, which turns most conditions into linear arithmetic.

Statements about all positions of a string are spelled out for the first few of them only, and their negations
name a position. So what has no solution in this encoding has none at all; a solution is checked by evaluation,
and one that uses a longer string wrongly is left to the solver's own theory of strings.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

from everypath.logic.encoding import Encoder, Expression
from everypath.logic.nodes import Node, Term, Value, Var, children, postorder
from everypath.logic.semantics import CHARACTERS, MAX_CODE

MAX_CONSTANT = 64
"""Constants longer than this are left to the theory of strings."""
MAX_ALTERNATIVES = 24
"""The most characters of a constant that an unknown string may be part of."""
MAX_READ = 1_000
"""Strings longer than this are not read from a model."""

MAX_DIGITS = 18
"""The value of an integer literal longer than this is left open."""

_CONNECTIVES = frozenset(("int_of_bool", "ite", "not", "and", "or", "bool_eq"))
_DIVISIONS = frozenset(("floordiv", "floormod", "truncdiv", "truncrem"))


class View(NamedTuple):
    """A piece of a string variable."""

    variable: Var
    start: Expression
    size: Expression


Test = Callable[[Expression], Expression]
"""A condition on a position."""


class CharacterEncoder(Encoder):
    """Translates the terms for which `handles` is true, without the theory of strings."""

    def __init__(self, functions: SimpleNamespace, context: int, spelled_out: int) -> None:
        super().__init__(functions, context)
        self.spelled_out = spelled_out
        """The number of positions for which a statement about all positions is written down."""
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

    def short(self, variable: Var) -> Expression:
        """The condition that a string variable is short enough for this encoding to be exact."""
        return self._le(self._string(variable)[0], self.number(self.spelled_out))

    def printable_like(self, variable: Var, text: str) -> list[Expression]:
        """The condition that a string variable is as long as the text and has printable ASCII characters only."""
        length, codes = self._string(variable)
        wishes = [self._eq(length, self.number(len(text)))]
        for i in range(len(text)):
            code = self._apply(codes, self.number(i))
            wishes += [self._le(self.number(32), code), self._le(code, self.number(126))]
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
        code = self._apply(self._string(variable)[1], index)
        self._side(self._le(self.number(0), code))
        self._side(self._le(code, self.number(MAX_CODE)))
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
        self._side(self._le(self.number(0), length))
        return length

    def _ord(self, character: Node | Var) -> Expression:
        if isinstance(character, Var):
            length = self._length(character)
            return self.choose(self._eq(length, self.number(1)), self._code(character, self.number(0)), self.number(-1))
        variable, index = character.args[0], self._arg(character.args[1])
        assert isinstance(variable, Var)
        inside = self._and(self._le(self.number(0), index), self._lt(index, self._length(variable)))
        return self.choose(inside, self._code(variable, index), self.number(-1))

    def _spells(self, s: Var, start: Expression, text: str) -> list[Expression]:
        """The condition that the characters from a position on are those of a text."""
        return [
            self._eq(self._code(s, self.nary("mk_add", start, self.number(i))), self.number(ord(character)))
            for i, character in enumerate(text)
        ]

    def _view(self, s: Var | Node) -> View:
        """A string that is a variable or a slice of one."""
        if isinstance(s, Var):
            return View(s, self.number(0), self._length(s))
        variable, start, stop = s.args[0], self._arg(s.args[1]), self._arg(s.args[2])
        assert isinstance(variable, Var)
        self._length(variable)
        return View(variable, start, self._add(stop, self.minus(start)))

    def _at(self, view: View, k: Expression) -> Expression:
        return self._code(view.variable, self._add(view.start, k))

    def _implies(self, a: Expression, b: Expression) -> Expression:
        return self._or(self._not(a), b)

    def _first_few(self, size: Expression, test: Test) -> list[Expression]:
        """The test at every position below size, as far as positions are spelled out."""
        positions = [self.number(k) for k in range(self.spelled_out)]
        return [self._implies(self._lt(k, size), test(k)) for k in positions]

    def _everywhere(self, size: Expression, test: Test) -> Expression:
        """Whether a test holds at every position below size."""
        holds, where = self._unknown("bool"), self._unknown("int")
        fails = self._not(test(where))
        self._side(self._implies(holds, self._and(*self._first_few(size, test))))
        inside = self._and(self._lt(self.number(-1), where), self._lt(where, size))
        self._side(self._or(holds, self._and(inside, fails)))
        return holds

    def _equals(self, a: Var | Node, b: Var | Node | str) -> Expression:
        if isinstance(b, str):
            return self._equals_constant(a, b)
        left, right = self._view(a), self._view(b)
        same = self._everywhere(left.size, lambda k: self._eq(self._at(left, k), self._at(right, k)))
        return self._and(self._eq(left.size, right.size), same)

    def _equals_constant(self, s: Var | Node, text: str) -> Expression:
        view = self._view(s)
        return self._and(self._eq(view.size, self.number(len(text))), *self._spells(view.variable, view.start, text))

    def _contains(self, s: Var | Node | str, text: Var | Node | str) -> Expression:
        if isinstance(s, str):
            assert isinstance(text, (Var, Node))
            return self._occurs_in(self._view(text), s)
        assert isinstance(text, str)
        view = self._view(s)
        places = self._add(view.size, self.number(1 - len(text)))
        return self._not(self._everywhere(places, lambda k: self._differs(view, k, text)))

    def _occurs_in(self, view: View, text: str) -> Expression:
        places: list[Expression] = [self._eq(view.size, self.number(0))]
        for i in range(len(text)):
            rest = text[i:]
            here = [self._le(view.size, self.number(len(rest)))]
            for k, character in enumerate(rest):
                position, code = self.number(k), self.number(ord(character))
                here.append(self._implies(self._lt(position, view.size), self._eq(self._at(view, position), code)))
            places.append(self._and(*here))
        return self._or(*places)

    def _differs(self, view: View, k: Expression, text: str) -> Expression:
        return self._not(self._and(*self._spells(view.variable, self._add(view.start, k), text)))

    def _index_of(self, s: Var, text: str, start: Term | Value) -> Expression:
        begin, length, result = self._arg(start), self._length(s), self._unknown("int")
        rest = View(s, begin, self._add(length, self.minus(begin)))
        valid = self._and(self._lt(self.number(-1), begin), self._lt(self.number(-1), rest.size))
        places = self._add(rest.size, self.number(1 - len(text)))
        absent = self._everywhere(places, lambda k: self._differs(rest, k, text))
        offset = self._add(result, self.minus(begin))
        inside = self._and(self._lt(self.number(-1), offset), self._lt(offset, places))
        earlier = self._first_few(offset, lambda k: self._differs(rest, k, text))
        found = self._and(inside, *self._spells(s, result, text), *earlier)
        nothing = self._eq(result, self.number(-1))
        self._side(self.choose(self._and(valid, self._not(absent)), found, nothing))
        return result

    def _matches(self, s: Var | Node, name: str) -> Expression:
        view = self._view(s)

        def within(names: str) -> Test:
            runs = CHARACTERS[names]
            return lambda k: self._or(*(self._between(self._at(view, k), low, high) for low, high in runs))

        if name in ("upper", "lower"):
            wanted, avoided = (within(name), within("lower" if name == "upper" else "upper"))
            negate = self._f.mk_not
            some = negate(self._c, self._everywhere(view.size, lambda k: negate(self._c, wanted(k))))
            return self._and(some, self._everywhere(view.size, lambda k: negate(self._c, avoided(k))))
        if name == "ascii":
            return self._everywhere(view.size, within(name))
        filled = self._lt(self.number(0), view.size)
        if name != "int":
            return self._and(filled, self._everywhere(view.size, within(name)))
        digit = within(name)

        def literal(k: Expression) -> Expression:
            code = self._at(view, k)
            sign = self._or(self._eq(code, self.number(ord("+"))), self._eq(code, self.number(ord("-"))))
            more = self._lt(self.number(1), view.size)
            return self._or(digit(k), self._and(self._eq(k, self.number(0)), sign, more))

        return self._and(filled, self._everywhere(view.size, literal))

    def _int_of_str(self, s: Var | Node) -> Expression:
        """The number that a short literal denotes; a longer one is left open."""
        view, result = self._view(s), self._unknown("int")
        literal = self._matches(s, "int")
        first = self._at(view, self.number(0))
        minus, plus = self._eq(first, self.number(ord("-"))), self._eq(first, self.number(ord("+")))
        signed = self._or(minus, plus)
        for size in range(1, min(self.spelled_out, MAX_DIGITS) + 1):
            digits = [self._add(self._at(view, self.number(k)), self.number(-48)) for k in range(size)]
            weighted = [self.nary("mk_mul", self.number(10 ** (size - 1 - k)), digit) for k, digit in enumerate(digits)]
            whole = self.nary("mk_add", *weighted)
            rest = self.nary("mk_add", *weighted[1:]) if size > 1 else self.number(0)
            value = self.choose(signed, self.choose(minus, self.minus(rest), rest), whole)
            here = self._and(literal, self._eq(view.size, self.number(size)))
            self._side(self._implies(here, self._eq(result, value)))
        self._side(self._or(literal, self._eq(result, self.number(0))))
        return result

    def _between(self, code: Expression, low: int, high: int) -> Expression:
        return self._and(self._le(self.number(low), code), self._le(code, self.number(high)))

    def _starts_with(self, s: Var | Node, text: str) -> Expression:
        view = self._view(s)
        enough = self._le(self.number(len(text)), view.size)
        return self._and(enough, *self._spells(view.variable, view.start, text))

    def _ends_with(self, s: Var | Node, text: str) -> Expression:
        view = self._view(s)
        enough = self._le(self.number(len(text)), view.size)
        start = self._add(view.start, self._add(view.size, self.number(-len(text))))
        return self._and(enough, *self._spells(view.variable, start, text))

    def _less(self, a: Var | Node | str, b: Var | Node | str) -> Expression:
        if isinstance(b, str):
            assert isinstance(a, Var)
            return self._below(a, b)
        if isinstance(a, str):
            assert isinstance(b, Var)
            return self._above(b, a)
        left, right = self._view(a), self._view(b)
        first = self._unknown("int")
        x, y = self._at(left, first), self._at(right, first)
        more_left, more_right = self._lt(first, left.size), self._lt(first, right.size)
        both = self._and(more_left, more_right)
        self._side(self._le(self.number(0), first))
        self._side(self._and(*self._first_few(first, lambda k: self._eq(self._at(left, k), self._at(right, k)))))
        for size in (left.size, right.size):
            self._side(self._le(first, size))
        self._side(self._implies(both, self._not(self._eq(x, y))))
        ended = self._and(self._not(more_left), more_right)
        return self._or(ended, self._and(both, self._lt(x, y)))

    def _at_most(self, a: Var | Node | str, b: Var | Node | str) -> Expression:
        return self._not(self._less(b, a))

    def _below(self, s: Var, text: str) -> Expression:
        """s < text: at the first position where they differ, s has ended or has the smaller code."""
        f, c, length = self._f, self._c, self._length(s)
        result = f.mk_false(c)
        for k in reversed(range(len(text))):
            position, code = self.number(k), self.number(ord(text[k]))
            here = self._code(s, position)
            goes_on = self._lt(position, length)
            smaller = self._or(self._lt(here, code), self._and(self._eq(here, code), result))
            result = self._or(self._eq(length, position), self._and(goes_on, smaller))
        return result

    def _above(self, s: Var, text: str) -> Expression:
        """text < s: at the first position where they differ, the text has ended or s has the larger code."""
        length = self._length(s)
        result = self._lt(self.number(len(text)), length)
        for k in reversed(range(len(text))):
            position, code = self.number(k), self.number(ord(text[k]))
            here = self._code(s, position)
            larger = self._or(self._lt(code, here), self._and(self._eq(here, code), result))
            result = self._and(self._lt(position, length), larger)
        return result


_TRANSLATIONS: dict[str, Callable[..., Expression]] = {
    "len": CharacterEncoder._length,
    "ord": CharacterEncoder._ord,
    "str_eq": CharacterEncoder._equals,
    "contains": CharacterEncoder._contains,
    "index_of": CharacterEncoder._index_of,
    "int_of_str": CharacterEncoder._int_of_str,
    "matches": CharacterEncoder._matches,
    "starts_with": CharacterEncoder._starts_with,
    "ends_with": CharacterEncoder._ends_with,
    "str_lt": CharacterEncoder._less,
    "str_le": CharacterEncoder._at_most,
}


def _short(text: Term | Value) -> bool:
    return isinstance(text, str) and 0 < len(text) <= MAX_CONSTANT


def _viewed(s: Term | Value) -> bool:
    return isinstance(s, Var) or (isinstance(s, Node) and s.op == "substring")


def _handled_here(term: Term) -> bool:
    """Whether a term is handled, provided that the terms below it are."""
    if not isinstance(term, Node):
        return True
    if term.op in _CONNECTIVES:
        return term.sort != "str"
    handled = _HANDLED.get(term.op)
    return handled is not None and handled(*term.args)


def _is_code(first: Term | Value) -> bool:
    return isinstance(first, Var) or (isinstance(first, Node) and first.op == "at")


def _equality(first: Term | Value, second: Term | Value) -> bool:
    return _viewed(first) and (_viewed(second) or second == "" or _short(second))


def _part(text: Term | Value, part: Term | Value) -> bool:
    return _viewed(text) and _short(part)


def _containment(text: Term | Value, part: Term | Value) -> bool:
    return len(text) <= MAX_ALTERNATIVES and _viewed(part) if isinstance(text, str) else _part(text, part)


def _ordered(first: Term | Value, second: Term | Value) -> bool:
    if _viewed(first) and _viewed(second):
        return True
    return any(isinstance(a, Var) and _short(b) for a, b in ((first, second), (second, first)))


_HANDLED: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(_DIVISIONS, lambda _, divisor: not isinstance(divisor, Term)),
    **dict.fromkeys(("at", "substring", "len"), lambda text, *_: isinstance(text, Var)),
    **dict.fromkeys(("matches", "int_of_str"), lambda text, *_: _viewed(text)),
    **dict.fromkeys(("str_lt", "str_le"), _ordered),
    **dict.fromkeys(("starts_with", "ends_with"), _part),
    "contains": _containment,
    "index_of": lambda text, part, *_: isinstance(text, Var) and _short(part),
    "ord": _is_code,
    "str_eq": _equality,
}
"""Operator -> whether it is handled with these arguments."""

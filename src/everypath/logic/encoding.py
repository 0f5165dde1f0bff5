"""Terms as expressions of the SMT solver, built through its C interface.

What the solver has no operation for is left open: the result is a fresh unknown, tied to the operands only where that
is exact (`sides` are the ties, `wishes` the conditions under which they bind). A contradiction found in this way is a
real one, and a solution is checked by evaluation.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from everypath.errors import SolverUnknown
from everypath.logic.nodes import Comparison, Linear, Node, Term, Value, Var, children, postorder

MAX_SOLVER_CODE = 0x2FFFF
"""The largest character code that the solver's strings know."""
WIDTH = 16
"""The operands of bitwise operations between unknowns have at most this many binary digits, including the sign."""
MAX_BITS = 4_000
"""The interpreter writes integers up to about three times as many binary digits in decimal."""

Expression = Any
"""An expression is a pointer that only the solver's library can look into."""


class Encoder:
    """Translates terms within one solver context, each term once."""

    def __init__(self, functions: SimpleNamespace, context: int) -> None:
        self._f = functions
        self._c = context
        self._int = functions.mk_int_sort(context)
        self._sorts = {
            "int": self._int,
            "bool": functions.mk_bool_sort(context),
            "str": functions.mk_string_sort(context),
        }
        self._known: dict[Term, Expression] = {}
        self._numbers: dict[int, Expression] = {}
        self._classes: dict[str, Expression] = {}
        self.sides: dict[Term, tuple[Expression, ...]] = {}
        """What must be asserted along with a term, because its expression contains unknowns of its own."""
        self.wishes: dict[Term, tuple[Expression, ...]] = {}
        """What should hold so that those unknowns are exact."""
        self._new_sides: list[Expression] = []
        self._new_wishes: list[Expression] = []
        self._digits: dict[Term | Value, list[Expression]] = {}
        self.size = 0
        """Roughly how many expressions were made; the context keeps all of them."""

    def encode(self, term: Term) -> Expression:
        """The expression of a term."""
        known = self._known
        found = known.get(term)
        if found is None:
            # Bottom up and without recursion: long chains of conditionals are deeper than the interpreter's stack.
            for each in postorder(term, known.__contains__):
                known[each] = self._translate(each)
                self.size += 4
                below = children(each)
                self._gather(self.sides, each, below, self._new_sides)
                self._gather(self.wishes, each, below, self._new_wishes)
            found = known[term]
        return found

    def _gather(
        self, table: dict[Term, tuple[Expression, ...]], term: Term, below: list[Term], new: list[Expression]
    ) -> None:
        found = dict.fromkeys(expression for child in below for expression in table.get(child, ()))
        found.update(dict.fromkeys(new))
        new.clear()
        if found:
            table[term] = tuple(found)

    def _side(self, expression: Expression) -> None:
        self._new_sides.append(expression)

    def within(self, variable: Var) -> list[Expression]:
        """The bounds that a variable always keeps."""
        x = self.encode(variable)
        bounds = []
        if variable.lo is not None:
            bounds.append(self._le(self.number(variable.lo), x))
        if variable.hi is not None:
            bounds.append(self._le(x, self.number(variable.hi)))
        return bounds

    # Beyond the defined digits the result is left open: what has no solution then has none at all, and a
    # solution found is checked by evaluation.
    def _common_bits(self, term: Node) -> Expression:
        small: list[Expression] = []
        operands = [self._binary(arg, small) for arg in term.args]
        common = [self._and(p, q) for p, q in zip(*operands)]
        self._new_wishes += small
        open_result = self._unknown("int", b"bits")
        self.size += 4 * WIDTH
        return self.choose(self._and(*small), self._weighted(common), open_result)

    def _quoted(self, text: Expression) -> Expression:
        """What `repr` gives; exact for printable ASCII without quotes and backslashes."""
        f, c = self._f, self._c
        plain = [self._range(ends[0], ends[1]) for ends in (" !", "#&", "([", "]~")]
        easy = f.mk_seq_in_re(c, text, f.mk_re_star(c, self.nary("mk_re_union", *plain)))
        self._new_wishes.append(easy)
        quote = self._text("'")
        open_result = self._unknown("str", b"text")
        return self.choose(easy, self.nary("mk_seq_concat", quote, text, quote), open_result)

    def _binary(self, arg: Term | Value, small: list[Expression]) -> list[Expression]:
        f, c, x = self._f, self._c, self._arg(arg)
        digits = self._digits.get(arg)
        if digits is None:
            boolean = self._sorts["bool"]
            digits = self._digits[arg] = [f.mk_fresh_const(c, b"bit", boolean) for _ in range(WIDTH)]
        half = 1 << (WIDTH - 1)
        # Two's complement: the last digit, the sign, has a negative weight (see `_weighted`).
        inside = self._and(self._le(self.number(-half), x), self._lt(x, self.number(half)))
        small.append(inside)
        equal = self._eq(x, self._weighted(digits))
        self._side(self._or(self._not(inside), equal))
        return digits

    def _weighted(self, digits: list[Expression]) -> Expression:
        nothing = self.number(0)
        weights = [1 << i for i in range(WIDTH - 1)] + [-1 << (WIDTH - 1)]
        return self.nary("mk_add", *(self.choose(d, self.number(w), nothing) for d, w in zip(digits, weights)))

    def printable(self, variable: Var) -> Expression:
        """The condition that a string variable has printable ASCII characters only."""
        f, c = self._f, self._c
        return f.mk_seq_in_re(c, self.encode(variable), f.mk_re_star(c, self._range(" ", "~")))

    def number(self, value: int) -> Expression:
        """An integer of any size."""
        found = self._numbers.get(value)
        if found is None:
            if -(1 << 63) <= value < 1 << 63:
                found = self._f.mk_int64(self._c, value, self._int)
            elif value.bit_length() > MAX_BITS:
                raise SolverUnknown(f"an integer with {value.bit_length()} binary digits is too large for the solver")
            else:
                found = self._f.mk_numeral(self._c, str(value).encode(), self._int)
            self._numbers[value] = found
        return found

    def _text(self, value: str) -> Expression:
        codes = [ord(character) for character in value]
        if any(code > MAX_SOLVER_CODE for code in codes):
            raise SolverUnknown(f"the solver has no character beyond U+{MAX_SOLVER_CODE:X}: {value!r}")
        return self._f.mk_u32string(self._c, len(codes), (ctypes.c_uint * len(codes))(*codes))

    def _translate(self, term: Term) -> Expression:
        f, c = self._f, self._c
        if isinstance(term, Var):
            # The index alone names a variable: names may repeat.
            return f.mk_const(c, f.mk_int_symbol(c, term.number), self._sorts[term.sort])
        if isinstance(term, Linear):
            return self._sum(term.parts, term.const)
        if isinstance(term, Comparison):
            left, right = self._sum(term.parts, 0), self.number(-term.const)
            if term.op == "<=":
                return self._le(left, right)
            equal = self._eq(left, right)
            return equal if term.op == "==" else self._not(equal)
        assert isinstance(term, Node)
        if term.op == "bit_and":
            return self._common_bits(term)
        if term.op == "repr":
            return self._quoted(self._arg(term.args[0]))
        if term.op in ("format", "percent"):
            return self._unknown("str", b"text")
        if term.op == "matches":
            return f.mk_seq_in_re(c, self._arg(term.args[0]), self._class(str(term.args[1])))
        return _TRANSLATIONS[term.op](self, *map(self._arg, term.args))

    def _arg(self, arg: Term | Value) -> Expression:
        if isinstance(arg, Term):
            return self._known[arg]
        if isinstance(arg, bool):
            return self._f.mk_true(self._c) if arg else self._f.mk_false(self._c)
        return self._text(arg) if isinstance(arg, str) else self.number(arg)  # type: ignore[arg-type]

    def _sum(self, parts: tuple[tuple[Term, int], ...], const: int) -> Expression:
        summands = []
        for atom, k in parts:
            x = self._known[atom]
            summands.append(x if k == 1 else self.nary("mk_mul", self.number(k), x))
        if const:
            summands.append(self.number(const))
        return self.nary("mk_add", *summands)

    def nary(self, name: str, *items: Expression) -> Expression:
        """An operation on any number of operands; one operand is itself."""
        if len(items) == 1:
            return items[0]
        return getattr(self._f, name)(self._c, len(items), (ctypes.c_void_p * len(items))(*items))

    def call(self, name: str, *items: Expression) -> Expression:
        """An operation with a fixed number of operands."""
        return getattr(self._f, name)(self._c, *items)

    def _le(self, a: Expression, b: Expression) -> Expression:
        return self._f.mk_le(self._c, a, b)

    def _lt(self, a: Expression, b: Expression) -> Expression:
        return self._f.mk_lt(self._c, a, b)

    def _eq(self, a: Expression, b: Expression) -> Expression:
        return self._f.mk_eq(self._c, a, b)

    def _not(self, a: Expression) -> Expression:
        return self._f.mk_not(self._c, a)

    def _and(self, *items: Expression) -> Expression:
        return self.nary("mk_and", *items) if items else self._f.mk_true(self._c)

    def _or(self, *items: Expression) -> Expression:
        return self.nary("mk_or", *items)

    def _add(self, *items: Expression) -> Expression:
        return self.nary("mk_add", *items)

    def _mul(self, *items: Expression) -> Expression:
        return self.nary("mk_mul", *items)

    def _as_float(self, a: Expression) -> Expression:
        return self._f.mk_int2real(self._c, a)

    def _floor(self, a: Expression) -> Expression:
        return self._f.mk_real2int(self._c, a)

    def _unknown(self, sort: str, name: bytes = b"unknown") -> Expression:
        return self._f.mk_fresh_const(self._c, name, self._sorts[sort])

    def minus(self, x: Expression) -> Expression:
        """-x"""
        return self._f.mk_unary_minus(self._c, x)

    def choose(self, condition: Expression, yes: Expression, no: Expression) -> Expression:
        """yes if condition else no"""
        return self._f.mk_ite(self._c, condition, yes, no)

    def by_sign(self, x: Expression, positive: Expression, negative: Expression, zero: Expression) -> Expression:
        """One of three values depending on the sign of x."""
        nil = self.number(0)
        return self.choose(self._lt(nil, x), positive, self.choose(self._lt(x, nil), negative, zero))

    def character(self, text: str) -> Expression:
        """A constant string."""
        return self._text(text)

    def _range(self, first: str, last: str) -> Expression:
        return self.call("mk_re_range", self._text(first), self._text(last))

    def _class(self, name: str) -> Expression:
        found = self._classes.get(name)
        if found is None:
            found = self._classes[name] = self._make_class(name)
        return found

    def _make_class(self, name: str) -> Expression:
        digit, upper, lower = self._range("0", "9"), self._range("A", "Z"), self._range("a", "z")
        last = chr(MAX_SOLVER_CODE)
        if name == "digits":
            return self.call("mk_re_plus", digit)
        if name == "int":
            signs = self.nary("mk_re_union", *(self.call("mk_seq_to_re", self._text(s)) for s in "+-"))
            return self.nary("mk_re_concat", self.call("mk_re_option", signs), self.call("mk_re_plus", digit))
        if name == "alpha":
            return self.call("mk_re_plus", self.nary("mk_re_union", lower, upper))
        if name == "alnum":
            return self.call("mk_re_plus", self.nary("mk_re_union", digit, lower, upper))
        if name == "space":
            return self.call("mk_re_plus", self.nary("mk_re_union", self._range("\t", "\r"), self._range("\x1c", " ")))
        if name == "ascii":
            return self.call("mk_re_star", self._range("\0", "\x7f"))
        first, final, wanted = ("a", "z", upper) if name == "upper" else ("A", "Z", lower)
        others = self.nary(
            "mk_re_union", self._range("\0", chr(ord(first) - 1)), self._range(chr(ord(final) + 1), last)
        )
        around = self.call("mk_re_star", others)
        return self.nary("mk_re_concat", around, wanted, around)


# The solver's div and mod round so that 0 <= remainder < |divisor|.
def _floordiv(e: Encoder, a: Expression, b: Expression) -> Expression:
    quotient = e.call("mk_div", a, b)
    return e.by_sign(b, quotient, e.call("mk_div", e.minus(a), e.minus(b)), e.number(0))


def _floormod(e: Encoder, a: Expression, b: Expression) -> Expression:
    negative = e.minus(e.call("mk_mod", e.minus(a), e.minus(b)))
    return e.by_sign(b, e.call("mk_mod", a, b), negative, e.number(0))


def _truncated(name: str) -> Callable[..., Expression]:
    def translate(e: Encoder, a: Expression, b: Expression) -> Expression:
        up, down = e.call(name, a, b), e.minus(e.call(name, e.minus(a), b))
        chosen = e.choose(e.call("mk_le", e.number(0), a), up, down)
        return e.by_sign(b, chosen, chosen, e.number(0))

    return translate


def _str_of_int(e: Encoder, i: Expression) -> Expression:
    digits = e.call("mk_int_to_str", i)
    negative = e.nary("mk_seq_concat", e.character("-"), e.call("mk_int_to_str", e.minus(i)))
    return e.choose(e.call("mk_le", e.number(0), i), digits, negative)


def _int_of_str(e: Encoder, s: Expression) -> Expression:
    length = e.call("mk_seq_length", s)
    tail = e.call("mk_str_to_int", e.call("mk_seq_extract", s, e.number(1), length))
    unsigned = e.call("mk_str_to_int", s)
    nothing = e.number(0)

    # The solver's conversion gives -1 for anything but digits.
    def signed(sign: str, value: Expression, otherwise: Expression) -> Expression:
        literal = e.choose(e.call("mk_le", nothing, tail), value, nothing)
        return e.choose(e.call("mk_seq_prefix", e.character(sign), s), literal, otherwise)

    plain = e.choose(e.call("mk_le", nothing, unsigned), unsigned, nothing)
    return signed("-", e.minus(tail), signed("+", tail, plain))


def _substring(e: Encoder, s: Expression, start: Expression, stop: Expression) -> Expression:
    return e.call("mk_seq_extract", s, start, e.nary("mk_add", stop, e.minus(start)))


def _function(name: str) -> Callable[..., Expression]:
    return lambda e, *items: e.call(name, *items)


def _operator(name: str) -> Callable[..., Expression]:
    return lambda e, *items: e.nary(name, *items)


_TRANSLATIONS: dict[str, Callable[..., Expression]] = {
    "mul": _operator("mk_mul"),
    "floordiv": _floordiv,
    "floormod": _floormod,
    "truncdiv": _truncated("mk_div"),
    "truncrem": _truncated("mk_mod"),
    "int_of_bool": lambda e, b: e.choose(b, e.number(1), e.number(0)),
    "ite": _function("mk_ite"),
    "not": _function("mk_not"),
    "and": _operator("mk_and"),
    "or": _operator("mk_or"),
    "bool_eq": _function("mk_eq"),
    "concat": _operator("mk_seq_concat"),
    "len": _function("mk_seq_length"),
    "at": _function("mk_seq_at"),
    "substring": _substring,
    "str_eq": _function("mk_eq"),
    "str_lt": _function("mk_str_lt"),
    "str_le": _function("mk_str_le"),
    "contains": _function("mk_seq_contains"),
    "starts_with": lambda e, s, prefix: e.call("mk_seq_prefix", prefix, s),
    "ends_with": lambda e, s, suffix: e.call("mk_seq_suffix", suffix, s),
    "index_of": _function("mk_seq_index"),
    "replace_first": _function("mk_seq_replace"),
    "str_of_int": _str_of_int,
    "int_of_str": _int_of_str,
    "ord": _function("mk_string_to_code"),
    "chr": _function("mk_string_from_code"),
}

"""Terms as expressions, the way a reader would have written them.

A term is printed bottom up: each part is a text together with the strength of its outermost operator, which tells
whether it needs brackets where it stands. This module lies below `nodes`, which prints its terms with it, and sees
of a term no more than the protocols here say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast


class Shape(Protocol):
    """A term of any kind: a variable, a sum, a comparison of a sum with zero, or another operation."""

    op: str


class Sum(Protocol):
    """`const + sum of coefficient * term`; for a comparison, what is compared with zero."""

    op: str
    const: int

    @property
    def parts(self) -> Parts: ...


class Operation(Protocol):
    """An operator with its arguments, which are terms or constants."""

    op: str

    @property
    def args(self) -> tuple[object, ...]: ...


Parts = tuple[tuple[Shape, int], ...]

ATOM, UNARY, PRODUCT, SUM, BITS, COMPARISON, NOT, AND, OR, CONDITIONAL = range(10)
"""Binding strength of the outermost operator, tightest first."""

MAX_TEXT = 20_000
"""Shared parts are written out wherever they occur; longer texts are cut to an ellipsis."""
MAX_BITS = 4_000

Printed = tuple[str, int]
Lookup = Callable[[object], Printed]

_INFIX = {
    "floordiv": ("//", UNARY, PRODUCT), "floormod": ("%", UNARY, PRODUCT), "bit_and": ("&", SUM, BITS),
    "str_eq": ("==", SUM, COMPARISON), "str_lt": ("<", SUM, COMPARISON), "str_le": ("<=", SUM, COMPARISON),
    "contains": ("in", SUM, COMPARISON), "bool_eq": ("==", SUM, COMPARISON),
}  # fmt: skip
"""The sign between two operands, how strong these must be to need no brackets, and the strength of the whole."""
_NEGATED = {"str_eq": "!=", "contains": "not in", "bool_eq": "!="}
_CALLS = {
    "len": "len", "ord": "ord", "chr": "chr", "int_of_str": "int", "str_of_int": "str", "int_of_bool": "int",
    "repr": "repr", "format": "format", "percent": "format", "truncdiv": "truncdiv", "truncrem": "truncrem",
    "fabs": "abs", "fsqrt": "sqrt", "fround": "round", "float_of_int": "float", "ftrunc": "int", "ffloor": "floor",
    "fceil": "ceil", "fnearest": "round", "isnan": "isnan", "isinf": "isinf", "fnegzero": "is_negative_zero",
}  # fmt: skip
_FLOAT_INFIX = {
    "fadd": ("+", SUM), "fsub": ("-", SUM), "fmul": ("*", PRODUCT), "fdiv": ("/", PRODUCT), "true_div": ("/", PRODUCT),
    "ffloordiv": ("//", PRODUCT), "fmod": ("%", PRODUCT), "fpow": ("**", UNARY),
}  # fmt: skip
_FLOAT_RELATIONS = {"flt": ("<", ">", ">=", "<="), "fle": ("<=", ">=", ">", "<"), "feq": ("==", "==", "!=", "!=")}
"""The relation as it stands, with its sides exchanged, and the same for its negation."""
_METHODS = {"starts_with": "startswith", "ends_with": "endswith"}
_CLASSES = {"int": "is_int", "digits": "isdigit", "alpha": "isalpha", "alnum": "isalnum", "space": "isspace"}
_CLASSES |= {"upper": "isupper", "lower": "islower", "ascii": "isascii"}


def render(term: Shape) -> str:
    """The text of a term."""
    # Iterative, because a long chain of conditionals would exceed the limit on recursion.
    done: dict[object, Printed] = {}

    def look(item: object) -> Printed:
        return done[item] if hasattr(item, "op") else _constant(item)

    stack: list[Shape] = [term]
    while stack:
        top = stack[-1]
        missing = [t for t in _below(top) if t not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        text, strength = _print(top, look)
        done[top] = (text, strength) if len(text) <= MAX_TEXT else ("...", ATOM)
    return done[term][0]


def written(value: object) -> str:
    """A known value as source text."""
    return _constant(value)[0]


def _below(term: Shape) -> list[Shape]:
    if term.op == "var":
        return []
    if term.op in ("linear", "<=", "==", "!="):
        return [atom for atom, _ in cast(Sum, term).parts]
    return [cast(Shape, arg) for arg in cast(Operation, term).args if hasattr(arg, "op")]


def _constant(value: object) -> Printed:
    if isinstance(value, int):
        # The interpreter refuses to write very large integers in decimal.
        return hex(value) if value.bit_length() > MAX_BITS else repr(value), UNARY if value < 0 else ATOM
    if isinstance(value, float):
        return repr(value), UNARY if repr(value).startswith("-") else ATOM
    return repr(value), ATOM


def _wrap(printed: Printed, limit: int) -> str:
    text, strength = printed
    return text if strength <= limit else f"({text})"


def _print(term: Shape, look: Lookup) -> Printed:
    op = term.op
    if op == "var":
        return str(term), ATOM
    if op == "linear":
        form = cast(Sum, term)
        return _sum(form.const, form.parts, look)
    if op in ("<=", "==", "!="):
        return _comparison(cast(Sum, term), look), COMPARISON
    return _node(op, cast(Operation, term).args, look)


def _sum(const: int, parts: Parts, look: Lookup) -> Printed:
    if not parts:
        return _constant(const)
    pieces: list[str] = []
    if const > 0 and all(k < 0 for _, k in parts):
        pieces.append(_constant(const)[0])
        const = 0
    # A positive part first reads better than a leading minus.
    for atom, k in sorted(parts, key=lambda part: part[1] < 0):
        size = abs(k)
        body = _wrap(look(atom), PRODUCT) if size == 1 else f"{_constant(size)[0]}*{_wrap(look(atom), UNARY)}"
        if size == 1 and k < 0 and not pieces:
            body = _wrap(look(atom), UNARY)
        pieces.append(("-" if k < 0 else "") + body if not pieces else (" - " if k < 0 else " + ") + body)
    if len(parts) == 1 and not const and len(pieces) == 1:
        k = parts[0][1]
        if k == 1:
            return look(parts[0][0])
        return "".join(pieces), PRODUCT if k != -1 else UNARY
    if const:
        pieces.append(f" {'-' if const < 0 else '+'} {_constant(abs(const))[0]}")
    return "".join(pieces), SUM


def _comparison(term: Sum, look: Lookup) -> str:
    positive = tuple((atom, k) for atom, k in term.parts if k > 0)
    negative = tuple((atom, -k) for atom, k in term.parts if k < 0)
    op, const = term.op, term.const
    if any(_is_code(atom) for atom, _ in term.parts):
        text = _characters(op, const, positive, negative, look)
        if text:
            return text
    if op == "<=" and not positive:
        if const == 1:
            return f"{_side(0, negative, look)} > 0"
        return f"{_side(0, negative, look)} >= {_constant(const)[0]}"
    if not negative:
        if op == "<=" and const == 1:
            return f"{_side(0, positive, look)} < 0"
        return f"{_side(0, positive, look)} {op} {_constant(-const)[0]}"
    if op == "<=" and const == 1:
        return f"{_side(0, positive, look)} < {_side(0, negative, look)}"
    return f"{_side(max(const, 0), positive, look)} {op} {_side(max(-const, 0), negative, look)}"


# Codes of single characters come from comparisons of characters and are printed as such.
def _is_code(term: Shape) -> bool:
    return term.op == "ord" and getattr(cast(Operation, term).args[0], "op", "") == "at"


def _characters(op: str, const: int, positive: Parts, negative: Parts, look: Lookup) -> str:
    left, right = [[_character(atom, k, look) for atom, k in side] for side in (positive, negative)]
    if None in left or None in right or len(left) > 1 or len(right) > 1:
        return ""
    if left and right:
        if const == 0:
            return f"{left[0]} {op} {right[0]}"
        return f"{left[0]} < {right[0]}" if const == 1 and op == "<=" else ""
    if left:
        return _character_bound(left[0], op, -const, "<=", "<", 1)
    return _character_bound(right[0], op, const, ">=", ">", -1)


def _character_bound(character: str | None, op: str, bound: int, relation: str, strict: str, step: int) -> str:
    # A bound can be given as "at most" or as "less than the next": the letter or digit reads better.
    if op != "<=":
        relation = op
    elif not _alphanumeric(bound) and _alphanumeric(bound + step):
        bound, relation = bound + step, strict
    return f"{character} {relation} {chr(bound)!r}" if 32 <= bound <= 126 else ""


def _character(atom: Shape, k: int, look: Lookup) -> str | None:
    return look(cast(Operation, atom).args[0])[0] if k == 1 and _is_code(atom) else None


def _alphanumeric(code: int) -> bool:
    return 48 <= code <= 122 and chr(code).isalnum()


def _listed(op: str, args: tuple[object, ...], look: Lookup) -> str:
    """A choice among codes of one character as a membership test, or nothing if it is something else."""
    relation = "==" if op == "or" else "!="
    codes: list[int] = []
    subject: Shape | None = None
    for arg in args:
        if getattr(arg, "op", "") != relation:
            return ""
        comparison = cast(Sum, arg)
        atom, k = comparison.parts[0]
        if len(comparison.parts) != 1 or k != 1 or not _is_code(atom) or (subject or atom) is not atom:
            return ""
        subject = atom
        codes.append(-comparison.const)
    if subject is None or not all(32 <= code <= 126 for code in codes):
        return ""
    word = "in" if op == "or" else "not in"
    return f"{look(cast(Operation, subject).args[0])[0]} {word} {''.join(map(chr, codes))!r}"


def _side(const: int, parts: Parts, look: Lookup) -> str:
    return _wrap(_sum(const, parts, look), SUM)


def _node(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    return _PRINTERS.get(op, _string)(op, args, look)


def _product(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    return "*".join(_wrap(look(a), UNARY) for a in args), PRODUCT


def _infix(op: str, args: tuple[object, ...], look: Lookup, negated: bool = False) -> Printed:
    sign, limit, strength = _INFIX[op]
    left, right = (args[1], args[0]) if op == "contains" else args
    return f"{_wrap(look(left), limit)} {_NEGATED[op] if negated else sign} {_wrap(look(right), limit)}", strength


def _call(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    return f"{_CALLS[op]}({', '.join(look(a)[0] for a in args)})", ATOM


def _connective(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    listed = _listed(op, args, look)
    if listed:
        return listed, COMPARISON
    limit = NOT if op == "and" else AND
    return f" {op} ".join(_wrap(look(a), limit) for a in args), AND if op == "and" else OR


def _conditional(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    condition, yes, no = (look(a) for a in args)
    return f"{_wrap(yes, OR)} if {_wrap(condition, OR)} else {no[0]}", CONDITIONAL


def _float(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    if op == "fneg":
        return f"-{_wrap(look(args[0]), UNARY)}", UNARY
    sign, strength = _FLOAT_INFIX[op]
    # An integer next to a float becomes one by itself.
    left, right = (cast(Operation, arg).args[0] if getattr(arg, "op", "") == "float_of_int" else arg for arg in args)
    if left is not args[0] and right is not args[1]:
        left, right = args
    return f"{_wrap(look(left), strength)} {sign} {_wrap(look(right), strength - 1)}", strength


# A constant on the right reads better.
def _float_relation(op: str, args: tuple[object, ...], look: Lookup, negated: bool) -> str:
    swapped = not hasattr(args[0], "op")
    left, right = (args[1], args[0]) if swapped else args
    sign = _FLOAT_RELATIONS[op][swapped + 2 * negated]
    return f"{_wrap(look(left), SUM)} {sign} {_wrap(look(right), SUM)}"


_PRINTERS: dict[str, Callable[[str, tuple[object, ...], Lookup], Printed]] = {
    "mul": _product,
    "not": lambda _, args, look: _negated(args[0], look),
    "and": _connective,
    "or": _connective,
    "ite": _conditional,
    "fneg": _float,
    **dict.fromkeys(_INFIX, _infix),
    **dict.fromkeys(_CALLS, _call),
    **dict.fromkeys(_FLOAT_RELATIONS, lambda op, args, look: (_float_relation(op, args, look, False), COMPARISON)),
    **dict.fromkeys(_FLOAT_INFIX, _float),
}
"""How an operation is printed; those that are not listed are on strings."""


def _negated(inner: object, look: Lookup) -> Printed:
    op = getattr(inner, "op", "")
    if op in _NEGATED:
        return _infix(op, cast(Operation, inner).args, look, negated=True)
    if op in _FLOAT_RELATIONS:
        return _float_relation(op, cast(Operation, inner).args, look, True), COMPARISON
    return f"not {_wrap(look(inner), NOT)}", NOT


def _string(op: str, args: tuple[object, ...], look: Lookup) -> Printed:
    receiver = _wrap(look(args[0]), ATOM)
    rest = [look(a)[0] for a in args[1:]]
    if op == "concat":
        return " + ".join(_wrap(look(a), SUM) for a in args), SUM
    if op == "at":
        return f"{receiver}[{rest[0]}]", ATOM
    if op == "substring":
        start = "" if args[1] == 0 else rest[0]
        return f"{receiver}[{start}:{rest[1]}]", ATOM
    if op in _METHODS:
        return f"{receiver}.{_METHODS[op]}({rest[0]})", ATOM
    if op == "index_of":
        return f"{receiver}.find({rest[0]})" if args[2] == 0 else f"{receiver}.find({', '.join(rest)})", ATOM
    if op == "replace_first":
        return f"{receiver}.replace({rest[0]}, {rest[1]}, 1)", ATOM
    if op == "matches":
        name = _CLASSES[str(args[1])]
        return (f"is_int({look(args[0])[0]})" if name == "is_int" else f"{receiver}.{name}()"), ATOM
    raise AssertionError(op)

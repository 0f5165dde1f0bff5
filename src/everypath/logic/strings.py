"""Constructors of string terms and of the conditions and integers that come from strings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar, cast

from everypath.logic.comparisons import and_, eq, ge, ite_bool, le, lt, not_, or_
from everypath.logic.integers import BoolLike, IntLike, add, linear, split, sub
from everypath.logic.nodes import HEAVY, Node, Term, Value, Var, make_node, rank
from everypath.logic.semantics import CHARACTERS, MAX_CODE, operate

StrLike = str | Term
_T = TypeVar("_T", int, str, bool)

MAX_LISTED = 12
"""Among more characters than this, ranges of neighbouring ones are tested instead of each character."""

_CANONICAL_INT = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


def str_var(name: str) -> Var:
    """A new unknown string."""
    return Var(name, "str")


def concat(*pieces: StrLike) -> StrLike:
    """The pieces one after the other."""
    flat: list[StrLike] = []
    for piece in pieces:
        for each in piece.args if isinstance(piece, Node) and piece.op == "concat" else (piece,):
            if each == "":
                continue
            if isinstance(each, str) and flat and isinstance(flat[-1], str):
                flat[-1] += each
            else:
                flat.append(each)  # type: ignore[arg-type]
    if not flat:
        return ""
    return flat[0] if len(flat) == 1 else make_node("concat", "str", tuple(flat))


def _pieces(s: StrLike) -> tuple[StrLike, ...]:
    return s.args if isinstance(s, Node) and s.op == "concat" else (s,)  # type: ignore[return-value]


def str_len(s: StrLike) -> IntLike:
    """The number of characters."""
    if isinstance(s, str):
        return len(s)
    if isinstance(s, Node):
        if s.op == "concat":
            total: IntLike = 0
            for piece in s.args:
                total = add(total, str_len(piece))  # type: ignore[arg-type]
            return total
        if s.op in ("at", "chr"):
            return 1
        if s.op == "substring":
            return sub(s.args[2], s.args[1])  # type: ignore[arg-type]
        if s.op == "str_of_int":
            return make_node("len", "int", (s,), 1, None)
    return make_node("len", "int", (s,), 0, None)


def str_at(s: StrLike, index: IntLike) -> StrLike:
    """The character at an index that is within the string."""
    index = linear(*split(index))
    if isinstance(s, str) and not isinstance(index, Term):
        return s[index]
    if isinstance(s, Node):
        if s.op == "substring":
            return str_at(s.args[0], add(s.args[1], index))  # type: ignore[arg-type]
        if s.op in ("at", "chr"):
            return s
        if s.op == "concat" and not isinstance(index, Term):
            first = s.args[0]
            if isinstance(first, str):
                rest = concat(*s.args[1:])  # type: ignore[arg-type]
                return first[index] if index < len(first) else str_at(rest, index - len(first))
    return make_node("at", "str", (s, index))


def substring(s: StrLike, start: IntLike, stop: IntLike) -> StrLike:
    """The characters from start up to stop, where 0 <= start <= stop <= length."""
    start, stop = linear(*split(start)), linear(*split(stop))
    if start is stop or (start.__class__ is int and stop.__class__ is int and start == stop):
        return ""
    if isinstance(s, str) and not isinstance(start, Term) and not isinstance(stop, Term):
        return s[start:stop]
    if start.__class__ is int and start == 0 and stop is str_len(s):
        return s
    if isinstance(s, Node):
        if s.op == "substring":
            base, offset = s.args[0], s.args[1]
            return substring(base, add(offset, start), add(offset, stop))  # type: ignore[arg-type]
        if s.op == "concat" and isinstance(s.args[0], str) and not isinstance(start, Term) and start >= len(s.args[0]):
            rest, skipped = concat(*s.args[1:]), len(s.args[0])  # type: ignore[arg-type]
            return substring(rest, start - skipped, sub(stop, skipped))
    return make_node("substring", "str", (s, start, stop))


# Strings of one character are compared by their codes: integers are decided far more cheaply than strings.
def _is_character(s: StrLike) -> bool:
    return isinstance(s, Node) and s.op in ("at", "chr")


def _code_in(character: StrLike, runs: Iterable[tuple[int, int]]) -> BoolLike:
    code = ord_(character)
    cases: list[BoolLike] = []
    for first, last in runs:
        cases.append(eq(code, first) if first == last else and_(ge(code, first), le(code, last)))
    return or_(*cases)


def _runs(text: str) -> list[tuple[int, int]]:
    """The characters of a text as ranges of neighbouring codes."""
    runs: list[tuple[int, int]] = []
    for code in sorted({ord(character) for character in text}):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


def str_eq(a: StrLike, b: StrLike) -> BoolLike:
    """a == b"""
    if a is b:
        return True
    if isinstance(a, str):
        a, b = b, a
    if isinstance(a, str):
        return a == b
    if isinstance(b, str):
        return _equals_constant(a, b)
    if _is_character(a) and _is_character(b):
        return eq(ord_(a), ord_(b))
    if a.op == "str_of_int" and b.op == "str_of_int":
        return eq(a.args[0], b.args[0])  # type: ignore[attr-defined]
    if a.op == "concat" or b.op == "concat":
        p, q = _strip_ends(list(_pieces(a)), list(_pieces(b)))
        left, right = concat(*p), concat(*q)
        if left is not a or right is not b:
            return str_eq(left, right)
    return make_node("str_eq", "bool", (a, b) if rank(a) < rank(b) else (b, a))


def _equals_constant(a: Term, b: str) -> BoolLike:
    if isinstance(a, Node):
        if a.op == "str_of_int":
            return eq(a.args[0], int(b)) if _CANONICAL_INT.fullmatch(b) else False  # type: ignore[arg-type]
        if a.op in ("at", "chr"):
            return eq(ord_(a), ord(b)) if len(b) == 1 else False
        if a.op == "ite" and a.weight < HEAVY and (isinstance(a.args[1], str) or isinstance(a.args[2], str)):
            condition, yes, no = a.args
            return ite_bool(condition, str_eq(yes, b), str_eq(no, b))  # type: ignore[arg-type]
        if a.op == "concat":
            if not b:
                return and_(*(str_eq(piece, "") for piece in a.args))  # type: ignore[arg-type]
            p, q = _strip_ends(list(_pieces(a)), [b])
            left, right = concat(*p), concat(*q)
            if left is not a:
                return str_eq(left, right)
            if isinstance(a.args[0], str) or isinstance(a.args[-1], str):
                return False
    return make_node("str_eq", "bool", (a, b))


# Equal pieces at either end say nothing; what is left starts and ends with different pieces.
def _strip_ends(p: list[StrLike], q: list[StrLike]) -> tuple[list[StrLike], list[StrLike]]:
    for end in (0, -1):
        while p and q:
            a, b = p[end], q[end]
            if isinstance(a, str) and isinstance(b, str):
                n = min(len(a), len(b))
                shared = (a[:n], b[:n]) if end == 0 else (a[-n:], b[-n:])
                if shared[0] != shared[1]:
                    return p, q
                p[end], q[end] = (a[n:], b[n:]) if end == 0 else (a[:-n], b[:-n])
            elif a is b:
                p[end] = q[end] = ""
            else:
                break
            if p[end] == "":
                del p[end]
            if q[end] == "":
                del q[end]
    return p, q


def str_ne(a: StrLike, b: StrLike) -> BoolLike:
    """a != b"""
    return not_(str_eq(a, b))


def str_lt(a: StrLike, b: StrLike) -> BoolLike:
    """a < b by code points."""
    if isinstance(a, str) and isinstance(b, str):
        return a < b
    if a is b or b == "":
        return False
    if a == "":
        return str_ne(b, "")
    if _is_character(a):
        if isinstance(b, str):
            return lt(ord_(a), ord(b)) if len(b) == 1 else le(ord_(a), ord(b[0]))
        if _is_character(b):
            return lt(ord_(a), ord_(b))
    if _is_character(b) and isinstance(a, str):
        return lt(ord(a[0]), ord_(b))
    return make_node("str_lt", "bool", (a, b))


def str_le(a: StrLike, b: StrLike) -> BoolLike:
    """a <= b by code points."""
    return not_(str_lt(b, a))


def contains(s: StrLike, part: StrLike) -> BoolLike:
    """Whether the part occurs in the string."""
    if isinstance(s, str) and isinstance(part, str):
        return part in s
    if part == "" or s is part or (isinstance(part, Term) and part in _pieces(s)):
        return True
    if s == "" or _is_character(s):
        return or_(str_eq(part, ""), str_eq(part, s))
    if isinstance(s, str) and _is_character(part):
        few = dict.fromkeys(s)
        return _code_in(part, [(ord(each), ord(each)) for each in few] if len(few) <= MAX_LISTED else _runs(s))
    if isinstance(part, str):
        return _contains_text(s, part)
    return make_node("contains", "bool", (s, part))


def _contains_text(s: StrLike, part: str) -> BoolLike:
    """Whether a known text occurs in a string of which some pieces may be known."""
    pieces = _pieces(s)
    if any(isinstance(piece, str) and part in piece for piece in pieces):
        return True
    if _lacks(pieces, part):
        return False
    if len(part) == 1 and isinstance(s, Node) and s.op == "concat":
        # A single character lies in one of the pieces, while a longer text may lie across two.
        return or_(*(contains(piece, part) for piece in pieces if not _lacks((piece,), part)))
    if part == "-" and _is_number(s):
        return lt(s.args[0], 0)  # type: ignore[union-attr]
    return make_node("contains", "bool", (s, part))


def _lacks(pieces: Iterable[StrLike | Value], part: str) -> bool:
    """Whether a character of the part cannot occur in any of the pieces."""
    known: set[str] = set()
    for piece in pieces:
        if isinstance(piece, str):
            known.update(piece)
        elif _is_number(piece):
            known.update("-0123456789")
        else:
            return False
    return not known.issuperset(part)


def starts_with(s: StrLike, prefix: StrLike) -> BoolLike:
    """Whether the string begins with the prefix."""
    return _has_end("starts_with", s, prefix)


def ends_with(s: StrLike, suffix: StrLike) -> BoolLike:
    """Whether the string ends with the suffix."""
    return _has_end("ends_with", s, suffix)


def _has_end(op: str, s: StrLike, part: StrLike) -> BoolLike:
    """Whether a text stands at the front of a string, or at its back."""
    if isinstance(s, str) and isinstance(part, str):
        return bool(operate(op, (s, part)))
    front, pieces = op == "starts_with", _pieces(s)
    outer = pieces[0 if front else -1]
    if part == "" or s is part or (isinstance(part, Term) and outer is part):
        return True
    if s == "" or _is_character(s):
        return or_(str_eq(part, ""), str_eq(part, s))
    if isinstance(part, str) and isinstance(outer, str):
        if len(part) <= len(outer):
            return bool(operate(op, (outer, part)))
        inner, rest = (pieces[1:], part[len(outer) :]) if front else (pieces[:-1], part[: -len(outer)])
        return bool(operate(op, (part, outer))) and _has_end(op, concat(*inner), rest)
    return make_node(op, "bool", (s, part))


def index_of(s: StrLike, part: StrLike, start: IntLike = 0) -> IntLike:
    """The first position from start on at which the part occurs, or -1."""
    start = linear(*split(start))
    if isinstance(part, str) and part and start == 0 and isinstance(s, Node):
        pieces = _pieces(s)
        if _lacks(pieces, part):
            return -1
        before: IntLike = 0
        for piece in pieces if len(part) == 1 else ():
            if isinstance(piece, str) and part in piece:
                return add(before, piece.index(part))
            if not _lacks((piece,), part):
                break
            before = add(before, str_len(piece))
    return _fold("index_of", int, (s, part, start), -1, None)


def replace_first(s: StrLike, old: StrLike, new: StrLike) -> StrLike:
    """The string with the first occurrence of old replaced."""
    return _fold("replace_first", str, (s, old, new))


def int_to_str(i: IntLike) -> StrLike:
    """The decimal digits of an integer, with a minus sign if negative."""
    return _fold("str_of_int", str, (linear(*split(i)),))


def repr_(s: StrLike) -> StrLike:
    """`repr(s)`"""
    if isinstance(s, Node) and s.op == "str_of_int":
        return concat("'", s, "'")
    return _fold("repr", str, (s,))


def formatted(value: Value | Term, spec: str) -> StrLike:
    """`format(value, spec)`, for a specification that fits the value."""
    return _fold("format", str, (value, spec))


def percent(value: Value | Term, spec: str) -> StrLike:
    """`spec % (value,)`, for a directive that fits the value."""
    return _fold("percent", str, (value, spec))


def str_to_int(s: StrLike) -> IntLike:
    """The integer that an integer literal denotes; the caller has asked is_int_literal first."""
    if isinstance(s, Node) and s.op == "str_of_int":
        return s.args[0]  # type: ignore[return-value]
    return _fold("int_of_str", int, (s,))


def ord_(s: StrLike) -> IntLike:
    """The code of a string of one character."""
    if isinstance(s, Node) and s.op == "chr":
        return s.args[0]  # type: ignore[return-value]
    return _fold("ord", int, (s,), -1, MAX_CODE)


def chr_(code: IntLike) -> StrLike:
    """The string of one character with the given code, which is a valid one."""
    code = linear(*split(code))
    if isinstance(code, Node) and code.op == "ord":
        return code.args[0]  # type: ignore[return-value]
    return _fold("chr", str, (code,))


def matches(s: StrLike, name: str) -> BoolLike:
    """Whether the whole string belongs to one of the named classes, all of them of ASCII characters.

    "int" is an optional sign and digits; "digits", "alpha", "alnum" and "space" are at least one such character;
    "upper" and "lower" have a letter of this case and none of the other; "ascii" is any characters, or none.
    """
    assert name in CHARACTERS, name
    if isinstance(s, Node) and s.op == "str_of_int":
        if name in ("int", "ascii"):
            return True
        if name in _WITHOUT_DIGITS:
            return False
        if name in _WITH_DIGITS:
            return ge(s.args[0], 0)  # type: ignore[arg-type]
    if isinstance(s, Node) and s.op == "concat" and name in _OF_EVERY_CHARACTER:
        pieces = _pieces(s)
        parts = [piece for piece in pieces if isinstance(piece, str) or _is_number(piece)]
        if name == "ascii" or len(parts) == len(pieces):
            return and_(*(matches(piece, name) for piece in pieces))
        if any(matches(piece, name) is False for piece in parts):
            return False
    if _is_character(s):
        return _code_in(s, CHARACTERS[name])
    return _fold("matches", bool, (s, name))


_OF_EVERY_CHARACTER = frozenset(("ascii", "digits", "alpha", "alnum", "space"))
"""Classes to which a text belongs if all its parts do, none of which is empty."""
_WITH_DIGITS = frozenset(("digits", "alnum"))
_WITHOUT_DIGITS = frozenset(("alpha", "space", "upper", "lower"))


def _is_number(piece: Value | Term) -> bool:
    return isinstance(piece, Node) and piece.op == "str_of_int"


def _fold(
    op: str, sort: type[_T], args: tuple[Value | Term, ...], lo: int | None = None, hi: int | None = None
) -> _T | Term:
    """The term of an operation, or its result if all arguments are known."""
    if any(isinstance(arg, Term) for arg in args):
        return make_node(op, sort.__name__, args, lo, hi)
    return cast(_T, operate(op, args))  # type: ignore[arg-type]

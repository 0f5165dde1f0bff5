"""Conditions of a program as words that a name can be made of."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

_LONGEST_PHRASE = 40
_MOST_KNOWN = 10_000
"""Conditions whose words are remembered."""
_MOST_BITS = 64
"""Integers of more bits are not spelled out."""
_FAR = 10**9
"""Being below or above so large a number says little; mostly, it is where the integers of a language end."""
_AGAINST_ZERO = {
    ast.Lt: "negative",
    ast.Gt: "positive",
    ast.Eq: "zero",
    ast.NotEq: "not_zero",
    ast.GtE: "not_negative",
    ast.LtE: "not_positive",
}
_MEASURES = ("ordinal", "microseconds")
"""The numbers that stand for dates and times: two of them can be compared in words, but none reads well."""
_RELATIONS = {
    ast.Lt: "below",
    ast.Gt: "above",
    ast.Eq: "equals",
    ast.NotEq: "differs_from",
    ast.GtE: "at_least",
    ast.LtE: "at_most",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}
_OPPOSITE = ((ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {a: b for pair in _OPPOSITE for a, b in (pair, pair[::-1])}
_SWAPPED = ((ast.Lt, ast.Gt), (ast.LtE, ast.GtE), (ast.Eq, ast.Eq), (ast.NotEq, ast.NotEq))
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {a: b for pair in _SWAPPED for a, b in (pair, pair[::-1])}
_OPERATORS = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Mod: "mod", ast.FloorDiv: "div"}
_SIGNS = {
    "": "empty", " ": "space", "#": "hash", ",": "comma", ".": "dot", "-": "dash", "/": "slash", ":": "colon",
    ";": "semicolon", "=": "equals_sign", "*": "star", "+": "plus", "_": "underscore", "@": "at_sign", "%": "percent",
    "&": "ampersand", "|": "bar", "\n": "newline", "\t": "tab", "\\": "backslash", "'": "quote", '"': "double_quote",
    "(": "parenthesis", ")": "closing_parenthesis", "[": "bracket", "]": "closing_bracket", "{": "brace",
    "}": "closing_brace", "<": "less_sign", ">": "greater_sign", "!": "exclamation_mark", "?": "question_mark",
    "$": "dollar", "~": "tilde", "^": "caret", "--": "dashes", "//": "slashes",
}  # fmt: skip
"""Texts without a letter that have a name."""
_RUN_TOGETHER = re.compile(
    r"^(starts|ends)(with)$|^(is)(alnum|alpha|ascii|decimal|digit|lower|numeric|space|title|upper)$"
)


@lru_cache(maxsize=_MOST_KNOWN)
def phrases(condition: str) -> tuple[str, ...]:
    """The readable parts of a condition; empty where it does not read well as words."""
    # The paths of a function share most of their conditions.
    try:
        expression = ast.parse(condition.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(phrase for phrase in _conjuncts(expression) if phrase and len(phrase) <= _LONGEST_PHRASE)


_SEPARATORS = re.compile("[^0-9a-z]+")


def slug(text: str) -> str:
    """The text reduced to lower-case words."""
    return _SEPARATORS.sub("_", text.lower()).strip("_")


def spelled(text: str, most: int = 3) -> str:
    """A text as it is, or one of few signs sign by sign; empty if it has no such reading."""
    words = slug(text)
    if words == text.lower():
        return words
    signs = [sign.lower() if sign.isascii() and sign.isalnum() else _SIGNS.get(sign, "") for sign in text]
    return "_".join(signs) if len(text) <= most and all(signs) else ""


def number(value: int | float) -> str:
    """A number as a word."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a_large_negative_number" if value < 0 else "a_large_number"
    text = (
        repr(abs(value)).replace(".", "_point_").replace("e-", "e_minus_").replace("e+", "e").removesuffix("_point_0")
    )
    return f"minus_{text}" if value < 0 else text


def _conjuncts(node: ast.expr, positive: bool = True) -> list[str]:
    match node:
        case ast.BoolOp(op=ast.And(), values=values) if positive:
            return [phrase for value in values for phrase in _conjuncts(value)]
        case ast.BoolOp(op=ast.Or(), values=values) if not positive:
            return [phrase for value in values for phrase in _conjuncts(value, positive=False)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _conjuncts(operand, not positive)
    return [_statement(node, positive)]


def _statement(node: ast.expr, positive: bool) -> str:
    """What is said by a condition that has no parts which are conditions, or by its opposite."""
    match node:
        case ast.Compare(left=low, ops=[ast.Lt() | ast.LtE(), ast.Lt() | ast.LtE()], comparators=[value, high]):
            parts = [_words(each) for each in (value, low, high)]
            between = "between" if positive else "not_between"
            return f"{parts[0]}_{between}_{parts[1]}_and_{parts[2]}" if all(parts) else ""
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(left, type(op) if positive else _NEGATED[type(op)], right)
        case ast.Call(func=ast.Name(id="isinstance"), args=[value, cls]):
            return f"{_words(value)}_{'is' if positive else 'is_not'}_{_words(cls)}" if _words(value) else ""
        case ast.Attribute(value=value, attr=attr) if not positive and not _is_self(value):
            return _negated(_words(value), _method(attr))
        case ast.Call(func=ast.Attribute(value=value), args=[*given], keywords=[]) if not positive and len(given) < 2:
            subject = _words(value)
            return _negated(subject, _words(node).removeprefix(f"{subject}_"))
    words = _words(node)
    return (words if positive else f"not_{words}") if words else ""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _comparison(left: ast.expr, kind: type[ast.cmpop], right: ast.expr) -> str:
    match left, right:
        case (ast.Call(func=ast.Name(id=first), args=[one]), ast.Call(func=ast.Name(id=second), args=[other])):
            if first in _MEASURES and first == second:
                left, right = one, other
    if _constant(left) is not None and _constant(right) is None and kind in _MIRRORED:
        left, kind, right = right, _MIRRORED[kind], left
    value = _constant(right)
    if isinstance(value, int) and not isinstance(value, bool):
        # Bounds on integers read best against zero.
        if (kind, value) == (ast.LtE, -1):
            kind, value = ast.Lt, 0
        elif (kind, value) == (ast.GtE, 1):
            kind, value = ast.Gt, 0
        measured = _length_of(left)
        if measured:
            return _length(measured, kind, value)
        if abs(value) >= _FAR and kind not in (ast.Eq, ast.NotEq):
            return ""
        words = _words(left)
        if value == 0 and words and kind in _AGAINST_ZERO:
            return f"{words}_{_AGAINST_ZERO[kind]}"
    first, second = _words(left), _words(right)
    return f"{first}_{_RELATIONS[kind]}_{second}" if first and second else ""


def _length(subject: str, kind: type[ast.cmpop], value: int) -> str:
    if (kind, value) in ((ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)):
        return f"empty_{subject}"
    if (kind, value) in ((ast.NotEq, 0), (ast.Gt, 0)):
        return f"non_empty_{subject}"
    if kind is ast.Eq:
        return f"{subject}_of_length_{value}"
    return f"{subject}_length_{_RELATIONS[kind]}_{number(value)}"


def _length_of(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[subject]):
            return _words(subject)
    return ""


def _constant(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _words(node: ast.expr) -> str:
    """An expression as words, empty if it has no short reading."""
    match node:
        case ast.Name(id=name):
            return slug(name)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if owner == "self" or owner[:1].isupper():
            # The member of an enumeration says more than its class.
            return _method(attr)
        case ast.Attribute(value=value, attr=attr):
            return _joined(_words(value), _method(attr))
        case ast.Constant(value=value):
            return _literal(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return number(-value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _joined("minus", _words(operand))
        case ast.Subscript(value=value, slice=index):
            return _joined(_words(value), _words(index))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second = _words(left), _words(right)
            return f"{first}_{_OPERATORS[type(op)]}_{second}" if first and second else ""
        case ast.Call():
            return _call(node)
        case ast.Tuple(elts=[one]) | ast.List(elts=[one]) | ast.Set(elts=[one]):
            return _words(one)
        case ast.Tuple(elts=[one, two]) | ast.List(elts=[one, two]) | ast.Set(elts=[one, two]):
            first, second = _words(one), _words(two)
            return f"{first}_or_{second}" if first and second else ""
    return ""


def _literal(value: object) -> str:
    match value:
        case None | bool():
            return str(value).lower()
        case str():
            return slug(value)[:16].strip("_") or _SIGNS.get(value, "")
        case int() | float():
            return number(value)
    return ""


def _call(node: ast.Call) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name not in _MEASURES:
            return _joined(slug(name), _words(argument))
        case ast.Call(func=ast.Name(id="while_"), args=[condition, ast.Name(id=times)]):
            # How often a loop has run, as languages tell it.
            parts = _conjuncts(condition)
            return _joined(parts[0], times) if len(parts) == 1 else ""
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[], keywords=[]):
            return _joined(_words(value), _method(attr))
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[argument, *_], keywords=[]):
            return _joined(_joined(_words(value), _method(attr)), _words(argument))
    return ""


def _method(name: str) -> str:
    """A name as words; those of the library that run together are taken apart."""
    return slug(_RUN_TOGETHER.sub(r"\1\3_\2\4", name))


def _negated(subject: str, said: str) -> str:
    """`line_is_not_digit`, `line_does_not_start_with_a`, `order_not_open`."""
    if not subject or not said:
        return ""
    if said.startswith("is_"):
        return f"{subject}_is_not_{said.removeprefix('is_')}"
    if re.match(r"(starts|ends)_with", said):
        return f"{subject}_does_not_{said.replace('s_with', '_with', 1)}"
    return f"{subject}_not_{said}"


def _joined(first: str, second: str) -> str:
    return f"{first}_{second}" if first and second else ""

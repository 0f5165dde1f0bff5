"""Conditions in the words of a language.

Conditions are made, compared and stored in one form, an expression as Python has it (`logic/printing.py`). Whoever
shows them to a person reads it and writes it down again as the language of the program would have it: what that is,
says a `Spelling`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from functools import lru_cache

from everypath.records import dataclass, field

_MARK = "\u01c2"
"""Stands for a dollar sign, which names of classes may have and Python's names may not."""
_MOST_KNOWN = 20_000
_TERNARY, _OR, _AND, _BITS, _EQUAL, _ORDER, _SUM, _PRODUCT, _UNARY, _ATOM = range(10)
_ARITHMETIC: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _SUM), ast.Sub: ("-", _SUM), ast.Mult: ("*", _PRODUCT), ast.Div: ("/", _PRODUCT),
    ast.BitAnd: ("&", _BITS), ast.BitOr: ("|", _BITS), ast.BitXor: ("^", _BITS),
}  # fmt: skip
_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "==", ast.IsNot: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_OPPOSITE = {"==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language writes values and conditions."""

    nothing: str = "None"
    yes: str = "True"
    no: str = "False"
    receiver: str = "self"
    conjunction: str = "and"
    disjunction: str = "or"
    negation: str = "not "
    conditional: str = "{then} if {test} else {otherwise}"
    calls: Mapping[str, str] = field(default_factory=dict)
    """function or method, with a dot in front -> a template with its arguments by number"""
    operators: Mapping[str, str] = field(default_factory=dict)
    """operators that are calls in the language, likewise"""
    own: bool = True
    """whether conditions have to be written anew"""


PYTHON = Spelling(own=False)


@lru_cache(maxsize=_MOST_KNOWN)
def _parsed(text: str) -> ast.expr | None:
    try:
        found = ast.parse(text.replace("$", _MARK).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    texts = [node.value for node in ast.walk(found) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    # What is no expression may begin like one: `Fork#3.take goes on` has a comment in it.
    return found if sum(each.count("#") for each in texts) == text.count("#") else None


def spelled(text: str, spelling: Spelling) -> str:
    """A condition in the words of a language; what is no expression stays as it is."""
    expression = _parsed(text) if spelling.own else None
    if expression is None:
        return text
    try:
        return _Writer(spelling).text(expression, _TERNARY).replace(_MARK, "$")
    except RecursionError:
        return text


class _Writer:
    """Writes expressions with as many brackets as they need."""

    def __init__(self, spelling: Spelling) -> None:
        self._words = spelling

    def text(self, node: ast.expr, least: int) -> str:
        """An expression, in brackets where it binds less than what is around it."""
        written, strength = self._written(node)
        return f"({written})" if strength < least else written

    def _written(self, node: ast.expr) -> tuple[str, int]:
        words = self._words
        match node:
            case ast.Constant(value=None):
                return words.nothing, _ATOM
            case ast.Constant(value=bool(value)):
                return words.yes if value else words.no, _ATOM
            case ast.Constant(value=str(value)):
                return json.dumps(value, ensure_ascii=False), _ATOM
            case ast.BoolOp(op=op, values=values):
                both = isinstance(op, ast.And)
                strength = _AND if both else _OR
                sign = f" {words.conjunction if both else words.disjunction} "
                return sign.join(self.text(each, strength + 1) for each in values), strength
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._negated(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-{self.text(operand, _UNARY)}", _UNARY
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compared(left, ops, others)
            case ast.BinOp(left=left, op=op, right=right):
                return self._computed(left, op, right)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                parts = [self.text(each, _OR) for each in (test, body, otherwise)]
                return words.conditional.format(test=parts[0], then=parts[1], otherwise=parts[2]), _TERNARY
            case ast.Call(func=func, args=arguments, keywords=[]):
                return self._called(func, arguments)
            case ast.Attribute(value=value, attr=name):
                return f"{self.text(value, _ATOM)}.{name}", _ATOM
            case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Slice):
                return f"{self.text(value, _ATOM)}[{self.text(index, _TERNARY)}]", _ATOM
        return ast.unparse(node), _ATOM

    def _negated(self, operand: ast.expr) -> tuple[str, int]:
        if isinstance(operand, ast.Compare) and len(operand.ops) == 1:
            sign = _RELATIONS.get(type(operand.ops[0]), "")
            if sign in _OPPOSITE:
                sides = self.text(operand.left, _ORDER), self.text(operand.comparators[0], _ORDER)
                return f" {_OPPOSITE[sign]} ".join(sides), _EQUAL
        return self._not(*self._written(operand))

    def _not(self, holds: str, strength: int) -> tuple[str, int]:
        return f"{self._words.negation}{holds if strength >= _UNARY else f'({holds})'}", _UNARY

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> tuple[str, int]:
        parts = []
        for op, right in zip(ops, others, strict=True):
            sign = _RELATIONS.get(type(op), "")
            if sign:
                strength = _EQUAL if sign in _OPPOSITE else _ORDER
                parts.append((f"{self.text(left, strength + 1)} {sign} {self.text(right, strength + 1)}", strength))
            else:
                holds, strength = self._template("in", [left, right], self._words.operators)
                parts.append((holds, strength) if isinstance(op, ast.In) else self._not(holds, strength))
            left = right
        if len(parts) == 1:
            return parts[0]
        return f" {self._words.conjunction} ".join(text for text, _ in parts), _AND

    def _computed(self, left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, int]:
        if type(op) in _ARITHMETIC:
            sign, strength = _ARITHMETIC[type(op)]
            return f"{self.text(left, strength)} {sign} {self.text(right, strength + 1)}", strength
        sign = {ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}.get(type(op), "?")
        return self._template(sign, [left, right], self._words.operators)

    def _called(self, func: ast.expr, arguments: list[ast.expr]) -> tuple[str, int]:
        calls = self._words.calls
        if isinstance(func, ast.Name):
            return self._template(func.id, arguments, calls)
        if isinstance(func, ast.Attribute) and f".{func.attr}" in calls:
            return self._template(f".{func.attr}", [func.value, *arguments], calls)
        return f"{self.text(func, _ATOM)}({', '.join(self.text(each, _TERNARY) for each in arguments)})", _ATOM

    def _template(self, name: str, arguments: list[ast.expr], templates: Mapping[str, str]) -> tuple[str, int]:
        template = templates.get(name)
        if template is not None:
            written = template.format(*(self.text(each, _UNARY) for each in arguments))
            return written, _ORDER if " " in template.replace(", ", ",") else _ATOM
        if name.isidentifier() and name != "in":
            return f"{name}({', '.join(self.text(each, _TERNARY) for each in arguments)})", _ATOM
        return f" {name} ".join(self.text(each, _UNARY) for each in arguments), _ORDER

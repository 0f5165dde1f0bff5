"""Summaries that a user writes for code that is not available: reads them, and makes methods of them.

    summary arraycopy(src, dst, length)
    case
      condition    length == 0
      outcome      returns None
    case
      input heap   src -> list, dst -> list
      condition    length == 1, len(src) > 0, len(dst) > 0
      output heap  dst[0] = src[0]
      outcome      returns None

A case holds where all of its input heap and its condition do. The parts of an input heap are `x -> Class(field=VALUE)`,
where VALUE is a constant or a name for what the field holds, `x = None`, and `x = y` for the same object; those of an
output heap are assignments, all of which speak of the heap before the call. `new Class(field=VALUE)` makes an object.
Expressions are written in the syntax that most languages share; `null`, `true` and `false` are understood as well. The
file has the form in which `show --summary` prints, and is the same for all languages.

The method that is made of a summary asks the conditions one case after the other, so that composing it needs nothing
that executing other methods does not: every heap and every language can.
"""

from __future__ import annotations

import ast
import re

from everypath.errors import BadInput, Span
from everypath.records import dataclass

_HEAD = re.compile(r"summary\s+([\w.$<>]+)\s*\(([^)]*)\)\s*$")
_ROW = re.compile(r"\s+(input heap|condition|output heap|outcome)\s+(\S.*)$")
_OUTCOME = re.compile(r"(returns|raises)(?:\s+(.*))?$")
_ARROW = re.compile(r"([A-Za-z_]\w*)\s*->\s*([\w.$]+)\s*(?:\((.*)\))?$")
_CONSTANTS = {"null": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Shape:
    """`name -> Class(field=VALUE)`: the object that an input is."""

    name: str
    cls: str
    fields: tuple[tuple[str, ast.expr], ...]


@dataclass(frozen=True, slots=True)
class WrittenCase:
    """One case: what must hold, what changes, and how it ends."""

    span: Span
    shapes: tuple[Shape, ...]
    conditions: tuple[ast.expr, ...]
    effects: tuple[tuple[ast.expr, ast.expr], ...]
    returns: ast.expr | None
    raises: str


@dataclass(frozen=True, slots=True)
class Written:
    """The summary of one function."""

    name: str
    params: tuple[str, ...]
    cases: tuple[WrittenCase, ...]
    span: Span


def read_summaries(file: str, text: str) -> list[Written]:
    """The summaries in a file; BadInput, with the line, for what is none."""
    found: list[Written] = []
    head: tuple[str, tuple[str, ...], Span] | None = None
    cases: list[WrittenCase] = []
    rows: dict[str, tuple[str, Span]] | None = None
    begun = Span(file)

    def finish_case() -> None:
        nonlocal rows
        if rows is not None:
            cases.append(_case(begun, rows))
            rows = None

    def finish_summary() -> None:
        finish_case()
        if head is not None:
            if not cases:
                raise BadInput(f"the summary of {head[0]} has no case", head[2])
            found.append(Written(head[0], head[1], tuple(cases), head[2]))
            cases.clear()

    for number, line in enumerate(text.splitlines(), 1):
        span = Span(file, number, 1)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if (match := _HEAD.match(line)) is not None:
            finish_summary()
            params = tuple(p.strip() for p in match.group(2).split(",") if p.strip())
            if not all(map(str.isidentifier, params)) or len(set(params)) < len(params):
                raise BadInput(f"the parameters ({match.group(2)}) are not distinct names", span)
            head = match.group(1), params, span
        elif re.match(r"case\b", line):
            if head is None:
                raise BadInput("a case belongs below a line 'summary NAME(PARAMETERS)'", span)
            finish_case()
            rows, begun = {}, span
        elif (match := _ROW.match(line)) is not None and rows is not None:
            if match.group(1) in rows:
                raise BadInput(f"this case has its {match.group(1)} already; separate the parts by commas", span)
            rows[match.group(1)] = (match.group(2).strip(), span)
        else:
            said = "'summary NAME(PARAMETERS)', 'case', or one of input heap, condition, output heap and outcome"
            raise BadInput(f"{line.strip()!r} is none of the lines of a summary: {said}, indented below a case", span)
    finish_summary()
    if not found:
        raise BadInput("there is no line 'summary NAME(PARAMETERS)' in this file", Span(file))
    return found


def _case(begun: Span, rows: dict[str, tuple[str, Span]]) -> WrittenCase:
    if "outcome" not in rows:
        raise BadInput("this case has no outcome: say 'outcome returns VALUE' or 'outcome raises CLASS'", begun)
    shapes: list[Shape] = []
    conditions: list[ast.expr] = []
    for part in _parts(*rows["input heap"]) if "input heap" in rows else ():
        span = rows["input heap"][1]
        arrow = _ARROW.match(part)
        if arrow is not None:
            name, cls, inside = arrow.groups()
            shapes.append(Shape(name, cls, tuple(_fields(inside or "", span))))
            continue
        name, equals, other = (text.strip() for text in part.partition("="))
        if not equals or other.startswith("="):
            raise BadInput(f"{part!r} in an input heap is not 'x -> Class(...)', 'x = None' or 'x = y'", span)
        conditions.append(_expression(f"{name} is {other}", span))
    if "condition" in rows:
        conditions += [_expression(part, rows["condition"][1]) for part in _parts(*rows["condition"])]
    effects = (
        [_effect(part, rows["output heap"][1]) for part in _parts(*rows["output heap"])]
        if ("output heap" in rows)
        else []
    )
    returns, raises = _outcome(*rows["outcome"])
    return WrittenCase(begun, tuple(shapes), tuple(conditions), tuple(effects), returns, raises)


def _outcome(text: str, span: Span) -> tuple[ast.expr | None, str]:
    match = _OUTCOME.match(text)
    if match is None:
        raise BadInput(f"the outcome {text!r} is neither 'returns VALUE' nor 'raises CLASS'", span)
    word, rest = match.group(1), (match.group(2) or "").strip()
    if word == "returns":
        return (_expression(rest, span) if rest else ast.Constant(None)), ""
    if not re.fullmatch(r"[\w.$]+", rest):
        raise BadInput(f"'raises' needs the class of an error, and not {rest!r}", span)
    return None, rest


def _fields(text: str, span: Span) -> list[tuple[str, ast.expr]]:
    found = []
    for part in _parts(text, span) if text.strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier():
            raise BadInput(f"{part!r} is not 'field=VALUE'", span)
        found.append((name, _expression(value, span)))
    return found


def _effect(text: str, span: Span) -> tuple[ast.expr, ast.expr]:
    target, equals, value = (piece.strip() for piece in text.partition("="))
    place = _expression(target, span) if equals else None
    if not isinstance(place, (ast.Attribute, ast.Subscript)):
        raise BadInput(f"{text!r} in an output heap is not 'x.field = VALUE' or 'x[index] = VALUE'", span)
    return place, _expression(value, span)


def _expression(text: str, span: Span) -> ast.expr:
    try:
        return ast.parse(re.sub(r"\bnew\s+(?=[A-Za-z_])", "", text), mode="eval").body
    except (SyntaxError, ValueError):
        raise BadInput(f"{text!r} is no expression", span) from None


def _parts(text: str, span: Span) -> list[str]:
    """The parts between commas that are in no brackets."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += (character in "([{") - (character in ")]}") if not quote else 0
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    if depth or quote:
        raise BadInput(f"a bracket or quote of {text!r} is not closed", span)
    return [part.strip() for part in parts if part.strip()]


def constant_of(node: ast.expr) -> tuple[bool, object]:
    """Whether an expression is a constant, and which."""
    if isinstance(node, ast.Constant):
        return True, node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return (True, -value) if isinstance(value, int) else (False, None)
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return True, _CONSTANTS[node.id]
    return False, None

"""Lines of Python laid out the way black and `ruff format` leave them."""

from __future__ import annotations

import re
import unicodedata

from everypath.records import dataclass

LINE_LENGTH = 88
INDENT = "    "
_PRODUCT = re.compile(r"[\"'\]] \* \d+$")


@dataclass(frozen=True, slots=True)
class Text:
    """An expression that stays on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """An element inside brackets, with what precedes it: `name=`, `key: ` or nothing."""

    value: Expr
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Elements between brackets; those of a call may share one indented line, those of a literal may not."""

    opening: str
    items: tuple[Item, ...]
    closing: str
    call: bool = False


Expr = Text | Group


def call(callee: str, items: tuple[Item, ...] | list[Item]) -> Group:
    """A call of `callee`."""
    return Group(f"{callee}(", tuple(items), ")", call=True)


def flat(expr: Expr) -> str:
    """The expression on one line."""
    if isinstance(expr, Text):
        return expr.text
    inner = ", ".join(item.prefix + flat(item.value) for item in expr.items)
    if expr.opening == "(" and len(expr.items) == 1:
        inner += ","
    return f"{expr.opening}{inner}{expr.closing}"


def width(text: str) -> int:
    """Columns that the text takes on a screen."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fits(line: str) -> bool:
    """Whether a line needs no wrapping."""
    return width(line) <= LINE_LENGTH


def wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """The words of a text in lines that are no wider, beginning with `first` and the others with `rest`."""
    # The library's `textwrap` does this too, but takes longer to load than most files of tests to write.
    first_word, *words = text.split() or [""]
    lines, line = [], f"{first}{first_word}"
    for word in words:
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = f"{rest}{word}"
        else:
            line = f"{line} {word}"
    return [*lines, line if first_word else line.rstrip()]


def lay_out(prefix: str, expr: Expr, suffix: str = "", indent: str = "") -> list[str]:
    """`prefix expr suffix`, wrapped inside the expression's brackets if it is too long."""
    line = f"{indent}{prefix}{flat(expr)}{suffix}"
    if fits(line) or isinstance(expr, Text) or not expr.items:
        return [line]
    inner = indent + INDENT
    head, tail = f"{indent}{prefix}{expr.opening}", f"{indent}{expr.closing}{suffix}"
    if expr.call:
        body = inner + ", ".join(item.prefix + flat(item.value) for item in expr.items)
        if fits(body):
            return [head, body, tail]
    lines = [head]
    for item in expr.items:
        lines += lay_out(item.prefix, item.value, ",", inner)
    return [*lines, tail]


def assignment(target: str, expr: Expr, indent: str = INDENT) -> list[str]:
    """`target = expr`; an expression without brackets to wrap in gets parentheses where these make it fit."""
    line = f"{indent}{target} = {flat(expr)}"
    splittable = isinstance(expr, Group) and bool(expr.items)
    # An operation is put into parentheses even where the target alone is too long; a constant is not.
    head_fits = fits(f"{indent}{target} = (") or _PRODUCT.search(flat(expr)) is not None
    inside = head_fits and fits(indent + INDENT + flat(expr))
    if not splittable and not fits(line) and inside:
        return [f"{indent}{target} = (", f"{indent}{INDENT}{flat(expr)}", f"{indent})"]
    return lay_out(f"{target} = ", expr, "", indent)


def assertion(left: Expr, operator: str, right: Expr, indent: str = INDENT) -> list[str]:
    """`assert left operator right`."""
    start = f"assert {flat(left)} {operator} "
    if fits(f"{indent}{start}{flat(right)}"):
        return [f"{indent}{start}{flat(right)}"]
    if isinstance(right, Group) and right.items and fits(indent + start + right.opening):
        return lay_out(start, right, "", indent)
    inner = indent + INDENT
    whole = f"{inner}{flat(left)} {operator} {flat(right)}"
    if fits(whole):
        return [f"{indent}assert (", whole, f"{indent})"]
    first, second = lay_out("", left, "", inner), lay_out(f"{operator} ", right, "", inner)
    return [f"{indent}assert (", *first, *second, f"{indent})"]

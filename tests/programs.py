"""Random small programs over integers, booleans, lists and linked nodes, as source text."""

from __future__ import annotations

from hypothesis import strategies as st

HEADER = """\
from __future__ import annotations


class Node:
    def __init__(self, value: int, next: Node | None) -> None:
        self.value = value
        self.next = next


def subject(a: int, b: int, flag: bool, p: Node | None, q: Node, xs: list[int]) -> int:
"""

_INTEGERS = ["a", "b", "1", "0", "-2", "a + b", "a - b", "b * 2", "a // 2", "b % 3", "q.value", "len(xs)", "x"]
_CONDITIONS = [
    "a < b",
    "a == b",
    "flag",
    "not flag",
    "p is None",
    "p is q",
    "p is not None and p.value > a",
    "q.next is None",
    "q.value == a",
    "x > 3",
    "len(xs) == 2",
    "a in xs",
    "0 <= a < len(xs)",
    "xs and xs[0] > b",
    "a % 2 == 0 or b > 1",
]
_SIMPLE = [
    "x += 1",
    "a = b - 1",
    "q.value = a",
    "x = xs[0]",
    "x = xs[a]",
    "xs[0] = b",
    "xs.append(a)",
    "x = xs.pop()",
    "p.value = 7",
    "q.next = p",
    "x = a // b",
    "p = q",
    "x = q.next.value",
]


def _indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def _statement(draw: st.DrawFn, depth: int) -> list[str]:
    kind = draw(st.sampled_from(["simple"] * 4 + (["if", "if", "while", "for", "try"] if depth > 0 else [])))
    if kind == "simple":
        if draw(st.booleans()):
            return [draw(st.sampled_from(_SIMPLE))]
        return [f"x = {draw(st.sampled_from(_INTEGERS))}"]
    body = _indent(draw(_block(depth - 1)))
    if kind == "if":
        other = draw(st.one_of(st.none(), _block(depth - 1)))
        lines = [f"if {draw(st.sampled_from(_CONDITIONS))}:", *body]
        return lines if other is None else [*lines, "else:", *_indent(other)]
    if kind == "while":
        return [f"while {draw(st.sampled_from(_CONDITIONS))}:", *body, "    x += 1", "    a -= 1"]
    if kind == "for":
        return ["for item in xs:", *body, "    x += item"]
    return ["try:", *body, "except (ValueError, IndexError, ZeroDivisionError):", "    x = -1"]


@st.composite
def _block(draw: st.DrawFn, depth: int) -> list[str]:
    statements = draw(st.lists(_statement(depth), min_size=1, max_size=3))
    return [line for statement in statements for line in statement]


@st.composite
def programs(draw: st.DrawFn, depth: int = 2) -> str:
    """A module whose function `subject` is worth exploring."""
    lines = ["x = 0", *draw(_block(depth)), "return x"]
    return HEADER + "\n".join(_indent(lines)) + "\n"

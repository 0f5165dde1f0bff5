"""Random expressions as recipes that are cooked twice: into terms, and into plain Python values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from everypath.logic import terms as T

LOW, HIGH = -2, 2
NAMES = ("a", "b", "c")
FLAGS = ("p", "q")
TEXTS = ("s", "t")


class Undefined(Exception):
    """The expression divides by zero or indexes out of range, which constructors exclude."""


@dataclass(frozen=True)
class Recipe:
    """An operation on further recipes; leaves are names and constants."""

    op: str
    args: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"


def make(op: str, *args: Any) -> Recipe:
    return Recipe(op, args)


def fresh_variables() -> dict[str, Any]:
    table: dict[str, Any] = {name: T.int_var(name, LOW, HIGH) for name in NAMES}
    table |= {name: T.bool_var(name) for name in FLAGS}
    table |= {name: T.str_var(name) for name in TEXTS}
    return table


def cook(recipe: Any, table: dict[str, Any]) -> Any:
    """The recipe through the constructors of terms; the table holds variables or concrete values."""
    if not isinstance(recipe, Recipe):
        return recipe
    if recipe.op == "var":
        return table[recipe.args[0]]
    return getattr(T, recipe.op)(*(cook(arg, table) for arg in recipe.args))


def _nonzero(b: int) -> int:
    if b == 0:
        raise Undefined
    return b


def _truncdiv(a: int, b: int) -> int:
    quotient = abs(a) // abs(_nonzero(b))
    return quotient if (a >= 0) == (b > 0) else -quotient


def _at(s: str, i: int) -> str:
    if not 0 <= i < len(s):
        raise Undefined
    return s[i]


def _substring(s: str, start: int, stop: int) -> str:
    if not 0 <= start <= stop <= len(s):
        raise Undefined
    return s[start:stop]


def _find(s: str, part: str, start: int) -> int:
    if not 0 <= start <= len(s):
        raise Undefined
    return s.find(part, start)


def _ord(s: str) -> int:
    if len(s) != 1:
        raise Undefined
    return ord(s)


KINDS: dict[str, Callable[[str], bool]] = {
    "digits": lambda s: s.isascii() and s.isdigit(),
    "alpha": lambda s: s.isascii() and s.isalpha(),
    "upper": lambda s: s.isascii() and s.isupper(),
    "int": lambda s: (s[1:] if s[:1] in ("+", "-") else s).isdigit(),
}

REFERENCE: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "floordiv": lambda a, b: a // _nonzero(b),
    "floormod": lambda a, b: a % _nonzero(b),
    "truncdiv": _truncdiv,
    "truncrem": lambda a, b: a - b * _truncdiv(a, b),
    "power": lambda a, b: a**b,
    "min_": min,
    "max_": max,
    "abs_": abs,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "shift_left": lambda a, b: a << b,
    "shift_right": lambda a, b: a >> b,
    "bool_to_int": int,
    "ite": lambda c, a, b: a if c else b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "not_": lambda a: not a,
    "and_": lambda *c: all(c),
    "or_": lambda *c: any(c),
    "implies": lambda a, b: not a or b,
    "bool_eq": lambda a, b: a == b,
    "ite_bool": lambda c, a, b: a if c else b,
    "str_len": len,
    "str_at": _at,
    "substring": _substring,
    "concat": lambda *s: "".join(s),
    "str_eq": lambda a, b: a == b,
    "str_ne": lambda a, b: a != b,
    "str_lt": lambda a, b: a < b,
    "str_le": lambda a, b: a <= b,
    "contains": lambda s, part: part in s,
    "starts_with": lambda s, part: s.startswith(part),
    "ends_with": lambda s, part: s.endswith(part),
    "index_of": _find,
    "replace_first": lambda s, old, new: s.replace(old, new, 1),
    "int_to_str": str,
    "matches": lambda s, kind: KINDS[kind](s),
    "ord_": _ord,
}


def taste(recipe: Any, values: dict[str, Any]) -> Any:
    """The recipe as plain Python would compute it."""
    if not isinstance(recipe, Recipe):
        return recipe
    if recipe.op == "var":
        return values[recipe.args[0]]
    return REFERENCE[recipe.op](*(taste(arg, values) for arg in recipe.args))


small = st.integers(-4, 4)
variable = st.sampled_from(NAMES).map(lambda name: make("var", name))
flag = st.sampled_from(FLAGS).map(lambda name: make("var", name))
text = st.sampled_from(TEXTS).map(lambda name: make("var", name))
comparison = st.sampled_from(("eq", "ne", "lt", "le", "gt", "ge"))


def integers(depth: int) -> st.SearchStrategy[Any]:
    """Recipes of integers."""
    leaf = variable | small | variable
    if depth == 0:
        return leaf
    below = integers(depth - 1)
    divisor = small.filter(bool) | variable
    return st.one_of(
        leaf,
        st.builds(make, st.sampled_from(("add", "sub", "mul")), below, below),
        st.builds(make, st.sampled_from(("min_", "max_")), below, below),
        st.builds(make, st.sampled_from(("neg", "abs_")), below),
        st.builds(make, st.sampled_from(("floordiv", "floormod", "truncdiv", "truncrem")), below, divisor),
        st.builds(make, st.just("power"), below, st.integers(0, 3)),
        st.builds(make, st.sampled_from(("bit_and", "bit_or", "bit_xor")), below, st.integers(-20, 20) | variable),
        st.builds(make, st.sampled_from(("shift_left", "shift_right")), below, st.integers(0, 3)),
        st.builds(make, st.just("ite"), conditions(depth - 1), below, below),
        st.builds(make, st.just("bool_to_int"), conditions(depth - 1)),
    )


def conditions(depth: int) -> st.SearchStrategy[Any]:
    """Recipes of truth values over integers and flags."""
    plain = st.builds(make, comparison, variable, variable | small)
    if depth == 0:
        return plain | flag
    below = conditions(depth - 1)
    return st.one_of(
        plain,
        flag,
        st.builds(make, comparison, integers(depth), integers(depth - 1)),
        st.builds(make, st.just("not_"), below),
        st.builds(make, st.sampled_from(("and_", "or_", "implies", "bool_eq")), below, below),
        st.builds(make, st.just("ite_bool"), below, below, below),
    )


words = st.sampled_from(("", "a", "b", "ab", "ba", "aab", "-1", "7"))


def strings(depth: int) -> st.SearchStrategy[Any]:
    """Recipes of strings."""
    if depth == 0:
        return text | words
    below = strings(depth - 1)
    return st.one_of(
        text,
        words,
        st.builds(make, st.just("concat"), below, below),
        st.builds(make, st.just("str_at"), text, variable | st.integers(0, 2)),
        st.builds(make, st.just("substring"), below, st.integers(0, 1), st.integers(1, 2) | variable),
        st.builds(make, st.just("replace_first"), text, words, words),
        st.builds(make, st.just("int_to_str"), integers(0)),
        st.builds(make, st.just("ite"), conditions(0), below, below),
    )


def string_conditions(depth: int) -> st.SearchStrategy[Any]:
    """Recipes of truth values over strings."""
    pair = st.sampled_from(
        ("str_eq", "str_ne", "str_lt", "str_le", "contains", "starts_with", "ends_with", "str_eq", "str_ne")
    )
    number = st.builds(make, st.just("str_len"), strings(1)) | st.builds(
        make, st.just("index_of"), text, words, st.integers(0, 1)
    )
    plain = st.one_of(
        st.builds(make, pair, strings(1), strings(1)),
        st.builds(make, comparison, number, st.integers(-1, 3)),
        st.builds(make, st.just("matches"), strings(1), st.sampled_from(("digits", "int", "alpha", "upper"))),
    )
    if depth == 0:
        return plain
    below = string_conditions(depth - 1)
    return plain | st.builds(make, st.sampled_from(("and_", "or_")), below, below)

"""Predictions that CPython contradicted once: each program runs as predicted, or is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.options import Limits, Options
from tests.rendered import rendered

FOLLOWED = {
    "overridden_class_attribute": (
        4,
        """
class A:
    k = 1
    def m(self) -> int:
        return 1
class B(A):
    k = 2
class C(B):
    def m(self) -> int:
        return 3
class D(A):
    def m(self) -> int:
        return 4
def f(x: A) -> int:
    if x.k > 1:
        return x.m() * 10
    return x.m()
""",
    ),
    "variable_that_is_deleted": (
        2,
        """
def f(a: int) -> str:
    def inner() -> str:
        nonlocal x
        if a > 3:
            del x
        try:
            return str(x)
        except NameError as e:
            return str(e)
    x = a
    try:
        return inner() + str(x)
    except UnboundLocalError as e:
        return str(e)
""",
    ),
    "name_of_a_clause": (
        2,
        """
def f(a: int) -> int:
    e = a
    try:
        if a > 3:
            raise ValueError(a)
    except ValueError as e:
        pass
    return e
""",
    ),
    "finally_whose_first_line_raises": (
        4,
        """
def f(a: int, xs: list[int]) -> int:
    try:
        a = 10 // a
    finally:
        first, *rest = xs
        raise ValueError(first)
    return a
""",
    ),
    "items_of_an_object": (
        2,
        """
class Items:
    def __init__(self, n: int):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i: int):
        if i >= 2:
            raise IndexError(i)
        return i
def f(p: Items) -> list[int]:
    return list(p)
""",
    ),
    "object_whose_length_is_not_asked_for": (
        1,
        """
from collections import deque
class Sized:
    def __init__(self, n: int):
        self.n = n
        self.asked = 0
    def __iter__(self):
        return iter([str(self.n), "1"])
    def __len__(self):
        self.asked += 1
        return 2
def f(p: Sized) -> int:
    xs = [1, 2]
    xs[0:1] = p
    "".join(p)
    deque(p)
    xs += p
    return p.asked
""",
    ),
    "comparisons_with_nan": (
        5,
        """
def f(x: float, y: float) -> str:
    if x > 1.7976931348623157e308:
        return "infinite"
    if x <= y:
        return "up to"
    if x > y:
        return "above"
    return "one" if y == 1.0 else "other"
""",
    ),
    "part_of_a_text_beyond_ascii": (
        2,
        """
def f(a: int) -> bool:
    return "\u0130"[:a].isupper()
""",
    ),
    "sign_of_zero": (
        4,
        """
import math
def f(x: float, y: float) -> str:
    if x == 0 and math.copysign(1.0, x) < 0:
        return "negative"
    if x == 0:
        return str(x)
    return str(math.copysign(2.0, x * y)) if x * y == 0.0 else "none"
""",
    ),
    "very_large_integers": (
        4,
        """
BIG = 10 ** 9000
class C:
    def __init__(self, n: int = BIG) -> None:
        self.n = n
def f(c: C, d: dict[int, int]) -> int:
    if c.n > BIG:
        return c.n
    if c.n == -BIG:
        raise ValueError(c.n)
    return d[BIG]
""",
    ),
    "unhashable_key": (
        2,
        """
def f(xs: list[int], n: int) -> dict:
    d = {}
    if n > 0:
        d[n] = 1
    else:
        d[xs] = 1
    return d
""",
    ),
    "unhashable_member": (
        1,
        """
def f(xs: list[int]) -> bool:
    return xs in {1: 2}
""",
    ),
    "unhashable_lookup": (
        1,
        """
def f(xs: list[int]) -> int:
    return {(1, 2): 3}[(1, xs)]
""",
    ),
    "length_is_asked_for": (
        1,
        """
class Sized:
    def __init__(self, n: int):
        self.n = n
    def __iter__(self):
        return iter([self.n])
    def __len__(self):
        return 1
def count(*args):
    return len(args)
def f(s: Sized):
    return list(s), tuple(s), [*s, 1], count(*s), set(s)
""",
    ),
    "length_that_fails": (
        2,
        """
class Sized:
    def __init__(self, n: int):
        self.n = n
    def __iter__(self):
        return iter([self.n])
    def __len__(self):
        if self.n > 3:
            raise KeyError(self.n)
        raise TypeError("no length")
def f(s: Sized) -> list:
    return list(s)
""",
    ),
    "lazy_groups": (
        6,
        """
from itertools import groupby
def f(xs: list[int]) -> list:
    seen = []
    try:
        for key, group in groupby((10 // x for x in xs), lambda x: x > 3):
            seen.append(key)
            for item in group:
                seen.append(item)
    except ZeroDivisionError:
        seen.append(-1)
    return seen
""",
    ),
    "static_method_of_a_value": (
        2,
        """
def f(n: int):
    table = "abc".maketrans({"a": "b"})
    return "aa".translate(table) if n > 0 else ({}.fromkeys([n]), (1).from_bytes(b"a", "big"))
""",
    ),
    "class_in_a_text": (
        3,
        """
class Box:
    pass
def f(n: int) -> str:
    if n > 3:
        raise ValueError("%200s is %s" % (int, n))
    if n > 1:
        raise ValueError("%s and %5r" % (Box, n))
    return f"{dict} {Box!r} " + "{}".format(Box)
""",
    ),
    "results_of_conversions": (
        6,
        """
class Odd:
    def __init__(self, n: int):
        self.n = n
    def __len__(self):
        return self.n
    def __int__(self):
        return "a" if self.n > 3 else self.n
    def __float__(self):
        return 1
    def __index__(self):
        return 1.5
def f(o: Odd, way: int):
    if way == 0:
        return len(o)
    if way == 1:
        return int(o)
    if way == 2:
        return float(o)
    return [1, 2][o]
""",
    ),
    "not_of_an_object": (
        3,
        """
class Flag:
    def __init__(self, n: int):
        self.n = n
    def __bool__(self):
        if self.n > 3:
            return self.n > 7
        return self.n
def f(b: Flag) -> bool:
    return not b
""",
    ),
    "callable_with_two_arguments": (
        1,
        """
from typing import Callable
def f(g: Callable[[int, int], int], a: int) -> list[int]:
    return [g(a, 1), g(a, key=2), *map(g, [a], [3])]
""",
    ),
}

REFUSED = {
    "code_in_a_text": (
        "`eval` is not supported",
        3,
        """
def f(a: str) -> int:
    return eval(a)
""",
    ),
}

TOLD = {
    "keys_of_a_union": (
        "only int is tried for the keys of d, not all of int | str",
        "def f(d: dict[int | str, int]) -> int:\n    return len(d)\n",
    ),
    "keys_of_unknown_type": (
        "only str is tried for the keys of d",
        "def f(d: dict) -> int:\n    return len(d)\n",
    ),
    "keys_that_the_code_hints_at": (
        "only str is tried for the keys of d",
        "def f(d: dict) -> bool:\n    return any(key.isdigit() for key in d)\n",
    ),
    "float_members": (
        "only int is tried for the keys of s, not all of float",
        "def f(s: set[float]) -> int:\n    return len(s)\n",
    ),
    "many_optional_keys": (
        "t is tried with all and with none of its 4 optional keys",
        "from typing import TypedDict\nclass T(TypedDict, total=False):\n"
        "    a: int\n    b: int\n    c: int\n    d: int\n"
        "def f(t: T) -> bool:\n    return 'a' in t and 'b' not in t\n",
    ),
}


def explored(folder: Path, name: str, source: str) -> Run:
    file = folder / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    return generate([f"{file}::f"], Options(limits=Limits(loops=2), predicted_only=True))


@pytest.mark.parametrize("name", FOLLOWED)
def test_the_program_runs_as_predicted(name: str, tmp_path: Path) -> None:
    cases, source = FOLLOWED[name]
    (suite,) = explored(tmp_path, name, source).suites
    assert [p.message for p in suite.problems if p.kind != "cut"] == []
    assert suite.stats.unsupported == []
    assert all(case.validated for case in suite.cases)
    assert len(suite.cases) == cases


@pytest.mark.parametrize("name", REFUSED)
def test_the_program_is_refused_with_the_line(name: str, tmp_path: Path) -> None:
    message, line, source = REFUSED[name]
    (suite,) = explored(tmp_path, name, source).suites
    assert suite.cases == []
    assert [(p.message, p.line) for p in suite.stats.unsupported] == [(message, line)]
    assert not [p for p in suite.problems if p.kind == "defect"]


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_tried_is_told(name: str, tmp_path: Path) -> None:
    message, source = TOLD[name]
    (suite,) = explored(tmp_path, name, source).suites
    (note,) = suite.stats.concretised
    assert note.message == message
    assert note.line == len(source.splitlines())


def test_a_strict_zip_keeps_the_bound_on_loops(tmp_path: Path) -> None:
    source = "def f(a: list[int], b: list[int]) -> list[int]:\n"
    source += "    return [x for x, y in zip(a, b, strict=True) if x > y]\n"
    (suite,) = explored(tmp_path, "strict", source).suites
    assert suite.stats.cut["loop"] and len(suite.cases) < 20


def test_names_of_tests_do_not_hide_what_is_tested(tmp_path: Path) -> None:
    source = "def result(a: int) -> int:\n    return 1 if a > 3 else 2\ndef list(a: str) -> str:\n    return a or '?'\n"
    (tmp_path / "named.py").write_text(source)
    run = generate([str(tmp_path / "named.py")], Options())
    assert [len(suite.cases) for suite in run.suites] == [2, 2]
    assert not run.mispredicted and "import list as named_list, result as named_result" in rendered(run, "named")


def test_a_callable_gives_what_is_declared_and_not_what_it_gets(tmp_path: Path) -> None:
    source = "from typing import Callable\ndef f(g: Callable[..., str], a: int) -> str:\n"
    one = rendered(explored(tmp_path, "one", source + "    return g()\n"), "one")
    two = rendered(explored(tmp_path, "two", source + "    return g(a, n=2)\n"), "two")
    assert 'f(lambda: "a", 2)' in one
    assert 'g = Mock(return_value="a")' in two
    assert "g.assert_called_once_with(2, n=2)" in two

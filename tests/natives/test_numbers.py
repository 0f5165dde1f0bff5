"""Numbers: concrete work is CPython's own, symbolic results agree with it for every input."""

from __future__ import annotations

import pytest

from everypath.explore.concretise import VALUES
from everypath.heap.values import Hash
from everypath.languages.python.semantics.comparisons import compare
from everypath.languages.python.semantics.operations import binary
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic import terms
from tests.natives.driver import Path, call, check_models, check_values, expected, follow, new_state

CONCRETE = [
    ("abs", (-3,)),
    ("abs", (-2.5,)),
    ("abs", ("a",)),
    ("int", ("12",)),
    ("int", (" 1_0 ",)),
    ("int", ("x",)),
    ("int", ("ff", 16)),
    ("int", (3.9,)),
    ("int", (None,)),
    ("float", ("1.5",)),
    ("float", ("x",)),
    ("round", (2.5,)),
    ("round", (2.675, 2)),
    ("divmod", (7, -2)),
    ("divmod", (7, 0)),
    ("pow", (2, 10)),
    ("pow", (2, -1)),
    ("pow", (3, 4, 5)),
    ("ord", ("a",)),
    ("ord", ("ab",)),
    ("chr", (97,)),
    ("chr", (-1,)),
    ("hex", (255,)),
    ("bin", (5,)),
    ("math.floor", (2.5,)),
    ("math.sqrt", (2,)),
    ("math.sqrt", (-1,)),
    ("math.gcd", (12, 18)),
    ("math.factorial", (5,)),
    ("bool", (0,)),
    ("min", (3, 1, 2)),
    ("max", (1, 2.5)),
    ("min", ("b", "a")),
    ("hash", (5,)),
    ("hash", ((1, 2),)),
    ("int.bit_length", (10,)),
    ("float.is_integer", (2.0,)),
]


def _real(name: str) -> object:
    import builtins
    import math

    owner, _, attribute = name.rpartition(".")
    if not owner:
        return getattr(builtins, name)
    return getattr(math if owner == "math" else getattr(builtins, owner), attribute)


@pytest.mark.parametrize(("name", "args"), CONCRETE, ids=str)
def test_concrete_arguments_give_what_python_gives(name: str, args: tuple[object, ...]) -> None:
    (path,) = follow(new_state(), call(name, *args))
    assert path.outcome({}) == expected(_real(name), *args)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "args"),
    [("pow", (10, 10**9)), ("str.ljust", ("a", 10**9)), ("math.factorial", (10**6,)), ("format", (1, "1000000000"))],
)
def test_huge_results_are_not_computed(name: str, args: tuple[object, ...]) -> None:
    (path,) = follow(new_state(), call(name, *args))
    assert "too large" in path.stopped


NUMBERS = [-7, -2, -1, 0, 1, 2, 3, 9]
PAIRS = [(a, b) for a in NUMBERS for b in NUMBERS]


def test_unary_functions() -> None:
    x = terms.int_var("x")
    singles = [(n,) for n in NUMBERS]
    assert len(check_values(call("abs", x), abs, [x], singles)) == 1
    check_values(call("int", x), int, [x], singles)
    check_values(call("bool", x), bool, [x], singles)
    check_values(call("round", x), round, [x], singles)
    check_values(call("int.as_integer_ratio", x), int.as_integer_ratio, [x], singles)
    check_values(call("int.conjugate", x), int.conjugate, [x], singles)
    check_values(call("pow", x, 3), lambda v: v**3, [x], singles)
    check_values(call("pow", x, 2, 5), lambda v: pow(v, 2, 5), [x], singles)
    codes = [(n,) for n in (-1, 0, 65, 0x10FFFF, 0x110000)]
    check_values(call("chr", x), chr, [x], codes)


def test_functions_of_two_numbers() -> None:
    x, y = terms.int_var("x"), terms.int_var("y")
    check_values(call("divmod", x, y), divmod, [x, y], PAIRS)
    for name, function in (("min", min), ("max", max)):
        paths = check_values(call(name, x, y), function, [x, y], PAIRS)
        assert len(paths) == 1
        check_values(call(name, x, 1, y), lambda a, b, f=function: f(a, 1, b), [x, y], PAIRS)


def test_truth_values_count_as_numbers() -> None:
    b = terms.bool_var("b")
    check_values(call("int", b), int, [b], [(True,), (False,)])
    check_values(call("abs", b), abs, [b], [(True,), (False,)])


def test_integers_from_text() -> None:
    s = terms.str_var("s")
    samples = [(t,) for t in ("12", "-3", "+4", "007", "x", "", "-", "1.5")]
    paths = check_values(call("int", s), int, [s], samples)
    assert not any(path.stopped for path in paths) and any(path.fixed for path in paths)
    odd = [(t,) for t in (" 1", "1_0", "\u0661")]
    check_values(call("int", s), int, [s], odd)


def test_ord_of_text() -> None:
    s = terms.str_var("s")
    check_values(call("ord", s), ord, [s], [("a",), ("",), ("ab",), ("é",)])


def test_things_that_differ_between_runs_are_refused() -> None:
    (path,) = follow(new_state(), call("id", 1))
    assert isinstance(path.value, Hash)
    (path,) = follow(new_state(), call("id", "text"))
    assert path.stopped
    (path,) = follow(new_state(), call("hash", "text"))
    assert isinstance(path.value, Hash)
    (path,) = follow(new_state(), lambda st: binary(st, "%", Hash("text"), 7, False))
    assert isinstance(path.value, Hash)
    (path,) = follow(new_state(), lambda st: compare(st, "<", Hash("text"), 7))
    assert path.stopped


def test_terms_with_one_possible_value_are_concrete() -> None:
    x = terms.int_var("x")
    st = new_state()
    st.pc.assume(terms.eq(x, 255))  # type: ignore[arg-type]
    assert follow(st, call("hex", x)) == [Path(st, "0xff")]
    paths = follow(new_state(), call("hex", x))
    assert len(paths) == VALUES and all(path.fixed for path in paths)
    check_models(paths, hex, [x])


def test_wrong_arguments_are_type_errors() -> None:
    for name in ("range", "list.append", "str.find", "abs", "enumerate", "ord"):
        assert name in NATIVES
        (path,) = follow(new_state(), call(name))
        assert path.fault is not None and path.fault[0] == "TypeError"

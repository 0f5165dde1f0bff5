"""Values: structure, order, text; long lists need no deep stack."""

from __future__ import annotations

import pytest

from everypath.concurrency.names import TaskName
from everypath.languages.abs.runtime.values import Data, is_plain, less, listed, shown
from tests.runtimes.executing import printed


def test_data_is_compared_by_structure() -> None:
    assert listed([1, 2]) == listed([1, 2])
    assert hash(listed([1, 2])) == hash(listed([1, 2]))
    assert listed([1, 2]) != listed([1, 3])
    assert listed([1]) != listed([1, 1])


def test_long_lists_are_no_deep_stacks() -> None:
    one, other = listed(range(200_000)), listed(range(200_000))
    assert one == other
    assert hash(one) == hash(other)
    assert not less(one, other)
    assert one.plain
    assert len(shown(one)) > 1_000_000


def test_order_is_by_constructor_then_arguments() -> None:
    assert less(Data("M.A", (2,)), Data("M.B", (1,)))
    assert less(Data("M.A", (1, 9)), Data("M.A", (2, 0)))
    assert less(None, TaskName(None, 0, "main", None))
    assert not less(None, None)


def test_data_knows_whether_objects_are_inside() -> None:
    main = TaskName(None, 0, "main", None)
    thing = main.child_object(1, "M.C", None)
    assert is_plain(listed([1]))
    assert not is_plain(listed([thing]))
    assert not is_plain(Data("M.P", (listed([listed([thing])]), 1)))


def test_the_same_creation_is_the_same_name() -> None:
    main = TaskName(None, 0, "main", None)
    first = main.child_object(1, "M.C", None)
    assert main.child_object(1, "M.C", None) is first
    assert main.child_object(1, "M.D", None) is not first
    assert str(main.child_object(1, "M.D", None)) != str(first)
    assert main.child_task(2, "m", first) is main.child_task(2, "m", first)
    assert main.child_object(2, "M.C", None) > first


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("1 + 2 * 3 - 4", "3"),
        ("10 - 3 - 2", "5"),
        ("1 / 2", "1/2"),
        ("1 / 2 + 1 / 2", "1"),
        ("truncate(7 / 2)", "3"),
        ("truncate(-7 / 2)", "-3"),
        ("-7 % 3", "-1"),
        ("7 % -3", "1"),
        ("numerator(6 / 4)", "3"),
        ("denominator(6 / 4)", "2"),
        ("2.5 + 0.5", "3.0"),
        ("floor(2.7)", "2"),
        ("ceil(2.1)", "3"),
        ("rat(0.25)", "1/4"),
        ("sqrt(4.0)", "2.0"),
        ("float(1 / 4)", "0.25"),
        ("abs(-3)", "3"),
        ("max(1 / 2, 1 / 3)", "1/2"),
        ("pow(2, 100)", str(2**100)),
        ('"a" + "b" + toString(1)', "ab1"),
        ('substr("hello", 1, 3)', "ell"),
        ('strlen("hello")', "5"),
        ('Pair("a", list[1, 2])', 'Pair("a",list[1,2])'),
        ("set[3, 1, 3]", "set[1,3]"),
        ('map[Pair(1, "x")]', 'map[Pair(1,"x")]'),
        ("1 == 1 && !(2 < 1)", "True"),
        ("list[1, 2] < list[1, 3]", "True"),
        ("case list[1, 2] { Cons(x, Cons(y, Nil)) => x + y; _ => 0; }", "3"),
        ("let (Int x) = 2 in x * x", "4"),
        ("when 1 < 2 then 5 else 6", "5"),
        ("head(map((Int x) => x + 1)(list[1]))", "2"),
        ("fromJust(lookup(put(EmptyMap, 1, 2), 1))", "2"),
        ("length(range(1, 30000))", "30000"),
        ("foldl((Int x, Int a) => x + a)(range(1, 1000), 0)", "500500"),
        ("length(concatenate(range(1, 20000), range(1, 20000)))", "40000"),
    ],
)
def test_expressions(expression: str, text: str) -> None:
    assert printed(f"{{ println(toString({expression})); }}") == text + "\n"

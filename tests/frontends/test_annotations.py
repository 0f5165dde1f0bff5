"""Annotations as types."""

from __future__ import annotations

import pytest

from tests.frontends.lowered import Snippets

HEADER = """\
from __future__ import annotations
import typing
import collections.abc as cabc
from typing import *
from typing import Any, Dict, Final, Generic, Iterable, List, Literal, Mapping, NewType, Optional, Sequence, Set, Tuple
from typing import TypeVar, Union, Annotated
T = TypeVar("T")
N = TypeVar("N", bound="Node")
AB = TypeVar("AB", int, str)
UserId = NewType("UserId", int)
Vector = list[float]
class Node:
    class Inner: pass
"""


@pytest.mark.parametrize(
    ("annotation", "type_"),
    [
        ("int", "int"),
        ("bool", "bool"),
        ("str", "str"),
        ("float", "float"),
        ("bytes", "bytes"),
        ("None", "none"),
        ("Optional[int]", "none | int"),
        ("int | None", "int | none"),
        ("Union[int, str, None]", "int | str | none"),
        ("'int | None'", "int | none"),
        ("list[int]", "list[int]"),
        ("List[int]", "list[int]"),
        ("list", "list[any]"),
        ("Sequence[str]", "list[str]"),
        ("Iterable['Node']", "list[snippet.Node]"),
        ("cabc.Sequence[int]", "list[int]"),
        ("typing.List[int]", "list[int]"),
        ("dict[str, int]", "dict[str, int]"),
        ("Dict[str, list[int]]", "dict[str, list[int]]"),
        ("Mapping[str, int]", "dict[str, int]"),
        ("set[int]", "set[int]"),
        ("Set[int]", "set[int]"),
        ("tuple[int, str]", "tuple[int, str]"),
        ("Tuple[int, ...]", "tuple[*int]"),
        ("tuple[()]", "tuple[]"),
        ("tuple", "tuple[*any]"),
        ("Node", "snippet.Node"),
        ("'Node'", "snippet.Node"),
        ("Node.Inner", "snippet.Node.Inner"),
        ("Optional['Node']", "none | snippet.Node"),
        ("Literal[1, 2]", "int"),
        ("Literal['a', 1, None]", "str | int | none"),
        ("Annotated[int, 'positive']", "int"),
        ("Final[int]", "int"),
        ("UserId", "int"),
        ("Vector", "list[float]"),
        ("T", "int"),
        ("N", "snippet.Node"),
        ("AB", "int | str"),
        ("list[list[int]]", "list[list[int]]"),
        ("ValueError", "ValueError"),
        ("Callable[[int], str]", "function(int) -> str"),
        ("Callable[[], Node]", "function() -> snippet.Node"),
        ("Callable[..., int]", "function(*any) -> int"),
        ("cabc.Callable", "function(*any) -> any"),
    ],
)
def test_an_annotation_is_read(annotation: str, type_: str, snippets: Snippets) -> None:
    loaded = snippets.load(f"{HEADER}def f(x: {annotation}) -> {annotation}: return x\n", "f")
    assert [str(p.type) for p in loaded.entries[0].params] == [type_]
    method = loaded.program.find_method("snippet", "f")
    assert method is not None and str(method.returns) == type_
    assert loaded.problems == ()


def test_an_annotation_that_names_nothing_known_leaves_it_to_the_uses(snippets: Snippets) -> None:
    loaded = snippets.load("def f(x: 'Mystery[int]', y: 'Other' = None): return x.upper() if y > 2 else y\n", "f")
    assert [str(p.type) for p in loaded.entries[0].params] == ["str", "none | int"]
    assert loaded.entries[0].problems == ()
    assert [p.message.partition(",")[0] for p in loaded.problems] == [
        "assumed from the code of f: x: str",
        "parameter 'x' of f is only tried as str",
        "parameter 'y' of f is only tried as none | int",
    ]


@pytest.mark.parametrize(
    ("annotation", "type_"),
    [("type[A]", "type[snippet.A]"), ("type[Exception]", "type[Exception]"), ("type[int]", "type[int]")],
)
def test_a_class_itself_is_a_value(annotation: str, type_: str, snippets: Snippets) -> None:
    loaded = snippets.load(f"class A: pass\ndef f(x: {annotation}): return x()\n", "f")
    assert [str(p.type) for p in loaded.entries[0].params] == [type_]
    assert loaded.problems == ()


@pytest.mark.parametrize("annotation", ["Any", "object"])
def test_a_parameter_of_any_type_gets_one_from_its_uses(annotation: str, snippets: Snippets) -> None:
    loaded = snippets.load(f"{HEADER}def f(x: {annotation}): return x.upper()\n", "f")
    assert str(loaded.entries[0].params[0].type) == "str"
    assert [p.message for p in loaded.problems] == ["assumed from the code of f: x: str (--types for others)"]


@pytest.mark.parametrize("annotation", ["Mystery", "1 + 2", "'not ('"])
def test_a_parameter_without_a_usable_type_is_reported(annotation: str, snippets: Snippets) -> None:
    loaded = snippets.load(f"{HEADER}def f(x: {annotation}): return x\n", "f")
    assert str(loaded.entries[0].params[0].type) == "any"
    assert [(p.kind, p.span.line) for p in loaded.problems] == [("types", HEADER.count("\n") + 1)]


def test_self_is_the_class(snippets: Snippets) -> None:
    loaded = snippets.load("from typing import Self\nclass A:\n    def f(self, x: Self) -> Self: return x\n")
    assert [str(p.type) for p in loaded.entries[0].params] == ["snippet.A", "snippet.A"]


def test_names_under_type_checking_are_seen(snippets: Snippets) -> None:
    snippets.write("class Other:\n    def __init__(self) -> None:\n        self.n = 1\n", "other.py")
    source = """
    from __future__ import annotations
    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        from other import Other
    def f(x: Other) -> int: return x.n
    """
    loaded = snippets.load(source, "f")
    assert str(loaded.entries[0].params[0].type) == "other.Other"
    assert "n" in loaded.program.classes["other.Other"].fields


def test_defaults_give_types_where_annotations_do_not(snippets: Snippets) -> None:
    loaded = snippets.load("def f(a=1, b='x', c=True, d=2.5, e=None, *args, **named): return a\n")
    types = [str(p.type) for p in loaded.entries[0].params]
    assert types == ["int", "str", "bool", "float", "none | int", "tuple[*int]", "dict[str, int]"]
    assert sorted(p.message.partition(";")[0] for p in loaded.problems) == [
        "assumed from the code of f: e: none | int, args: int, named: int (--types for others)",
    ]
    assert loaded.entries[0].problems == ()


def test_use_gives_types_to_parameters_that_default_to_none(snippets: Snippets) -> None:
    source = """
    def find(a: list[int], x: int, lo=0, hi=None, *, key=None, label=None):
        if hi is None:
            hi = len(a)
        while lo < hi:
            if key is not None and key(a[lo]) == x:
                return lo
            lo += 1
        return label
    """
    params = {p.name: str(p.type) for p in snippets.load(source, "find").entries[0].params}
    assert params == {
        "a": "list[int]",
        "x": "int",
        "lo": "int",
        "hi": "none | int",
        "key": "none | function(*any) -> int",
        "label": "none | str",
    }


def test_an_alias_is_read_in_the_module_that_defines_it(snippets: Snippets) -> None:
    snippets.write(
        "import typing as t\nclass P(t.NamedTuple):\n    x: int\nPoint = t.Union[P, t.Tuple[int, int]]\n", "a.py"
    )
    snippets.write("from a import Point\n", "b.py")
    method = snippets.method("import a\nfrom b import Point as Q\ndef f(p: Q, q: a.Point) -> int:\n    return 1\n")
    assert [str(param.type) for param in method.params] == ["a.P | tuple[int, int]"] * 2

"""Records as JSON: whatever their types declare comes back as it was, and damage is named."""

from __future__ import annotations

import json
from typing import Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.cases.codec import Codec, Damaged, Form, Shape
from everypath.cases.model import Atom, Entry, Literal, Pointer, TupleValue, Value
from everypath.records import dataclass, field

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Leaf:
    names: tuple[tuple[str, int], ...] = ()
    by_place: dict[tuple[str, int], float] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Tree(Generic[_T]):
    value: _T
    children: list[Tree[_T]] = field(default_factory=list)
    either: Leaf | Pointer | None = None


CODEC = Codec()
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.integers(2**14_000, 2**14_100)
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    st.builds(Literal, ATOMS) | st.builds(Pointer, st.text()),
    lambda inner: st.builds(TupleValue, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=5,
)
LEAVES = st.builds(
    Leaf,
    st.lists(st.tuples(st.text(), st.integers())).map(tuple),
    st.dictionaries(st.tuples(st.text(), st.integers()), st.floats(allow_nan=False)),
    st.none() | st.text(),
)
PLAIN = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def back(declared: object, value: object) -> object:
    text = json.dumps(CODEC.encode(declared, value), allow_nan=False)
    return CODEC.decode(declared, json.loads(text))  # type: ignore[arg-type]


@given(ATOMS)
def test_atoms_come_back(value: object) -> None:
    found = back(Atom, value)
    assert type(found) is type(value)
    assert repr(found) == repr(value) if isinstance(value, float) else found == value


@given(VALUES)
def test_unions_that_contain_themselves_come_back(value: Value) -> None:
    assert same(back(Value, value), value)


@given(LEAVES, st.integers())
def test_records_with_type_variables_come_back(leaf: Leaf, number: int) -> None:
    tree = Tree(number, [Tree(-number, either=leaf), Tree(3, either=Pointer("x"))])
    assert back(Tree[int], tree) == tree


@given(PLAIN)
def test_plain_values_come_back(value: object) -> None:
    assert same(back(object, value), value)


def same(one: object, other: object) -> bool:
    """Equal, where a float that is no number equals itself; long integers cannot be shown."""
    match one, other:
        case (Literal(), Literal()):
            return same(one.value, other.value)
        case (TupleValue(), TupleValue()):
            return same(one.items, other.items)
        case ((tuple() | list()), (tuple() | list())):
            return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
        case (dict(), dict()):
            return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and (one == other or (one != one and other != other))


def test_a_field_that_was_added_later_has_its_default() -> None:
    assert CODEC.decode(Leaf, {}) == Leaf()
    assert CODEC.decode(Entry, {"module": "m", "file": "f", "name": "n", "kind": "function"}).line == 0


@pytest.mark.parametrize(
    ("declared", "data", "message"),
    [
        (Tree[int], {"value": "x"}, "value: is a text, not an integer"),
        (Tree[int], {"children": []}, "lacks value"),
        (Tree[int], {"value": 1, "children": [{"value": 1}, 7]}, "children[1]: is an integer, not an object"),
        (Tree[int], {"value": 1, "either": {"$": "Pointer"}}, "either: lacks id"),
        (Tree[int], {"value": 1, "either": {"id": "x"}}, "either: lacks $"),
        (Tree[int], {"value": 1, "either": {"$": "Bough"}}, "either: is of the unknown kind 'Bough'"),
        (Tree[int], {"value": 1, "valeu": 2}, "has the unknown key 'valeu'"),
        (Leaf, {"names": {"a": None}}, "names.a: is null, not an integer"),
        (Leaf, {"by_place": [[["a", 1], "x"]]}, "by_place[0][1]: is a text, not a number"),
        (Leaf, {"by_place": [[["a"], 1.0]]}, "by_place[0][0]: has 1 elements, not 2"),
        (Atom, {"$bytes": "xyz"}, "holds no bytes: 'xyz'"),
        (Atom, {"$float": []}, "holds no float: []"),
        (Atom, [], "is an array, which is not possible here"),
        (object, {"a": 1}, "has the unknown keys a"),
    ],
)
def test_damage_is_named(declared: object, data: object, message: str) -> None:
    with pytest.raises(Damaged) as damaged:
        CODEC.decode(declared, data)  # type: ignore[arg-type]
    assert str(damaged.value) == message


def test_other_forms() -> None:
    forms = Codec(
        {
            Entry: Shape("in=module class=cls name observed? whole", {"whole": lambda entry: entry.qualified}),
            Value: Form(lambda value: {"shown": repr(value)}),
        }
    )
    entry = Entry("m", "f.py", "C", "n", "method")
    assert forms.encode(Entry, entry) == {"in": "m", "class": "C", "name": "n", "whole": "C.n"}
    assert forms.encode(tuple[Value, ...], (Pointer("x"),)) == [{"shown": "Pointer(id='x')"}]
    with pytest.raises(Damaged, match="does not tell everything"):
        forms.decode(tuple[Value, ...], [{}])
    with pytest.raises(TypeError, match="has no form in JSON"):
        forms.encode(complex, 1j)

"""Constructors of inputs: tested one at a time, shared by all paths, and never contradictory."""

from __future__ import annotations

from typing import Any

import pytest

from everypath.explore.arithmetic import identity
from everypath.explore.data import argument, construct, matches
from everypath.explore.objects import get_field
from everypath.explore.state import State
from everypath.heap.constructors import substituted
from everypath.heap.inputs import Inputs
from everypath.heap.values import Data, OneOf, Unknown
from everypath.ir.types import (
    INT,
    RATIONAL,
    STR,
    ClassType,
    DataType,
    FutureType,
    ListType,
    TupleType,
    Type,
    TypeParameter,
    union,
)
from everypath.languages.abs.semantics.semantics import compare
from everypath.logic import terms
from everypath.logic.terms import variables
from tests.explore.actors_values.inputs import (
    BLUE,
    COLOUR,
    CONS,
    GREEN,
    JUST,
    NIL,
    PAIR,
    RED,
    TREE,
    concretised,
    follow,
    listing,
    maybe,
    new_state,
    pair,
    program,
)

HEAPS = ("noalias", "lazy", "solver")


def elements(st: State, value: Any, most: int) -> list[Any]:
    """Walk along a list as a loop of the program does."""
    found = []
    while len(found) < most and matches(st, value, CONS):
        found.append(argument(st, value, CONS, 0))
        value = argument(st, value, CONS, 1)
    return found


@pytest.mark.parametrize("heap", HEAPS)
def test_a_list_is_opened_element_by_element(heap: str) -> None:
    state = new_state(heap)
    value = state.heap.inputs.fresh(listing(INT), "l")
    paths = follow(state, lambda s: elements(s, value, 2))
    assert sorted(len(path.value) for path in paths) == [0, 1, 2]
    longest = max(paths, key=lambda path: len(path.value))
    assert [str(element) for element in longest.value] == ["l[0]", "l[1]"]
    assert len({id(path.value[0]) for path in paths if path.value}) == 1


def test_parts_are_numbered_unless_they_are_elements() -> None:
    state = new_state()
    value = state.heap.inputs.fresh(maybe(pair(listing(INT), INT)), "m")
    inner = next(p.value for p in follow(state, lambda s: matches(s, value, JUST) and argument(s, value, JUST, 0)))
    assert isinstance(inner, Unknown) and inner.name == "m.1"
    parts = state.heap.inputs.made_by(inner, pair(listing(INT), INT), PAIR).arguments
    assert [getattr(part, "name", "") for part in parts] == ["m.1.1", "m.1.2"]
    nested = state.heap.inputs.made_by(Unknown("t", TREE), TREE, "M.Fork").arguments
    assert [str(part.name) for part in nested] == ["t.1", "t.2", "t.3"]


@pytest.mark.parametrize("heap", HEAPS)
def test_the_last_constructor_needs_no_choice(heap: str) -> None:
    state = new_state(heap)
    colour = state.heap.inputs.fresh(COLOUR, "c")

    def tests(s: State) -> tuple[bool, bool, bool]:
        return matches(s, colour, RED), matches(s, colour, GREEN), matches(s, colour, BLUE)

    paths = follow(state, tests)
    assert [path.value for path in paths] == [(True, False, False), (False, True, False), (False, False, True)]
    assert all(path.state.heap.bind[colour].constructor for path in paths)


def test_a_type_with_one_constructor_is_bound_at_the_first_look() -> None:
    state = new_state()
    value = state.heap.inputs.fresh(pair(INT, INT), "p")
    assert isinstance(value, Unknown) and not state.heap.bind
    assert argument(state, value, PAIR, 0).name == "p.1"
    assert state.heap.bind[value].constructor == PAIR


def test_looking_again_at_an_input_counts_as_a_decision() -> None:
    state = new_state()
    value = state.heap.inputs.fresh(pair(INT, INT), "p")
    for count in (1, 2, 3):
        assert matches(state, value, PAIR)
        assert state.decisions == count
    assert matches(state, construct(NIL, ()), NIL) and state.decisions == 3


@pytest.mark.parametrize("heap", HEAPS)
def test_inputs_without_a_branch_are_left_out_on_request(heap: str) -> None:
    state = new_state(heap)
    state.heap.inputs.input_errors = False
    value, colour = state.heap.inputs.fresh(listing(INT), "l"), state.heap.inputs.fresh(COLOUR, "c")
    assert matches(state, value, CONS, (CONS,))
    paths = follow(state, lambda s: matches(s, colour, RED, (RED, BLUE)))
    assert [path.value for path in paths] == [True, False]
    assert paths[1].state.heap.bind[colour].constructor == BLUE


def test_a_constructor_that_is_known_stays_even_without_a_branch() -> None:
    state = new_state()
    value = state.heap.inputs.fresh(listing(INT), "l")
    empty = follow(state, lambda s: matches(s, value, CONS))[1].state
    empty.heap.inputs.input_errors = False
    assert matches(empty, value, CONS, (CONS,)) is False


def test_values_under_conditions_are_decided_before_they_are_opened() -> None:
    state = new_state("solver")
    guard = terms.bool_var("g")
    value = OneOf(((guard, Data(NIL)),), state.heap.inputs.fresh(listing(INT), "l"))
    paths = follow(state, lambda s: argument(s, value, CONS, 0) if matches(s, value, CONS) else None)
    assert sorted(str(path.value) for path in paths) == ["None", "None", "l[0]"]


def nodes(state: State) -> tuple[Unknown, Unknown]:
    return Unknown("a", ClassType("M.Node")), Unknown("b", ClassType("M.Node"))


def shapes(st: State, a: Unknown, b: Unknown) -> tuple[bool, bool, Any]:
    """Whether each of two objects has elements, and whether they are the same object."""
    first, second = get_field(st, a, "items"), get_field(st, b, "items")
    return matches(st, first, CONS), matches(st, second, CONS), identity(st, False, a, b)


def test_one_object_has_one_list() -> None:
    state = new_state("solver")
    a, b = nodes(state)
    for path in follow(state, lambda s: shapes(s, a, b)):
        first, second, same = path.value
        assert same is False or first == second
        if same is not False:
            assert path.state.pc.decide(same) == 3


def test_equal_objects_have_equal_elements() -> None:
    state = new_state("solver")
    a, b = nodes(state)
    (path,) = (p for p in follow(state, lambda s: shapes(s, a, b)) if p.value[0] and p.value[1])
    here = path.state
    here.pc.assume(path.value[2])
    first, second = (argument(here, get_field(here, x, "items"), CONS, 0) for x in (a, b))
    assert here.pc.decide(terms.eq(first, second)) == 1
    here.pc.assume(terms.gt(first, 3))
    model = here.pc.model()
    solved = here.heap.concrete(model)
    assert solved.bind[a] is solved.bind[b]


def test_a_list_that_only_one_name_opened_is_that_of_the_object() -> None:
    state = new_state("solver")
    a, b = nodes(state)

    def look(st: State) -> tuple[bool, Any]:
        get_field(st, a, "items")
        return matches(st, get_field(st, b, "items"), CONS), identity(st, False, a, b)

    path = follow(state, look)[0]
    here = path.state
    here.pc.assume(path.value[1])
    element = argument(here, get_field(here, b, "items"), CONS, 0)
    here.pc.assume(terms.eq(element, 7))
    model = here.pc.model()
    solved = here.heap.concrete(model)
    node = solved.bind[a]
    held = solved.first[node]["items"]
    assert concretised(here, solved.bind[held].arguments[0], model) == 7


def test_constructors_excluded_by_both_names_are_excluded() -> None:
    """What is learnt about one name of an object restricts the other."""
    state = new_state("solver")
    a, b = nodes(state)

    def look(st: State) -> Any:
        first, second = get_field(st, a, "items"), get_field(st, b, "items")
        same = identity(st, False, a, b)
        st.pc.assume(same)
        return matches(st, first, NIL), matches(st, second, NIL)

    paths = follow(state, look)
    assert sorted(path.value for path in paths) == [(False, False), (True, True)]


def test_rationals_of_one_object_are_equal() -> None:
    state = new_state("solver")
    a, b = nodes(state)
    first, second = get_field(state, a, "size"), get_field(state, b, "size")
    same = identity(state, False, a, b)
    state.pc.assume(same)
    for number in (first, second):
        state.pc.assume(terms.eq(number.bottom, 2))
    state.pc.assume(terms.eq(first.top, 3))
    assert state.pc.decide(terms.eq(second.top, 3)) == 1


def test_type_parameters_are_replaced_everywhere() -> None:
    inputs = Inputs(program(), None, 3)
    found = inputs.constructors(pair(listing(maybe(INT)), FutureType(INT)))
    assert found == {PAIR: (listing(maybe(INT)), FutureType(INT))}
    parameter = TypeParameter("A")
    given = union((ListType(parameter), TupleType((parameter,), parameter)))
    assert substituted(given, {"A": INT}) == union((ListType(INT), TupleType((INT,), INT)))


def test_the_simplest_constructor_ends() -> None:
    inputs = Inputs(program(), None, 3)
    assert inputs.simplest(listing(INT)) == NIL
    assert inputs.simplest(TREE) == "M.Leaf"
    assert inputs.simplest(DataType(listing(INT).name, (INT,), (CONS,))) == CONS


@pytest.mark.parametrize("element", (INT, STR, RATIONAL))
def test_elements_of_a_set_ascend(element: Type) -> None:
    state = new_state()
    state.heap.inputs.ascending = frozenset((listing(INT).name,))
    value = state.heap.inputs.fresh(listing(element), "s")
    path = max(follow(state, lambda s: elements(s, value, 3)), key=lambda path: len(path.value))
    model = path.state.pc.model()
    defaults = {variable: variable.default for c in path.state.pc.constraints() for variable in variables(c)}
    found = [concretised(path.state, part, {**defaults, **model}) for part in path.value]
    assert len(found) == 3 and found == sorted(set(found))
    first, second = path.value[:2]
    assert path.state.pc.decide(compare(path.state, "<", first, second)) == 1

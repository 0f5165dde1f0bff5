"""Functions on strings, the text of values, output and random numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.concurrency.names import InitialReference, TaskName
from everypath.explore.state import State
from everypath.heap.values import Data, Future, Ref
from everypath.ir.types import INT, STR
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime import values as library
from everypath.languages.abs.semantics.library import UNIT
from everypath.languages.abs.semantics.semantics import NATIVES
from everypath.languages.abs.semantics.structural import less
from everypath.logic import terms
from tests.explore.actors_values.inputs import (
    CONS,
    LIBRARY,
    NIL,
    Assigned,
    concrete,
    follow,
    listing,
    new_state,
    partly,
    types,
)

words = st.text("abc", max_size=4)
REFUSED = ("readln", "now", "currentms", "ms_since_model_start", "deadline", "lowlevelDeadline")


class Surroundings:
    """What natives need of the tasks around them."""

    def __init__(self, names: dict[Ref, Any] | None = None) -> None:
        self.printed: list[Any] = []
        self.names = names or {}
        self.uncertain = False

    def copy(self) -> Surroundings:
        return self

    def print(self, text: Any) -> None:
        self.printed.append(text)

    def random(self, st: State, below: Any) -> Any:
        return terms.int_var("random", 0, None)

    @property
    def actors(self) -> Surroundings:
        return self

    def name(self, ref: Ref) -> Any:
        return self.names[ref]

    def decide_class(self, st: State, ref: Ref) -> None:
        """All classes are known here."""


def in_a_task(names: dict[Ref, Any] | None = None) -> tuple[State, Surroundings]:
    state, world = new_state(), Surroundings(names)
    state.world = world  # type: ignore[assignment]
    return state, world


@st.composite
def part_inputs(draw: st.DrawFn, state: State, assigned: Assigned, text: str, *numbers: int) -> list[Any]:
    """The arguments, some of them inputs."""
    fresh = state.heap.inputs.fresh
    found: list[Any] = [assigned.add(fresh(STR, "text"), text) if draw(st.booleans()) else text]
    for i, number in enumerate(numbers):
        found.append(assigned.add(fresh(INT, f"n{i}"), number) if draw(st.booleans()) else number)
    return found


@settings(max_examples=150, deadline=None)
@given(st.data(), words, st.integers(-3, 6), st.integers(-3, 6))
def test_parts_of_strings(data: st.DataObject, text: str, start: int, count: int) -> None:
    state, assigned = new_state(), Assigned()
    arguments = data.draw(part_inputs(state, assigned, text, start, count))
    found = assigned.only(state, lambda s: NATIVES["abs.substr"](s, *arguments))
    assert found == library.PURE["substr"](text, start, count)
    assert assigned.only(new_state(), lambda s: NATIVES["abs.strlen"](s, arguments[0])) == len(text)


def test_symbolic_parts_of_strings_are_solved() -> None:
    state = new_state()
    text, start = terms.str_var("s"), terms.int_var("i")
    found = NATIVES["abs.substr"](state, text, start, 2)
    state.pc.assume(terms.and_(terms.str_eq(found, "bc"), terms.ge(start, 1)))
    model = state.pc.model()
    at, whole = model[start], model[text]
    assert whole[at : at + 2] == "bc"


@settings(max_examples=100, deadline=None)
@given(st.data(), types())
def test_the_text_of_values(data: st.DataObject, type: Any) -> None:
    value = data.draw(concrete(type))
    state, assigned = new_state(), Assigned()
    mixed = data.draw(st.composite(lambda draw: partly(draw, state, type, value, assigned, "x"))())
    assert assigned.only(state, lambda s: NATIVES["abs.toString"](s, mixed)) == library.PURE["toString"](value)


def test_the_text_of_an_open_list_is_bounded() -> None:
    state = new_state(lengths=2)
    value = state.heap.inputs.fresh(listing(INT), "l")
    paths = follow(state, lambda s: NATIVES["abs.toString"](s, value))
    assert paths[0].value == "list[]"
    assert ["--lengths" in path.stopped for path in paths].count(True) == 1


def test_quotes_inside_data_are_escaped_or_refused() -> None:
    state = new_state()
    known = Data(CONS, ('a"\\b', Data(NIL)))
    assert NATIVES["abs.toString"](state, known) == 'list["a\\"\\\\b"]'
    symbolic = Data(CONS, (terms.str_var("s"), Data(NIL)))
    refused, shown = follow(state, lambda s: NATIVES["abs.toString"](s, symbolic))
    assert "quotes" in refused.stopped
    assert str(shown.value) != ""


def test_output_keeps_terms() -> None:
    state, world = in_a_task()
    number = terms.int_var("n")
    assert NATIVES["abs.println"](state, terms.concat("n = ", terms.int_to_str(number))) is UNIT
    assert NATIVES["abs.print"](state, "end") is UNIT
    assert terms.evaluate(world.printed[0], {number: 4}) == "n = 4\n"
    assert world.printed[1] == "end"


def test_random_is_an_input_where_there_is_a_choice() -> None:
    state, _ = in_a_task()
    assert NATIVES["abs.random"](state, 0) == 0
    bound = terms.int_var("bound")
    chosen, none = follow(state, lambda s: NATIVES["abs.random"](s, bound))
    assert str(chosen.value) == "random" and none.value == 0


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_so(name: str) -> None:
    (path,) = follow(new_state(), lambda s: NATIVES[f"abs.{name}"](s))
    assert path.stopped.startswith(f"{name}()")


def test_every_builtin_of_the_library_is_there() -> None:
    program = check_program([Source("m.abs", "module M; { skip; }")])
    assert isinstance(program, Program)
    builtins = [name for name, function in program.functions.items() if function.body is None]
    missing = [name for name in builtins if f"abs.{name.rpartition('.')[2]}" not in NATIVES]
    assert builtins and not missing


def test_objects_are_ordered_and_shown_by_how_they_were_created() -> None:
    main = TaskName(None, 0, "main", None)
    made = [Ref("M.Node", f"node{i}") for i in range(2)]
    initial = Ref("M.Node", "this", input=True)
    names: dict[Ref, Any] = {ref: main.child_object(i + 1, "M.Node", None) for i, ref in enumerate(made)}
    names[initial] = InitialReference("this")
    state, _ = in_a_task(names)
    assert less(state, made[0], made[1]) is True
    assert less(state, made[1], made[0]) is False
    assert less(state, initial, made[0]) is True
    assert less(state, None, made[0]) is True and less(state, made[0], None) is False
    assert NATIVES["abs.toString"](state, made[1]) == library.PURE["toString"](names[made[1]])
    future = Future(main.child_task(3, "run", names[made[0]]))
    assert NATIVES["abs.toString"](state, future) == library.PURE["toString"](future.task)
    assert NATIVES["abs.toString"](state, Data(f"{LIBRARY}Just", (None,))) == "Just(null)"

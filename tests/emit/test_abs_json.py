"""The JSON form of actor suites, and reading it back."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from everypath.cases.accounts import Stats
from everypath.cases.actors import (
    ActorCase,
    ActorInputs,
    ActorSuite,
    DataValue,
    Plain,
    same_value,
)
from everypath.cases.json_forms import read_value, value_object
from everypath.cases.json_writer import read_suite, render_json, schema
from everypath.cases.kinds import ACTORS
from everypath.cases.model import Case, Finding, OrderDependence, Problem, Step
from everypath.errors import BadInput
from everypath.languages.abs.validation import validate
from everypath.records import replace
from tests.runtimes.executing import EXAMPLES, example
from tests.runtimes.starting import actor, call, every_case, value
from tests.runtimes.test_replay import VALUES

FACT = ActorInputs((actor("this", "Fact.Fact", b=None, mx=1, r=1),), (call("this", "ft", n=3),))
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.abs"))


def to_json(suites: ActorSuite | list[ActorSuite], problems: list[Problem] | None = None) -> str:
    return render_json(suites, problems or [], ACTORS)


def read_cases(text: str) -> list[ActorCase]:
    return read_suite(json.loads(text)).cases


def checked(suites: ActorSuite | list[ActorSuite], problems: list[Problem] | None = None) -> dict[str, Any]:
    document = json.loads(to_json(suites, problems))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(document, schema(), cls=jsonschema.Draft202012Validator)
    assert isinstance(document, dict)
    return document


def fact_suite() -> ActorSuite:
    cases = [replace(case, validated=True) for case in every_case(example("fact"), FACT)]
    values = [dict(case.expected.actors[0].fields)["r"] for case in cases]
    first, second = (cases[values.index(Plain(number))] for number in (6, 3))
    dependence = OrderDependence(first.id, second.id, "this.r is 6 or 3", "fact.abs", 20)
    stats = Stats(paths=len(cases), cases=len(cases), executions=len(cases), blocked=1, seconds=0.12345)
    return ActorSuite(
        "fact.abs::Fact.ft", {"loops": 1, "policies": (("Fact", "fifo"),)}, cases, dependences=[dependence], stats=stats
    )


def test_the_output_follows_the_schema_and_comes_back() -> None:
    suite = fact_suite()
    document = checked(suite)
    assert document["version"] == 1
    assert document["options"] == {"loops": 1, "policies": [["Fact", "fifo"]]}
    assert read_cases(to_json(suite)) == suite.cases


@pytest.mark.parametrize("name", NAMES)
def test_cases_of_the_examples_come_back_and_replay(name: str) -> None:
    program = example(name)
    cases = every_case(program)[:10]
    text = to_json(ActorSuite(f"{name}.abs::main", {}, cases))
    checked(ActorSuite(f"{name}.abs::main", {}, cases))
    again = read_cases(text)
    assert again == cases
    assert all(isinstance(validate(program, case), Case) for case in again)


def test_an_empty_suite_follows_the_schema() -> None:
    assert checked(ActorSuite("empty.abs", {}))["cases"] == []
    assert checked([], [Problem("unsupported", "a.abs", 3, "no")])["problems"][0]["line"] == 3


def test_a_case_tells_inputs_order_and_outcome() -> None:
    case = checked(fact_suite())["cases"][0]
    assert case["entry"]["class"] == "Fact"
    assert case["inputs"]["actors"]["this"]["fields"] == {"b": None, "mx": 1, "r": 1}
    (task,) = case["inputs"]["tasks"]
    assert (task["actor"], task["method"], task["arguments"]) == ("this", "ft", {"n": 3})
    assert case["schedule"][0] == {"task": task["task"], "actor": "this", "method": "ft"}
    assert case["expected"]["returns"] == {"$data": {"constructor": "ABS.StdLib.Unit", "arguments": []}}
    assert case["expected"]["deadlock"] is None
    assert case["names"][task["task"]] == "this.ft"


def test_an_order_dependent_result_shows_both_schedules() -> None:
    suite = fact_suite()
    (finding,) = checked(suite)["findings"]
    assert finding["kind"] == "order-dependent"
    assert finding["message"] == "this.r is 6 or 3"
    assert [s["case"] for s in finding["schedules"]] == [finding["case"], finding["other"]]
    assert all(s["steps"][0] == "this.ft" for s in finding["schedules"])
    assert finding["schedules"][0]["steps"] != finding["schedules"][1]["steps"]


def test_a_case_that_is_named_by_a_dependence_is_not_told_twice() -> None:
    suite = fact_suite()
    marked = Finding("order-dependent", "x", "fact.abs", 20)
    suite.cases = [replace(case, finding=marked) for case in suite.cases]
    other = len(suite.cases) - 2
    assert len(checked(suite)["findings"]) == other + 1


def test_a_deadlock_shows_the_cycle_with_readable_names() -> None:
    program = example("dining_philosophers")
    stuck = next(case for case in every_case(program) if case.expected.deadlock is not None)
    found = replace(stuck, finding=Finding("deadlock", "3 tasks wait", "a.abs", 7), trace=(Step("a.abs", 3),))
    (finding,) = checked(ActorSuite("x", {}, [found]))["findings"]
    assert any("waits for" in wait for wait in finding["waits"])
    assert not any("@" in text for text in (*finding["waits"], *finding["cycle"]))
    assert read_cases(to_json(ActorSuite("x", {}, [found]))) == [found]


def test_counts_are_added_up() -> None:
    stats = checked([fact_suite(), fact_suite()])["stats"]
    count = len(fact_suite().cases)
    assert (stats["executions"], stats["blocked"], stats["complete"]) == (2 * count, 2, True)
    assert set(stats["cut"]) == {"loop", "switch", "actor", "queue", "depth", "time"}
    assert set(stats["decisions"]) == {"folded", "bounds", "witness", "smt"}


@settings(deadline=None)
@given(VALUES)
def test_values_go_both_ways(plain: object) -> None:
    shown = json.loads(json.dumps(value_object(value(plain)), allow_nan=False))
    assert same_value(read_value(shown), value(plain))
    jsonschema.validate(shown, {"$ref": "#/$defs/actor_value", "$defs": schema()["$defs"]})


def test_sets_maps_and_long_lists_are_rows() -> None:
    pair = DataValue("ABS.StdLib.Pair", (Plain("k"), Plain(1)))
    rows = DataValue("ABS.StdLib.InsertAssoc", (pair, DataValue("ABS.StdLib.EmptyMap")))
    assert list(value_object(rows)) == ["$map"]
    assert read_value(value_object(rows)) == rows
    assert value_object(value([])) == {"$list": []}
    long = value(list(range(5_000)))
    assert same_value(read_value(json.loads(json.dumps(value_object(long)))), long)
    open_ended = DataValue("ABS.StdLib.Cons", (Plain(1), Plain(None)))
    assert read_value(value_object(open_ended)) == open_ended


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is no suite of an actor program"),
        ('{"version": 1, "cases": []}', "is no suite of an actor program"),
        ('{"version": 2, "kind": "actors"}', "version 2"),
        (
            '{"version": 1, "kind": "actors", "findings": [], "cases": [{}]}',
            "is not a complete suite: .0.: lacks id",
        ),
        ('{"version": 1, "kind": "actors", "findings": 3, "cases": []}', "is not a complete suite"),
    ],
)
def test_other_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_cases(text)


@pytest.mark.parametrize("shown", [{"$odd": 1}, {"$rat": "x/y"}, {"$rat": 3}, {"$data": {}}, {"a": 1, "b": 2}, [1]])
def test_values_that_are_none_are_refused(shown: object) -> None:
    with pytest.raises(BadInput, match="is no value of a case"):
        read_value(shown)

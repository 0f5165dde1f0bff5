"""The JSON form of suites."""

from __future__ import annotations

import json

import jsonschema
import pytest

from everypath.cases.json_writer import render_json, schema
from everypath.cases.model import CallSuite, Problem
from everypath.records import replace

from .samples import Pointer, all_cases, case, items, lit, literal_cases, returned, suite


def checked(suites: CallSuite | list[CallSuite]) -> dict[str, object]:
    document = json.loads(render_json(suites))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(document, schema(), cls=jsonschema.Draft202012Validator)
    assert isinstance(document, dict)
    return document


def by_id(document: dict[str, object], case_id: str) -> dict[str, object]:
    cases = document["cases"]
    assert isinstance(cases, list)
    return next(c for c in cases if c["id"] == case_id)


def test_the_output_follows_the_schema() -> None:
    document = checked(suite(all_cases()))
    assert document["version"] == 1
    assert len(document["cases"]) == len(all_cases())


def test_an_empty_suite_follows_the_schema() -> None:
    assert checked(CallSuite("empty.py", {}))["cases"] == []


def test_objects_are_references_into_a_heap() -> None:
    shared = by_id(checked(suite(all_cases())), "SLList.rem_all/shared_node")
    assert shared["inputs"]["receiver"] == {"$ref": "l1"}
    assert shared["inputs"]["arguments"] == {"other": {"$ref": "l2"}}
    assert shared["inputs"]["heap"]["n2"] == {"class": "shapes.Node", "fields": {"data": 0, "next": {"$ref": "n1"}}}
    assert shared["expected"]["returns"] is None
    assert shared["expected"]["heap"]["l1"]["fields"]["first"] is None


def test_values_that_json_lacks_are_tagged() -> None:
    heap = {"s": items(lit(b"\x00\xff"), lit(float("-inf")), kind="set")}
    given = by_id(
        checked(suite([case("f", "x", ("s", Pointer("s")), heap=heap, outcome=returned(float("nan")))])), "f/x"
    )
    assert given["inputs"]["heap"]["s"] == {"set": [{"$bytes": "00ff"}, {"$float": "-inf"}]}
    assert given["expected"]["returns"] == {"$float": "nan"}


def test_findings_name_their_case() -> None:
    (finding,) = checked(suite(literal_cases()))["findings"]
    assert finding["case"] == "quotient/b_zero_raises_zero_division_error"
    assert finding["location"] == "shapes.py:111"


def test_several_suites_become_one_object() -> None:
    first, second = suite(literal_cases()[:2], "a.py"), suite(literal_cases()[2:3], "b.py::sign")
    for each in (first, second):
        each.stats.paths, each.stats.cut["loop"], each.stats.seconds = 2, 1, 0.25
        each.stats.unsupported.append(Problem("unsupported", each.target, 3, "yield"))
    document = checked([first, second])
    assert document["target"] == "a.py b.py::sign"
    assert len(document["cases"]) == 3
    assert document["stats"]["paths"] == 4
    assert document["stats"]["cut"]["loop"] == 2
    assert document["stats"]["seconds"] == 0.5
    assert document["stats"]["unsupported"][1] == {"file": "b.py::sign", "line": 3, "message": "yield"}


def test_the_counts_say_how_many_cases_were_observed() -> None:
    predicted, observed = suite(literal_cases()[:2]), suite(literal_cases()[2:4])
    observed.cases = [replace(case, observed=True) for case in observed.cases]
    assert checked(predicted)["stats"]["observed"] == 0
    both = checked([predicted, observed])
    assert both["stats"]["observed"] == 2 == sum(case.get("observed", False) for case in both["cases"])


def test_the_schema_rejects_a_case_without_an_outcome() -> None:
    document = json.loads(render_json(suite(literal_cases())))
    del document["cases"][0]["expected"]["returns"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema())

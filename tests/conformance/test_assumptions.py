"""Whatever heap is chosen, the inputs of every test satisfy what was assumed, and the other paths are still there."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.model import CallCase, ObjectState, Pointer, Value
from everypath.generate.run import generate
from everypath.heap.assumptions import holds, parse_all
from everypath.languages.python.scripts.graph import targets
from everypath.options import HEAPS, Options

ASSUMED = [
    ("papers/rem_all.py::List.rem_all", "nosharing(self, l)"),
    ("papers/rem_all.py::List.rem_all", "noalias(self.first, l.first)"),
    ("papers/rem_all.py::List.rem_all", "acyclic(self); acyclic(l)"),
    ("papers/rem_all.py::List.rem_all", "nosharing(self.first, self.first.next)"),
    ("papers/m.py::m", "noalias(x, y)"),
    ("papers/m.py::m", "noalias(x, y); noalias(y, z); nosharing(x, z)"),
    ("bst.py::Tree.insert", "acyclic(self)"),
    ("bst.py::Tree.insert", "nosharing(self.root.left, self.root.right)"),
    ("sorted_list.py::merge", "nosharing(left, right); acyclic(left); acyclic(right)"),
]


def _object(case: CallCase, name: str) -> str | None:
    """The object behind a path of fields in the inputs of a case."""
    inputs = case.inputs
    first, *fields = name.split(".")
    roots: dict[str, Value | None] = {"self": inputs.receiver, **{n: value for n, value, _ in inputs.arguments}}
    value = roots[first]
    for field in fields:
        state = inputs.heap.get(value.id) if isinstance(value, Pointer) else None
        value = dict(state.fields).get(field) if isinstance(state, ObjectState) else None
    return value.id if isinstance(value, Pointer) else None


def _violated(case: CallCase, texts: tuple[str, ...]) -> list[str]:
    return [
        assumption.text
        for assumption in parse_all(texts)
        if not holds(assumption, lambda name: _object(case, name), lambda node: targets(case.inputs.heap[node]))
    ]


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize(("target", "assume"), ASSUMED)
def test_every_input_satisfies_them(examples: Path, target: str, assume: str, heap: str) -> None:
    run = generate([str(examples / target)], Options(heap=heap, assume=(assume,)))
    assert run.cases
    assert [p for suite in run.suites for p in suite.problems] == []
    assert [(case.name, _violated(case, (assume,))) for case in run.cases if _violated(case, (assume,))] == []


@pytest.mark.parametrize(("target", "assume"), ASSUMED)
def test_no_path_that_satisfies_them_is_lost(examples: Path, target: str, assume: str) -> None:
    place = str(examples / target)
    free = generate([place], Options(heap="lazy")).cases
    expected = {case.trace for case in free if not _violated(case, (assume,))}
    assumed = generate([place], Options(heap="lazy", assume=(assume,))).cases
    assert {case.trace for case in assumed} >= expected

"""Inputs that constructors alone do not give are reached: full stacks, trees, shared nodes, `self` as argument."""

from __future__ import annotations

from pathlib import Path

from everypath.cases.model import CallCase, Inputs, ObjectState, Pointer, Raised, SequenceState
from everypath.generate.run import generate
from everypath.options import Limits, Options


def _cases(target: str, loops: int = 1, heap: str = "lazy") -> list[CallCase]:
    run = generate([target], Options(limits=Limits(loops=loops), heap=heap))
    assert [p for suite in run.suites for p in suite.problems] == []
    assert all(case.validated for case in run.cases)
    return run.cases


def _field(inputs: Inputs, object_id: str, name: str) -> object:
    state = inputs.heap[object_id]
    assert isinstance(state, ObjectState)
    return dict(state.fields)[name]


def _follow(inputs: Inputs, value: object, *names: str) -> object:
    for name in names:
        if not isinstance(value, Pointer):
            return None
        value = _field(inputs, value.id, name)
    return value


def test_a_full_bounded_stack(examples: Path) -> None:
    full = [
        c
        for c in _cases(str(examples / "bounded_stack.py::BoundedStack.push"))
        if isinstance(c.expected.outcome, Raised)
    ]
    assert [c.expected.outcome.cls for c in full] == ["StackFull"]


def test_a_full_stack_that_no_constructor_builds(tmp_path: Path) -> None:
    file = tmp_path / "stack.py"
    file.write_text(
        "class Stack:\n"
        "    def __init__(self) -> None:\n"
        "        self.items: list[int] = []\n"
        "        self.size: int = 0\n\n"
        "    def push(self, item: int) -> None:\n"
        "        if self.size >= 2 and len(self.items) == self.size:\n"
        "            raise OverflowError('full')\n"
        "        self.items.append(item)\n"
        "        self.size += 1\n"
    )
    full = [c for c in _cases(f"{file}::Stack.push") if isinstance(c.expected.outcome, Raised)]
    (case,) = full
    items = _follow(case.inputs, case.inputs.receiver, "items")
    assert isinstance(items, Pointer)
    content = case.inputs.heap[items.id]
    assert isinstance(content, SequenceState)
    assert len(content.items) >= 2


def test_a_search_tree_of_three_nodes(examples: Path) -> None:
    cases = _cases(str(examples / "bst.py::Tree.remove"))
    assert any(
        isinstance(_follow(c.inputs, c.inputs.receiver, "root", "left"), Pointer)
        and isinstance(_follow(c.inputs, c.inputs.receiver, "root", "right"), Pointer)
        for c in cases
    )


def test_two_lists_that_share_a_node(papers: Path) -> None:
    cases = _cases(str(papers / "rem_all.py::List.rem_all"))
    shared = [
        c
        for c in cases
        if isinstance(argument := c.inputs.arguments[0][1], Pointer)
        and argument != c.inputs.receiver
        and isinstance(node := _follow(c.inputs, argument, "first"), Pointer)
        and node == _follow(c.inputs, c.inputs.receiver, "first")
    ]
    assert len(shared) == 1


def test_an_argument_that_is_self(papers: Path) -> None:
    cases = _cases(str(papers / "rem_all.py::List.rem_all"))
    assert sum(c.inputs.arguments[0][1] == c.inputs.receiver for c in cases) == 1

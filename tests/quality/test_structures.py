"""The data structures that the heaps are measured on: they work, and their generated cases run as predicted."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.explore.traces import signature
from everypath.generate.run import generate
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.languages.python.subject import method_of
from everypath.options import HEAPS, Limits, Options

ROOT = Path(__file__).resolve().parent.parent.parent
STRUCTURES = ROOT / "examples" / "structures"
FILES = (
    "balanced_tree.py",
    "doubly_linked.py",
    "heap_queue.py",
    "node_sequence.py",
    "search_tree.py",
    "sorted_queue.py",
)
LARGE = {
    "DoublyLinkedList.add_range",
    "NodeSequence.exchange",
    "NodeSequence.move",
    "SearchTree.find_all",
    "BalancedTree.insert",
    "SearchTree.insert",
    "SearchTree.remove",
    "SortedQueue.add_all",
    "SortedQueue.change_key",
    "SortedQueue.take_min",
}
"""Methods with so many cases, at least with lazy initialisation, that running them takes long."""


def _methods(file: str) -> list[str]:
    return [entry.qualname for entry in load_target(str(STRUCTURES / file)).entries if entry.kind != "constructor"]


def _check(targets: list[str], heap: str) -> None:
    run = generate([str(STRUCTURES / target) for target in targets], Options(limits=Limits(loops=1), heap=heap))
    assert run.problems == [] and len(run.suites) == len(targets)
    for suite in run.suites:
        assert suite.problems == [] and suite.stats.unsupported == [], suite.target
        assert suite.cases and all(case.validated for case in suite.cases), suite.target


@pytest.mark.parametrize("file", FILES)
def test_cases_without_aliasing_run_as_predicted(file: str) -> None:
    _check([f"{file}::{name}" for name in _methods(file) if name not in LARGE], "noalias")


@pytest.mark.slow
@pytest.mark.parametrize("heap", [heap for heap in HEAPS if heap != "noalias"])
@pytest.mark.parametrize("file", FILES)
def test_cases_with_aliasing_run_as_predicted(file: str, heap: str) -> None:
    _check([f"{file}::{name}" for name in _methods(file) if name not in LARGE], heap)


@pytest.mark.slow
@pytest.mark.parametrize("heap", [heap for heap in HEAPS if heap != "lazy"])
@pytest.mark.parametrize("file", [file for file in FILES if file != "heap_queue.py"])
def test_many_cases_run_as_predicted(file: str, heap: str) -> None:
    _check([f"{file}::{name}" for name in _methods(file) if name in LARGE], heap)


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, STRUCTURES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _forwards(header: Any, trailer: Any) -> list[Any]:
    found = []
    node = header.next
    while node is not trailer:
        assert node.previous.next is node and node.next.previous is node
        found.append(node)
        node = node.next
    return found


def test_doubly_linked_list() -> None:
    module, choose = _load("doubly_linked"), random.Random(1)
    ours, other, expected, rest = module.DoublyLinkedList(), module.DoublyLinkedList(), list[int](), list[int]()
    for element in range(60):
        index = choose.randint(0, len(expected))
        ours.add(index, element)
        expected.insert(index, element)
        other.add_last(-element)
        rest.append(-element)
    ours.add_range(7, other, 3, 50)
    expected[7:7] = rest[3:50]
    del rest[3:50]
    for element in choose.sample(expected, 40):
        assert ours.remove_value(element)
        expected.remove(element)
    assert not ours.remove_value(1000)
    for _ in range(40):
        nodes = _forwards(ours.header, ours.trailer)
        one, two = choose.randrange(len(nodes)), choose.randrange(len(nodes))
        ours.exchange(nodes[one], nodes[two])
        expected[one], expected[two] = expected[two], expected[one]
        nodes = _forwards(ours.header, ours.trailer)
        ours.move_to_front(nodes[two])
        expected.insert(0, expected.pop(two))
    assert ours.remove(ours.first()) == expected.pop(0) and ours.remove(ours.last()) == expected.pop()
    assert [node.element for node in _forwards(ours.header, ours.trailer)] == expected
    assert [node.element for node in _forwards(other.header, other.trailer)] == rest
    assert (ours.size, other.size) == (len(expected), len(rest))
    with pytest.raises(module.InvalidPosition):
        ours.remove(ours.header)


def test_node_sequence() -> None:
    module, choose = _load("node_sequence"), random.Random(2)
    ours, expected = module.NodeSequence(), list[Any]()
    for value in range(60):
        rank, item = choose.randint(0, len(expected)), module.Item(value)
        ours.insert_at(rank, item)
        expected.insert(rank, item)
    for _ in range(40):
        rank, target = choose.randrange(len(expected)), choose.randrange(len(expected))
        ours.exchange(rank, ours, target)
        expected[rank], expected[target] = expected[target], expected[rank]
        rank, target = choose.randrange(len(expected)), choose.randrange(len(expected))
        ours.move(rank, ours, target)
        expected.insert(target, expected.pop(rank))
        rank = choose.randrange(len(expected))
        assert ours.remove_at(rank) is expected.pop(rank)
    item = module.Item(0)
    assert ours.replace_at(4, item) is expected[4]
    expected[4] = item
    assert [node.item for node in _forwards(ours.header, ours.trailer)] == expected
    assert [ours.item_at(rank) for rank in range(len(expected))] == expected
    assert ours.rank_of(item) == 4 and ours.rank_of(module.Item(0)) == -1
    with pytest.raises(module.BoundaryViolation):
        ours.remove_at(len(expected))


@pytest.mark.parametrize(("name", "cls"), [("sorted_queue", "SortedQueue"), ("heap_queue", "HeapQueue")])
def test_priority_queues(name: str, cls: str) -> None:
    module, choose = _load(name), random.Random(3)
    ours, other = getattr(module, cls)(), getattr(module, cls)()
    entries = [ours.insert(choose.randint(0, 50), value) for value in range(80)]
    other.add_all(module.Entry(60, 0), module.Entry(-1, 0))
    assert ours.take_min(other) == -1
    change = ours.change_key if name == "sorted_queue" else ours.replace_key
    for entry in choose.sample(entries, 30):
        change(entry, choose.randint(0, 50))
    taken = [ours.remove_min() for _ in range(81)]
    assert set(entries) < set(taken)
    assert [entry.key for entry in taken] == sorted(entry.key for entry in taken)
    with pytest.raises(module.EmptyQueue):
        ours.remove_min()


def test_search_tree() -> None:
    module, choose = _load("search_tree"), random.Random(4)
    tree, expected = module.SearchTree(), dict[int, set[Any]]()
    for value in range(300):
        key = choose.randint(0, 60)
        expected.setdefault(key, set()).add(tree.insert(key, value))
        key = choose.randint(0, 60)
        if value % 3 == 0:
            removed = tree.remove(key)
            assert (removed is None) == (not expected.get(key))
            expected.get(key, set()).discard(removed)
    for key in range(-1, 62):
        found = tree.find_all(key)
        assert len(found) == len(set(found)) and set(found) == expected.get(key, set())
        assert (tree.find(key) is None) == (not found)
    assert tree.size == sum(map(len, expected.values()))


def test_what_the_benchmarks_measure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    growth, heaps = importlib.import_module("growth"), importlib.import_module("heaps")
    known = {f"{file}::{name}" for file in FILES for name in _methods(file)}
    for method in heaps.METHODS:
        structure, _, name = method.partition(".")
        assert f"{heaps.STRUCTURES[structure]}.{name}" in known
    for family, source in growth.FAMILIES.items():
        file = tmp_path / f"{family}.py"
        file.write_text(source(4))
        _check([f"{file}::touch"], "lazy")
    square = growth.fit(list(growth.COUNTS), [7.0 * n**2 for n in growth.COUNTS])
    assert square.better == "polynomial" and abs(square.degree - 2) < 1e-9 and square.power_residual < 1e-9
    power = growth.fit(list(growth.COUNTS), [7.0 * 3**n for n in growth.COUNTS])
    assert power.better == "exponential" and abs(power.base - 3) < 1e-9 and power.exponential_residual < 1e-9


@pytest.mark.parametrize("target", ["sorted_queue.py::SortedQueue.add_all", "node_sequence.py::NodeSequence.move"])
def test_the_solver_finds_every_path_of_separate_objects(target: str) -> None:
    def paths(heap: str) -> list[object]:
        source = load_target(str(STRUCTURES / target))
        (entry,) = source.entries
        exploration = Exploration(PythonSemantics(source.program), Options(heap=heap))
        state, _ = exploration.initial(method_of(source, entry), entry.cls)
        return [signature(last) for last in exploration.paths(state) if isinstance(last.outcome, Finished | Uncaught)]

    separate, found = paths("noalias"), paths("solver")
    assert set(separate) <= set(found)
    assert len(found) == len(set(found))

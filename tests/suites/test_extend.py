"""Extending in steps gives exactly what one run with the larger bounds gives, and repeats little of the work."""

from __future__ import annotations

from pathlib import Path

import pytest

import everypath
from everypath.app.api import Suite
from everypath.cases.model import SomeSuite
from everypath.paths import Leaf

EXAMPLES = Path(__file__).parents[2] / "examples"
# The remainders of remainders in simp are not decided within the time: where that cuts is another place in every run.
PAPERS = sorted(path.name for path in (EXAMPLES / "papers").glob("*.py") if path.name != "simp.py")
PROGRAM = """
def count(items: list[int], limit: int) -> int:
    found = 0
    for item in items:
        if item > limit:
            found += 1
    return found


def longest(words: dict[str, int], *rest: int) -> int:
    best = 0
    for word in words:
        if words[word] > best:
            best = words[word]
    return best + sum(rest)


def spread(text: str) -> list[str]:
    return [c for c in text if c != "a"]


def repeated(n: int) -> list[int]:
    return [0] * n
"""


def shown(suite: SomeSuite) -> list[tuple[object, str]]:
    """Condition and outcome of each case; the numbers that a solver picks may differ."""
    return sorted(
        (tuple(sorted(case.condition)), repr(getattr(case.expected, "outcome", case.expected))) for case in suite.cases
    )


def compare(direct: Suite, grown: Suite) -> None:
    assert [each.target for each in grown.records] == [each.target for each in direct.records]
    for one, other in zip(direct.records, grown.records, strict=True):
        assert shown(other) == shown(one), one.target
        assert other.stats.cut == one.stats.cut
        assert sorted(leaf.choices for each in other.frontier for leaf in each.leaves) == sorted(
            leaf.choices for each in one.frontier for leaf in each.leaves
        )


@pytest.mark.parametrize("name", PAPERS)
def test_the_programs_of_the_papers(name: str) -> None:
    target, settings = str(EXAMPLES / "papers" / name), {"validate": False}
    direct = everypath.generate(target, loops=3, **settings)
    first = everypath.generate(target, **settings)
    second = first.extend(loops=2)
    third = second.extend(loops=3)
    compare(direct, third)
    for before, after in ((first, second), (second, third)):
        kept = {case.id: case.record for case in after}
        assert all(kept[case.id] == case.record for case in before)


PROGRAMS = (
    *(f"papers/{each}" for each in PAPERS),
    "structures/doubly_linked.py::DoublyLinkedList.add_range",
    "structures/heap_queue.py::HeapQueue.replace_key",
    # What its cases return depends on numbers that no condition is about.
    "structures/node_sequence.py::NodeSequence.exchange",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_one_process_no_way_is_gone_twice(name: str) -> None:
    target, settings = str(EXAMPLES / name), {"validate": False, "jobs": 1}
    direct = everypath.generate(target, loops=3, **settings)
    grown = everypath.generate(target, **settings).extend(loops=2).extend(loops=3)
    compare(direct, grown)
    assert steps(direct) <= steps(grown) < 1.1 * steps(direct)


def steps(suite: Suite) -> int:
    return sum(each.stats.steps for each in suite.records)


def test_between_processes_the_way_to_what_was_left_is_gone_once_more(tmp_path: Path) -> None:
    target = str(EXAMPLES / "papers" / "rem_all.py::List.rem_all")
    direct = everypath.generate(target, loops=3, validate=False)
    suite = everypath.generate(target, validate=False)
    for loops in (2, 3):
        [stored] = suite.save(tmp_path / str(loops))
        suite = everypath.load(stored).extend(loops=loops)
    compare(direct, suite)
    assert steps(direct) < steps(suite) < 1.2 * steps(direct)


def test_a_suite_can_be_extended_twice_and_by_a_leaf(tmp_path: Path) -> None:
    (tmp_path / "lengths.py").write_text(PROGRAM)
    first = everypath.generate(str(tmp_path / "lengths.py::count"), validate=False, predicted_only=True, jobs=1)
    second, third = first.extend(loops=2), first.extend(loops=3)
    compare(third, second.extend(loops=3))
    compare(second, first.extend(loops=2))
    leaf = first.frontier[0]
    part = first.extend(leaf=leaf)
    assert len(part) > len(first)
    compare(second, part.extend(loops=2))


def test_a_function_that_was_edited_meanwhile_is_not_extended(tmp_path: Path) -> None:
    file = tmp_path / "lengths.py"
    file.write_text(PROGRAM)
    first = everypath.generate(str(file), validate=False, predicted_only=True, jobs=1)
    file.write_text(PROGRAM.replace("best + sum", "best - sum"))
    grown = first.extend(loops=2)
    assert [each.message for each in grown.problems if each.kind == "changed"]
    assert {each.function for each in grown} == {"count", "spread", "repeated"}


@pytest.mark.parametrize("heap", ["lazy", "noalias"])
def test_any_heap(heap: str) -> None:
    target = str(EXAMPLES / "papers" / "rem_all.py::List.rem_all")
    direct = everypath.generate(target, loops=2, heap=heap, validate=False)
    compare(direct, everypath.generate(target, heap=heap, validate=False).extend(loops=2))


def test_lengths_of_input_collections_grow_with_the_bound(tmp_path: Path) -> None:
    (tmp_path / "lengths.py").write_text(PROGRAM)
    target = str(tmp_path / "lengths.py")
    direct = everypath.generate(target, loops=3, validate=False, predicted_only=True)
    suite = everypath.generate(target, validate=False, predicted_only=True)
    compare(direct, suite.extend(loops=2).extend(loops=3))


def test_objects_made_by_calls() -> None:
    target = str(EXAMPLES / "bounded_stack.py::BoundedStack.push")
    direct = everypath.generate(target, loops=2, reachable=True, validate=False)
    compare(direct, everypath.generate(target, reachable=True, validate=False).extend(loops=2))


def test_another_selection_brings_back_what_was_left_out() -> None:
    target = str(EXAMPLES / "papers" / "lcm.py::lcm")
    direct = everypath.generate(target, validate=False)
    few = everypath.generate(target, select="branches", validate=False)
    assert len(few) < len(direct)
    compared = [shown(each) for each in few.extend(select="all").records]
    assert [set(each) for each in compared] >= [set(shown(each)) for each in direct.records]


def test_orders_of_messages() -> None:
    target = str(EXAMPLES / "actors" / "cons.abs::Consumer.consumeN")
    direct = everypath.generate(target, loops=3, validate=False)
    grown = everypath.generate(target, validate=False).extend(loops=2).extend(loops=3)
    assert shown(grown.records[0]) == shown(direct.records[0])
    assert grown.records[0].stats.steps < 1.2 * direct.records[0].stats.steps


def test_one_more_at_a_time_comes_to_the_same() -> None:
    target = str(EXAMPLES / "papers" / "int_exp.py::int_exp")
    suite = everypath.generate(target, validate=False)
    known = [case.record for case in suite]
    for _ in range(2):
        case = suite.next()
        assert case is not None
        known.append(case.record)
    assert [case.record for case in suite] == known
    direct = everypath.generate(target, loops=3, validate=False)
    assert sorted(shown(suite.records[0])) == sorted(shown(direct.records[0]))


def test_going_on_from_one_leaf_leaves_the_others_where_they_are() -> None:
    target = str(EXAMPLES / "papers" / "rem_all.py::List.rem_all")
    suite = everypath.generate(target, validate=False)
    leaf = suite.frontier[0]
    grown = everypath.extend(suite, leaf=leaf)
    assert len(grown) > len(suite)
    assert leaf not in grown.frontier
    assert set(suite.frontier) - {leaf} <= set(grown.frontier)
    direct = everypath.generate(target, loops=2, validate=False)
    # Two ways through the code that execute the same statements are one path: which one was met first, stays.
    assert {case.record.key for case in grown.extend(loops=2)} == {case.record.key for case in direct}


@pytest.mark.parametrize("program", ("int_exp.py::int_exp", "rem_all.py::List.rem_all", "simp.py::Rational.simp"))
def test_extending_under_the_same_bounds_adds_nothing(program: str) -> None:
    """Paths that wait in this process stand behind the bound that has stopped them."""
    suite = everypath.generate(str(EXAMPLES / "papers" / program), validate=False)
    again = suite.extend().extend()
    assert [case.id for case in again] == [case.id for case in suite]
    assert len(again.frontier) == len(suite.frontier)
    compare(everypath.generate(str(EXAMPLES / "papers" / program), loops=2, validate=False), again.extend(loops=2))


def test_cases_come_one_by_one() -> None:
    target = str(EXAMPLES / "papers" / "rem_all.py::List.rem_all")
    found = everypath.cases(target, validate=False)
    first = next(found)
    whole = everypath.generate(target, validate=False)
    ids = [first.id, *(case.id for case in found)]
    assert len(ids) == len(set(ids)) == len(whole)


def test_choices_that_are_not_offered_any_more_start_the_search_anew() -> None:
    target = str(EXAMPLES / "papers" / "rem_all.py::List.rem_all")
    suite = everypath.generate(target, validate=False)
    [record] = suite.records
    [frontier] = record.frontier
    record.frontier = [type(frontier)(frontier.start, (*frontier.leaves, Leaf((0, 7), "loop")))]
    compare(everypath.generate(target, loops=2, validate=False), suite.extend(loops=2))

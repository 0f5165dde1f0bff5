"""Summaries of methods (section 2.4 of "Test Case Generation by Symbolic Execution"): composing them gives the same
paths as executing the methods."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.starts import begin, replay
from everypath.explore.search.subject import Subject
from everypath.explore.search.summaries.composing import Summaries, summaries_for
from everypath.explore.traces import signature
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import replace

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(p for room in ("", "papers", "structures") for p in (EXAMPLES / room).glob("*.py"))
HEAPS = ("solver", "lazy", "noalias")
MOST = 200


def options_for(heap: str, loops: int = 1) -> Options:
    return Options(limits=Limits(loops=loops, time=20), heap=heap, validate=False)


def subjects(target: str, options: Options) -> list[Subject]:
    loaded = language_of(target).loader(options)(target)
    return [loaded.subject(entry) for entry in loaded.entries if not entry.problems]


def paths(subject: Subject, options: Options) -> Counter[object]:
    """How often each trace ends in which way."""
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    found: Counter[object] = Counter()
    for each in begun.paths():
        outcome = each.state.outcome
        ended = isinstance(outcome, (Finished, Uncaught))
        kind = getattr(outcome, "cls", "") or getattr(outcome, "kind", "")
        found[type(outcome).__name__, kind, signature(each.state) if ended else ()] += 1
    return found


def composing(subject: Subject, options: Options) -> tuple[Options, Summaries]:
    """Options under which every call is composed that can be, also where that does not pay."""
    composed = replace(options, compositional="all")
    summaries = summaries_for(subject.semantics, composed)
    summaries.always = True
    return composed, summaries


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_examples_have_the_same_paths_with_summaries(program: Path, heap: str) -> None:
    options = options_for(heap)
    for subject in subjects(str(program), options):
        few = replace(options, limits=replace(options.limits, paths=MOST))
        inlined = paths(subject, few)
        if sum(inlined.values()) >= MOST:
            continue
        composed, _ = composing(subject, options)
        assert paths(subject, composed) == inlined, subject.method.qualified


def test_a_reference_that_may_be_null_is_asked_about_only_where_it_counts() -> None:
    options = options_for("solver")
    target = f"{EXAMPLES / 'structures' / 'balanced_tree.py'}::BalancedTree.insert"
    expected = paths(subjects(target, options)[0], options)
    [subject] = subjects(target, options)
    composed, summaries = composing(subject, options)
    assert paths(subject, composed) == expected
    assert summaries.reused
    # A path is its trace here: no two paths differ in what only a summary asks.
    assert max(count for (kind, _, _), count in expected.items() if kind == "Finished") == 1


def test_calls_of_examples_are_composed() -> None:
    [subject] = subjects(f"{EXAMPLES / 'papers' / 'lcm.py'}::lcm", options_for("solver"))
    composed, summaries = composing(subject, options_for("solver"))
    assert sum(paths(subject, composed).values()) == 11
    assert summaries.reused > 10


def test_a_composed_path_is_replayed() -> None:
    for target in ("papers/lcm.py::lcm", "structures/doubly_linked.py::DoublyLinkedList.exchange"):
        [subject] = subjects(str(EXAMPLES / target), options_for("solver"))
        composed, _ = composing(subject, options_for("solver"))
        begun = begin(subject, composed, OpenInputs(bounds_of(composed.limits)))
        for found in [*begun.paths()]:
            if isinstance(found.state.outcome, (Finished, Uncaught)):
                again = replay(subject, composed, found.path)
                assert signature(again.state) == signature(found.state)


# Random call trees: functions of lower number are called by those of higher number.

_NAMES = ("x", "y")
_ATOMS = st.sampled_from(("x", "y", "0", "1", "3", "a.n", "b.n", "x + y", "x - 1", "y * 2", "x // 2", "y % 3"))
_TESTS = st.builds("{} {} {}".format, _ATOMS, st.sampled_from(("<", "<=", "==", "!=")), _ATOMS) | st.sampled_from(
    ("a is b", "a.next is None", "b.next is not None", "a.next is b")
)


@st.composite
def _statements(draw: st.DrawFn, below: int, depth: int, indent: str) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("assign", "field", "call", "if", "raise", "link", "loop")))
        if kind == "assign":
            lines.append(f"{indent}{draw(st.sampled_from(_NAMES))} = {draw(_ATOMS)}")
        elif kind == "field":
            lines.append(f"{indent}{draw(st.sampled_from('ab'))}.n = {draw(_ATOMS)}")
        elif kind == "link":
            left, right = draw(st.sampled_from(("a", "b"))), draw(st.sampled_from(("a", "b", "None", "Box(x, b)")))
            lines.append(f"{indent}{left}.next = {right}")
        elif kind == "call" and below:
            name = f"f{draw(st.integers(0, below - 1))}"
            boxes = draw(st.sampled_from(("a, b", "b, a", "a, a", "Box(y, a), b")))
            first, second, target = draw(_ATOMS), draw(_ATOMS), draw(st.sampled_from(_NAMES))
            lines.append(f"{indent}{target} = {name}({boxes}, {first}, {second})")
        elif kind == "if" and depth:
            lines.append(f"{indent}if {draw(_TESTS)}:")
            lines += draw(_statements(below, depth - 1, indent + "    "))
        elif kind == "loop" and depth == 2:
            lines.append(f"{indent}while x > y:")
            lines.append(f"{indent}    x -= {draw(st.sampled_from(('1', '2')))}")
        elif kind == "raise" and depth < 2:
            lines.append(f"{indent}raise ValueError(x)")
            break
    return lines or [f"{indent}x = y"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [
        "class Box:",
        "    def __init__(self, n: int, next: 'Box | None') -> None:",
        "        self.n = n",
        "        self.next = next",
        "",
    ]
    for number in range(draw(st.integers(2, 4))):
        lines.append(f"def f{number}(a: Box, b: Box, x: int, y: int) -> int:")
        lines += draw(_statements(number, 2, "    "))
        lines.append(f"    return {draw(_ATOMS)}")
    return "\n".join(lines) + "\n"


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs())
def test_random_call_trees_have_the_same_paths_with_summaries(
    source: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("tree") / "tree.py"
    file.write_text(source)
    for heap in HEAPS:
        options = options_for(heap)
        for subject in subjects(str(file), options):
            few = replace(options, limits=replace(options.limits, paths=MOST))
            inlined = paths(subject, few)
            if sum(inlined.values()) >= MOST:
                continue
            composed, _ = composing(subject, options)
            assert paths(subject, composed) == inlined, (heap, subject.method.qualified, source)

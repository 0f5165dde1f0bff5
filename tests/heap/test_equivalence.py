"""The heap solver takes the paths that enumerating aliases takes, each once, and predicts what really happens."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from everypath.cases.concretise import concretise
from everypath.errors import SolverUnknown, Unsupported
from everypath.heap import conditional
from everypath.languages.python.solving.describer import PythonDescriber
from everypath.logic.condition import Infeasible
from tests.heap.engine import Paths, explore, load, predicted
from tests.heap.interpreter import Instrumented, Objects
from tests.heap.list_programs import list_programs
from tests.heap.programs import Program, heap_programs
from tests.heap.shapes import FAMILY, NODES

CANDIDATE = "solver"
REFERENCE = "lazy"
WITHOUT_ALIASING = "noalias"

MOST_PATHS = 1_500
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
_RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large]


def _shown(program: Program, title: str, lines: list[str]) -> str:
    return "\n".join(["", program.listing(), title, *(f"    {line}" for line in lines)])


def _story(paths: Paths, signature: object) -> str:
    """A path as its events, to be read next to the program."""
    state = next(s for s, found in zip(paths.states, paths.signatures()) if found == signature)
    events, end = predicted(state)
    steps = [f"{e[1]}:{e[2]} {e[3]}" for e in events if e[0] == "branch"]
    return f"branches {', '.join(steps) or 'none'}; {end}; reads {sum(e[0] != 'branch' for e in events)}"


def _compare(program: Program, left: Paths, right: Paths, both: bool) -> None:
    """The paths of the left heap are paths of the right one; with `both` also the other way round."""
    mine, theirs = set(left.signatures()), set(right.signatures())
    surplus = [_story(left, s) for s in mine - theirs]
    missing = [_story(right, s) for s in theirs - mine] if both else []
    if surplus or missing:
        title = f"paths that should not be there: {len(surplus)}, that are missing: {len(missing)}"
        lines = [f"surplus: {s}" for s in sorted(surplus)] + [f"missing: {s}" for s in sorted(missing)]
        raise AssertionError(_shown(program, title, lines))


def _no_trace_twice(program: Program, paths: Paths) -> None:
    twice = [s for s, count in Counter(paths.signatures()).items() if count > 1]
    assert not twice, _shown(program, "paths found more than once", [_story(paths, s) for s in twice])


def _predictions_hold(program: Program, paths: Paths, tally: Counter[str]) -> None:
    """Run the cases on the real interpreter; paths that turn out to have no inputs are dropped, and counted."""
    real = Instrumented(program)
    states, paths.states = paths.states, []
    for state in states:
        try:
            concrete = concretise(state, paths.call, PythonDescriber(state.heap.inputs.program))
        except Infeasible:
            tally["infeasible in the end"] += 1
            continue
        except (Unsupported, SolverUnknown) as problem:
            paths.incomplete = f"case not made: {problem}"
            continue
        paths.states.append(state)
        objects = Objects(real.namespace)
        arguments = objects.build(concrete)
        behaviour, result = real.run(arguments)
        wanted = predicted(state)
        given = [f"{name} = {value}" for name, value, _ in concrete.inputs.arguments]
        given += [f"{name}: {content}" for name, content in concrete.inputs.heap.items()]
        if behaviour != wanted:
            lines = [*given, f"predicted {wanted}", f"happened  {behaviour}"]
            raise AssertionError(_shown(program, "a case does not follow its path", lines))
        different = objects.differences(concrete, result)
        assert not different, _shown(program, "a case ends otherwise", [*given, *different])
        tally["cases"] += 1


def _equivalent(program: Program, tally: Counter[str], pure: bool) -> None:
    source = load(program)
    assert not source.problems, _shown(program, "not loaded", [str(p) for p in source.problems])
    candidate = explore(source, CANDIDATE, MOST_PATHS)
    _predictions_hold(program, candidate, tally)
    if candidate.incomplete:
        tally[f"skipped: candidate {candidate.incomplete}"] += 1
        return
    # Classes are decided at once: a type test of an input that may be null fails in two ways, and a call that
    # different classes answer differently is looked up for every object that it may be.
    if pure and program.shape is not FAMILY:
        _no_trace_twice(program, candidate)
    separate = explore(source, WITHOUT_ALIASING, MOST_PATHS)
    if not separate.incomplete:
        _compare(program, separate, candidate, both=False)
    reference = candidate if CANDIDATE == REFERENCE else explore(source, REFERENCE, MOST_PATHS)
    if reference.incomplete:
        _compare(program, reference, candidate, both=False)
        tally[f"skipped: reference {reference.incomplete}"] += 1
        return
    _compare(program, candidate, reference, both=True)
    tally["compared"] += 1


def _run(programs: SearchStrategy[Program], count: int, pure: bool) -> None:
    """Compare so many programs; most of them must be small enough for the reference, too."""
    tally: Counter[str] = Counter()
    done: set[str] = set()

    @settings(max_examples=count, deadline=None, phases=_PHASES, suppress_health_check=_RELAXED)
    @given(programs)
    def holds(program: Program) -> None:
        if program.source not in done:
            _equivalent(program, tally, pure)
            done.add(program.source)

    holds()
    skipped = sum(n for reason, n in tally.items() if reason.startswith("skipped"))
    assert tally["compared"] >= 3 * skipped, tally
    assert tally["cases"] > tally["compared"], tally
    print(f"{len(done)} different programs:", dict(tally))


def test_same_paths_through_objects() -> None:
    _run(heap_programs(statements=3), 120, pure=True)


def test_same_paths_through_lists() -> None:
    _run(list_programs(), 60, pure=False)


def test_same_paths_where_every_conditional_value_has_guards_that_exclude_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conditional, "MAX_RULES", 0)
    _run(heap_programs(statements=3), 80, pure=True)


@pytest.mark.slow
def test_same_paths_through_many_programs_over_objects() -> None:
    _run(heap_programs(), 3_000, pure=True)


@pytest.mark.slow
def test_same_paths_through_many_programs_over_lists() -> None:
    _run(list_programs(), 1_000, pure=False)


UNDECIDED = {
    "a caught error about an attribute": """
    a.next = a
    q = b.next
    try:
        q.next.f = 0
    except AttributeError:
        return 2
    return 1
""",
    "a method that is looked up before its arguments": """
    a.next.next = a
    return a.count(2)
""",
}


@pytest.mark.parametrize("body", UNDECIDED.values(), ids=list(UNDECIDED))
def test_which_object_it_is_need_not_be_decided(body: str) -> None:
    source = f"{NODES.header.rstrip()}\n\n\ndef subject(a: Node, b: Node) -> object:{body}"
    _equivalent(Program(NODES, (("a", "Node"), ("b", "Node")), source), Counter(), pure=True)

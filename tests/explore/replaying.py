"""Run in a process of its own: replays the cases of stored suites and says in which way they come out differently.

What is compared is all that a case says about its path, and the text of its test.
"""

from __future__ import annotations

import sys
from pathlib import Path

from everypath.app.recorded import recorded_options
from everypath.cases import store
from everypath.cases.actor_wording import judge
from everypath.cases.actors import ActorCase, ActorSuite
from everypath.cases.collect import Collector
from everypath.cases.json_writer import render_json
from everypath.cases.kinds import ACTORS, is_actor_suite, is_call_suite, is_race_suite
from everypath.cases.model import CallSuite
from everypath.cases.races import FREE_THREADED, TODAY, Interleaved, RaceFinding, RaceSuite
from everypath.explore import traces
from everypath.explore.search.freedom import Freedom
from everypath.explore.search.starts import replay
from everypath.explore.traces import branches_taken
from everypath.generate.exploring import single_entry
from everypath.languages.abs.emitted import abs_tests
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.generation import exploration_of
from everypath.languages.abs.targets import find_targets
from everypath.languages.abs.validation import validate
from everypath.languages.python.classes_under_test import find_targets as find_classes
from everypath.languages.python.frontend import load_target
from everypath.languages.python.scripts.body import render_case
from everypath.languages.python.solving.describer import PythonDescriber
from everypath.languages.python.subject import subject_of
from everypath.languages.python.writers.race_writer import render_race
from everypath.options import ActorOptions, Options
from everypath.paths import QueuedTasks
from everypath.race.session import follow
from everypath.records import replace


def check_calls(suite: CallSuite) -> None:
    """Each case again, from nothing but its path."""
    options = recorded_options(suite, "")
    source = load_target(suite.target, options.types)
    entry = single_entry(source, suite.target)
    subject = subject_of(source, entry)
    semantics = subject.semantics
    for case in suite.cases:
        again = CallSuite(suite.target, {})
        collector = Collector(entry.case_entry(), again, PythonDescriber(source.program), freedom=Freedom(semantics))
        collector.add(replay(subject, options, case.path))
        collector.finish()
        (made,) = again.cases
        # Its name and what its code could change are found out once all cases are there.
        observed = replace(case.entry, observed=made.entry.observed)
        made = replace(made, id=case.id, name=case.name, validated=case.validated, entry=observed)
        made = replace(made, unreached=case.unreached)
        assert made == case, f"{case.id}\n{case}\n{made}"
        assert render_case(made, suite.plans) == render_case(case, suite.plans), case.id
        print(case.id, type(case.start).__name__, case.start.bounds.loops)


def check_actors(suites: list[ActorSuite]) -> None:
    """Each execution again: the tasks of its schedule and its choices, then its outcome, then all tests together."""
    made = []
    for suite in suites:
        (target,) = find_targets([suite.target])
        cases = []
        for case in suite.cases:
            assert isinstance(case.start, QueuedTasks)
            if case.entry.cls:
                check_symbolically(target.program, case)
            again = validate(target.program, replace(case, validated=False))
            assert not isinstance(again, str), again
            cases.append(replace(again, finding=None))
            print(case.id, type(case.start).__name__, ",".join(case.start.methods) or "-")
        made.append(replace(suite, cases=cases))
        judge(made[-1])
        for case, again in zip(suite.cases, made[-1].cases, strict=True):
            assert again == (case if case.entry.cls else replace(case, validated=True)), case.id
        assert render_json(made[-1], kind=ACTORS) == render_json(suite, kind=ACTORS).replace(
            '"validated": false', '"validated": true'
        )
    made.sort(key=lambda suite: suite.cases[0].entry.line)
    text = abs_tests(target.program, target.sources, [suite for suite in made if suite.cases[0].entry.cls]).text
    assert text == Path(f"test_{Path(target.sources[0].file).stem}_generated.abs").read_text()


def check_symbolically(program: Program, case: ActorCase) -> None:
    """The same choices, lines and branches, and an end of the same kind, with any inputs."""
    assert isinstance(case.start, QueuedTasks)
    bounds = case.start.bounds
    actors = ActorOptions(switches=bounds.switches, actors=bounds.actors)
    options = Options(actors=actors, limits=bounds.within(Options().limits))
    exploration = exploration_of(program, options)
    start = exploration.start(f"{case.entry.module}.{case.entry.cls}", case.entry.name, case.start.methods)
    assert start.tasks == case.start
    state = exploration.replay(start, [turn.task for turn in case.schedule], case.choices)
    assert state.choice_sequence() == case.choices
    assert exploration.system.enabled(state) == [], case.id
    assert exploration.system.outcome(state) == ("deadlock" if case.expected.deadlock else "finished")
    lines = [(step.file, step.line) for step in case.trace]
    assert [place for place in traces.lines(state) if place[0] == case.entry.file] == lines, case.id
    assert [arc for arc in dict.fromkeys(branches_taken(state)) if arc.startswith(case.entry.file)] == [*case.covers]


def check_races(suite: RaceSuite) -> None:
    """Each schedule again: its timeline, what both threads come to, and the test."""
    root = str(find_classes([suite.target])[0].root)
    findings = []
    for case in suite.cases:
        test = replace(case.inputs, schedule=case.schedule)
        result = follow(test, root)
        assert result.failed, case.id
        assert Interleaved(result.kind, result.observed, result.serial) == case.expected
        lines = [(Path(turn.file).name, turn.line) for turn in result.timeline if turn.line]
        assert lines == [(step.file, step.line) for step in case.trace], case.id
        assert case.finding is not None
        title, place = case.finding.message, f"{case.finding.file}:{case.finding.line}"
        seen = (result.observed, result.serial, result.timeline)
        findings.append(RaceFinding(result.kind, title, place, (), TODAY, *seen, test))
        print(case.id, case.name)
    (written,) = Path().glob("test_*_threads.py")
    # On which builds of Python a fault shows is all that a test says and a case does not.
    texts = [render_race([replace(each, label=label) for each in findings]) for label in (TODAY, FREE_THREADED)]
    assert written.read_text() in texts


loaded = [store.load(Path(name)) for name in sys.argv[1:]]
for stored in loaded:
    if is_race_suite(stored):
        check_races(stored)
    elif is_call_suite(stored):
        check_calls(stored)
if of_actors := [stored for stored in loaded if is_actor_suite(stored)]:
    check_actors(of_actors)

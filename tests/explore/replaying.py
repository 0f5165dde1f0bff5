"""Run in a process of its own: replays the cases of stored suites and says in which way they come out differently.

What is compared is all that a case says about its path, and the text of its test.
"""

from __future__ import annotations

import sys
from pathlib import Path

from everypath.app.replay import _options_of
from everypath.cases import store
from everypath.cases.collect import Collector
from everypath.cases.kinds import is_actor_suite, is_call_suite
from everypath.cases.model import CallSuite
from everypath.explore import traces
from everypath.explore.search.starts import replay
from everypath.generate.exploring import single_entry
from everypath.languages.abs.generation import exploration_of
from everypath.languages.abs.targets import find_targets
from everypath.languages.abs.validation import replay_case
from everypath.languages.python.frontend import load_target
from everypath.languages.python.solving.describer import PythonDescriber
from everypath.languages.python.subject import subject_of
from everypath.languages.python.writers.pytest_writer import render_case
from everypath.options import ActorOptions, Options
from everypath.paths import QueuedTasks
from everypath.records import replace


def check_calls(suite: CallSuite) -> None:
    """Each case again, from nothing but its path."""
    options = _options_of(suite)
    source = load_target(suite.target, options.types)
    entry = single_entry(source, suite.target)
    subject = subject_of(source, entry)
    for case in suite.cases:
        again = CallSuite(suite.target, {})
        Collector(entry.case_entry(), again, PythonDescriber(source.program)).add(replay(subject, options, case.path))
        (made,) = again.cases
        made = replace(made, id=case.id, name=case.name, validated=case.validated)
        assert made == case, f"{case.id}\n{case}\n{made}"
        assert render_case(made, suite.plans) == render_case(case, suite.plans), case.id
        print(case.id, type(case.start).__name__, case.start.bounds.loops)


def check_actors(suite: store.AnySuite) -> None:
    """Each execution again: the tasks of its schedule, and its choices."""
    (target,) = find_targets([suite.target])
    for case in suite.cases:
        assert isinstance(case.start, QueuedTasks)
        if not case.entry.cls:
            # A main block has no inputs: its schedule alone is followed, by the interpreter.
            assert replay_case(target.program, case, str)
            print(case.id, type(case.start).__name__, "-")
            continue
        bounds = case.start.bounds
        actors = ActorOptions(switches=bounds.switches, actors=bounds.actors)
        options = Options(actors=actors, limits=bounds.within(Options().limits))
        exploration = exploration_of(target.program, options)
        start = exploration.start(f"{case.entry.module}.{case.entry.cls}", case.entry.name, case.start.methods)
        assert start.tasks == case.start
        state = exploration.replay(start, [turn.task for turn in case.schedule], case.choices)
        assert state.choice_sequence() == case.choices
        assert exploration.system.enabled(state) == [], case.id
        assert exploration.system.outcome(state) == ("deadlock" if case.expected.deadlock else "finished")
        lines = [(step.file, step.line) for step in case.trace]
        assert [place for place in traces.lines(state) if place[0] == case.entry.file] == lines, case.id
        print(case.id, type(case.start).__name__, ",".join(case.start.methods) or "-")


for name in sys.argv[1:]:
    stored = store.load(Path(name))
    if is_actor_suite(stored):
        check_actors(stored)
    elif is_call_suite(stored):
        check_calls(stored)

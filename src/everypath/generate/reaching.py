"""Which errors callers can bring about: calls are looked for that make the objects an error needs.

Inputs are arbitrary while paths are explored, also the state of objects. Where a path ends with an error and needs an
object in a state that its constructor and methods may never let it have, the entry is explored once more from objects
that calls have made, the shortest sequences first, until the error comes or a small share of the time is over.
"""

from __future__ import annotations

import time
from itertools import islice

from everypath.cases.collect import Collector
from everypath.cases.model import Place
from everypath.errors import Unsupported
from everypath.explore.machine import Machine
from everypath.explore.search.arranging import made_starts
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.options import Options
from everypath.paths import Guess
from everypath.records import replace

MOST_CALLS = 4
"""The most methods called on the objects of a test before the call under test."""
_MOST_WAYS = 400
_SHARE = 0.2
"""The share of an entry's time that looking for calls may take."""
_SECONDS = 2.0


def reach_errors(subject: Subject, options: Options, collector: Collector, guess: Guess) -> None:
    """Turn errors of the collected cases into findings if calls can cause them; these calls become their inputs."""
    cases = collector.suite.cases
    reached = {case.finding.place for case in cases if case.finding is not None}
    wanted = {case.unreached.place for case in cases if case.unreached is not None} - reached
    if wanted:
        reached |= _search(subject, options, collector, wanted, guess)
    for at, case in enumerate(cases):
        # An error that rests on a guess is told with the guess.
        if case.unreached is not None and (case.unreached.place in reached or case.id in collector.refusals):
            cases[at] = replace(case, unreached=None)


def _search(subject: Subject, options: Options, collector: Collector, wanted: set[Place], guess: Guess) -> set[Place]:
    """The wanted errors for which calls were found."""
    reached: set[Place] = set()
    deadline = time.process_time() + min(_SECONDS, _SHARE * options.limits.time)
    machine: Machine | None = None
    try:
        for start in islice(made_starts(subject, options, MOST_CALLS, lenient=True, ways=_MOST_WAYS), _MOST_WAYS):
            left = deadline - time.process_time()
            if left <= 0:
                break
            limited = replace(options, limits=replace(options.limits, time=left))
            begun = begin(subject, limited, start, machine)
            machine = begun.exploration.machine
            for found in begun.paths():
                place = collector.reached(replace(found, start=replace(start, guess=guess)), wanted - reached)
                if place is not None:
                    reached.add(place)
                if reached == wanted:
                    return reached
    except Unsupported:
        # Nobody knows how to make the objects, so nobody is known to bring the error about.
        pass
    return reached

"""Goes on beyond the bound on loops where every branch is wanted and the bound left some of an entry out.

A branch that only a second or third iteration takes is in no path within the bound. Paths with more iterations become
cases where they take what no other case does; the others are not kept. Where every path is wanted, the bound stays.
"""

from __future__ import annotations

import time

from everypath.cases.collect import Collector
from everypath.cases.model import CallCase
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.explore.state import Chain, State
from everypath.generate.branches import branches_of, branches_taken
from everypath.generate.exploring import exploration_of, initial
from everypath.languages.python.frontend import EntryPoint, Loaded
from everypath.options import Options
from everypath.records import replace

MOST = 2
"""So many more iterations are tried."""
_PATHS = 400
"""How many paths are looked at; the number does not depend on how fast the machine is."""
_SHARE = 0.25
"""The part of the time for exploring that may be added."""
_MARK = -1
"""The first choice of a path with n more iterations is n below this."""


def go_deeper(source: Loaded, entry: EntryPoint, options: Options, collector: Collector) -> None:
    """Look for the branches of the entry that are in no case."""
    covered = {taken for case in collector.suite.cases for taken in case.covers}
    wanted = branches_of(source, entry)
    deadline = time.monotonic() + _SHARE * options.limits.time
    for more in range(1, MOST + 1):
        left = deadline - time.monotonic()
        if wanted <= covered or left <= 0:
            return
        exploration = _exploration(source, entry, options, more, left)
        state, collector.call = initial(exploration, source, entry)
        collector.round += 1
        for last in exploration.paths(state):
            if isinstance(last.outcome, (Finished, Uncaught)):
                new = (wanted - covered).intersection(branches_taken(last))
                if new:
                    last.choices = _marked(last, more)
                    collector.add(last)
                    covered |= new
                if wanted <= covered:
                    return


def replay_deeper(source: Loaded, entry: EntryPoint, options: Options, case: CallCase) -> State:
    """Follow a case with more iterations than the bound allows."""
    exploration = _exploration(source, entry, options, _MARK - case.choices[0], options.limits.time)
    state, _ = initial(exploration, source, entry)
    return exploration.replay(state, case.choices[1:])


def _exploration(source: Loaded, entry: EntryPoint, options: Options, more: int, seconds: float) -> Exploration:
    limits = replace(options.limits, loops=options.limits.loops + more, time=seconds, paths=_PATHS)
    return exploration_of(source, entry, replace(options, limits=limits, strategy="coverage-first"))


def _marked(state: State, more: int) -> Chain:
    """The choices with the mark of a raised bound in front of them."""
    chain: Chain = (_MARK - more, None)
    for choice in state.choice_sequence():
        chain = (choice, chain)
    return chain

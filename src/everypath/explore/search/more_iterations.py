"""Goes on beyond the bound on loops where every branch is wanted and the bound left some of a method out.

A branch that only a second or third iteration takes is on no path within the bound. The search starts anew with one
more iteration, then with two, and keeps the paths that take what no other case does. Where every path is wanted, the
bound is what the user has set, and stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.branches import branches_of, branches_taken
from everypath.explore.search.starts import Found, begin
from everypath.explore.search.subject import Subject
from everypath.options import Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import replace

MOST = 2
"""So many more iterations are tried."""
_PATHS = 400
"""How many paths are looked at; the number does not depend on how fast the machine is."""
_SHARE = 0.25
"""The part of the time for exploring that may be added."""


def with_more_iterations(subject: Subject, options: Options, covered: set[str]) -> Iterator[Found]:
    """Paths that take branches of the method which are not covered yet; what they take is then covered."""
    wanted = branches_of(subject.program, subject.method)
    deadline = time.monotonic() + _SHARE * options.limits.time
    for more in range(1, MOST + 1):
        left = deadline - time.monotonic()
        if wanted <= covered or left <= 0:
            return
        limits = replace(options.limits, loops=options.limits.loops + more, time=left, paths=_PATHS)
        searched = replace(options, limits=limits, strategy="coverage-first")
        for found in begin(subject, searched, OpenInputs(bounds_of(limits))).paths():
            if isinstance(found.state.outcome, (Finished, Uncaught)):
                new = (wanted - covered).intersection(branches_taken(found.state))
                if new:
                    yield found
                    covered |= new
                if wanted <= covered:
                    return

"""States that a guided search explores, against an unguided one: `python benchmarks/guided.py [TARGET...]`.

Each row is a function: states with `all`, with `branches` and with `local-paths`, and whether `branches` lost a branch
or line that `all` covers. Functions with fewer than ten states are left out: there is nothing to save.
"""

from __future__ import annotations

import sys
from pathlib import Path

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.guidance.selections import make_guide
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.traces import branches_taken, lines
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of

STRUCTURES = sorted((Path(__file__).parents[1] / "examples" / "structures").glob("*.py"))
LIBRARY = (
    "textwrap::shorten textwrap::dedent posixpath::normpath posixpath::relpath posixpath::commonpath "
    "bisect::insort_left heapq::heappushpop colorsys::rgb_to_hls ipaddress::ip_address calendar::monthrange"
).split()
LEAST = 10


def explored(subject: Subject, select: str, loops: int, seconds: float) -> tuple[int, set[object], bool]:
    """The states that were explored, the branches and lines of finished paths, and whether the time was enough."""
    options = Options(limits=Limits(loops=loops, time=seconds), select=select)
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    guide = None if select == "all" else make_guide(subject, options)
    covered: set[object] = set()
    complete = True
    for found in begun.paths(guide):
        ended = isinstance(found.state.outcome, (Finished, Uncaught))
        if ended:
            covered.update(branches_taken(found.state), lines(found.state))
        complete &= getattr(found.state.outcome, "kind", "") != "time"
        if guide is not None:
            guide.ended(found.state, ended)
    return begun.exploration.machine.states - (0 if guide is None else guide.unexplored), covered, complete


def main(targets: list[str], loops: int = 2, seconds: float = 5.0) -> None:
    """Print the table."""
    print(f"{'function':44} {'all':>8} {'branches':>9} {'share':>6} {'local':>8} {'lost':>5}")
    shares = []
    for target in targets or [*map(str, STRUCTURES), *LIBRARY]:
        loaded = language_of(target).loader(Options(validate=False))(target)
        for entry in loaded.entries:
            if entry.problems:
                continue
            subject = loaded.subject(entry)
            states, covered, complete = explored(subject, "all", loops, seconds)
            if states < LEAST:
                continue
            few, same, _ = explored(subject, "branches", loops, seconds)
            local, _, _ = explored(subject, "local-paths", loops, seconds)
            shares.append(few / states)
            mark = "" if complete else "+"
            name = f"{entry.module}.{entry.qualname}"
            print(f"{name:44} {states:7}{mark:1} {few:9} {few / states:6.2f} {local:8} {len(covered - same):5}")
    quarter = sum(share <= 0.25 for share in shares)
    print(f"{len(shares)} functions; at most a quarter of the states on {quarter}; more than unguided on "
          f"{sum(share > 1 for share in shares)}")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])

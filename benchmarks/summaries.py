"""How composing summaries grows with the depth of calls, against executing the called functions.

    python benchmarks/summaries.py

Each level of a tower calls the level below twice; the function at the bottom has three ways through. The cases are the
same three at every level, but to execute the calls takes twice as long for every level. The clock is CPU time.
`composed` includes the making of all summaries, `stored` finding and reading those that an earlier run has left.
"""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path

from everypath.explore.search.starts import begin
from everypath.explore.search.summaries.composing import keep_on
from everypath.explore.search.summaries.shelf import Folder
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import dataclass

_BOTTOM = """\
def level0(x: int) -> int:
    if x % 3 == 0:
        return x
    if x % 3 == 1:
        return x + 2
    return x + 1
"""
LEVELS = range(1, 10)


@dataclass(frozen=True, slots=True)
class Row:
    """One depth: CPU seconds of each way, the cases, and whether all ways find as many."""

    levels: int
    inlined: float
    composed: float
    stored: float
    cases: int
    same: bool


def tower(levels: int) -> str:
    """A program whose function `level<levels>` calls so many levels of others."""
    rest = (
        f"def level{k}(x: int) -> int:\n    return level{k - 1}(level{k - 1}(x) + 3)\n" for k in range(1, levels + 1)
    )
    return "\n\n".join((_BOTTOM, *rest))


def explored(target: str, compositional: str, store: Path | None = None) -> tuple[int, float]:
    """The paths of the target, and the CPU seconds that they took."""
    options = Options(limits=Limits(time=120), compositional=compositional, validate=False)
    loaded = language_of(target).loader(options)(target)
    [entry] = loaded.entries
    subject = loaded.subject(entry)
    if store is not None:
        keep_on(subject.semantics, Folder(store, "", subject.semantics.runs_by_operation))
    # What loading has left behind is not to be cleared away while the clock runs.
    gc.collect()
    gc.freeze()
    started = time.process_time()
    found = sum(1 for _ in begin(subject, options, OpenInputs(bounds_of(options.limits))).paths())
    return found, time.process_time() - started


def measure(levels: int) -> Row:
    """Both ways for one depth, the fastest of five runs each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tower.py"
        file.write_text(tower(levels))
        target = f"{file}::level{levels}"
        inlined = min((explored(target, "") for _ in range(5)), key=lambda run: run[1])
        composed = min((explored(target, "all") for _ in range(5)), key=lambda run: run[1])
        stored = min((explored(target, "all", Path(folder) / "store") for _ in range(6)), key=lambda run: run[1])
    same = inlined[0] == composed[0] == stored[0]
    return Row(levels, inlined[1], composed[1], stored[1], inlined[0], same)


def main() -> None:
    """Print the table."""
    measure(1)  # loads what is loaded once
    print(f"{'levels':>6} {'cases':>6} {'inlined s':>10} {'composed s':>11} {'ratio':>6} {'stored s':>10} {'ratio':>6}")
    for levels in LEVELS:
        row = measure(levels)
        ratios = [row.inlined / seconds for seconds in (row.composed, row.stored)]
        shown = f"{row.composed:11.4f} {ratios[0]:6.2f} {row.stored:10.4f} {ratios[1]:6.2f}"
        print(f"{row.levels:6} {row.cases:6} {row.inlined:10.4f} {shown}{'' if row.same else ' !'}")


if __name__ == "__main__":
    main()

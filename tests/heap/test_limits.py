"""A program whose conditional values grow with every step is stopped by the time limit, and what was found is kept."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from everypath.generate.run import generate
from everypath.options import Limits, Options

COUNT = 60


def test_the_time_limit_holds(tmp_path: Path) -> None:
    names = [f"r{i}" for i in range(COUNT)]
    lines = [
        "from __future__ import annotations",
        "class Cell:",
        "    def __init__(self, next: Cell | None) -> None:",
        "        self.next = next",
        f"def follow({', '.join(f'{name}: Cell' for name in names)}) -> int:",
        *(f"    {a}.next = {b}" for a, b in pairwise(names)),
        f"    node = {names[0]}",
    ]
    for i in range(COUNT):
        lines += ["    node = node.next", f"    if node is None or node is {names[-1]}:", f"        return {i}"]
    path = tmp_path / "chain.py"
    path.write_text("\n".join([*lines, "    return -1", ""]))
    run = generate([f"{path}::follow"], Options(limits=Limits(time=1), predicted_only=True))
    (suite,) = run.suites
    assert suite.stats.cut["time"] >= 1
    assert suite.cases and all(case.validated for case in suite.cases)

"""Following a chain of references that may all be one another costs little more for each link."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from everypath.generate.exploring import explore_only
from everypath.logic.bounds import Bounds
from everypath.options import Limits, Options


def _chained(count: int) -> str:
    """A function that chains its arguments, then follows the chain until it meets the last of them."""
    names = [f"r{i}" for i in range(1, count + 1)]
    lines = ["class Cell:", "    def __init__(self, next: 'Cell | None') -> None:", "        self.next = next", ""]
    lines.append(f"def touch({', '.join(f'{name}: Cell' for name in names)}) -> int:")
    lines += [f"    {name}.next = {after}" for name, after in pairwise(names)]
    lines.append(f"    node = {names[0]}.next")
    for i in range(1, count):
        lines += ["    if node is None:", f"        return {-i}", f"    if node is {names[-1]}:", f"        return {i}"]
        lines.append("    node = node.next")
    return "\n".join([*lines, "    return 0", ""])


def _work(count: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many conditions and parts of conditions are looked at while the function is explored."""
    file = folder / f"chain_{count}.py"
    file.write_text(_chained(count))
    looked = 0
    whole = Bounds._decide_other

    def counted(self: Bounds, condition: object, depth: int) -> int:
        nonlocal looked
        looked += 1
        return whole(self, condition, depth)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Bounds, "_decide_other", counted)
        cases, *_ = explore_only(f"{file}::touch", Options(limits=Limits(loops=1, time=60)))
    assert cases == count - 1, count
    return looked


def test_the_work_on_a_chain_is_polynomial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = _work(9, tmp_path, monkeypatch), _work(18, tmp_path, monkeypatch)
    # Twice as many references: at most 2 ** 5 times the work. Case by case it would be some 2 ** 9.
    assert large < 32 * small, (small, large)

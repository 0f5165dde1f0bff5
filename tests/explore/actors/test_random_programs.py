"""Random actor programs: every order and heap predicts exactly what concrete runs show."""

from __future__ import annotations

import pytest

from tests.explore.actors.comparing import compare
from tests.explore.actors.writing import Writer


def _compare(seed: int) -> int:
    written = Writer(seed).written()
    heap = "noalias" if seed % 4 == 0 else "lazy"
    return compare(written, "M.C", written.signatures[0].name, heap, seed)


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_what_is_explored_is_what_runs_show(first: int) -> None:
    assert sum(map(_compare, range(first, first + 6))) > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 10_300, 25))
def test_what_is_explored_is_what_runs_show_in_many_programs(first: int) -> None:
    assert sum(map(_compare, range(first, first + 25))) > 0

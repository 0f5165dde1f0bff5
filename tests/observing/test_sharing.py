"""What a fork leaves for the process that it is a fork of."""

from __future__ import annotations

import os
import signal

from hypothesis import given
from hypothesis import strategies as st

from everypath.languages.python.probing.sharing import SharedRecords


@given(st.lists(st.one_of(st.integers(), st.text(max_size=20), st.tuples(st.booleans(), st.binary(max_size=20)))))
def test_records_come_back_in_their_order_as_far_as_there_is_room(values: list[object]) -> None:
    records = SharedRecords(200)
    kept = []
    for value in values:
        if not records.append(value):
            break
        kept.append(value)
    assert list(records) == kept
    records.clear()
    assert list(records) == []


def test_what_a_process_has_left_is_there_when_it_is_killed() -> None:
    records = SharedRecords(4096)
    child = os.fork()
    if child == 0:
        records.append("first")
        records.append(("second", 2))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert records.has_grown() and not records.has_grown()
    assert list(records) == ["first", ("second", 2)]

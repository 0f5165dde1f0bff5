"""What a run is judged by: the endings of the calls, then their results, then the state that is left."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.race.running import Blocked, Endless, NotReached, Raised, Refused, Returned
from everypath.race.search.judge import WAITS, Observation, signature, strange, verdict

OK, KEY, INDEX, ENDLESS = "returned", "raised KeyError", "raised IndexError", "does not end"


def seen(*endings: str, values: tuple[Any, ...] = (None, None), state: Any = 0) -> Observation:
    """One call of each thread."""
    ended = all(each in (OK, KEY, INDEX) for each in endings)
    return Observation(tuple((each,) for each in endings), values, [state] if ended else [])


@pytest.mark.parametrize(
    ("observed", "serial", "kind"),
    [
        (seen(OK, OK), [seen(OK, OK)], None),
        (seen(OK, KEY), [seen(KEY, OK), seen(OK, KEY)], None),
        (seen(KEY, OK), [seen(OK, OK)], "exception"),
        (seen(KEY, KEY), [seen(KEY, OK), seen(OK, KEY)], "exception"),
        (seen(OK, INDEX), [seen(OK, KEY)], "exception"),
        (seen(OK, OK), [seen(KEY, OK), seen(OK, KEY)], "result"),
        (seen(WAITS, OK), [seen(OK, OK)], "deadlock"),
        (seen(WAITS, WAITS), [seen(WAITS, OK), seen(OK, WAITS)], "deadlock"),
        (seen(WAITS, OK), [seen(WAITS, OK)], None),
        (seen(WAITS, KEY), [seen(WAITS, OK)], "exception"),
        (seen(OK, WAITS), [seen(WAITS, OK)], "deadlock"),
        (seen(ENDLESS, OK), [seen(OK, OK)], "endless"),
        (seen(ENDLESS, KEY), [seen(OK, OK)], "endless"),
        (seen(ENDLESS, KEY), [seen(ENDLESS, OK)], "exception"),
        (seen("refused", KEY), [seen(OK, OK)], None),
        (seen(OK, OK, values=(1, 1)), [seen(OK, OK, values=(1, 2)), seen(OK, OK, values=(2, 1))], "result"),
        (seen(OK, OK, state=1), [seen(OK, OK, state=2)], "state"),
        (seen(OK, OK, values=(1, 1), state=1), [seen(OK, OK, values=(1, 2), state=2)], "result"),
        (seen(OK, KEY, state=1), [seen(OK, KEY, state=2), seen(KEY, OK, state=1)], "state"),
    ],
)
def test_the_strongest_symptom_that_no_serial_order_has(
    observed: Observation, serial: list[Observation], kind: str | None
) -> None:
    assert verdict(observed, serial) == kind


def test_result_and_state_must_fit_together() -> None:
    """Each is right in one of the orders, but not both in the same one."""
    serial = [seen(OK, OK, values=(1, 2), state=1), seen(OK, OK, values=(2, 1), state=2)]
    assert verdict(seen(OK, OK, values=(1, 2), state=2), serial) == "state"


def test_a_result_that_is_no_longer_the_object_that_is_kept() -> None:
    kept: list[int] = []
    serial = [seen(OK, OK, values=(kept, kept), state=[kept])]
    assert verdict(seen(OK, OK, values=(kept, kept), state=[kept]), serial) is None
    assert verdict(seen(OK, OK, values=(kept, []), state=[kept]), serial) == "result"


def test_what_is_left_by_a_call_that_never_ends_says_nothing() -> None:
    assert verdict(Observation(((WAITS,), (OK,)), (None, None), []), [seen(WAITS, OK, state=3)]) is None


def test_strange_endings() -> None:
    serial = [seen(OK, KEY), seen(KEY, OK)]
    assert strange(seen(OK, INDEX), serial) == [(1, 0)]
    assert strange(seen(KEY, KEY), serial) == [(0, 0), (1, 0)]


def test_signatures_tell_endings_apart_but_not_the_words_of_an_exception() -> None:
    assert signature(Raised(KeyError("a"))) == signature(Raised(KeyError("b"))) == KEY
    endings = [Returned(1), Raised(KeyError()), Blocked(None, 0, ()), Endless(0), Refused("", "", 0), NotReached()]
    assert len({signature(each) for each in endings}) == len(endings)


_observations = st.builds(
    lambda endings, values, state: seen(*endings, values=values, state=state),
    st.tuples(*[st.sampled_from([OK, KEY, INDEX, WAITS, ENDLESS, "refused"])] * 2),
    st.tuples(st.integers(0, 1), st.integers(0, 1)),
    st.integers(0, 1),
)


@given(_observations, st.lists(_observations, min_size=1, max_size=3))
def test_a_run_that_looks_like_a_serial_one_is_no_fault(observed: Observation, others: list[Observation]) -> None:
    assert verdict(observed, [*others, observed]) is None
    if verdict(observed, others) is None and "refused" not in str(observed.outcomes):
        assert any(observed.same(each) for each in others)

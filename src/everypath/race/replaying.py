"""What a generated test does: follows its schedule in a fresh process and compares with the serial orders."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Sequence

from everypath.cases.interleavings import outcomes, parse_switch, source_rows, two_columns
from everypath.cases.races import ThreadTest
from everypath.errors import BadInput
from everypath.race.child import Child
from everypath.race.protocol import Replayed, ReplayRequest
from everypath.race.session import replay_answer

_WIDTH = 100


def follow(test: ThreadTest, root: str) -> Replayed:
    """Run the test with modules found in `root` first, then wherever this process finds them."""
    request = ReplayRequest(test, root, tuple(os.path.abspath(folder) for folder in sys.path if folder))
    with Child(request) as child:
        return replay_answer(child)


def thread_test(
    target: str, setup: str, before: Sequence[str], threads: Sequence[Sequence[str]], schedule: Sequence[str]
) -> ThreadTest:
    """The test that the arguments of `replay` describe; what is wrong with them is bad input."""
    module, separator, cls = target.partition("::")
    if not (module and separator and cls):
        raise BadInput(f"{target!r} names no class; write 'module::Class'")
    for name, value in (("before", before), ("threads", threads), ("schedule", schedule)):
        if isinstance(value, str):
            raise BadInput(f"{name} is a list of texts, not one text")
    if len(threads) != 2 or any(isinstance(calls, str) for calls in threads):
        raise BadInput("threads are two lists of calls, one for each thread")
    try:
        switches = tuple(parse_switch(leg) for leg in schedule)
    except ValueError as error:
        raise BadInput(str(error)) from None
    first, second = threads
    return ThreadTest(module, cls, setup, tuple(before), (tuple(first), tuple(second)), switches)


def failure_text(test: ThreadTest, result: Replayed) -> str:
    """Why the test fails: what was seen, what serial orders give, and how it came about."""
    lines = [result.message or f"two threads on one {test.cls} did what no order of their calls does"]
    for name, outcome in outcomes(result.observed, result.serial):
        lines += [f"{name}:", *(f"    {line}" for line in outcome)]
    if result.timeline:
        lines += ["", *two_columns(source_rows(result.timeline, linecache.getline), _WIDTH)]
    return "\n".join(lines)

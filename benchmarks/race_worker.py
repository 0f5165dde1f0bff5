"""The process that searches a class, made to tell one thing that is measured and to end there.

`race.py` starts it in place of the ordinary worker, which it is up to the measured moment. In it every other clock than
`clocks.real_monotonic` shows the virtual time of the code under test.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from everypath.race import worker
from everypath.race.control import clocks
from everypath.race.protocol import Channel, Request
from everypath.race.search import hunt
from everypath.race.search.call_runner import CallRunner
from everypath.race.search.faults import Faults
from everypath.race.search.sequences import Found, Rule, SearchOptions, generate
from everypath.records import replace

FIRST, PRUNED, UNPRUNED = "first", "pruned", "unpruned"
"""What is measured; the other argument is the time for one call sequence."""
UNLIMITED = 1_000_000_000

opened: list[Channel] = []
open_channel = worker.open_channel


def open_and_keep() -> tuple[Request, Channel]:
    """The worker's channel, which the measurement uses as well."""
    request, channel = open_channel()
    opened.append(channel)
    return request, channel


def tell(**values: Any) -> None:
    """Send the measurement and end."""
    opened[0].send("measured", **values)
    os._exit(0)


runs: list[str] = []
began: list[float] = []


def counted(run: Callable[..., Any]) -> Callable[..., Any]:
    """A way to run calls that notes every run."""

    def counting(*args: Any, **named: Any) -> Any:
        runs.append(run.__name__)
        return run(*args, **named)

    return counting


class FirstFault(Faults):
    """Ends the search at the first run that no serial order explains."""

    def __init__(self, runner: CallRunner, *rest: Any) -> None:
        super().__init__(runner, *rest)
        runner.pair = counted(runner.pair)  # type: ignore[method-assign]
        runner._run_solo = counted(runner._run_solo)  # type: ignore[method-assign]
        began.append(clocks.real_monotonic())

    def add(self, kind: str, *_: Any) -> None:
        """Instead of collecting it."""
        tell(kind=kind, seconds=clocks.real_monotonic() - began[0], runs=len(runs))


def first_iteration(
    executor: Any, calls: Any, covered: Any, options: SearchOptions, deadline: Any, **named: Any
) -> None:
    """The search for the first sequence; without the rules, D1 is left, as in the paper's experiment."""
    if sys.argv[1] == UNPRUNED:
        options = replace(options, rules=frozenset({Rule.D1}), executions=UNLIMITED, nodes=UNLIMITED)
    started = clocks.real_monotonic()
    until = started + float(sys.argv[2])
    found = generate(executor, calls, covered, options, lambda: clocks.real_monotonic() > until, **named)
    assert isinstance(found, Found)
    tell(
        seconds=clocks.real_monotonic() - started,
        improvement=len(found.improvement),
        length=len(found.sequence),
        nodes=found.stats.nodes,
        executions=found.stats.executions,
        stopped=found.stats.stopped.value if found.stats.stopped else None,
    )


if __name__ == "__main__":
    worker.open_channel = open_and_keep
    if sys.argv[1] == FIRST:
        worker.Faults = FirstFault  # type: ignore[misc]
    else:
        hunt.generate = first_iteration  # type: ignore[assignment]
    worker.main()

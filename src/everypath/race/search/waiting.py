"""Who waits for what at the end of a run, and who has it: the cycle of a deadlock in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everypath.race.control.locks import ControlledLock, ControlledRLock
from everypath.race.events import ACQUIRE, FAILED, RELEASE, SITES
from everypath.race.running import Blocked, Run
from everypath.race.search.traces import Naming


def blocked(run: Run) -> Iterator[tuple[int, Blocked]]:
    """The threads that wait for ever, each with what it waits for."""
    for thread, outcomes in enumerate(run.outcomes):
        for outcome in outcomes:
            if isinstance(outcome, Blocked):
                yield thread, outcome


def stuck(run: Run) -> str | None:
    """A thread that waits for a lock which its own call holds, or which a call that has ended did not give back."""
    for thread, outcome in blocked(run):
        if _holds(outcome, outcome.lock):
            return "deadlock"
        holder = _holder(run, thread, outcome)
        if holder == 1 - thread and all(each != holder for each, _ in blocked(run)):
            return "lock-kept"
    return None


def wait_lines(run: Run, naming: Naming | None) -> list[str]:
    """One line for each thread that waits: what it holds meanwhile, what it waits for and who has that."""
    return [_line(run, thread, outcome, naming) for thread, outcome in blocked(run)]


def lock_name(lock: Any, site: int, naming: Naming | None) -> str:
    """The lock as it is reached from the shared object, or as the source names it."""
    return (naming(lock) if naming is not None else None) or SITES[site].text


def _line(run: Run, thread: int, outcome: Blocked, naming: Naming | None) -> str:
    wanted = lock_name(outcome.lock, outcome.site, naming)
    held = [name for lock in outcome.held if (name := _held_name(run, lock, naming)) is not None]
    holds = f"holds {' and '.join(dict.fromkeys(held))} and " if held else ""
    return f"{'AB'[thread]} {holds}waits for {wanted}{_why(run, thread, outcome)}"


def _why(run: Run, thread: int, outcome: Blocked) -> str:
    if type(outcome.lock) not in (ControlledLock, ControlledRLock):
        return ", and nobody is left to wake it up"
    holder = _holder(run, thread, outcome)
    if holder is None:
        return ""
    if holder == thread:
        return ", which it holds itself"
    waits = any(each == holder for each, _ in blocked(run))
    return f", which {'AB'[holder]} {'holds' if waits else 'took and did not give back'}"


def _held_name(run: Run, lock: Any, naming: Naming | None) -> str | None:
    site = next((e.site for _, e in run.events if e.kind == ACQUIRE and e.target is lock), None)
    return lock_name(lock, site, naming) if site is not None else None


def _holder(run: Run, waiting: int, outcome: Blocked) -> int | None:
    """The thread whose calls took the lock and still have it."""
    if _holds(outcome, outcome.lock):
        return waiting
    other = 1 - waiting
    balance = [0, 0]
    for thread, event in run.events:
        if event.target is outcome.lock and event.kind in (ACQUIRE, RELEASE) and event.key != FAILED:
            balance[thread] += 1 if event.kind == ACQUIRE else -1
    # Whoever waits has asked for the lock as well, without getting it; it may also have released what others took.
    return other if balance[other] > 0 and balance[other] + balance[waiting] > 1 else None


def _holds(outcome: Blocked, lock: Any) -> bool:
    return any(each is lock for each in outcome.held)

"""A failing run in words: title, what was seen, and the two threads' steps in the order in which they happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from everypath.cases.races import Turn
from everypath.concurrency.access import dependent
from everypath.race.events import ACQUIRE, NOTIFY, RELEASE, SITES, WAIT, Event, operation
from everypath.race.running import SHARED, Blocked, Endless, NotReached, Outcome, Raised, Refused, Returned, Run
from everypath.race.search.causes import Evidence
from everypath.race.search.examine import Examined, wait_lines
from everypath.race.search.judge import strange
from everypath.race.search.predict import steps_of
from everypath.race.state.description import describe, difference, render_value

LONGEST_TIMELINE = 60
_LOCKING = (ACQUIRE, RELEASE, WAIT, NOTIFY)


def ending(outcome: Outcome) -> str:
    """How one call ended."""
    match outcome:
        case Returned(value):
            return f"returns {render_value(value)}"
        case Raised(error):
            return f"raises {_error(error)}"
        case Blocked(_, site, _):
            return f"waits for ever at {SITES[site].text}"
        case Endless():
            return "does not end"
        case Refused(what):
            return what
        case NotReached():
            return "is not reached"


def _error(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text and " at 0x" not in text else type(error).__name__


def title(
    examined: Examined, found: Evidence, methods: Sequence[str], places: Sequence[str], numbers: Sequence[int]
) -> str:
    """The fault in one line: the two methods, what comes of it, through which memory or locks."""
    outer = next((leg.thread for leg in found.plan if leg.until is not None), 0)
    divided, other = methods[outer], methods[1 - outer]
    memory = places_text(places[:2]) or "its state"
    both = f"{divided} and {other}" if divided != other else f"two calls of {divided}"
    match examined.kind:
        case "deadlock" if not other:
            return f"{divided} waits for a lock that it holds itself ({memory})"
        case "deadlock":
            return f"{both} wait for ever ({memory})"
        case "lock-kept":
            return f"{methods[0]} ends without releasing {memory}"
        case "exception":
            return f"{both}: {_exceptions(examined)} through {memory}"
        case "endless":
            return f"{both}: a call does not end, through {memory}"
        case "result":
            return f"{both}: a result that no serial order gives, through {memory}"
    if 1 in numbers or 5 in numbers:
        return f"{both}: an update of {memory} is lost"
    return f"{both}: a state that no serial order gives, in {memory}"


def _exceptions(examined: Examined) -> str:
    outcomes = examined.trial.run.outcomes
    endings = [outcomes[thread][number] for thread, number in strange(examined.observed, examined.serial)]
    return places_text(type(each.error).__name__ for each in endings if isinstance(each, Raised)) or "an exception"


def observed_lines(examined: Examined, threads: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What the run came to: every call and the final state."""
    lines = [
        f"{'AB'[thread]}: {source} {ending(outcome)}"
        for thread, outcomes in enumerate(examined.trial.run.outcomes)
        for source, outcome in zip(threads[thread], outcomes, strict=True)
    ]
    lines.extend(wait_lines(examined.trial.run, examined.trial.naming))
    if examined.observed.ended:
        lines.append(f"then: {describe(examined.observed.state)}")
    return tuple(lines)


def unlike(lines: tuple[str, ...], serial: Sequence[tuple[str, ...]], examined: Examined) -> tuple[str, ...]:
    """The lines; if they read like those of a serial order, also which objects differ."""
    if lines not in serial:
        return lines
    expected = examined.serial[min(serial.index(lines), len(examined.serial) - 1)]
    found = difference(examined.observed.whole, expected.whole, _root_names(examined))
    return (*lines, *(f"unlike: {each}" for each in found[:3]))


def _root_names(examined: Examined) -> list[str]:
    """What the roots of the whole snapshot are: the object, data of modules and classes, the results."""
    results = [f"the result of {'AB'[t]}" for t, thread in enumerate(examined.observed.outcomes) for _ in thread]
    others = len(examined.observed.whole.roots) - 1 - len(results)
    return [SHARED, *["data outside the object"] * others, *results]


def timeline(run: Run, threads: Sequence[Sequence[str]], naming: Callable[[Any], str | None]) -> tuple[Turn, ...]:
    """The steps on memory that both threads touch, on locks, and the beginnings and ends of the calls."""
    kept = _worth_telling(run, naming)
    lasts = [max((p for p, (t, _) in enumerate(run.events) if t == thread), default=-1) for thread in (0, 1)]
    turns: list[Turn] = []
    begun, counts = [0, 0], [0, 0]
    for position, (thread, event) in enumerate(run.events):
        # Calls without any event of their own begin here, too, which is why this is a loop.
        while begun[thread] < len(run.boundaries[thread]) and counts[thread] >= run.boundaries[thread][begun[thread]]:
            if begun[thread]:
                turns.append(_end(run, threads, thread, begun[thread] - 1, turns))
            turns.append(_turn(thread, event, f"call {threads[thread][begun[thread]]}", turns))
            begun[thread] += 1
        counts[thread] += 1
        if position in kept:
            turns.append(_turn(thread, event, operation(event), turns))
        if position == lasts[thread]:
            # Whatever it does from here on, nobody else sees; a call that waits is told at the end.
            waits = any(isinstance(each, Blocked) for each in run.outcomes[thread])
            if not waits:
                turns.extend(_ends(run, threads, thread, begun[thread], turns))
    for thread in (0, 1):
        if lasts[thread] < 0 or any(isinstance(each, Blocked) for each in run.outcomes[thread]):
            turns.extend(_ends(run, threads, thread, begun[thread], turns))
    return _shortened(turns)


def _ends(run: Run, threads: Sequence[Sequence[str]], thread: int, begun: int, turns: Sequence[Turn]) -> list[Turn]:
    return [_end(run, threads, thread, index, turns) for index in range(max(begun - 1, 0), len(threads[thread]))]


def _turn(thread: int, event: Event, text: str, turns: Sequence[Turn]) -> Turn:
    site = SITES[event.site]
    return Turn(thread, site.file, site.line, site.function, text, bool(turns) and turns[-1].thread != thread)


def _end(run: Run, threads: Sequence[Sequence[str]], thread: int, index: int, turns: Sequence[Turn]) -> Turn:
    text = f"{threads[thread][index]} {ending(run.outcomes[thread][index])}"
    return Turn(thread, "", 0, "", text, bool(turns) and turns[-1].thread != thread)


def _worth_telling(run: Run, naming: Callable[[Any], str | None]) -> set[int]:
    """Positions of events on memory that both threads touch and one changes, and of the locks."""
    accesses: tuple[list[tuple[int, Any]], list[tuple[int, Any]]] = ([], [])
    kept = set()
    for position, (thread, event) in enumerate(run.events):
        steps = steps_of([event], naming)
        if steps and steps[0].access is not None:
            accesses[thread].append((position, steps[0].access))
        if event.kind in _LOCKING and naming(event.target) is not None:
            kept.add(position)
    for mine, other in (accesses, accesses[::-1]):
        theirs = {access for _, access in other}
        raced = {access for access in {each for _, each in mine} if any(dependent(access, each) for each in theirs)}
        kept.update(position for position, access in mine if access in raced)
    return kept


def _shortened(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Everything around the switches; elsewhere only as much as fits."""
    if len(turns) <= LONGEST_TIMELINE:
        return tuple(turns)
    near = {i + d for i, turn in enumerate(turns) if turn.switched or not turn.line for d in range(-4, 5)}
    near |= {*range(4), *range(len(turns) - 4, len(turns))}
    return tuple(turn for i, turn in enumerate(turns) if i in near or turn.text.startswith("call "))


def places_text(places: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    listed = list(dict.fromkeys(places))
    return " and ".join(([", ".join(listed[:-1])] if len(listed) > 1 else []) + listed[-1:])

"""Searches and replays from the parent's side.

A searching process is watched, replaced after a hang, and its findings are confirmed. A generated test has its schedule
followed in a fresh process, and compared there with the serial orders.
"""

from __future__ import annotations

import json
import linecache
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import everypath
from everypath.cases.interleavings import outcomes, parse_switch, source_rows, two_columns
from everypath.cases.model import Problem
from everypath.cases.races import Exercised, RaceFinding, RaceReport, RaceStats, ThreadTest, ranked
from everypath.errors import BadInput, Internal, Span
from everypath.race import protocol
from everypath.race.protocol import VARIABLE, RaceRequest, Replayed, ReplayRequest, Request, StatusPage, request_text
from everypath.records import dataclass, fields, replace
from everypath.workers.interrupts import interruptible
from everypath.workers.process import Process, interpreter

_HOME = str(Path(everypath.__file__).resolve().parent.parent)
_HASH_SEED = 0
"""Sets have the same order in the search, when a finding is confirmed and in the generated test."""
_DEBUG = "EVERYPATH_DEBUG"


def start_text(home: str) -> str:
    """The program of a worker: the package in this folder, even where another version of it is installed."""
    # Not `-m`, which would load the worker's module a second time as soon as someone imports it by its name.
    # For all other modules the folder is the last to look into: it may have some that are named like the library's.
    return f"""
import sys
sys.path.insert(0, {home!r})
import everypath
sys.path.append(sys.path.pop(0))
from everypath.race.worker import main
main()
"""


START = start_text(_HOME)


class Child:
    """A process that searches or replays; it is ended with everything it started when the block is left."""

    def __init__(self, request: Request, program: str | None = None) -> None:
        """Start the worker, or another program that takes the same requests."""
        self._request = request
        self._program = program or START
        self._start()

    def _start(self) -> None:
        debug = {_DEBUG: os.environ[_DEBUG]} if _DEBUG in os.environ else {}
        self.status_page = StatusPage()
        shared = {VARIABLE: str(self.status_page.descriptor)}
        self._process = Process(interpreter(self._program, _HASH_SEED, **shared, **debug), show_errors=bool(debug))
        self._process.send(request_text(self._request).encode())

    def start_again(self) -> None:
        """Give the same request to a new process."""
        self.close()
        self._start()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next message; None if the process is silent for this long or is gone."""
        line = self._process.receive(seconds)
        if line is None:
            return None
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def ended(self) -> bool:
        """Whether the process has closed its channel, so that nothing more can come."""
        return self._process.closed

    def killed(self) -> bool:
        """Whether somebody else has ended the process, so that its own actions are not to blame."""
        return self._process.ended() and self._process.code == -signal.SIGKILL

    def how_it_ended(self) -> str:
        """The end of a sentence about a process that is gone, with the last line that it wrote as an error."""
        self._process.ended()
        code = self._process.code
        how = "closed its channel" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        said = self._process.last_error()
        return f"{how}: {said}" if said else how

    def close(self) -> None:
        """End the process and everything in its group."""
        self._process.close()
        self.status_page.close()


OnMessage = Callable[[dict[str, Any]], None]
CONFIRMATIONS = 3
"""How often a finding must fail again, each time in a fresh process."""
_ESSENTIAL_SECONDS = 30.0
"""How long a step may take that no search can do without, such as importing the module."""
_GRACE = 5.0
"""Seconds after its time at which a worker that still goes on is ended."""
_REPLAY_SECONDS = 30.0
_MOST_RESTARTS = 5
_MOST_KILLED = 3
"""How often a worker that was killed from outside is replaced by one that does the same again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a worker may be silent and how often it is started again."""

    silence: float
    essential: float = _ESSENTIAL_SECONDS
    restarts: int = _MOST_RESTARTS

    @staticmethod
    def for_search(seconds: float) -> Patience:
        """As much silence as leaves time to go on after a hang."""
        return Patience(silence=min(10.0, max(3.0, seconds / 3)))


def run_race(
    request: RaceRequest, on_message: OnMessage = lambda message: None, patience: Patience | None = None
) -> RaceReport:
    """Search a class; what the worker told before it hung, crashed or was interrupted is kept.

    The report's target, file and options are for the caller to fill in. A worker that cannot even
    begin raises BadInput, or Internal for a defect of ours.
    """
    search = _Search(request, on_message, patience or Patience.for_search(request.seconds))
    try:
        with interruptible():
            search.run()
    except KeyboardInterrupt:
        search.report.interrupted = True
    search.settle()
    return search.report


class _Search:
    """One search, over all the workers that it takes."""

    def __init__(self, request: RaceRequest, on_message: OnMessage, patience: Patience) -> None:
        self._request = request
        self._on_message = on_message
        self._patience = patience
        self._started = time.monotonic()
        self._findings: dict[object, RaceFinding] = {}
        self._problems: dict[Problem, None] = {}
        self._notes: dict[Problem, None] = {}
        self._doing = "starting"
        self._place = ("", 0)
        self._essential = True
        self._tests: list[dict[str, object]] = []
        self._heard: dict[str, Any] | None = None
        """the message that is being handled"""
        self._killed = 0
        """how many workers were killed from outside and replaced"""
        self.report = RaceReport(f"{request.module}::{request.cls}", request.module, request.cls, "", {})

    def run(self) -> None:
        """Start workers until one is done, the time is up or too many of them are lost."""
        skip = list(self._request.skip)
        while len(skip) - len(self._request.skip) <= self._patience.restarts:
            left = self._request.seconds - self._elapsed()
            if left <= 0:
                return
            self._doing, self._essential, self._tests = "starting", True, []
            killed = self._killed
            with Child(replace(self._request, seconds=left, skip=tuple(skip))) as child:
                try:
                    finished = self._listen(child, left)
                except KeyboardInterrupt:
                    self._catch_up(child)
                    raise
            if len(self._tests) > len(self.report.tests):
                self.report.tests = self._tests
            if finished:
                return
            if self._killed > killed:
                continue
            if self._doing in skip:
                self._lose(f"given up: {self._doing} does not come to an end; the rest was not searched")
                return
            skip.append(self._doing)
        self._lose(f"given up after {self._patience.restarts} new starts; the rest was not searched")

    def settle(self) -> None:
        """Put what was received into the report."""
        self.report.findings = ranked(self._findings.values())
        self.report.problems = list(self._problems)
        self.report.notes = list(self._notes)
        self.report.stats.seconds = round(self._elapsed(), 3)

    def _listen(self, child: Child, seconds: float) -> bool:
        """Handle the worker's messages; False if it was lost before it was done and a new one may do better."""
        deadline = math.inf
        while True:
            if deadline == math.inf and not self._essential:
                # The worker's own time begins when it has what it needs.
                deadline = time.monotonic() + seconds + _GRACE
            left = deadline - time.monotonic()
            silence = self._patience.essential if self._essential else self._patience.silence
            message = child.receive(min(silence, left)) if left > 0 else None
            if message is not None:
                self._heard = message
                done = self._take(message)
                self._heard = None
                if done:
                    return True
                continue
            if child.killed() and self._killed < _MOST_KILLED:
                self._killed += 1
                return False
            self._read_status_page(child)
            if child.ended():
                why = f"the searching process {child.how_it_ended()} while {self._doing}"
            elif left <= silence:
                self._lose(f"stopped by the time limit while {self._doing}")
                return True
            elif self._essential:
                why = f"{self._doing} takes longer than {self._patience.essential:g} seconds"
            else:
                why = f"{self._doing} hangs ({self._patience.silence:g} seconds without a sign of life)"
            if self._essential:
                self._cannot_go_on(BadInput(why, Span(*self._place)))
                return True
            self._lose(f"{why}; it is left out from here on")
            return False

    def _read_status_page(self, child: Child) -> None:
        """The latest of the steps that are not worth a message each."""
        text = child.status_page.read()
        if not text or self._essential:
            return
        try:
            self._doing, *place = json.loads(text)
        except ValueError:
            # The worker ended in the middle of writing it.
            return
        self._place = (str(place[0]), int(place[1]))

    def _catch_up(self, child: Child) -> None:
        """Handle what was sent already, including a message whose handling an interrupt has cut off."""
        if self._heard is not None and self._take(self._heard):
            return
        while (message := child.receive(0.05)) is not None and not self._take(message):
            pass

    def _take(self, message: dict[str, Any]) -> bool:
        """Keep what a message says; return whether it is the last one."""
        match message["type"]:
            case "progress":
                self._count(protocol.record_from(RaceStats, message))
                if self._essential:
                    self._doing, self._essential = "searching", False
            case "finding":
                finding = protocol.record_from(RaceFinding, message)
                fault = message.get("fault") or (finding.kind, finding.location, finding.places)
                self._findings[fault] = finding
            case "problem":
                self._problems[protocol.record_from(Problem, message)] = None
            case "note":
                self._notes[protocol.record_from(Problem, message)] = None
            case "doing":
                self._doing, self._essential = message["what"], bool(message.get("essential"))
                self._place = message.get("file", ""), message.get("line", 0)
            case "exercised":
                exercised = protocol.record_from(Exercised, message)
                # A new worker begins anew, without what hung the one before.
                if len(exercised.returned) >= len(self.report.exercised.returned):
                    self.report.exercised = exercised
            case "tests":
                self._tests += message["tests"]
            case "done":
                self._count(protocol.record_from(RaceStats, message["stats"]))
            case "failed":
                self._cannot_go_on(_failure(message))
            case other:
                raise Internal(f"the searching process sent an unknown message {other!r}")
        self._on_message(message)
        return message["type"] in ("done", "failed")

    def _count(self, stats: RaceStats) -> None:
        """Combine the counts of workers: each begins anew, so the most that any of them reached is what was done."""
        for each in fields(RaceStats):
            best = max(getattr(self.report.stats, each.name), getattr(stats, each.name))
            setattr(self.report.stats, each.name, best)

    def _cannot_go_on(self, error: BadInput | Internal) -> None:
        """Raise what ended the search if there is nothing to keep yet; afterwards it is one more problem."""
        if not self._findings and not self.report.stats.enforced:
            raise error
        kind = "defect" if isinstance(error, Internal) else "unsupported"
        self._problems[Problem(kind, error.span.file, error.span.line, error.message)] = None

    def _lose(self, what: str) -> None:
        file, line = self._place
        self._problems[Problem("timeout", file or self.report.target, line, what)] = None

    def _elapsed(self) -> float:
        return time.monotonic() - self._started


def confirm(
    finding: RaceFinding, times: int = CONFIRMATIONS, root: str | None = None, path: Sequence[str] = ()
) -> RaceFinding | Problem:
    """Follow the finding's schedule again in fresh processes; it is a defect of our own if it does not always fail."""
    request = ReplayRequest(finding.test, root, tuple(path))
    at_once = max(1, min(2, os.cpu_count() or 1))
    failed = 0
    for start in range(0, times, at_once):
        children = [Child(request) for _ in range(min(at_once, times - start))]
        try:
            for child in children:
                try:
                    again = replay_answer(child)
                except (BadInput, Internal) as error:
                    return _unconfirmed(finding, str(error))
                if not again.failed:
                    return _unconfirmed(finding, f"run again {failed + 1} times, it did not fail the last time")
                failed += 1
        finally:
            for child in children:
                child.close()
    return replace(finding, replays=failed)


def replay_answer(child: Child, seconds: float = _REPLAY_SECONDS) -> Replayed:
    """What a worker that was asked to replay a test says; one that is killed from outside is replaced."""
    deadline = time.monotonic() + seconds
    replaced = 0
    while True:
        message = child.receive(max(deadline - time.monotonic(), 0.0))
        if message is None:
            if child.killed() and replaced < _MOST_KILLED:
                child.start_again()
                replaced += 1
                continue
            if child.ended():
                raise Internal(f"the process that runs the schedule {child.how_it_ended()}")
            raise BadInput(f"the test was still running after {seconds:g} seconds")
        if message["type"] == "replayed":
            return protocol.record_from(protocol.Replayed, message)
        if message["type"] == "failed":
            raise _failure(message)


def _failure(message: dict[str, Any]) -> BadInput | Internal:
    error = Internal if message["kind"] == protocol.INTERNAL else BadInput
    return error(message["message"], Span(message.get("file", ""), message.get("line", 0)))


def _unconfirmed(finding: RaceFinding, why: str) -> Problem:
    file, _, line = finding.location.rpartition(":")
    place = (file, int(line)) if line.isdigit() else (finding.location, 0)
    return Problem(
        "defect",
        *place,
        f"not reported as a finding: {finding.title}: {why}; this is a defect of Everypath, please report it",
    )


_WIDTH = 100


def follow(test: ThreadTest, root: str) -> Replayed:
    """Run the test with modules found in `root` first, then wherever this process finds them."""
    request = ReplayRequest(test, root, tuple(os.path.abspath(folder) for folder in sys.path if folder))
    with Child(request) as child:
        return replay_answer(child)


def thread_test(
    target: str, setup: str, before: Sequence[str], threads: Sequence[Sequence[str]], schedule: Sequence[str]
) -> ThreadTest:
    """The test that the arguments of `replay` describe; raises BadInput if something is wrong with them."""
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

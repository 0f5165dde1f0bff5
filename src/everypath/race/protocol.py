"""What the searching process and its parent say to each other: a request, then one JSON object per line."""

from __future__ import annotations

import json
import mmap
import os
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, TypeVar

from everypath.cases.codec import Codec
from everypath.cases.model import Problem
from everypath.cases.races import Exercised, ParameterUse, RaceFinding, RaceStats, ThreadTest, Turn
from everypath.records import dataclass
from everypath.workers.child_side import keep_private, parent_death_watch, read_frame, settle_in, write_all
from everypath.workers.fence import no_core_dumps
from everypath.workers.process import above_standard

VARIABLE = "EVERYPATH_STATUS_PAGE"
"""The environment variable that tells the worker the descriptor."""
_SIZE = mmap.PAGESIZE


class StatusPage:
    """Memory that the worker shares with its parent.

    A note costs the worker a copy, where a message costs a system call and wakes the parent: there are thousands
    of steps in a second, and only the last one matters, if the worker hangs or dies in it.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        if descriptor is None:
            file = tempfile.TemporaryFile()  # noqa: SIM115
            file.truncate(_SIZE)
            descriptor = above_standard(os.dup(file.fileno()))
            # The child finds it under the same number.
            os.set_inheritable(descriptor, True)
            file.close()
        self.descriptor = descriptor
        self._page = mmap.mmap(descriptor, _SIZE)

    def write(self, text: str) -> None:
        """Replace the note with this text."""
        data = text.encode()[: _SIZE - 1]
        self._page[: len(data) + 1] = data + b"\0"

    def read(self) -> str:
        """What was written last."""
        return bytes(self._page).partition(b"\0")[0].decode(errors="replace")

    def close(self) -> None:
        """Give the memory back."""
        self._page.close()
        os.close(self.descriptor)

    @staticmethod
    def of_parent() -> StatusPage | None:
        """In the worker: the page that the parent made."""
        given = os.environ.pop(VARIABLE, None)
        if given is None:
            return None
        os.set_inheritable(int(given), False)
        return StatusPage(int(given))


_T = TypeVar("_T")
_CODEC = Codec(lenient=True)

BAD_INPUT, INTERNAL = "bad-input", "internal"
"""Why a worker failed: because of the target or an option, or because of a defect of our own."""


@dataclass(frozen=True, slots=True)
class RaceRequest:
    """Search one class for faults."""

    module: str
    """import name"""
    cls: str
    """qualified name"""
    root: str | None = None
    """goes first on the import path"""
    path: tuple[str, ...] = ()
    """further folders that the caller has on its import path and the worker lacks"""
    setup: str | None = None
    """the expression that makes the shared object"""
    methods: tuple[str, ...] = ()
    """only these methods; all public ones if empty"""
    args: tuple[tuple[str, str], ...] = ()
    """(parameter, expression): values to use for parameters of that name"""
    values: tuple[tuple[str, str, str], ...] = ()
    """(method, parameter, expression): values found by solving"""
    mode: str = "predict"
    """predict, exhaustive or random"""
    seconds: float = 30.0
    seed: int = 0
    skip: tuple[str, ...] = ()
    """what hung in an earlier worker, as its last `doing` named it"""
    uses: tuple[ParameterUse, ...] = ()
    """what the source does with the parameters of methods"""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Follow the schedule of one test."""

    test: ThreadTest
    root: str | None = None
    path: tuple[str, ...] = ()


Request = RaceRequest | ReplayRequest


@dataclass(frozen=True, slots=True)
class Replayed:
    """What following a schedule came to."""

    failed: bool
    """whether the outcome is none that a serial order gives"""
    kind: str = ""
    observed: tuple[str, ...] = ()
    serial: tuple[tuple[str, ...], ...] = ()
    timeline: tuple[Turn, ...] = ()
    message: str = ""


def request_text(request: Request) -> str:
    """The request as text for the worker."""
    return json.dumps(_CODEC.encode(Request, request))


def parse_request(text: str) -> Request:
    """The request that was written by `request_text`."""
    request: Request = _CODEC.form(Request).decode(json.loads(text))
    return request


class Channel:
    """The worker's channel to its parent, which code that prints, reads or closes standard streams cannot reach."""

    def __init__(self, descriptor: int, status_page: StatusPage | None = None) -> None:
        self._descriptor = descriptor
        self._status_page = status_page
        self._essential = True

    def send(self, message: str, /, **values: Any) -> None:
        """Send one message; if the parent is gone, the process ends."""
        data = json.dumps({"type": message, **values}, default=str).encode() + b"\n"
        try:
            write_all(self._descriptor, data)
        except BrokenPipeError:
            os._exit(1)

    def progress(self, stats: RaceStats) -> None:
        """Send the counts so far, which is also a sign of life."""
        self.send("progress", **as_object(stats))

    def finding(self, finding: RaceFinding, fault: str | None = None) -> None:
        """Send a fault; it replaces an earlier one of the same name."""
        self.send("finding", fault=fault, **as_object(finding))

    def problem(self, problem: Problem) -> None:
        """Send a problem: something that could not be done."""
        self.send("problem", **as_object(problem))

    def note(self, note: Problem) -> None:
        """Send something worth knowing that is not a fault."""
        self.send("note", **as_object(note))

    def doing(self, what: str, essential: bool = False, file: str = "", line: int = 0) -> None:
        """Announce a step that might hang; without an `essential` one, such as the import, there is no search."""
        if self._status_page is not None:
            self._status_page.write(json.dumps([what, file, line]))
        # Whatever can be left out goes to the status page alone: there are thousands of such steps in a second.
        if essential or self._essential or self._status_page is None:
            self.send("doing", what=what, essential=essential, file=file, line=line)
        self._essential = essential

    def exercised(self, exercised: Exercised) -> None:
        """Send what calls have come to so far."""
        self.send("exercised", **as_object(exercised))

    def tests(self, tests: Sequence[dict[str, object]]) -> None:
        """Send the numbers of further assembled tests."""
        self.send("tests", tests=list(tests))

    def done(self, stats: RaceStats) -> None:
        """Send that the search is over."""
        self.send("done", stats=as_object(stats))

    def failed(self, message: str, kind: str = INTERNAL, file: str = "", line: int = 0) -> None:
        """Send why the search cannot begin or go on."""
        self.send("failed", message=message, kind=kind, file=file, line=line)

    def replayed(self, result: Replayed) -> None:
        """Send the answer to a replay request."""
        self.send("replayed", **as_object(result))


def open_channel() -> tuple[Request, Channel]:
    """In the worker: read the request, tie the process to its parent, and keep the channel from other code."""
    status_page = StatusPage.of_parent()
    settle_in(keep=() if status_page is None else (status_page.descriptor,))
    parent_death_watch()(os.getppid())
    no_core_dumps()
    request = read_frame(0)
    if request is None:
        # The parent changed its mind.
        os._exit(0)
    _, answers = keep_private(0, 1)
    return parse_request(request.decode()), Channel(answers, status_page)


def extend_import_path(request: Request) -> None:
    """In the worker: make modules be found where the caller would find them."""
    missing = [folder for folder in request.path if folder not in sys.path and folder != request.root]
    first = [request.root] if request.root is not None else []
    sys.path[:0] = [*first, *missing]


def as_object(record: object) -> dict[str, Any]:
    """A record as JSON can hold it."""
    shown: dict[str, Any] = _CODEC.encode(type(record), record)
    return shown


def record_from(record: type[_T], values: dict[str, Any]) -> _T:
    """A record from its object, or from a message that adds something to it."""
    return _CODEC.decode(record, values)

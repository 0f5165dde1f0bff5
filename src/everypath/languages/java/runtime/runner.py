"""Has a JVM run cases, and collects how they ended; where one dies, another runs the rest."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from everypath.errors import BadInput
from everypath.languages.java.runtime.jdk import Jdk
from everypath.languages.java.runtime.starting import worker_command
from everypath.options import FenceOptions
from everypath.records import dataclass, field
from everypath.workers.process import Command
from everypath.workers.reserve import Worker, give_back, prepare, take

PASSED = "passed"
FAILED = "failed"
ERROR = "error"
REFUSED = "refused"
TIMEOUT = "timeout"
CRASHED = "crashed"
UNCOMPILED = "uncompiled"
"""The compiler does not take the test."""
UNRUN = "unrun"
"""The time for all runs was over before."""
_COMPILE_SECONDS = 180.0
_PATIENCE = 3.0
_GRACE = 5.0
_STUCK = 3
"""The code with which the driver ends itself when a test that it has told about cannot be stopped."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How one run ended."""

    status: str
    """passed, failed, error, refused, timeout, crashed, uncompiled or unrun"""
    text: str = ""
    phase: str = ""
    """arrange, check, act or assert"""
    cls: str = ""
    line: int = 0
    """the innermost place in a class of the program, if there is one"""
    thrown: str = ""
    """the class of the exception that ended it"""
    reached: frozenset[str] = frozenset()
    """lines as `class:line`, branches as `class#method@offset>offset`"""
    steps: tuple[dict[str, Any], ...] = ()
    """what it did line by line, where that was wanted; files are told by the names of classes"""
    left_out: int = 0
    """how many more steps there were"""

    @property
    def passed(self) -> bool:
        """Whether the run was exactly as predicted."""
        return self.status == PASSED

    def lines(self) -> frozenset[tuple[str, int]]:
        """The class and number of every line that the call executed."""
        places = (place.rpartition(":") for place in self.reached if "#" not in place)
        return frozenset((cls, int(line)) for cls, _, line in places)

    def branches(self) -> frozenset[str]:
        """The branches that the call took."""
        return frozenset(place for place in self.reached if "#" in place)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how cases run."""

    jdk: Jdk
    own: tuple[Path, ...]
    """folders and jars with the classes under test"""
    options: FenceOptions
    libraries: tuple[Path, ...] = ()
    """what these need besides"""
    junit: tuple[Path, ...] = ()
    probed: str = ""
    """the class of the JDK that is under test, if it is one"""
    until: float = field(default=float("inf"), compare=False)

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.until


@dataclass(frozen=True, slots=True)
class SuiteEnding:
    """How a whole file of tests ended: what the compiler says, and each test."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    tests: Mapping[str, Ending]


def announce(setting: Setting) -> None:
    """Have a JVM read the class path already."""
    prepare(_command(setting), _program(setting))


def run_cases(sources: Mapping[str, tuple[str, str]], setting: Setting, record: bool = False) -> dict[str, Ending]:
    """Compile and run the class of every case (id -> its name and source); there is an ending for each."""
    endings: dict[str, Ending] = {}
    left = dict(sources)
    while left and not setting.over:
        request = ["recorded" if record else "cases", *(text for source in left.values() for text in source)]
        with _Conversation(setting) as worker:
            worker.begin(request)
            for number, case in enumerate(left):
                ending = worker.ending(first=number == 0)
                if ending is None:
                    break
                endings[case] = ending
                if worker.lost:
                    break
        left = {case: source for case, source in sources.items() if case not in endings}
    return endings | {case: Ending(UNRUN, "the time was over") for case in left}


def run_suite(name: str, source: str, methods: Sequence[str], setting: Setting) -> SuiteEnding:
    """Compile and run a file of tests as it is, all tests in one JVM and one set of classes."""
    with _Conversation(setting) as worker:
        worker.begin(["suite", name, source, *methods])
        told = worker.message(_COMPILE_SECONDS)
        if told is None:
            return SuiteEnding((worker.how_it_ended(),), (), {})
        tests: dict[str, Ending] = {}
        for number, method in enumerate(methods if not told["errors"] else ()):
            ending = worker.ending(first=number == 0)
            if ending is None:
                break
            tests[method] = ending
            if worker.lost:
                break
        return SuiteEnding(tuple(told["errors"]), tuple(told["warnings"]), tests)


def search(request: Sequence[str], setting: Setting, seconds: float) -> Iterator[dict[str, Any]]:
    """Have a JVM look for calls for so many seconds; what it tells about each that it found, or why it could not."""
    if setting.over:
        return
    with _Conversation(setting) as worker:
        worker.begin(["search", *request])
        while True:
            told = worker.message(_PATIENCE * seconds + _GRACE)
            if told is None or told["status"] == "finished":
                return
            yield told
            if told["status"] == "failed":
                return


class _Conversation:
    """Work for a JVM, which is ended unless it has answered for all of it."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._seconds = setting.options.case_seconds
        self.lost = False
        """the JVM is dead or stuck"""

    def __enter__(self) -> _Conversation:
        self._worker: Worker = take(_command(self._setting), _program(self._setting))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self.lost:
            give_back(self._worker)
        else:
            self._worker.close()

    def begin(self, request: Sequence[str]) -> None:
        """Hand over the work when the program is there."""
        if not self._worker.loaded:
            if self.message(_COMPILE_SECONDS) is None and not self._setting.over:
                raise BadInput(f"the JVM in {self._setting.jdk.home} does not come up: {self.how_it_ended()}")
            self._worker.loaded = True
        self._worker.send(packed(request))

    def ending(self, first: bool) -> Ending | None:
        """How the next case ended; None when it has not run, because the time is over or an earlier one is stuck."""
        seconds = _PATIENCE * self._seconds + _GRACE + (_COMPILE_SECONDS if first else 0.0)
        told = self.message(seconds)
        if told is not None:
            return Ending(
                told["status"],
                told.get("text", ""),
                told.get("phase", ""),
                told.get("class", ""),
                told.get("line", 0),
                told.get("thrown", ""),
                frozenset(told.get("reached", ())),
                tuple(told.get("steps", ())),
                told.get("left_out", 0),
            )
        stuck = self._worker.ended() and self._worker.code == _STUCK and not first
        if self._setting.over or stuck:
            return None
        if not self._worker.ended():
            return Ending(TIMEOUT, f"still running after {self._seconds:g} seconds", "act")
        return Ending(CRASHED, self.how_it_ended(), "act")

    def message(self, seconds: float) -> dict[str, Any] | None:
        """What the JVM says next; None, and it is lost, when it says nothing for so long."""
        line = self._worker.receive(min(seconds, max(0.0, self._setting.until - time.monotonic())))
        if line is None:
            self.lost = True
            return None
        told = json.loads(line)
        assert isinstance(told, dict)
        return told

    def how_it_ended(self) -> str:
        """What is known about a JVM that is gone."""
        if not self._worker.ended():
            return "it does not answer"
        said = self._worker.last_error()
        how = f"the JVM ended with code {self._worker.code}"
        return how if not said or said.startswith("WARNING") else f"{how}: {said}"


def packed(texts: Sequence[str]) -> bytes:
    """A list of texts as the driver reads it."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return b"".join(part for text in encoded for part in (struct.pack(">i", len(text)), text))


def _command(setting: Setting) -> Command:
    return worker_command(setting.jdk, setting.options.memory_mb, bool(setting.probed))


def _program(setting: Setting) -> bytes:
    """What a JVM is told to load: the class path and the limits."""
    options = setting.options
    texts = ["1" if options.allow_io else "0", repr(float(options.case_seconds))]
    for places in (setting.own, setting.libraries, setting.junit):
        texts.append("\n".join(str(place.resolve()) for place in places))
    return packed([*texts, setting.probed])

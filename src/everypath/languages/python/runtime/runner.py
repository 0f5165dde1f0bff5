"""Runs cases in a fenced child process and collects their verdicts."""

from __future__ import annotations

import _signal
import json
import marshal
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import everypath
from everypath.cases.model import CallCase
from everypath.errors import BadInput, Span
from everypath.languages.python.runtime.starting import FIRST_SEED, worker_command
from everypath.options import FenceOptions
from everypath.records import dataclass
from everypath.workers.reserve import give_back, prepare, take

PASSED = "passed"
FAILED = "failed"
ERROR = "error"
REFUSED = "refused"
TIMEOUT = "timeout"
CRASHED = "crashed"
KILLED = "killed"
"""By a signal that no code sends by accident: by the system, or from outside."""
EXITED = "exited"
UNWRITTEN = "unwritten"
"""There is no test to run: something in it cannot be written down."""
UNRUN = "unrun"
"""The time for all runs was over before."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one run ended, and which lines of the entry's file its call executed."""

    status: str
    """passed, failed, error, refused, timeout, crashed, killed, exited, unwritten or unrun"""
    text: str = ""
    """the assertion, exception, refused operation or signal"""
    phase: str = ""
    """where it ended: import, arrange, check, act or assert"""
    file: str = ""
    line: int = 0
    """the innermost place in the program's own files, 0 if there is none"""
    lines: frozenset[int] = frozenset()
    arcs: frozenset[tuple[int, int]] = frozenset()
    """(previous line, line) inside one call; a call begins at -line of its first line and ends at -1"""
    output: str = ""
    compiled: frozenset[str] = frozenset()
    """the names that stand for compiled functions in the entry's module"""
    seen: dict[str, Any] | None = None
    """what there was to see, as the child describes it"""
    recording: dict[str, Any] | None = None
    """what it did line by line, where that was asked for"""

    @property
    def passed(self) -> bool:
        """Whether the run was exactly as predicted."""
        return self.status == PASSED


_UNRUN = Verdict(UNRUN, "the time was over", "arrange")
_NOWHERE = "/everypath/is/not/here"
HOME = str(Path(everypath.__file__).resolve().parent.parent)
"""Where children find this package when they need more than a few files of it."""
_IMPORT_SECONDS = 20.0
"""How long importing the program may take, at least."""
_IMPORT = "import"
"""Stands for a case where importing is run again."""
_PATIENCE = 3.0
"""On a busy machine so many seconds may pass while code computes for one."""
_WITHOUT_REFERENCES = 2
"""The last form of `marshal` that depends on nothing but the values."""
_GRACE = 4.0
"""Seconds past a case's limit after which the whole worker counts as stuck."""
_MOST_RETRIES = 3
"""So often a case is run again that lost its worker; each but the last time somebody else may be to blame."""
_MOST_HANGS = 3
"""So many cases that hang with their worker are run again: that takes long, and most hang once more."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how cases run: everything a worker needs before it can import the program."""

    root: Path
    """goes first on the child's import path, then `path`, then the caller's PYTHONPATH"""
    options: FenceOptions
    path: tuple[str, ...] = ()
    hash_seed: int = FIRST_SEED
    """decides the order of sets of strings"""
    until: float = float("inf")
    """when, as `time.monotonic` tells the time, all runs have to be over"""

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.until

    @property
    def import_seconds(self) -> float:
        """How long importing the program may take."""
        return max(_IMPORT_SECONDS, 2 * self.options.case_seconds)


def announce(setting: Setting, files: Mapping[str, str]) -> None:
    """Let a worker import these modules already; `files` are the files where they must be found."""
    # With side effects allowed, two imports at the same time could disturb each other.
    if not setting.options.allow_io:
        prepare(worker_command(setting.hash_seed), _program(setting, files))


def run_cases(
    cases: Sequence[CallCase],
    sources: Mapping[str, str],
    setting: Setting,
    *,
    observe: bool = False,
    record: bool = False,
) -> dict[str, Verdict]:
    """Run the script of every case; a program that cannot be imported is bad input, told once.

    With `observe`, what there is to see is described; with `record`, what happens line by line is written down. Cases
    for which there is no time left are `UNRUN`.
    """
    verdicts: dict[str, Verdict] = {}
    remaining = [case for case in cases if case.id in sources]
    retries = _Retries()
    # What tells the places where modules are looked for is no part of a test, so one of two runs has one more.
    more = {"home": HOME, "elsewhere": "" if setting.hash_seed == FIRST_SEED else _NOWHERE} if observe else {}
    more |= {"record": HOME} if record else {}
    while remaining and not setting.over:
        files = {case.entry.module: case.entry.file for case in remaining}
        work = [{"source": sources[case.id], "module": case.entry.module, **more} for case in remaining]
        with _Batch(setting, files, work) as batch:
            if not batch.wait_until_imported(lambda: retries.allows(_IMPORT, KILLED)):
                continue
            for case in remaining:
                verdict = batch.next_verdict()
                if verdict.status == UNRUN:
                    break
                lost = batch.lost or verdict.status == KILLED
                if not lost or not retries.allows(case.id, verdict.status):
                    verdicts[case.id] = verdict
                if batch.lost:
                    break
        remaining = [case for case in remaining if case.id not in verdicts]
    return verdicts | {case.id: _UNRUN for case in remaining}


def search(setting: Setting, files: Mapping[str, str], request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Let a worker look for calls that reach something in a module, and give what it tells as it comes."""
    with _Batch(setting, files, {**request, "home": HOME}) as batch:
        retries = _Retries()
        if not batch.wait_until_imported(lambda: retries.allows(_IMPORT, KILLED)):
            return
        while (message := batch.next_message(request["wall"] + 2 * _GRACE)) is not None:
            if "searched" in message:
                return
            yield message
        batch.lost = True


class _Retries:
    """What was run again because its process was lost, perhaps through no fault of its own."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._hangs = 0

    def allows(self, case: str, status: str) -> bool:
        """Whether it may run once more, which then counts."""
        times = self._times[case] = self._times.get(case, 0) + 1
        if status != KILLED:
            self._hangs += 1
            return times == 1 and self._hangs <= _MOST_HANGS
        return times <= _MOST_RETRIES


class _Batch:
    """Work for a worker, which is ended with everything it started unless it has answered for all of it."""

    def __init__(self, setting: Setting, files: Mapping[str, str], work: list[dict[str, str]] | dict[str, Any]) -> None:
        self._setting = setting
        self._root = setting.root.resolve()
        self._seconds = setting.options.case_seconds
        self._program = _program(setting, files)
        self._work = marshal.dumps(work)
        self.lost = False
        """the worker is dead or stuck"""

    def next_message(self, seconds: float) -> dict[str, Any] | None:
        """What the worker says next; None when it is silent for so long."""
        return self._receive(seconds)

    def __enter__(self) -> _Batch:
        self._worker = take(worker_command(self._setting.hash_seed), self._program)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self.lost:
            give_back(self._worker)
        else:
            self._worker.close()

    def wait_until_imported(self, may_retry: Callable[[], bool]) -> bool:
        """Hand over the cases when the program is imported; raise what keeps it from being imported.

        False when the worker was killed meanwhile, which may be tried again, or the time is over.
        """
        if not self._worker.loaded:
            seconds = self._setting.import_seconds
            message = self._receive(_PATIENCE * seconds + _GRACE)
            if message is None:
                if self._setting.over:
                    self.lost = True
                    return False
                if not self._worker.ended():
                    raise BadInput(f"importing the program takes longer than {seconds:g} seconds")
                if self._worker.code == -_signal.SIGKILL and may_retry():
                    self.lost = True
                    return False
                raise BadInput(f"importing the program {self._how_it_ended()}")
            if "import_failed" in message:
                raise _import_failure(message, self._root)
            self._worker.loaded = True
        self._worker.send(self._work)
        return True

    def next_verdict(self) -> Verdict:
        """The verdict of the next case; for one that takes the worker with it, how that ended."""
        message = self._receive(_PATIENCE * self._seconds + _GRACE)
        if message is not None:
            return _verdict(message, self._root)
        self.lost = True
        if self._setting.over:
            return _UNRUN
        if not self._worker.ended():
            return Verdict(TIMEOUT, f"still running after {self._seconds:g} seconds", "act")
        if self._worker.code == -_signal.SIGKILL:
            return Verdict(KILLED, f"the run {self._how_it_ended()}", "act")
        status = CRASHED if (self._worker.code or 0) < 0 else EXITED
        return Verdict(status, f"the run {self._how_it_ended()}", "act")

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        line = self._worker.receive(min(seconds, max(0.0, self._setting.until - time.monotonic())))
        if line is None:
            return None
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def _how_it_ended(self) -> str:
        code = self._worker.code
        how = f"ended the process with code {code}"
        if code is not None and code < 0:
            import signal

            how = f"crashed ({signal.Signals(-code).name})"
        said = self._worker.last_error()
        return f"{how}: {said}" if said else how


def _program(setting: Setting, files: Mapping[str, str]) -> bytes:
    """What a worker is told to load: the modules, where they are found, and the limits."""
    root, options = setting.root, setting.options
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    entries = [str(root.resolve()), *setting.path, *inherited]
    places = dict.fromkeys(
        form for entry in [str(root), *entries] for form in (os.path.abspath(entry), os.path.realpath(entry))
    )
    request = {
        "folder": str(root.resolve()),
        "path": entries,
        "roots": [place.rstrip(os.sep) + os.sep for place in places],
        "modules": list(files),
        "files": {module: os.path.realpath(file) for module, file in files.items() if os.path.isfile(file)},
        "case_seconds": options.case_seconds,
        "import_seconds": setting.import_seconds,
        "patience": _PATIENCE,
        "memory_mb": options.memory_mb,
        "output_bytes": options.output_bytes,
        "allow_io": options.allow_io,
    }
    # Later forms tell apart how a value is held in memory, and equal programs must have equal bytes.
    return marshal.dumps(request, _WITHOUT_REFERENCES)


def _verdict(message: dict[str, Any], root: Path) -> Verdict:
    return Verdict(
        status=message["status"],
        text=message.get("text", ""),
        phase=message.get("phase", ""),
        file=_relative(message.get("file", ""), root),
        line=message.get("line", 0),
        lines=frozenset(message.get("lines", ())),
        arcs=frozenset((a, b) for a, b in message.get("arcs", ())),
        output=message.get("output", ""),
        compiled=frozenset(message.get("compiled", ())),
        seen=message.get("seen"),
        recording=message.get("recording"),
    )


def _import_failure(message: dict[str, Any], root: Path) -> BadInput:
    module, text = message["import_failed"], message["text"]
    span = Span(_relative(message.get("file", ""), root), message.get("line", 0))
    if message["status"] == "refused":
        return BadInput(f"importing {module} tries to {text}; pass --allow-io to let it", span)
    advice = _advice(message["missing"], message["package"]) if "missing" in message else ""
    return BadInput(f"{module} cannot be imported: {text}{advice}", span)


def _advice(missing: str, package: str) -> str:
    """What to do about a module that an import has not found."""
    if package:
        return f": the {package} that is installed here has no such module, perhaps another version has"
    return f": install it (`pip install {missing.partition('.')[0]}`, if its distribution has that name)"


def _relative(file: str, root: Path) -> str:
    """The file as a user would name it: relative to the working directory, else to the root."""
    for base in (Path.cwd(), root):
        if file and Path(file).is_relative_to(base):
            return str(Path(file).relative_to(base))
    return file

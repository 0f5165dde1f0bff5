"""Runs cases in a fenced child process and collects their verdicts."""

from __future__ import annotations

import json
import marshal
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everypath.cases.model import CallCase
from everypath.errors import BadInput, Internal, Span
from everypath.languages.python.runtime.verdict import CRASHED, EXITED, TIMEOUT, Verdict
from everypath.options import FenceOptions
from everypath.records import dataclass
from everypath.workers.process import FIRST_SEED, prepare, take

_IMPORT_SECONDS = 20.0
"""How long importing the program may take, at least."""
_GRACE = 4.0
"""Seconds past a case's limit after which the whole child counts as stuck."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how cases run: everything a worker needs before it can import the program."""

    root: Path
    """goes first on the child's import path, then `path`, then the caller's PYTHONPATH"""
    options: FenceOptions
    path: tuple[str, ...] = ()
    hash_seed: int = FIRST_SEED
    """decides the order of sets of strings"""

    @property
    def import_seconds(self) -> float:
        """How long importing the program may take."""
        return max(_IMPORT_SECONDS, 2 * self.options.case_seconds)


def announce(setting: Setting, files: Mapping[str, str]) -> None:
    """Let a worker import these modules already; `files` are the files where they must be found."""
    # With side effects allowed, two imports at the same time could disturb each other.
    if not setting.options.allow_io:
        prepare(setting.hash_seed, _program(setting, files))


def run_cases(cases: Sequence[CallCase], sources: Mapping[str, str], setting: Setting) -> dict[str, Verdict]:
    """Run the script of every case; a program that cannot be imported is bad input, told once."""
    verdicts: dict[str, Verdict] = {}
    remaining = [case for case in cases if case.id in sources]
    while remaining:
        before = len(remaining)
        with _Child(remaining, sources, setting) as child:
            child.wait_until_imported()
            for case in remaining:
                verdict = child.next_verdict(case)
                verdicts[case.id] = verdict.value
                if verdict.lost:
                    break
        remaining = [case for case in remaining if case.id not in verdicts]
        if len(remaining) == before:
            raise Internal("the validating process ended without running a case")
    return verdicts


class _Answer:
    """A verdict, and whether the child is lost."""

    def __init__(self, value: Verdict, lost: bool = False) -> None:
        self.value = value
        self.lost = lost


class _Child:
    """One worker process with its work, ended with everything it started when the block is left."""

    def __init__(self, cases: Sequence[CallCase], sources: Mapping[str, str], setting: Setting) -> None:
        self._setting = setting
        self._root = setting.root.resolve()
        self._seconds = setting.options.case_seconds
        files = {case.entry.module: case.entry.file for case in cases}
        self._program = _program(setting, files)
        self._work = marshal.dumps([{"source": sources[case.id], "module": case.entry.module} for case in cases])

    def __enter__(self) -> _Child:
        self._process = take(self._setting.hash_seed, self._program)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def wait_until_imported(self) -> None:
        """Hand over the cases when the program is imported; raise what keeps it from being imported."""
        seconds = self._setting.import_seconds
        message = self._receive(seconds + _GRACE)
        if message is None:
            if not self._process.ended():
                raise BadInput(f"importing the program takes longer than {seconds:g} seconds")
            raise BadInput(f"importing the program {self._how_it_ended()}{self._error_text()}")
        if "import_failed" in message:
            raise _import_failure(message, self._root)
        self._process.send(self._work, last=True)

    def next_verdict(self, case: CallCase) -> _Answer:
        """The verdict of the next case."""
        message = self._receive(self._seconds + _GRACE)
        if message is not None:
            return _Answer(_verdict(message, self._root))
        if not self._process.ended():
            return _Answer(Verdict(TIMEOUT, f"still running after {self._seconds:g} seconds", "act"), lost=True)
        status = CRASHED if (self._process.code or 0) < 0 else EXITED
        return _Answer(Verdict(status, f"the run {self._how_it_ended()}{self._error_text()}", "act"), lost=True)

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        line = self._process.receive(seconds)
        if line is None:
            return None
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def _how_it_ended(self) -> str:
        code = self._process.code
        if code is not None and code < 0:
            return f"crashed ({signal.Signals(-code).name})"
        return f"ended the process with code {code}"

    def _error_text(self) -> str:
        text = self._process.error_text()
        return f": {text.splitlines()[-1]}" if text else ""


def _program(setting: Setting, files: Mapping[str, str]) -> bytes:
    """The first part of a request, one line: what to import, and the limits."""
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
        "memory_mb": options.memory_mb,
        "output_bytes": options.output_bytes,
        "allow_io": options.allow_io,
    }
    return marshal.dumps(request).hex().encode() + b"\n"


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
    )


def _import_failure(message: dict[str, Any], root: Path) -> BadInput:
    module, text = message["import_failed"], message["text"]
    span = Span(_relative(message.get("file", ""), root), message.get("line", 0))
    if message["status"] == "refused":
        return BadInput(f"importing {module} tries to {text}; pass --allow-io to let it", span)
    return BadInput(f"{module} cannot be imported: {text}", span)


def _relative(file: str, root: Path) -> str:
    """The file as a user would name it: relative to the working directory, else to the root."""
    for base in (Path.cwd(), root):
        if file and Path(file).is_relative_to(base):
            return str(Path(file).relative_to(base))
    return file

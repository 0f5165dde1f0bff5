"""Runs cases in a fenced child process and collects their verdicts."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from everypath.errors import BadInput, Internal, Span
from everypath.options import FenceOptions
from everypath.suite.model import TestCase
from everypath.validate.verdict import CRASHED, EXITED, TIMEOUT, Verdict

_WORKER = Path(__file__).with_name("worker.py")
_IMPORT_SECONDS = 20.0
"""How long importing the program may take, at least."""
_GRACE = 4.0
"""Seconds past a case's limit after which the whole child counts as stuck."""
_KEPT_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TZ",
)


def run_cases(
    cases: Sequence[TestCase],
    sources: Mapping[str, str],
    *,
    root: Path,
    options: FenceOptions,
    path: Sequence[str] = (),
    hash_seed: int = 0,
) -> dict[str, Verdict]:
    """Run the script of every case; a program that cannot be imported is bad input, told once.

    `root` goes first on the child's import path, then `path`, then the caller's PYTHONPATH. `hash_seed`
    decides the order of sets of strings.
    """
    verdicts: dict[str, Verdict] = {}
    remaining = [case for case in cases if case.id in sources]
    while remaining:
        before = len(remaining)
        with _Child(remaining, sources, root, options, path, hash_seed) as child:
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
    """One worker process with its own group, ended with everything it started when the block is left."""

    def __init__(
        self,
        cases: Sequence[TestCase],
        sources: Mapping[str, str],
        root: Path,
        options: FenceOptions,
        path: Sequence[str],
        hash_seed: int,
    ) -> None:
        self._hash_seed = hash_seed
        self._root = root.resolve()
        self._seconds = options.case_seconds
        self._import_seconds = max(_IMPORT_SECONDS, 2 * options.case_seconds)
        self._request = json.dumps(_request(cases, sources, root, options, path, self._import_seconds)).encode()
        self._buffer = b""

    def __enter__(self) -> _Child:
        self._errors: BinaryIO = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=self._root,
            env=_environment(self._hash_seed),
            start_new_session=True,
        )
        assert self._process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(self._request)
                self._process.stdin.close()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def wait_until_imported(self) -> None:
        """Return when the program is imported; raise what keeps it from being imported."""
        message = self._receive(self._import_seconds + _GRACE)
        if message is None:
            if self._process.poll() is None:
                raise BadInput(f"importing the program takes longer than {self._import_seconds:g} seconds")
            raise BadInput(f"importing the program {self._how_it_ended()}{self._error_text()}")
        if "import_failed" in message:
            raise _import_failure(message, self._root)

    def next_verdict(self, case: TestCase) -> _Answer:
        """The verdict of the next case."""
        message = self._receive(self._seconds + _GRACE)
        if message is not None:
            return _Answer(_verdict(message, self._root))
        if self._process.poll() is None:
            return _Answer(Verdict(TIMEOUT, f"still running after {self._seconds:g} seconds", "act"), lost=True)
        status = CRASHED if self._process.returncode < 0 else EXITED
        return _Answer(Verdict(status, f"the run {self._how_it_ended()}{self._error_text()}", "act"), lost=True)

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """The next message, or None when the child is silent for too long or has ended."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                return None
            part = os.read(descriptor, 1 << 16)
            if not part:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(1)
                return None
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def _how_it_ended(self) -> str:
        code = self._process.returncode
        if code is not None and code < 0:
            return f"crashed ({signal.Signals(-code).name})"
        return f"ended the process with code {code}"

    def _error_text(self) -> str:
        self._errors.seek(0)
        text = self._errors.read(20_000).decode("utf-8", "replace").strip()
        return f": {text.splitlines()[-1]}" if text else ""


def _request(
    cases: Sequence[TestCase],
    sources: Mapping[str, str],
    root: Path,
    options: FenceOptions,
    path: Sequence[str],
    import_seconds: float,
) -> dict[str, Any]:
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    entries = [str(root.resolve()), *path, *inherited]
    places = dict.fromkeys(
        form for entry in [str(root), *entries] for form in (os.path.abspath(entry), os.path.realpath(entry))
    )
    return {
        "path": entries,
        "roots": [place.rstrip(os.sep) + os.sep for place in places],
        "modules": list(dict.fromkeys(case.entry.module for case in cases)),
        "files": {c.entry.module: os.path.realpath(c.entry.file) for c in cases if os.path.isfile(c.entry.file)},
        "cases": [{"id": case.id, "source": sources[case.id], "module": case.entry.module} for case in cases],
        "case_seconds": options.case_seconds,
        "import_seconds": import_seconds,
        "memory_mb": options.memory_mb,
        "output_bytes": options.output_bytes,
        "allow_io": options.allow_io,
    }


def _environment(hash_seed: int) -> dict[str, str]:
    """Little of the caller's environment, and an order of sets that is the same on every run."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return {**kept, "PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1"}


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

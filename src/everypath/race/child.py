"""A worker process as its parent holds it: started, listened to, and ended with everything it started."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import everypath
from everypath.race.protocol import Request, request_text
from everypath.race.status_page import VARIABLE, Slate

_HOME = str(Path(everypath.__file__).resolve().parent.parent)
_START = f"""
import sys
sys.path.append({_HOME!r})
from everypath.race.worker import main
main()
"""
"""Not `-m`, which would load the worker's module a second time as soon as someone imports it by its name."""
COMMAND = (sys.executable, "-B", "-P", "-c", _START)
_HASH_SEED = "0"
"""Sets have the same order in the search, when a finding is confirmed and in the generated test."""
_KEPT_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TZ",
    "EVERYPATH_DEBUG",
)
_KEPT_ERRORS = 20_000


class Child:
    """One worker in a process group of its own."""

    def __init__(self, request: Request) -> None:
        kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        self._errors = b""
        self._buffer = b""
        self.slate = Slate()
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if "EVERYPATH_DEBUG" in os.environ else subprocess.PIPE,
            env={
                **kept,
                "PYTHONHASHSEED": _HASH_SEED,
                "PYTHONDONTWRITEBYTECODE": "1",
                VARIABLE: str(self.slate.descriptor),
            },
            pass_fds=(self.slate.descriptor,),
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout
        self._output = self._process.stdout.fileno()
        self._open = [stream.fileno() for stream in (self._process.stdout, self._process.stderr) if stream]
        # A worker that is gone already is noticed when it does not answer.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(request_text(request).encode())
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next message, or None when the worker says nothing for so long or is gone."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or self._output not in self._open:
                return None
            for descriptor in select.select(self._open, [], [], left)[0]:
                self._read(descriptor)
        line, _, self._buffer = self._buffer.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def ended(self) -> bool:
        """Whether the worker has closed its channel, so that nothing more can come."""
        return self._output not in self._open and b"\n" not in self._buffer

    def how_it_ended(self) -> str:
        """The end of a sentence about a worker that is gone, with the last line that it wrote as an error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        while len(self._open) and select.select(self._open, [], [], 0)[0]:
            self._read(self._open[0])
        code = self._process.poll()
        how = "closed its channel" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        return f"{how}: {lines[-1]}" if lines else how

    def close(self) -> None:
        """End the worker and everything in its group."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self.slate.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, 1 << 16)
        if not data:
            self._open.remove(descriptor)
        elif descriptor == self._output:
            self._buffer += data
        else:
            self._errors = (self._errors + data)[-_KEPT_ERRORS:]

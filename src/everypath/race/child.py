"""A searching process as its parent holds it: it gets one request, tells what it finds, and says what it is doing."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import everypath
from everypath.race.protocol import Request, request_text
from everypath.race.status_page import VARIABLE, StatusPage
from everypath.workers.process import Process, interpreter

_HOME = str(Path(everypath.__file__).resolve().parent.parent)
START = f"""
import sys
sys.path.append({_HOME!r})
from everypath.race.worker import main
main()
"""
"""Not `-m`, which would load the worker's module a second time as soon as someone imports it by its name."""
_HASH_SEED = 0
"""Sets have the same order in the search, when a finding is confirmed and in the generated test."""
_DEBUG = "EVERYPATH_DEBUG"


class Child:
    """A process that searches or replays, ended with everything it started when the block is left."""

    def __init__(self, request: Request, program: str | None = None) -> None:
        """Start the worker, or another program that takes the same requests."""
        debug = {_DEBUG: os.environ[_DEBUG]} if _DEBUG in os.environ else {}
        self.status_page = StatusPage()
        shared = {VARIABLE: str(self.status_page.descriptor)}
        self._process = Process(interpreter(program or START, _HASH_SEED, **shared, **debug), show_errors=bool(debug))
        self._process.send(request_text(request).encode())

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next message, or None when the process says nothing for so long or is gone."""
        line = self._process.receive(seconds)
        if line is None:
            return None
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def ended(self) -> bool:
        """Whether the process has closed its channel, so that nothing more can come."""
        return self._process.closed

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

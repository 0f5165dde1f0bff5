"""Stands in for the worker: says what a script tells it to say, so that its parent can be tested without a search."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from everypath.cases.races import RaceFinding
from everypath.race import protocol, session

_HEAD = """
import json, os, sys, time
from everypath.race.protocol import *
from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceStats
request, channel = open_channel()
replaying = isinstance(request, ReplayRequest)
with open({log!r}, "a") as log:
    print(request_text(request), file=log)
attempt = sum(1 for line in open({log!r}))
findings = [record_from(RaceFinding, each) for each in json.loads({findings!r})]
"""


class FakeWorker:
    """What the fake says, and what it was asked."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def requests(self) -> list[dict[str, Any]]:
        """Every request so far."""
        return [json.loads(line) for line in self._log.read_text().splitlines()] if self._log.exists() else []


@contextlib.contextmanager
def fake_worker(script: str, findings: Sequence[RaceFinding], folder: Path) -> Iterator[FakeWorker]:
    """Within the block workers run this script, which sees `request`, `replaying`, `channel`, `findings`, `attempt`."""
    log = folder / "requests.log"
    head = _HEAD.format(log=str(log), findings=json.dumps([protocol.as_object(each) for each in findings]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "START", head + script)
        yield FakeWorker(log)

"""A run that is killed, so that it can do nothing any more, leaves nothing running."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from .command import no_process_left, start

ENDLESS = """\
import marshal


def spin(x):
    data = marshal.loads(x)
    while data is not spin:
        pass
    return 1


def spin_too(x: int) -> int:
    data = marshal.dumps(x)
    while data:
        pass
    return 1
"""


@pytest.mark.parametrize("jobs", ("1", "2"))
@pytest.mark.parametrize("after", (0.3, 0.8, 1.3, 1.8, 2.5))
def test_nothing_runs_on_after_a_kill(tmp_path: Path, after: float, jobs: str) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    # An interpreter that has only just been started finds out when it is up.
    with no_process_left(within=10):
        process = start(tmp_path, "generate", "endless.py", "--total-time", "20", "--jobs", jobs)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)

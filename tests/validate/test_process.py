"""Processes that are started ahead of their work: used once, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from everypath.languages.python.runtime.runner import Setting, announce
from everypath.options import FenceOptions
from everypath.workers import process
from everypath.workers.process import FIRST_SEED, OTHER_SEED, discard, prepare, take

STARTS_AND_HANGS = f"""
import os, sys, time
from everypath.workers import process
process.prepare({FIRST_SEED})
process.prepare({OTHER_SEED})
print(*(p.pid for p in process._spare.values()), flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    discard()
    yield
    discard()


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone_soon(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_a_prepared_process_is_the_one_that_is_taken() -> None:
    prepare(FIRST_SEED)
    waiting = process._spare[FIRST_SEED]
    taken = take(FIRST_SEED, b"{}\n")
    assert taken is waiting
    assert not process._spare
    taken.close()
    assert not alive(taken.pid)


def test_a_process_prepared_for_another_program_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    announce(Setting(tmp_path, FenceOptions()), {"a": str(tmp_path / "a.py")})
    waiting = process._spare[FIRST_SEED]
    taken = take(FIRST_SEED, b"{}\n")
    assert taken is not waiting
    assert not alive(waiting.pid)
    taken.close()


def test_a_process_that_ended_while_it_waited_is_replaced() -> None:
    prepare(FIRST_SEED)
    dead = process._spare[FIRST_SEED]
    os.kill(dead.pid, signal.SIGKILL)
    assert gone_soon(dead.pid)
    taken = take(FIRST_SEED, b"{}\n")
    assert taken is not dead
    assert alive(taken.pid)
    taken.close()


def test_discarded_processes_are_gone() -> None:
    prepare(FIRST_SEED)
    prepare(OTHER_SEED)
    pids = [p.pid for p in process._spare.values()]
    assert len(set(pids)) == 2
    discard()
    assert not any(alive(pid) for pid in pids)


def test_announcing_imports_the_program_ahead(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("VALUE = 1\n")
    announce(Setting(tmp_path, FenceOptions()), {"program": str(tmp_path / "program.py")})
    assert process._spare[FIRST_SEED].receive(20) == b'{"ready": true}'


def test_nothing_is_imported_ahead_when_side_effects_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("VALUE = 1\n")
    announce(Setting(tmp_path, FenceOptions(allow_io=True)), {"program": str(tmp_path / "program.py")})
    assert not process._spare


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_they_end_with_their_parent(how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS_AND_HANGS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2 and all(alive(pid) for pid in pids)
        parent.send_signal(how)
        parent.wait(20)
    assert all(gone_soon(pid) for pid in pids)


def test_closed_standard_streams_do_not_mix_up_the_channels() -> None:
    script = (
        "import os\n"
        "for d in (0, 1, 2): os.close(d)\n"
        "from everypath.workers.process import take\n"
        "p = take(0, b'no request\\n')\n"
        "p.receive(20)\n"
        "p.ended()\n"
        "found = p.code == 1 and 'ValueError' in p.error_text()\n"
        "p.close()\n"
        "os._exit(0 if found else 1)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_worker_gets_no_other_descriptors(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import os\nassert not os.path.exists('/dev/fd/77'), 'inherited'\n")
    reading, writing = os.pipe()
    os.dup2(reading, 77, inheritable=True)
    try:
        announce(Setting(tmp_path, FenceOptions()), {"program": str(tmp_path / "program.py")})
        assert process._spare[FIRST_SEED].receive(20) == b'{"ready": true}'
    finally:
        for descriptor in (reading, writing, 77):
            os.close(descriptor)

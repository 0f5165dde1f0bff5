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

from everypath.cases.model import CallCase
from everypath.languages.python.runtime.runner import Setting, announce, run_cases
from everypath.languages.python.runtime.starting import FIRST_SEED, OTHER_SEED, worker_command
from everypath.options import FenceOptions
from everypath.workers import reserve
from everypath.workers.process import Process
from everypath.workers.reserve import give_back, kept_workers, prepare, take

from ..emit.samples import case, lit, program, returned

STARTS_AND_HANGS = f"""
import os, sys, time
from everypath.languages.python.runtime.starting import worker_command
from everypath.workers.reserve import prepare
print(prepare(worker_command({FIRST_SEED})).pid, prepare(worker_command({OTHER_SEED})).pid, flush=True)
time.sleep(60)
"""
FIRST, OTHER = worker_command(FIRST_SEED), worker_command(OTHER_SEED)
NO_PROGRAM = b"no program"


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with kept_workers():
        yield


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
    waiting = prepare(FIRST)
    taken = take(FIRST, NO_PROGRAM)
    assert taken is waiting
    assert not reserve._waiting
    taken.close()
    assert not alive(taken.pid)


def test_a_process_that_is_given_back_is_taken_again() -> None:
    taken = take(FIRST, NO_PROGRAM)
    give_back(taken)
    assert prepare(FIRST) is taken


def test_outside_of_a_run_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reserve, "_blocks", 0)
    taken = take(FIRST, NO_PROGRAM)
    give_back(taken)
    assert not reserve._waiting and not alive(taken.pid)


def test_a_process_that_is_busy_with_another_program_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import time\ntime.sleep(60)\n")
    announce(Setting(tmp_path, FenceOptions()), {"a": str(tmp_path / "a.py")})
    waiting = reserve._waiting[FIRST]
    taken = take(FIRST, NO_PROGRAM)
    assert taken is not waiting
    assert not alive(waiting.pid)
    taken.close()


def test_a_process_that_ended_while_it_waited_is_replaced() -> None:
    dead = prepare(FIRST)
    os.kill(dead.pid, signal.SIGKILL)
    assert gone_soon(dead.pid)
    taken = take(FIRST, NO_PROGRAM)
    assert taken is not dead
    assert alive(taken.pid)
    taken.close()


def test_processes_are_gone_when_the_run_ends() -> None:
    with kept_workers():
        pids = [prepare(FIRST).pid, prepare(OTHER).pid]
        assert len(set(pids)) == 2
    assert not any(alive(pid) for pid in pids)


def test_announcing_imports_the_program_ahead(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("VALUE = 1\n")
    announce(Setting(tmp_path, FenceOptions()), {"program": str(tmp_path / "program.py")})
    assert reserve._waiting[FIRST].receive(20) == b'{"ready": true}'


def test_nothing_is_imported_ahead_when_side_effects_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("VALUE = 1\n")
    announce(Setting(tmp_path, FenceOptions(allow_io=True)), {"program": str(tmp_path / "program.py")})
    assert not reserve._waiting


COUNTING = "calls = 0\n\n\ndef count(n):\n    global calls\n    calls += 1\n    return calls\n"


def counted(module: str, number: int, result: int = 1) -> CallCase:
    return case("count", f"p{number}", ("n", lit(number)), outcome=returned(result), module=module)


def statuses(root: Path, *cases: CallCase) -> list[str]:
    sources = {c.id: f"from {c.entry.module} import count\n{TEST}" for c in cases}
    found = run_cases(cases, sources, Setting(root, FenceOptions(case_seconds=2.0)))
    return [found[c.id].status for c in cases]


TEST = (
    "def generated_test(phase):\n    phase('act')\n    result = count(0)\n    phase('assert')\n    assert result == 1\n"
)


def test_one_process_serves_batch_after_batch(tmp_path: Path) -> None:
    """Each case still sees the module as importing leaves it."""
    program(tmp_path, "one", COUNTING)
    before = Process.started
    for number in range(3):
        assert statuses(tmp_path, counted("one", number), counted("one", number + 10)) == ["passed"] * 2
    assert Process.started == before + 1


def test_one_process_serves_several_programs(tmp_path: Path) -> None:
    """None of them sees what importing another one did."""
    program(tmp_path, "shared", "names = []\n")
    counting = COUNTING.replace("calls = 0", "calls = len(shared.names) - 1")
    for name in ("one", "two"):
        program(tmp_path, name, f"import shared\n\nshared.names.append({name!r})\n{counting}")
    before = Process.started
    for name in ("one", "two", "one"):
        assert statuses(tmp_path, counted(name, 0)) == ["passed"]
    assert Process.started == before + 1


def test_a_process_that_is_killed_between_batches_is_replaced(tmp_path: Path) -> None:
    program(tmp_path, "one", COUNTING)
    assert statuses(tmp_path, counted("one", 0)) == ["passed"]
    os.kill(reserve._waiting[FIRST].pid, signal.SIGKILL)
    assert statuses(tmp_path, counted("one", 0)) == ["passed"]


def test_a_batch_whose_process_is_killed_runs_again(tmp_path: Path) -> None:
    """Here the first case kills it, once: what else could have is not known, so nobody is blamed."""
    mark = tmp_path / "killed"
    kill = (
        "import os\n\n\ndef count(n):\n"
        f"    if not os.path.exists({str(mark)!r}):\n        open({str(mark)!r}, 'w').close()\n"
        "        os.kill(os.getppid(), 9)\n        import time\n        time.sleep(9)\n    return 1\n"
    )
    program(tmp_path, "one", kill)
    cases = [counted("one", number) for number in range(3)]
    sources = {c.id: f"from one import count\n{TEST}" for c in cases}
    found = run_cases(cases, sources, Setting(tmp_path, FenceOptions(case_seconds=2.0, allow_io=True)))
    assert [found[c.id].status for c in cases] == ["passed"] * 3


def test_a_case_that_kills_its_process_again_and_again_is_told(tmp_path: Path) -> None:
    kill = "import os\nimport time\n\n\ndef count(n):\n    os.kill(os.getppid(), 9)\n    time.sleep(9)\n"
    program(tmp_path, "one", kill)
    only = counted("one", 0)
    setting = Setting(tmp_path, FenceOptions(case_seconds=2.0, allow_io=True))
    verdict = run_cases([only], {only.id: f"from one import count\n{TEST}"}, setting)[only.id]
    assert (verdict.status, verdict.text) == ("killed", "the run crashed (SIGKILL)")


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
        "from everypath.languages.python.runtime.starting import worker_command\n"
        "from everypath.workers.reserve import take\n"
        "p = take(worker_command(0), b'no program')\n"
        "p.receive(20)\n"
        "p.ended()\n"
        "found = p.code == 1 and 'Error' in p.last_error()\n"
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
        assert reserve._waiting[FIRST].receive(20) == b'{"ready": true}'
    finally:
        for descriptor in (reading, writing, 77):
            os.close(descriptor)

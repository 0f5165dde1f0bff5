"""Signals at many moments of the other commands: no traceback, exit code 130, nothing lost, nothing left running."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .command import Result, checked, everypath, no_process_left, start, written
from .test_signals import LONGEST_END, children, machine_load

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCES = ("threads/lru_cache.py", "threads/hit_counter.py", "triangle.py", "bounded_stack.py")
COMMANDS = {
    "race": ("race", "lru_cache.py", "hit_counter.py", "--time", "6"),
    "replay-race": ("replay", "lru_cache.py::LruCache"),
    "replay": ("replay", "bounded_stack.py::BoundedStack.push"),
    "check": ("generate", "--check", "triangle.py", "bounded_stack.py"),
}
STORED = {
    "race": (),
    "replay-race": (("race", "lru_cache.py::LruCache", "--time", "6"),),
    "replay": (("generate", "bounded_stack.py::BoundedStack.push"),),
    "check": (("generate", "triangle.py", "bounded_stack.py"),),
}
"""What each command needs to have been run before."""


def prepared(folder: Path, name: str) -> Path:
    """A folder with everything that the command needs."""
    folder.mkdir()
    for source in SOURCES:
        shutil.copy(EXAMPLES / source, folder)
    for arguments in STORED[name]:
        everypath(folder, *arguments)
    return folder


def signalled(folder: Path, name: str, after: float, number: int) -> tuple[Result, float]:
    """How a command ends that gets the signal, and how long it takes for that."""
    with no_process_left():
        process = start(folder, *COMMANDS[name])
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        sent = time.monotonic()
        out, err = process.communicate(timeout=60)
        return checked(process.returncode, out, err), time.monotonic() - sent


def at_moments(folder: Path, name: str, number: int, shares: list[float]) -> list[int]:
    """The exit codes of runs that got a signal after such shares of the time that a whole one takes."""
    ready = prepared(folder / "ready", name)
    begun = time.monotonic()
    whole = everypath(ready, *COMMANDS[name])
    seconds = time.monotonic() - begun
    shutil.rmtree(ready)
    prepared(ready, name)
    # The interpreter itself takes a moment to come as far as the first line of the program.
    first = 0.05 * machine_load()
    codes = []
    for position, share in enumerate(shares):
        copy = Path(shutil.copytree(ready, folder / f"run{position}"))
        before = written(copy)
        result, delay = signalled(copy, name, first + (seconds - first) * share, number)
        assert result.code in (whole.code, 130), result
        assert delay < LONGEST_END * machine_load() + 1, (delay, result)
        check_kept(copy, name, before, result)
        codes.append(result.code)
    return codes


def check_kept(folder: Path, name: str, before: set[str], result: Result) -> None:
    """Whatever was told to have been found has its test, and nothing else was written."""
    new = written(folder) - before
    if name == "race":
        found = {file for file in SOURCES[:2] if f"{Path(file).name}::" in result.out and "1 finding" in result.out}
        assert new <= {f"test_{Path(file).stem}_threads.py" for file in found}, result
        assert all(f"wrote {file}" in result.out for file in new) and bool(new) == ("1 finding" in result.out)
    else:
        assert not new
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("name", ["replay", "check"])
def test_one_request_ends_a_short_command(tmp_path: Path, name: str) -> None:
    # How long it takes varies, so that one moment may be over before the signal comes.
    assert 130 in at_moments(tmp_path, name, signal.SIGINT, [0.5, 0.3, 0.1])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMMANDS))
@pytest.mark.parametrize(("number", "moments"), [(signal.SIGINT, 30), (signal.SIGTERM, 10)])
def test_at_many_moments(tmp_path: Path, name: str, number: int, moments: int) -> None:
    codes = at_moments(tmp_path, name, number, [moment / moments for moment in range(moments)])
    print(f"{name}: exit codes {codes}")
    assert codes.count(130) >= moments // 2


def test_an_interrupt_while_the_program_itself_is_imported(tmp_path: Path) -> None:
    """The signal comes when a module of ours asks for the first module that is not loaded yet."""
    for module in ("everypath.workers.interrupts", "everypath.app.start", "everypath.app.plain", "everypath.app.guard"):
        text = (
            "import os, signal, sys\n"
            "class Interrupting:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            f"        if name == {module!r}:\n"
            "            os.kill(os.getpid(), signal.SIGINT)\n"
            "sys.meta_path.insert(0, Interrupting())\n"
            "from everypath.app.cli import main\n"
            "main()\n"
        )
        ended = subprocess.run([sys.executable, "-c", text, "--version"], capture_output=True, text=True, timeout=50)
        assert ended.returncode == 130, (module, ended)
        assert "Traceback" not in ended.stderr, (module, ended)


def test_a_searching_process_that_is_killed_is_replaced(tmp_path: Path) -> None:
    folder = prepared(tmp_path / "run", "race")
    killed = 0
    with no_process_left():
        process = start(folder, "race", "lru_cache.py::LruCache", "--time", "5")
        while killed < 2 and process.poll() is None:
            for pid in children(process.pid)[:1]:
                # It is up and at work.
                time.sleep(0.3)
                subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
                killed += 1
        out, err = process.communicate(timeout=60)
    result = checked(process.returncode, out, err)
    assert result.code == 1 and "1 finding" in result.out and "SIGKILL" not in result.said, result

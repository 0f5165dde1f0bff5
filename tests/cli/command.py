"""Runs the real command line in a process of its own and sees what it leaves behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
LONGEST = 50.0


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams."""
        return self.out + self.err


def everypath(folder: Path, *arguments: str, **environment: str) -> Result:
    """Run a command to its end; it must not show a traceback or leave a process running."""
    with no_process_left():
        process = start(folder, *arguments, **environment)
        out, err = process.communicate(timeout=LONGEST)
    return checked(process.returncode, out, err)


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Begin a command with its output in pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "everypath", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def checked(code: int, out: str, err: str) -> Result:
    """The result, if it is one that a user may see."""
    assert "Traceback" not in out + err, out + err
    assert "internal error" not in out + err, out + err
    return Result(code, out, err)


def pytest_passes(folder: Path, *files: str) -> str:
    """Run emitted tests as a user would; returns pytest's last line."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


def written(folder: Path) -> set[str]:
    """Everything in a folder but what Everypath stores for itself, as relative paths."""
    found = (path.relative_to(folder) for path in folder.rglob("*"))
    return {str(path) for path in found if path.parts[0] != ".everypath" and "__pycache__" not in path.parts}


@contextlib.contextmanager
def no_process_left(within: float = 1.0) -> Iterator[None]:
    """Whatever is started inside has ended soon after; orphans come to us instead of to the system's first process."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    before = _children()
    try:
        yield
        deadline = time.monotonic() + within
        while _alive(_children() - before) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = _alive(_children() - before)
        assert not left, [_command_line(pid) for pid in left]
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0)
        for pid in _children() - before:
            with contextlib.suppress(OSError):
                os.kill(pid, 9)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found.update(map(int, (task / "children").read_text().split()))
    return found


def _alive(pids: set[int]) -> list[int]:
    return [pid for pid in pids if _state(pid) not in ("Z", "")]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _command_line(pid: int) -> Sequence[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []

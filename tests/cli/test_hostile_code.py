"""Code under test that misbehaves: a report that says so, nothing written, nothing left running, the rest tested."""

from __future__ import annotations

from pathlib import Path

from everypath.generate.run import generate
from everypath.options import Options

from .command import everypath, pytest_passes, written

HOSTILE = """\
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator


class Stop(BaseException):
    pass


class Helper:
    def __init__(self, n: int) -> None:
        self.n = n


def loud(n: int) -> int:
    for _ in range(2000):
        print("x" * 500)
    return 1 if n > 0 else 0


def leave(n: int) -> int:
    if n > 5:
        sys.exit(3)
    return 1


def vanish(n: int) -> int:
    if n > 5:
        os._exit(0)
    return 1


def forever(n: int) -> int:
    return forever(n) + 1


def write(n: int) -> int:
    if n > 2:
        with open("trace.txt", "w") as file:
            file.write("x")
    return 3


def spawn(n: int) -> int:
    if n > 2:
        subprocess.Popen(["sleep", "77"])
    return 3


def connect(n: int) -> int:
    if n > 2:
        socket.create_connection(("127.0.0.1", 9))
    return 3


def native_hang(n: int) -> int:
    if n > 2:
        return sum(range(10**13))
    return 3


def base(n: int) -> int:
    if n > 2:
        raise Stop("now")
    if n < -5:
        raise KeyboardInterrupt
    return 3


class Weird:
    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    def __hash__(self) -> int:
        return 1 // 0

    def __repr__(self) -> str:
        raise RuntimeError("never")

    def get(self) -> "Weird":
        if self.n > 2:
            return self
        return Weird(3)


def numbers(n: int) -> Iterator[int]:
    while True:
        yield n
        n += 1
"""

# Constructors run only when tests are run: the symbolic machine never gets as far as these effects.
CONSTRUCTORS = """\
import ctypes
import os
import subprocess
import sys
import time


class Base:
    def get(self) -> int:
        return 1 if self.n > 2 else 0


class Writes(Base):
    def __init__(self, n: int) -> None:
        self.n = n
        open("side.txt", "w").close()


class Starts(Base):
    def __init__(self, n: int) -> None:
        self.n = n
        subprocess.Popen(["sleep", "77"])


class Leaves(Base):
    def __init__(self, n: int) -> None:
        self.n = n
        os._exit(0)


class Hangs(Base):
    def __init__(self, n: int) -> None:
        self.n = n
        ctypes.CDLL(None).sleep(60)


class Prints(Base):
    def __init__(self, n: int) -> None:
        self.n = n
        print("y" * 10_000_000)
        sys.stderr.write("z" * 100)


class Counts(Base):
    made = 0

    def __init__(self, n: int) -> None:
        Counts.made += 1
        self.n = n + Counts.made - Counts.made
"""


def test_functions(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE)
    result = everypath(tmp_path, "generate", "hostile.py", "--case-seconds", "1", "--predicted-only")
    assert result.code == 1, result
    for text in (
        "hostile.py::Weird.__eq__: cases 1, findings 0,",
        "hostile.py::Weird.__hash__: cases 1, findings 1,",
        "hostile.py::Weird.__repr__: cases 1, findings 0,",
        "hostile.py::loud: cases 2,",
        "hostile.py::leave: cases 1,",
        "hostile.py::vanish: cases 1,",
        "hostile.py::write: cases 1,",
        "hostile.py::spawn: cases 1,",
        "hostile.py::connect: cases 1,",
        "hostile.py::native_hang: cases 1,",
        "hostile.py::base: cases 3,",
        "hostile.py::Weird.get: cases 2,",
        "hostile.py:26: unsupported: calling sys.exit()",
        "hostile.py:32: unsupported: calling os._exit()",
        "hostile.py:37: cut: calls nested more than",
        "hostile.py:42: unsupported: calling open()",
        "hostile.py:49: unsupported: calling subprocess.Popen()",
        "hostile.py:55: unsupported: calling socket.create_connection()",
        "hostile.py:61: cut: more than",
    ):
        assert text in result.said, text
    assert "xxx" not in result.said
    assert written(tmp_path) == {"hostile.py", "test_hostile_generated.py"}
    pytest_passes(tmp_path, "test_hostile_generated.py")
    assert written(tmp_path) == {"hostile.py", "test_hostile_generated.py"}


def test_functions_that_are_run_for_what_cannot_be_followed(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE)
    result = everypath(tmp_path, "generate", "hostile.py", "--case-seconds", "1", "--total-time", "25")
    assert result.code == 1, result
    assert "xxx" not in result.said
    assert written(tmp_path) == {"hostile.py", "test_hostile_generated.py"}
    pytest_passes(tmp_path, "test_hostile_generated.py")
    assert written(tmp_path) == {"hostile.py", "test_hostile_generated.py"}


def test_constructors(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(CONSTRUCTORS)
    targets = [f"made.py::{name}.get" for name in ("Writes", "Starts", "Leaves", "Hangs", "Prints", "Counts")]
    result = everypath(tmp_path, "generate", *targets, "--case-seconds", "0.5")
    print(result.said)
    assert result.code in (0, 1), result
    assert "yyy" not in result.said and "zzz" not in result.said
    assert written(tmp_path) == {"made.py", "test_made_generated.py"}
    pytest_passes(tmp_path, "test_made_generated.py")
    assert written(tmp_path) == {"made.py", "test_made_generated.py"}


def test_a_module_that_is_slow_and_loud_to_import(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import sys\nimport time\n\nprint('w' * 100_000)\nsys.stderr.write('w' * 100)\ntime.sleep(1)\n\n\n"
        "def f(x: int) -> int:\n    return 1 if x else 2\n"
    )
    result = everypath(tmp_path, "generate", "slow.py")
    assert result.code == 0, result
    assert "www" not in result.said
    assert "slow.py::f: cases 2," in result.out


def test_a_call_that_leaves_a_thread_becomes_no_test(tmp_path: Path) -> None:
    """Whoever runs such a test waits for the thread when all tests are over."""
    (tmp_path / "left.py").write_text(
        "import threading, time\n\n\n"
        "def start(n: int) -> int:\n    threading.Thread(target=lambda: time.sleep(60)).start()\n    return n\n\n\n"
        "def double(n: int) -> int:\n    return 2 * n\n"
    )
    run = generate([str(tmp_path / "left.py")], Options())
    assert {case.entry.name for case in run.cases} == {"double"}
    problems = [*run.problems, *(problem for suite in run.suites for problem in suite.problems)]
    assert any("leave a thread running" in problem.message for problem in problems)

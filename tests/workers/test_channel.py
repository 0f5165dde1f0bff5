"""What a parent and its child say to each other: in whole messages, and the end of either is noticed."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import everypath
from everypath.workers.process import Process, interpreter

HEAD = f"""
import os, subprocess, sys, time
sys.path.insert(0, {str(Path(everypath.__file__).parent.parent)!r})
from everypath.workers.child_side import find_package, keep_private, line, read_frame, settle_in, write_all
"""


@contextmanager
def child(text: str, seed: int = 0) -> Iterator[Process]:
    process = Process(interpreter(HEAD + text, seed))
    try:
        yield process
    finally:
        process.close()


def test_messages_arrive_whole_however_large() -> None:
    text = "while (message := read_frame(0)) is not None:\n    write_all(1, message + b'\\n')\nos.write(1, b'end\\n')\n"
    with child(text) as process:
        for size in (0, 1, 300_000):
            process.send(b"x" * size)
            assert process.receive(20) == b"x" * size


def test_several_lines_at_once_are_several_messages() -> None:
    with child("os.write(1, b'one\\ntwo\\nthr'); os.write(1, b'ee\\n')") as process:
        assert [process.receive(20) for _ in range(3)] == [b"one", b"two", b"three"]


def test_silence_is_not_the_end() -> None:
    with child("read_frame(0); os.write(1, b'awake\\n'); time.sleep(60)") as process:
        assert process.receive(0.05) is None
        assert not process.closed and not process.ended()
        process.send(b"wake up")
        assert process.receive(20) == b"awake"


def test_an_end_is_noticed_at_once_and_explained() -> None:
    started = time.monotonic()
    with child("os.write(1, b'last words\\n'); print('dull', file=sys.stderr); raise KeyError('why')") as process:
        assert process.receive(60) == b"last words"
        assert process.receive(60) is None
        assert process.closed and process.ended() and process.code == 1
        assert process.last_error() == "KeyError: 'why'"
        process.send(b"nobody hears it")
    assert time.monotonic() - started < 30


def test_a_signal_is_told_as_a_negative_code() -> None:
    with child("os.abort()") as process:
        assert process.receive(60) is None
        assert process.ended() and process.code == -signal.SIGABRT


def test_many_errors_do_not_block_the_child() -> None:
    with child("print('x' * 1_000_000, file=sys.stderr); os.write(1, b'done\\n')") as process:
        assert process.receive(60) == b"done"
        assert 0 < len(process.last_error()) <= 20_000


def test_closing_ends_what_the_child_started() -> None:
    with child("print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)") as process:
        line = process.receive(60)
        assert line is not None
    deadline = time.monotonic() + 10
    while _runs(int(line)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(int(line))


def test_code_that_prints_cannot_disturb_a_private_channel() -> None:
    text = (
        "_, answers = keep_private(0, 1)\nprint('noise', flush=True)\nwrite_all(answers, line({'a': [1, 'x', None]}))\n"
    )
    with child(text) as process:
        assert process.receive(60) == b'{"a": [1, "x", null]}'


def test_a_child_sees_little_of_the_environment() -> None:
    os.environ["EVERYPATH_SECRET"] = "1"
    try:
        with child("print('EVERYPATH_SECRET' in os.environ, os.environ['PYTHONHASHSEED'], flush=True)", 7) as process:
            assert process.receive(60) == b"False 7"
    finally:
        del os.environ["EVERYPATH_SECRET"]


def test_it_runs_the_interpreter_that_runs_us() -> None:
    assert interpreter("pass", 0).arguments[0] == sys.executable


def test_the_package_of_the_parent_is_found_before_an_installed_one(tmp_path: Path) -> None:
    (tmp_path / "everypath").mkdir()
    (tmp_path / "everypath" / "__init__.py").write_text("")
    (tmp_path / "string.py").write_text("")
    text = f"""
del sys.modules["everypath"]
find_package({str(tmp_path)!r})
import everypath, string
print(everypath.__file__.startswith({str(tmp_path)!r}), string.__file__.startswith({str(tmp_path)!r}), flush=True)
"""
    with child(text) as process:
        assert process.receive(60) == b"True False"


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

"""Code under test that misbehaves: the right verdict, quickly, and nothing left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from everypath.cases.model import CallCase
from everypath.errors import BadInput
from everypath.languages.python.runtime import runner
from everypath.languages.python.runtime.runner import Setting, Verdict, run_cases
from everypath.languages.python.scripts.body import render_case
from everypath.options import FenceOptions

from ..emit.samples import case, lit, program, raised, returned

QUICK = FenceOptions(case_seconds=1.0, memory_mb=512, output_bytes=1_000)

HOSTILE = """\
import asyncio
import ctypes
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

counter = 0


def fine(n):
    global counter
    counter += 1
    return counter


def write(n):
    with open("trace.txt", "w") as file:
        file.write("x")


def write_swallowed(n):
    try:
        pathlib.Path("trace.txt").write_text("x")
    except BaseException:
        pass
    return 0


def write_low(n):
    os.open("trace.txt", os.O_CREAT | os.O_WRONLY)


def remove(n):
    os.remove(__file__)


def rename(n):
    os.rename(__file__, "other.py")


def folder(n):
    os.makedirs("made")


def tree(n):
    shutil.rmtree("/nowhere")


def temporary(n):
    tempfile.mkstemp()


def database(n):
    sqlite3.connect("db.sqlite")


def memory_database(n):
    sqlite3.connect(":memory:").execute("select 1")
    return 0


def spawn(n):
    subprocess.Popen(["sleep", "60"])


def shell(n):
    os.system("true")


def fork(n):
    os.fork()


def pool(n):
    import multiprocessing

    multiprocessing.get_context("spawn").Process(target=print).start()


def kill(n):
    os.kill(os.getppid(), 9)


def connect(n):
    socket.create_connection(("127.0.0.1", 9))


def listen(n):
    socket.socket().bind(("127.0.0.1", 0))


def read(n):
    with open(__file__) as file:
        return len(file.read()) > 0


def loop_of_events(n):
    return asyncio.run(asyncio.sleep(0, 5))


def leave(n):
    sys.exit(3)


def leave_hard(n):
    os._exit(7)


def crash(n):
    ctypes.string_at(0)


def hang(n):
    while True:
        pass


def hang_stubborn(n):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def sleep(n):
    time.sleep(60)


def thread(n):
    threading.Thread(target=time.sleep, args=(60,)).start()
    return 0


def recurse(n):
    return recurse(n + 1)


def allocate(n):
    return len(bytearray(10 * 1024**3))


def talk(n):
    for _ in range(10_000):
        print("x" * 100)
    os.write(1, b"low")
    sys.stdout.buffer.write(b"bytes")
    return 0


def ask(n):
    return input("? ")


def close_all(n):
    os.closerange(0, 200)
    return 0


def wrong(n):
    return n + 1


def broken(n):
    return n.missing
"""


def entry(name: str, result: object = None) -> CallCase:
    return case(name, "path", ("n", lit(0)), outcome=returned(result), module="hostile")


def run(cases: list[CallCase], root: Path, options: FenceOptions = QUICK) -> dict[str, Verdict]:
    sources = {c.id: render_case(c, {}) for c in cases}
    verdicts = run_cases(cases, sources, Setting(root, options))
    return {case_id.partition("/")[0]: verdict for case_id, verdict in verdicts.items()}


EXPECTED = {
    "fine": ("passed", 1),
    "write": ("refused", None),
    "write_swallowed": ("refused", 0),
    "write_low": ("refused", None),
    "remove": ("refused", None),
    "rename": ("refused", None),
    "folder": ("refused", None),
    "tree": ("refused", None),
    "temporary": ("refused", None),
    "database": ("refused", None),
    "memory_database": ("passed", 0),
    "spawn": ("refused", None),
    "shell": ("refused", None),
    "fork": ("refused", None),
    "pool": ("refused", None),
    "kill": ("refused", None),
    "connect": ("refused", None),
    "listen": ("refused", None),
    "read": ("passed", True),
    "loop_of_events": ("passed", 5),
    "leave": ("exited", None),
    "leave_hard": ("exited", None),
    "crash": ("crashed", None),
    "hang": ("timeout", None),
    "hang_stubborn": ("timeout", None),
    "sleep": ("timeout", None),
    "thread": ("refused", None),
    "recurse": ("error", None),
    "allocate": ("error", None),
    "talk": ("passed", 0),
    "ask": ("refused", None),
    "close_all": ("exited", 0),
    "wrong": ("failed", 0),
    "broken": ("error", None),
}


def children() -> set[int]:
    """Processes below this one."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    below = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        if not more:
            return below - {os.getpid()}
        below |= more


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Verdict], Path, float]:
    root = tmp_path_factory.mktemp("hostile")
    program(root, "hostile", HOSTILE)
    started = time.monotonic()
    found = run([entry(name, result) for name, (_, result) in EXPECTED.items()], root)
    return found, root, time.monotonic() - started


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict(name: str, verdicts: tuple[dict[str, Verdict], Path, float]) -> None:
    verdict = verdicts[0][name]
    assert (verdict.status, verdict.text) == (EXPECTED[name][0], verdict.text)
    if name == "thread":
        # It is only seen when the call is over, and then nobody knows who started it.
        assert verdict.text == "leave a thread running" and verdict.line == 0
    elif verdict.status == "refused":
        assert verdict.line > 0
        assert f"def {name}(" in "\n".join(HOSTILE.splitlines()[: verdict.line])
        assert verdict.file.endswith("hostile.py")


def test_texts_say_what_happened(verdicts: tuple[dict[str, Verdict], Path, float]) -> None:
    found = verdicts[0]
    assert found["write"].text == "write the file 'trace.txt'"
    assert "sys.exit(3)" in found["leave"].text
    assert "code 7" in found["leave_hard"].text
    assert "SIGSEGV" in found["crash"].text
    assert "RecursionError" in found["recurse"].text
    assert "MemoryError" in found["allocate"].text
    assert found["wrong"].text == "assert result == 0, but result is 1"
    assert found["wrong"].phase == "assert"
    assert found["broken"].text == "AttributeError: 'int' object has no attribute 'missing'"
    assert HOSTILE.splitlines()[found["broken"].line - 1] == "    return n.missing"
    assert "    while True:" in HOSTILE.splitlines()[found["hang"].line - 2 : found["hang"].line]


def test_output_is_kept_up_to_its_limit(verdicts: tuple[dict[str, Verdict], Path, float]) -> None:
    assert len(verdicts[0]["talk"].output) == QUICK.output_bytes


def test_nothing_is_left_behind(verdicts: tuple[dict[str, Verdict], Path, float]) -> None:
    _, root, seconds = verdicts
    assert sorted(p.name for p in root.iterdir()) == ["hostile.py"]
    assert not children()
    assert seconds < 20


def test_every_case_sees_the_module_as_imported(tmp_path: Path) -> None:
    program(tmp_path, "hostile", HOSTILE)
    cases = [case("fine", f"p{i}", ("n", lit(i)), outcome=returned(1), module="hostile") for i in range(3)]
    found = run_cases(cases, {c.id: render_case(c, {}) for c in cases}, Setting(tmp_path, QUICK))
    assert [found[c.id].status for c in cases] == ["passed"] * 3


def test_io_can_be_allowed(tmp_path: Path) -> None:
    program(tmp_path, "hostile", HOSTILE)
    found = run([entry("write"), entry("shell", None)], tmp_path, FenceOptions(allow_io=True, case_seconds=2.0))
    assert found["write"].status == "passed"
    assert (tmp_path / "trace.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        ("import json\n\nx = 1 / 0\n", 3, "ZeroDivisionError: division by zero"),
        ("def f(:\n    pass\n", 1, "SyntaxError"),
        ("import no_such_module\n", 1, "No module named 'no_such_module'"),
        ("import no_such_module.part\n", 1, "install it (`pip install no_such_module`"),
        ("import email.no_such_part\n", 1, "the email that is installed here has no such module"),
        ("import sys\nsys.exit('bye')\n", 2, "sys.exit('bye')"),
        ("open('made', 'w')\n", 1, "tries to write the file 'made'; pass --allow-io"),
        ("import os\nos._exit(4)\n", 0, "ended the process with code 4"),
        ("x = bytearray(10 * 1024**3)\n", 1, "MemoryError"),
    ],
)
def test_a_program_that_cannot_be_imported_is_told_once(source: str, line: int, text: str, tmp_path: Path) -> None:
    program(tmp_path, "hostile", source)
    with pytest.raises(BadInput) as caught:
        run([entry("fine"), entry("write")], tmp_path)
    assert text in str(caught.value)
    assert caught.value.span.line == line


def test_a_module_hidden_by_the_library_is_told(tmp_path: Path) -> None:
    file = program(tmp_path, "json", "def f(n):\n    return n\n")
    only = case("f", "x", ("n", lit(0)), outcome=returned(0), module="json")
    only = CallCase(
        **{
            **{n: getattr(only, n) for n in only.__slots__},
            "entry": type(only.entry)("json", str(file), None, "f", "function"),
        }
    )
    with pytest.raises(BadInput, match="rename the file"):
        run_cases([only], {only.id: render_case(only, {})}, Setting(tmp_path, QUICK))


def test_expected_exits_pass(tmp_path: Path) -> None:
    program(tmp_path, "hostile", HOSTILE)
    only = case("leave", "x", ("n", lit(0)), outcome=raised("SystemExit", "3"), module="hostile")
    assert run([only], tmp_path)["leave"].passed


def test_an_interrupted_validation_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "hostile", HOSTILE)

    def interrupt(*_: object) -> None:
        time.sleep(0.3)
        raise KeyboardInterrupt

    monkeypatch.setattr(runner._Batch, "next_verdict", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run([entry("sleep")], tmp_path, FenceOptions(case_seconds=60))
    deadline = time.monotonic() + 2
    while _processes_in(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _processes_in(tmp_path) == []


def _processes_in(folder: Path) -> list[str]:
    """Processes that run in a folder, whoever their parent is by now."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "cwd").resolve() == folder.resolve():
                found.append(process.name)
        except OSError:
            continue
    return found

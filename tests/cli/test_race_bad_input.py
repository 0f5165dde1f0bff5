"""Classes and targets that `race` cannot use as given: said in a sentence, the rest tested, nothing left behind."""

from __future__ import annotations

import ast
import json
import time
from pathlib import Path
from typing import Any

import pytest

from .command import checked, everypath, start, written

COUNTER = """\
    def bump(self) -> int:
        self.n += 1
        return self.n
"""
"""A method with a race of its own: that it is found shows that the rest of the class was tested."""

TARGETS = {
    "broken.py": "class C:\n    def m(self:\n        pass\n",
    "needs.py": "import no_such_library_anywhere\n\n\nclass C:\n    pass\n",
    "fails.py": "class C:\n    def m(self) -> None: ...\n\n\nraise RuntimeError('two\\nlines')\n",
    "quits.py": "import sys\n\n\nclass C:\n    def m(self) -> None: ...\n\n\nsys.exit(4)\n",
    "leaves.py": "import os\n\n\nclass C:\n    def m(self) -> None: ...\n\n\nos._exit(4)\n",
    "saves.py": "class C:\n    def m(self) -> None: ...\n\n\nopen('made.txt', 'w').close()\n",
    "good.py": f"class Tally:\n    n = 0\n\n{COUNTER}\n\ndef function(x: int) -> int:\n    return x\n",
    "empty.py": "X = 1\n",
    "plain.txt": "text",
    "picky.py": (
        "class Token:\n    def __init__(self) -> None:\n        raise RuntimeError('made by the server only')\n\n\n"
        "class Session:\n    def __init__(self, token: Token) -> None:\n        if not isinstance(token, Token):\n"
        "            raise TypeError('a token is needed')\n        self.token = token\n\n"
        "    def use(self) -> Token:\n        return self.token\n\n\n"
        "class Secret:\n    def __init__(self, password) -> None:\n"
        "        if hash(repr(password)) % 1_000_003 != 77:\n            raise PermissionError('wrong password')\n"
        "        self.uses = 0\n\n    def use(self) -> None:\n        self.uses += 1\n\n\n"
        "class Offline:\n    def __init__(self) -> None:\n        raise ConnectionError('no database')\n\n"
        "    def use(self) -> None: ...\n"
    ),
    "shapes.py": (
        "import abc\nimport enum\n\n\nclass Shape(abc.ABC):\n    @abc.abstractmethod\n"
        "    def area(self) -> float: ...\n\n\nclass Colour(enum.Enum):\n    RED = 1\n\n\n"
        "class Empty:\n    pass\n"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TARGETS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["broken.py::C"], ["broken.py:2:", "not valid Python"]),
        (["nowhere.py::C"], ["nowhere.py", "no such file"]),
        (["no_such_module::C"], ["no_such_module", "give a path such as"]),
        (["good.py::Tallly"], ["good.py", "Tally"]),
        (["good.py::function"], ["good.py:9:", "function is a function"]),
        (["good.py::Tally.bump"], ["good.py:1:", "is a method", "--method bump"]),
        (["empty.py"], ["empty.py", "no public class"]),
        (["plain.txt::C"], ["plain.txt", "not a Python source file"]),
        (["needs.py::C"], ["needs.py:1:", "no_such_library_anywhere"]),
        (["fails.py::C"], ["fails.py:5:", "RuntimeError: two lines"]),
        (["quits.py::C"], ["quits.py", "sys.exit(4)"]),
        (["leaves.py::C"], ["leaves", "code 4"]),
        (["saves.py::C"], ["saves.py:5:", "made.txt"]),
        (["_collections::deque"], ["_collections", "no Python source"]),
        (["collections::deque"], ["deque", "implemented in C"]),
        (["picky.py::Session"], ["Session", "token", "--setup"]),
        (["picky.py::Secret"], ["Secret", "password", "PermissionError", "--setup"]),
        (["picky.py::Offline"], ["Offline", "no database"]),
        (["shapes.py::Colour"], ["Colour", "enum"]),
        (["shapes.py::Empty"], ["Empty", "nothing to call"]),
        (["good.py::Tally", "--setup", "Tally("], ["--setup", "Tally("]),
        (["good.py::Tally", "--setup", "Missing()"], ["Missing"]),
        (["good.py::Tally", "--setup", "3"], ["--setup", "Tally"]),
        (["good.py::Tally", "--arg", "nonsense"], ["--arg", "nonsense"]),
        (["good.py::Tally", "--method", "jump"], ["jump", "bump"]),
        (["good.py::Tally", "--time", "soon"], ["--time", "soon"]),
        (["good.py::Tally", "-o", "plain.txt/x.py"], ["plain.txt/x.py", "plain.txt is a file"]),
        (["good.py::Tally", "-o", "good.py"], ["good.py", "would be overwritten"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_is_explained_and_nothing_is_written(folder: Path, arguments: list[str], expected: list[str]) -> None:
    result = everypath(folder, "race", *arguments)
    assert result.code == 2, result
    for text in expected:
        assert text in result.said, result.said
    assert written(folder) == set(TARGETS)
    assert (folder / "good.py").read_text() == TARGETS["good.py"]


def test_one_class_that_cannot_be_made_does_not_cost_the_others(folder: Path) -> None:
    result = everypath(folder, "race", "picky.py::Offline", "good.py::Tally", "--time", "3", "--format", "json")
    assert result.code == 2
    report = json.loads(result.out)
    assert [problem["file"] for problem in report["problems"]] == ["picky.py"]
    assert {finding["test"]["class"] for finding in report["findings"]} == {"Tally"}


HOSTILE = {
    "blocks": "import threading\n|self.never = threading.Event()|self.never.wait()",
    "sleeps": "import time\n|pass|time.sleep(3600)",
    "reads the keyboard": "|pass|input()",
    "writes a file": "|pass|open('trace.txt', 'w').close()",
    "removes a file": "import os\n|pass|os.remove('hostile.py')",
    "starts a process": "import subprocess\n|pass|subprocess.Popen(['sleep', '77'])",
    "uses the network": "import socket\n|pass|socket.create_connection(('127.0.0.1', 9))",
    "starts a thread": "import threading\n|pass|threading.Thread(target=print).start()",
    "uses a thread pool": (
        "from concurrent.futures import ThreadPoolExecutor\n|pass|ThreadPoolExecutor(1).submit(print)"
    ),
    "loops for ever": "|pass|exec('while True: pass')",
    "loops for ever in Python": "|self.k = 0|while True: self.k += 1",
    "hangs in native code": "|pass|sum(range(10**13))",
    "exits": "import sys\n|pass|sys.exit(3)",
    "vanishes": "import os\n|pass|os._exit(0)",
    "recurses for ever": "|pass|self.odd()",
    "prints": "|pass|print('x' * 1_000_000)",
    "takes all memory": "|pass|[0] * 10**12",
    "interrupts": "|pass|raise KeyboardInterrupt",
    "kills itself": "import os\n|pass|os.kill(os.getpid(), 9)",
}
LEFT_OUT = {
    "reads the keyboard",
    "writes a file",
    "removes a file",
    "starts a process",
    "uses the network",
    "starts a thread",
    "uses a thread pool",
    "loops for ever",
    "loops for ever in Python",
    "hangs in native code",
    "vanishes",
    "kills itself",
}
"""Methods that cannot be tested: the report must say so, and where they are."""

EVERYDAY = ("blocks", "sleeps", "writes a file", "starts a thread", "loops for ever in Python", "vanishes")
"""The rest is left to the slow suite."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in EVERYDAY else pytest.mark.slow) for name in HOSTILE]
)
def test_the_rest_of_a_class_is_tested_whatever_one_method_does(tmp_path: Path, name: str) -> None:
    imports, setup, body = HOSTILE[name].split("|")
    source = (
        f"{imports}\n\nclass Hostile:\n    def __init__(self) -> None:\n        self.n = 0\n        {setup}\n\n"
        f"{COUNTER}\n    def odd(self) -> None:\n        {body}\n"
    )
    file = tmp_path / "hostile.py"
    file.write_text(source)
    report = _findings(tmp_path, "hostile.py::Hostile")
    assert any("bump" in finding["title"] for finding in report["findings"]), report
    told = [*report["problems"], *report["notes"]]
    if name in LEFT_OUT:
        assert "odd" in str(told), told
        line = source.splitlines().index("    def odd(self) -> None:") + 1
        assert any(each["file"] == "hostile.py" and each["line"] in (line, line + 1) for each in told), told
    assert file.read_text() == source


def _findings(folder: Path, target: str, *options: str) -> dict[str, Any]:
    before = written(folder)
    result = everypath(folder, "race", target, "--format", "json", "--time", "6", *options)
    assert result.code == 1, result
    assert written(folder) == before
    report = json.loads(result.out)
    assert isinstance(report, dict)
    return report


def test_a_loop_that_ends_only_when_nobody_interferes(tmp_path: Path) -> None:
    (tmp_path / "drain.py").write_text(
        "class Tank:\n    def __init__(self, level: int = 2) -> None:\n        self.level = level\n\n"
        "    def drain(self) -> None:\n        while self.level != 0:\n            self.level -= 1\n\n"
        "    def sip(self) -> bool:\n        if self.level == 0:\n            return False\n"
        "        self.level -= 1\n        return True\n"
    )
    report = _findings(tmp_path, "drain.py::Tank")
    assert "endless" in {finding["kind"] for finding in report["findings"]}


STRANGE_STATE = """\
import ctypes
import io
import re
import weakref


class Thing:
    pass


class Strange:
    def __init__(self) -> None:
        self.n = 0
        self.me = self
        self.rows = (row for row in range(3))
        self.text = io.StringIO("some text")
        self.number = ctypes.c_int(3)
        self.pattern = re.compile("a+")
        self.view = memoryview(bytearray(b"abc"))
        self.thing = Thing()
        self.reference = weakref.ref(self.thing)
        self.function = lambda: self.n
        self.deep = []
        for _ in range(5000):
            self.deep = [self.deep]

    def bump(self) -> int:
        self.n += 1
        return self.n

    def row(self) -> int:
        return next(self.rows, -1)

    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    def __hash__(self) -> int:
        raise TypeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("never")

    def __getattr__(self, name: str) -> object:
        raise AttributeError("no " + name)
"""


def test_state_that_cannot_be_looked_into(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(STRANGE_STATE)
    report = _findings(tmp_path, "strange.py::Strange")
    assert any("bump" in finding["title"] for finding in report["findings"])
    assert not any("__repr__" in finding["title"] for finding in report["findings"])
    assert any("cannot be looked into" in note["message"] for note in report["notes"]), report["notes"]


def test_methods_that_are_coroutines_are_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(
        f"class Later:\n    n = 0\n\n{COUNTER}\n    async def fetch(self) -> int:\n        return self.n\n"
    )
    report = _findings(tmp_path, "later.py::Later")
    assert any("fetch" in note["message"] and note["line"] == 8 for note in report["notes"]), report["notes"]


def test_a_generated_file_is_the_only_thing_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(TARGETS["good.py"])
    result = everypath(tmp_path, "race", "good.py::Tally", "--time", "3")
    assert result.code == 1
    assert written(tmp_path) == {"good.py", "test_good_threads.py"}


def test_a_class_without_faults_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(
        "class Box:\n    def __init__(self, content: int = 0) -> None:\n        self.content = content\n\n"
        "    def put(self, content: int) -> None:\n        self.content = content\n\n"
        "    def get(self) -> int:\n        return self.content\n"
    )
    result = everypath(tmp_path, "race", "box.py::Box", "--time", "5")
    assert result.code == 0, result
    assert "no violation found in" in result.out
    assert written(tmp_path) == {"box.py"}


def test_a_class_that_is_edited_meanwhile(folder: Path) -> None:
    good = folder / "good.py"
    process = start(folder, "race", "good.py", "--time", "5")
    while process.poll() is None:
        # As editors save: there is always a whole file.
        (folder / "saved").write_text(TARGETS["good.py"] + "# edited\n")
        (folder / "saved").replace(good)
        time.sleep(0.05)
    out, err = process.communicate(timeout=60)
    result = checked(process.returncode, out, err)
    assert result.code == 2, result
    assert "good.py: edited: was edited while it was being tested" in result.said
    assert "defect" not in result.said


def test_a_name_of_a_file_is_no_code_in_its_tests(folder: Path) -> None:
    odd = 'a\x1b[31m"""+b.py'
    (folder / odd).write_text(TARGETS["good.py"])
    result = everypath(folder, "race", odd, "--time", "3")
    assert result.code == 1 and "\x1b" not in result.said
    (made,) = written(folder) - {*TARGETS, odd}
    text = (folder / made).read_text()
    assert "\x1b" not in text
    assert [type(node).__name__ for node in ast.parse(text).body] == ["Expr", "ImportFrom", "FunctionDef"]

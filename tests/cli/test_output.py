"""Where results go: files, folders, one JSON object, progress on a terminal only, and the same bytes every time."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema

from everypath.cases.json_writer import schema

from .command import everypath, pytest_passes, written

CODE = """\
from __future__ import annotations


class Node:
    def __init__(self, value: int, next: Node | None) -> None:
        self.value = value
        self.next = next


def last(node: Node, names: set[str], table: dict[str, int]) -> int:
    if "a" in names and "b" in table:
        return table["b"] // node.value
    while node.next is not None:
        node = node.next
    return node.value


def untyped(x):
    return x


def dynamic(x: int) -> int:
    if x > 2:
        exec("x = 1")
    return x
"""
SMALL = "def f(x: int) -> int:\n    return 1 if x > 3 else 0\n"


def test_json_is_one_object_and_the_rest_goes_to_the_error_stream(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    result = everypath(tmp_path, "generate", "sample.py", "--format", "json")
    assert result.code == 1, result
    found = json.loads(result.out)
    jsonschema.validate(found, schema())
    assert [finding["file"] for finding in found["findings"]] == ["sample.py"]
    assert [problem["line"] for problem in found["problems"]] == [18]
    assert [problem["line"] for problem in found["stats"]["unsupported"]] == [24]
    for text in (
        "sample.py:12: runtime-error: ZeroDivisionError",
        "sample.py:18: types:",
        "sample.py:24: unsupported:",
    ):
        assert text in result.err
    assert written(tmp_path) == {"sample.py"}

    (tmp_path / "sample.py").write_text("import no_such_library\n" + SMALL)
    failed = everypath(tmp_path, "generate", "sample.py", "--format", "json")
    assert failed.code == 2
    assert [problem["kind"] for problem in json.loads(failed.out)["problems"]] == ["import"]


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    """Only the seconds under `stats` may differ between two runs."""
    texts: list[str] = []
    objects: list[dict[str, Any]] = []
    for seed in ("1", "4711"):
        folder = tmp_path / seed
        folder.mkdir()
        (folder / "sample.py").write_text(CODE)
        everypath(folder, "generate", "sample.py", PYTHONHASHSEED=seed)
        texts.append((folder / "test_sample_generated.py").read_text())
        everypath(folder, "generate", "sample.py", "--format", "json", "-o", "out.json", PYTHONHASHSEED=seed)
        objects.append(json.loads((folder / "out.json").read_text()))
        assert objects[-1]["stats"].pop("seconds") >= 0
        assert "seconds" not in objects[-1]["stats"]
    assert texts[0] == texts[1]
    assert json.dumps(objects[0]) == json.dumps(objects[1])


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SMALL)
    (tmp_path / "two.py").write_text(SMALL)
    (tmp_path / "link.py").symlink_to("behind.py")
    assert everypath(tmp_path, "generate", "one.py", "two.py", "-o", "new/deep/").code == 0
    assert everypath(tmp_path, "generate", "one.py", "one.py::f", "one", "-o", "other/test_x.py").code == 0
    assert everypath(tmp_path, "generate", "two.py", "-o", "link.py").code == 0
    tests = {"new/deep/test_one_generated.py", "new/deep/test_two_generated.py", "other/test_x.py", "behind.py"}
    assert written(tmp_path) - {"new", "new/deep", "other"} == {"one.py", "two.py", "link.py", *tests}
    assert (tmp_path / "link.py").is_symlink()
    assert pytest_passes(tmp_path, *sorted(tests)).startswith("8 passed")


def test_what_cannot_be_stored_or_printed_is_said(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SMALL)
    (tmp_path / ".everypath").write_text("not a folder")
    result = everypath(tmp_path, "generate", "one.py")
    assert result.code == 0
    assert "note: cannot store the suite" in result.err
    assert (tmp_path / "test_one_generated.py").exists()

    command = [sys.executable, "-m", "everypath", "generate", "one.py", "--format", "json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_texts_that_a_terminal_or_a_file_cannot_hold(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        "def f(x: int) -> int:\n    table = {'é': 1}\n    if x > 3:\n        return table['ö\\ud800']\n"
        "    raise ValueError('ü\\ud800 \\x1b[31m')\n",
        encoding="utf-8",
    )
    result = everypath(tmp_path, "generate", "odd.py", PYTHONIOENCODING="ascii")
    assert result.code == 1, result
    assert "odd.py:4: runtime-error: KeyError: \\xf6\\ud800" in result.out
    assert "\x1b" not in result.said
    assert pytest_passes(tmp_path, "test_odd_generated.py").startswith("2 passed")


def test_progress_shows_on_a_terminal_only(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(
        "def walk(xs: list[int], a: int) -> int:\n    n = 0\n    for x in xs:\n"
        "        n += 1 if x > a else 2\n        n += x % 3 == 1\n    return n\n"
    )
    arguments = ["generate", "many.py", "--loops", "4"]
    assert " paths  " not in everypath(tmp_path, *arguments).said
    shutil.rmtree(tmp_path / ".everypath")

    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "everypath", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, close_fds=True
    )
    os.close(terminal)
    shown = _read_all(controller)
    assert process.wait(10) == 0
    assert " paths  " in shown and " cases  " in shown and " cut  " in shown
    assert "wrote test_many_generated.py" in shown


def _read_all(controller: int) -> str:
    data = b""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and select.select([controller], [], [], 30)[0]:
        try:
            part = os.read(controller, 65_536)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(controller)
    return data.decode("utf-8", "replace")


def test_a_dash_is_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SMALL)
    printed = everypath(tmp_path, "generate", "one.py", "--format", "json", "-o", "-")
    assert printed.code == 0
    assert json.loads(printed.out)["cases"]
    tests = everypath(tmp_path, "generate", "one.py", "-o", "-")
    assert tests.code == 0 and "one.py::f: cases" in tests.err
    assert written(tmp_path) == {"one.py"}
    assert everypath(tmp_path, "generate", "one.py").code == 0
    assert tests.out == (tmp_path / "test_one_generated.py").read_text()
    refused = everypath(tmp_path, "generate", "one.py", "-o", "-", "--check")
    assert refused.code == 2 and "compares with a file" in refused.err


def test_what_no_test_can_name_is_told_when_nothing_is_run(tmp_path: Path) -> None:
    local = "def made(n: int):\n    class Local:\n        pass\n    return Local()\n"
    (tmp_path / "sample.py").write_text(local + "def plain(n: int) -> int:\n    return n + 1\n")
    result = everypath(tmp_path, "generate", "sample.py", "--no-validate")
    assert result.code == 0
    assert "local to a function" in result.out + result.err
    text = (tmp_path / "test_sample_generated.py").read_text()
    assert "test_plain" in text and "made" not in text

"""`--jobs`: the same files, names and messages for any number of processes, and nothing lost when some are killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from pathlib import Path

import pytest

from everypath.app.arguments import main
from everypath.generate import run as generate_run
from everypath.generate import spreading
from everypath.workers import pool

from .command import everypath

FUNCTION = '''
def f{n}(a: int, b: int, xs: list[int]) -> int:
    """Something with a few paths."""
    if a > b + {n}:
        return xs[a]
    for x in xs:
        if x > a:
            b += x
    return b
'''
UNFOLLOWED = """
import textwrap


def shown(text: str, width: int) -> str:
    if width > 3:
        return textwrap.dedent(text)
    return text


def twice(text: str) -> str:
    if not text.isprintable():
        return textwrap.indent(text, "-")
    return text


class Box:
    def get(self, key: str) -> object:
        if key == "a":
            return memoryview(key.encode())
        return None
"""
"""Some of it can only be run."""
MODULES, FUNCTIONS = 4, 3


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes help from the beginning, not only when the run has lasted a while."""
    monkeypatch.setattr(generate_run, "_WORTH", -1.0)


def package(folder: Path) -> None:
    (folder / "many").mkdir(parents=True)
    (folder / "many" / "__init__.py").touch()
    for module in range(MODULES):
        text = "".join(FUNCTION.format(n=n * module) for n in range(1, FUNCTIONS + 1 + module))
        (folder / "many" / f"mod{module}.py").write_text(text.replace("def f0", "def g"))
    (folder / "many" / "unfollowed.py").write_text(UNFOLLOWED)


def run(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, dict[str, str]]:
    """What a run in this process leaves: exit code, output, and files."""
    code = 0
    try:
        main(["generate", *arguments], prog_name="everypath")
    except SystemExit as ended:
        code = int(ended.code or 0)
    files = {str(f.relative_to(folder)): f.read_text() for f in sorted(folder.rglob("*_generated.py"))}
    return code, re.sub(r"seconds [\d.]+", "", capsys.readouterr().out), files


TIMES = ("seconds", "smt")


def without_times(text: str) -> object:
    """JSON without what differs from run to run."""
    loaded = json.loads(text)

    def cleaned(value: object) -> object:
        if isinstance(value, dict):
            return {key: cleaned(each) for key, each in value.items() if key not in TIMES}
        return [cleaned(each) for each in value] if isinstance(value, list) else value

    return cleaned(loaded)


@pytest.mark.parametrize("target", ["many", "many/mod3.py", "many/unfollowed.py"])
def test_the_same_for_any_number(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for jobs in (1, 2, 3, 8):
        folder = tmp_path / str(jobs)
        package(folder)
        monkeypatch.chdir(folder)
        found.append(run(folder, capsys, target, "--jobs", str(jobs)))
    assert found[0][2]
    assert all(each == found[0] for each in found[1:])


def test_json_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    package(tmp_path)
    monkeypatch.chdir(tmp_path)
    texts = [run(tmp_path, capsys, "many", "--format", "json", "--jobs", jobs)[1] for jobs in ("1", "3")]
    assert without_times(texts[0]) == without_times(texts[1])


@pytest.mark.parametrize("seed", range(3))
def test_killed_processes_lose_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    draw, killed = random.Random(seed), set[int]()
    give = pool._Member.give

    def give_and_kill(self: pool._Member, item: int) -> None:
        give(self, item)
        if item not in killed and draw.random() < 0.5:
            killed.add(item)
            os.kill(self._pid, signal.SIGKILL)

    found = []
    for name in ("quiet", "killed"):
        folder = tmp_path / name
        package(folder)
        monkeypatch.chdir(folder)
        found.append(run(folder, capsys, "many", "--jobs", "2"))
        monkeypatch.setattr(pool._Member, "give", give_and_kill)
    assert killed
    assert found[0] == found[1]


def test_what_kills_its_process_every_time_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give = pool._Member.give

    def give_and_kill(self: pool._Member, item: int) -> None:
        give(self, item)
        if item == 1:
            os.kill(self._pid, signal.SIGKILL)

    monkeypatch.setattr(pool._Member, "give", give_and_kill)
    package(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, out, files = run(tmp_path, capsys, "many", "--jobs", "2")
    assert code == 2
    assert "lost: the process that worked on it was ended by signal 9" in out
    assert len(files) == MODULES


def test_no_jobs_at_all_is_an_error(tmp_path: Path) -> None:
    package(tmp_path)
    result = everypath(tmp_path, "generate", "many", "--jobs", "0")
    assert result.code == 2
    assert "--jobs" in result.err


def test_fewer_are_used_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spreading, "_EACH_MB", 10**9)
    package(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["generate", "many/mod3.py", "--jobs", "4"], prog_name="everypath")
    assert "--jobs 4: there is memory for 1 at a time" in capsys.readouterr().err

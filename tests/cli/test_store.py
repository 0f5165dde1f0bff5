"""The store: what has not changed is not explored again, and what it gives is what a run from nothing gives."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .command import Result, everypath, pytest_passes

HEAD = '''\
"""Prices."""

from dataclasses import dataclass

LIMIT = {k}
TABLE = {{"a": {k}, "b": 2}}


def checked(x: int) -> int:
    if x < 0:
        raise ValueError("negative")
    return x


class Base:
    def __init__(self, n: int) -> None:
        self.n = n

    def price(self, x: int) -> int:
        return self.n + x


@dataclass
class Item:
    name: str
    count: int = 1

    def cost(self) -> int:
        return self.count * LIMIT
'''
MIDDLE = """\
import {head}
from {head} import Base, checked


class Half(Base):
    def price(self, x: int) -> int:
        if x > {k}:
            return self.n
        return super().price(x) // 2


def total(base: Base, x: int) -> int:
    return base.price(x) + {head}.checked(x)


def twice(x: int) -> int:
    return 2 * checked(x)
"""
END = """\
from {middle} import total, twice
from {head} import TABLE, Item


def weigh(x: int) -> int:
    if x > {k}:
        return twice(x)
    return 0


def look(key: str) -> int:
    return TABLE[key]


def buy(item: Item) -> int:
    if item.count > {k}:
        return item.cost()
    return {k}
"""


class Project:
    """A package of three modules that depend on each other, and random edits of it."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        self.names = ["head", "middle", "end"]
        self.number = 0
        values = {"head": "head", "middle": "middle"}
        self.texts = {
            name: text.format(k=chance.randint(2, 9), **values) for name, text in zip(self.names, (HEAD, MIDDLE, END))
        }
        self.write()

    def write(self) -> None:
        for name, text in self.texts.items():
            (self.folder / f"{name}.py").write_text(text)

    def edit(self) -> str:
        """Change something, and say what."""
        edits = (
            self.constant,
            self.comment,
            self.inner_comment,
            self.add,
            self.move,
            self.drop,
            self.method,
            self.hand,
        )
        done = self.chance.choice(edits)()
        self.write()
        return done

    def _any(self) -> str:
        return self.chance.choice(self.names)

    def constant(self) -> str:
        name = self._any()
        numbers = list(re.finditer(r"\b\d+\b", self.texts[name]))
        if not numbers:
            return "nothing"
        at = self.chance.choice(numbers)
        text = self.texts[name]
        self.texts[name] = f"{text[: at.start()]}{self.chance.randint(1, 12)}{text[at.end() :]}"
        return f"a constant of {name}"

    def _blocks(self, name: str) -> list[str]:
        return self.texts[name].rstrip("\n").split("\n\n\n")

    def _put(self, name: str, blocks: list[str]) -> None:
        self.texts[name] = "\n\n\n".join(blocks) + "\n"

    def comment(self) -> str:
        name = self._any()
        blocks = self._blocks(name)
        at = self.chance.randrange(1, len(blocks))
        blocks[at] = f"# a comment {self.chance.randint(0, 99)}\n{blocks[at]}"
        self._put(name, blocks)
        return f"a comment in {name}"

    def inner_comment(self) -> str:
        name = self._any()
        lines = self.texts[name].splitlines()
        places = [n for n, line in enumerate(lines) if line.startswith("    return")]
        at = self.chance.choice(places)
        lines.insert(at, "    # why")
        self.texts[name] = "\n".join(lines) + "\n"
        return f"a comment inside a function of {name}"

    def add(self) -> str:
        name = self._any()
        self.number += 1
        k = self.chance.randint(1, 9)
        body = self.chance.choice((f"x + {k}", f"{k} if x > {k} else -x", f"{k} // x"))
        blocks = self._blocks(name)
        at = self.chance.randrange(1, len(blocks) + 1)
        blocks.insert(at, f"def added_{self.number}(x: int) -> int:\n    return {body}")
        self._put(name, blocks)
        return f"a function in {name}"

    def move(self) -> str:
        name = self._any()
        blocks = self._blocks(name)
        head, rest = blocks[:1], blocks[1:]
        # A base stays in front of the classes below it, and everything here only needs it when it is called.
        self.chance.shuffle(rest)
        self._put(name, [*head, *rest])
        return f"code within {name}"

    def drop(self) -> str:
        name = self._any()
        blocks = self._blocks(name)
        added = [n for n, block in enumerate(blocks) if "def added_" in block]
        if not added:
            return "nothing"
        del blocks[self.chance.choice(added)]
        self._put(name, blocks)
        return f"a function of {name} removed"

    def method(self) -> str:
        self.number += 1
        k = self.chance.randint(1, 9)
        method = f"    def extra_{self.number}(self) -> int:\n        return self.n - {k}\n\n    def price("
        name, cls = self.chance.choice((("head", "class Base"), ("middle", "class Half")))
        start = self.texts[name].index(cls)
        text = self.texts[name]
        self.texts[name] = text[:start] + text[start:].replace("    def price(", method, 1)
        return f"a method in {name}"

    def hand(self) -> str:
        """A person adds a test, or what is stored is damaged or lost."""
        kept = sorted((self.folder / ".everypath/kept").glob("[!.]*"))
        kind = self.chance.choice(("test", "damage", "lose"))
        if kind == "test":
            file = self.folder / "test_end_generated.py"
            if file.is_file():
                self.number += 1
                file.write_text(file.read_text() + f"\n\ndef test_mine_{self.number}():\n    assert True\n")
        elif kept and kind == "damage":
            file = self.chance.choice(kept)
            content = bytearray(file.read_bytes())
            content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(7)
            file.write_bytes(bytes(content))
        elif kept:
            self.chance.choice(kept).unlink()
        return kind


def told(result: Result) -> list[str]:
    """What was said about the tests, without how long it took and what was not done again."""
    lines = [line for line in result.said.splitlines() if "was set aside" not in line and "store" not in line]
    return sorted(line for line in lines if not line.startswith("wrote"))


def suites(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted((folder / ".everypath").glob("*.json")):
        text = re.sub(r'"seconds":[0-9.e-]+', '"seconds":0', path.read_text())
        # What it costs to decide something depends on what was decided before in the same process.
        found[path.name] = json.loads(re.sub(r'"decisions":\{[^}]*\}', '"decisions":{}', text))
    return found


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("test_*.py"))}


def compare(tmp_path: Path, seed: int, edits: int) -> None:
    """After each random edit, a run that uses what earlier ones have found does what a run from nothing does."""
    kept = tmp_path / "kept"
    kept.mkdir()
    project = Project(kept, random.Random(seed))
    history: list[str] = []
    for _ in range(edits):
        before = files(kept)
        first = everypath(kept, "generate", ".")
        fresh = tmp_path / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(kept, fresh, ignore=shutil.ignore_patterns(".everypath", "test_*", "__pycache__"))
        for name, text in before.items():
            (fresh / name).write_text(text)
        second = everypath(fresh, "generate", ".")
        where = f"seed {seed}, after {history}"
        assert files(kept) == files(fresh), where
        assert told(first) == told(second), where
        assert first.code == second.code, where
        gone = set(suites(kept)) - set(suites(fresh))
        assert {k: v for k, v in suites(kept).items() if k not in gone} == suites(fresh), where
        history.append(project.edit())


@pytest.mark.parametrize("seed", range(3))
def test_what_was_kept_gives_what_a_run_from_nothing_gives(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, seed, 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_what_was_kept_gives_what_a_run_from_nothing_gives_in_many_histories(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, seed, 15)


CODE = """\
def f(x: int) -> int:
    if x > 3:
        return 1
    return 2


def g(x: int) -> int:
    return f(x) + x


def h(text: str) -> bool:
    return text == "a"
"""
TESTS = "test_sample_generated.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sample.py").write_text(CODE)
    assert everypath(tmp_path, "generate", "sample.py").code == 0
    return tmp_path


def stored(result: Result) -> str:
    """What was said to come from the store."""
    return next((line for line in result.out.splitlines() if "from the store" in line), "")


def test_a_second_run_says_that_there_was_nothing_to_do(folder: Path) -> None:
    before = files(folder)
    result = everypath(folder, "generate", "sample.py")
    assert stored(result) == f"{TESTS}: 3 functions unchanged, from the store"
    assert "sample.py::f: cases 2" in result.out and files(folder) == before
    assert everypath(folder, "generate", "sample.py", "--check").code == 0


@pytest.mark.parametrize(
    ("old", "new", "unchanged"),
    [
        ('text == "a"', 'text == "b"', 2),
        ("x > 3", "x > 4", 1),
        ("+ x", "- x", 2),
        ("def f", "# a comment\n\n\ndef f", 3),
        ("def h", "def added(x: int) -> int:\n    return x\n\n\ndef h", 3),
        ("def f", "import os\n\n\ndef f", 3),
        ("def f", "print(1)\n\n\ndef f", 0),
        ("f(x) + x", "eval('f')(x)", 2),
    ],
)
def test_a_changed_function_and_those_that_use_it_are_explored(
    folder: Path, old: str, new: str, unchanged: int
) -> None:
    (folder / "sample.py").write_text(CODE.replace(old, new))
    said = stored(everypath(folder, "generate", "sample.py"))
    assert (f"; {unchanged} of " in said) if unchanged else not said


def test_an_edited_file_of_tests_is_written_again_without_exploring(folder: Path) -> None:
    file = folder / TESTS
    before = file.read_text()
    file.write_text(before.replace("f(4) == 1", "f(40) == 1"))
    result = everypath(folder, "generate", "sample.py")
    assert "3 of 3 functions unchanged, from the store" in stored(result) and "as written by hand" in result.out
    assert "f(40) == 1" in file.read_text()
    file.unlink()
    assert "3 of 3 functions unchanged" in stored(everypath(folder, "generate", "sample.py"))
    assert file.read_text() == before


def test_other_options_are_another_matter(folder: Path) -> None:
    assert not stored(everypath(folder, "generate", "sample.py", "--loops", "2"))
    assert stored(everypath(folder, "generate", "sample.py", "--loops", "2"))


def kept(folder: Path) -> Path:
    [found] = (folder / ".everypath/kept").glob("sample.*")
    return found


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-40] + text[-39:],
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "not ours",
        lambda text: text.replace('"cases"', '"sesac"'),
        lambda text: "\x00\ud800"[:1] * 9,
    ],
)
def test_what_cannot_be_read_is_set_aside_and_told(folder: Path, damage: Callable[[str], str]) -> None:
    file, before = kept(folder), files(folder)
    file.write_text(damage(file.read_text()))
    (folder / TESTS).unlink()
    result = everypath(folder, "generate", "sample.py")
    assert result.code == 0 and not stored(result) and files(folder) == before
    assert f"{file.relative_to(folder)} is not used and was set aside" in result.err
    assert stored(everypath(folder, "generate", "sample.py"))


@pytest.mark.parametrize("word", [0, 1])
def test_what_another_version_has_left_is_not_used(folder: Path, word: int) -> None:
    file, before = kept(folder), files(folder)
    first, rest = file.read_text().split("\n", 1)
    words = first.split()
    words[word] = "everypath-kept-0" if word == 0 else "0123456789abcdef"
    file.write_text(" ".join(words) + "\n" + rest)
    result = everypath(folder, "generate", "sample.py")
    assert result.code == 0 and not stored(result) and files(folder) == before
    assert result.err.count("what another version has left in .everypath/kept is not used") == 1
    assert stored(everypath(folder, "generate", "sample.py"))


def test_a_folder_in_the_place_of_what_was_kept_is_told(folder: Path) -> None:
    shutil.rmtree(folder / ".everypath/kept")
    (folder / ".everypath/kept").write_text("a file")
    (folder / TESTS).unlink()
    result = everypath(folder, "generate", "sample.py")
    assert result.code == 0 and (folder / TESTS).is_file() and "cannot keep what was found" in result.err


def test_a_full_disk_costs_only_the_store(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    # Files of tests are small, what is stored is not.
    limited = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)); sys.argv = ['everypath', 'generate', "
    limited += "'sample.py']; from everypath.app.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", limited], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "note: " in done.stderr and "Traceback" not in done.stderr
    assert pytest_passes(tmp_path, TESTS)
    left = [path for path in (tmp_path / ".everypath").rglob("*") if path.is_file() and path.stat().st_size >= 3000]
    assert not left


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_store_that_cannot_be_written_is_told_once(folder: Path) -> None:
    (folder / "sample.py").write_text(CODE.replace("x > 3", "x > 5"))
    for path in (folder / ".everypath", folder / ".everypath/kept"):
        path.chmod(0o555)
    try:
        result = everypath(folder, "generate", "sample.py")
    finally:
        for path in (folder / ".everypath", folder / ".everypath/kept"):
            path.chmod(0o755)
    assert result.code == 0 and result.err.count("cannot store") == 1 and result.err.count("cannot keep") == 1


def test_a_store_under_version_control_serves_another_clone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sample.py").write_text(CODE)
    assert everypath(tmp_path / "one", "generate", "sample.py", "--store", "tests/store").code == 0
    assert not (tmp_path / "one/tests/store/.gitignore").exists() and not (tmp_path / "one/.everypath").exists()
    shutil.copytree(tmp_path / "one/tests", tmp_path / "two/tests")
    result = everypath(tmp_path / "two", "generate", "sample.py", "--store", "tests/store")
    assert "3 of 3 functions unchanged, from the store" in stored(result)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_observed_cases_are_kept_too(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "import ctypes\n\n\ndef long(text: str) -> bool:\n    return len(ctypes.c_wchar_p(text).value) > 9\n"
    )
    first = everypath(tmp_path, "generate", "sample.py")
    assert "observed" in first.out
    before = files(tmp_path)
    assert "from the store" in everypath(tmp_path, "generate", "sample.py").out
    (tmp_path / TESTS).unlink()
    assert "1 of 1 function unchanged, from the store" in everypath(tmp_path, "generate", "sample.py").out
    assert files(tmp_path) == before


def test_files_and_variables_that_code_reads_count(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "import os\nfrom pathlib import Path\n\nLIMIT = int(Path('limit.txt').read_text())\n"
        "MODE = os.environ.get('MODE', '')\n\n\ndef f(x: int) -> bool:\n    return x > LIMIT and MODE == 'a'\n"
    )
    (tmp_path / "limit.txt").write_text("3")
    everypath(tmp_path, "generate", "sample.py", MODE="a")
    assert stored(everypath(tmp_path, "generate", "sample.py", MODE="a"))
    assert not stored(everypath(tmp_path, "generate", "sample.py", MODE="b"))
    everypath(tmp_path, "generate", "sample.py", MODE="a")
    (tmp_path / "limit.txt").write_text("7")
    assert not stored(everypath(tmp_path, "generate", "sample.py", MODE="a"))


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "everypath", "generate", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_runs_into_one_folder_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    for _ in range(3):
        both = [started(tmp_path, f"sample.py::{name}") for name in ("f", "h")]
        both.append(started(tmp_path, "sample.py::g"))
        for process in both:
            out, err = process.communicate(timeout=60)
            assert process.returncode == 0 and "Traceback" not in err, out + err
        text = (tmp_path / TESTS).read_text()
        assert all(f"def test_{name}_" in text for name in "fgh"), text
        pytest_passes(tmp_path, TESTS)
        assert everypath(tmp_path, "generate", TESTS, "--check").code == 0
        (tmp_path / TESTS).unlink()
        left = [path.name for path in tmp_path.rglob("*.tmp")]
        assert not left


def modules(folder: Path, count: int) -> Iterator[Path]:
    for number in range(count):
        path = folder / f"part_{number:02}.py"
        path.write_text(CODE.replace("x > 3", f"x > {number}"))
        yield path


def test_a_run_over_an_unchanged_package_does_nothing_again(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    list(modules(shop, 5))
    everypath(tmp_path, "generate", "shop", "-o", "tests/")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("test_*.py")}
    result = everypath(tmp_path, "generate", "shop", "-o", "tests/")
    assert stored(result) == "5 files: 15 functions unchanged, from the store"
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("test_*.py")} == before


def test_a_long_text_is_no_file_on_which_results_depend(tmp_path: Path) -> None:
    text = "\u8054" * 150
    (tmp_path / "shown.py").write_text(f'def f(a: bool) -> str:\n    return "{text}" if a else open("x").read()\n')
    result = everypath(tmp_path, "generate", "shown.py::f")
    assert result.code == 0, result.said

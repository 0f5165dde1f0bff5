"""`--diff REV`: only functions that changed since a git revision, whatever else the file holds."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from .command import LONGEST, Result, checked, everypath, start, written

CODE = """\
LIMIT = 3
OTHER = 4


class Cart:
    size = 2

    def __init__(self, n: int) -> None:
        self.n = n

    def add(self, k: int) -> int:
        return self._checked(k) + self.n

    def _checked(self, k: int) -> int:
        return k if k > 0 else 0


class Box:
    def get(self) -> int:
        return 1


def low(x: int) -> bool:
    return x < LIMIT


def helped(x: int) -> int:
    return _help(x)


def _help(x: int) -> int:
    return _deep(x)


def _deep(x: int) -> int:
    return x + 1


def last(x: int) -> int:
    y = x + 1
    return y
"""


def git(folder: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "sample.py").write_text(CODE)
    (tmp_path / "same.py").write_text("def f(x: int) -> int:\n    return x\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def tried(folder: Path, *arguments: str) -> set[str]:
    result = everypath(folder, "generate", "sample.py", "--no-validate", "--diff", "HEAD", *arguments)
    assert result.code == 0, result
    return {line.partition(": cases")[0].partition("::")[2] for line in result.out.splitlines() if ": cases" in line}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    y = x + 1\n", "    y = x + 2\n", {"last"}),
        ("    y = x + 1\n    return y\n", "    return x\n", {"last"}),
        ("        return 1\n", "        # one\n        return 1\n", set()),
        ("def low(", "def first(x: int) -> int:\n    return x\n\n\ndef low(", {"first"}),
        ("    size = 2", "    size = 3", {"Cart.__init__", "Cart.add"}),
        ("class Cart:", "class Cart(Exception):", {"Cart.__init__", "Cart.add"}),
        ("LIMIT = 3", "LIMIT = 5", {"low"}),
        ("OTHER = 4\n", "", set()),
        ("    return x + 1\n", "    return x + 7\n", {"helped"}),
        ("k if k > 0", "k if k > 1", {"Cart.__init__", "Cart.add"}),
        ("def low", "@staticmethod\ndef low", {"low"}),
        ("def low(x: int)", "def low(x: bool)", {"low"}),
        ("def low(x: int) -> bool:\n    return x < LIMIT\n\n\n", "", set()),
        (
            "        return 1\n",
            "        return 1\n\n    def put(self) -> int:\n        return 2\n",
            {"Box.get", "Box.put"},
        ),
    ],
)
def test_what_a_change_is_about(folder: Path, old: str, new: str, expected: set[str]) -> None:
    assert CODE.count(old) == 1
    (folder / "sample.py").write_text(CODE.replace(old, new))
    assert tried(folder) == expected


def test_commits_new_files_and_exclusions(folder: Path) -> None:
    (folder / "sample.py").write_text(CODE.replace("x < LIMIT", "x <= LIMIT").replace("y = x + 1", "y = x"))
    git(folder, "commit", "-qam", "second")
    (folder / "new.py").write_text("def fresh(x: int) -> int:\n    return x\n")

    def run(*arguments: str) -> Result:
        return everypath(folder, "generate", ".", "--no-validate", *arguments)

    since_first = run("--diff", "HEAD~1", "-o", "out/")
    assert since_first.code == 0, since_first
    rows = [line.split()[:2] for line in since_first.out.splitlines()]
    assert [row for row in rows if row[0] in ("new", "sample", "same")] == [
        ["new", "fresh"],
        ["sample", "low"],
        ["sample", "last"],
    ]
    assert {path.name for path in (folder / "out").iterdir()} == {"test_new_generated.py", "test_sample_generated.py"}
    assert "sample" not in run("--diff", "HEAD").out.replace("test_sample", "")
    assert "low" not in run("--diff", "HEAD~1", "--exclude", "low").out


def test_nothing_changed(folder: Path) -> None:
    result = everypath(folder, "generate", "sample.py", "same.py", "--diff", "HEAD")
    assert result.code == 0, result
    assert "note: nothing changed since HEAD" in result.err
    assert not [name for name in written(folder) if name.startswith("test_")]


def test_an_unknown_revision_no_repository_and_no_git(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    unknown = everypath(folder, "generate", "sample.py", "--diff", "nowhere")
    assert unknown.code == 2 and "--diff nowhere: there is no such revision" in unknown.err
    option = everypath(folder, "generate", "sample.py", "--diff=--output=x")
    assert option.code == 2 and "there is no such revision" in option.err
    outside = tmp_path_factory.mktemp("outside")
    (outside / "sample.py").write_text(CODE)
    none = everypath(outside, "generate", "sample.py", "--diff", "HEAD", GIT_CEILING_DIRECTORIES=str(outside.parent))
    assert none.code == 2 and "--diff needs a git repository: not a git repository" in none.err
    without = everypath(folder, "generate", "sample.py", "--diff", "HEAD", PATH=os.devnull)
    assert without.code == 2 and "--diff needs git, which is not installed" in without.err


def test_tests_of_unchanged_functions_are_kept(folder: Path) -> None:
    """A file that is there is brought up to date: it is then the one that a whole run writes."""
    code = CODE + "\n\ndef risky(x: int) -> int:\n    return 1 // x\n"
    (folder / "sample.py").write_text(code)
    git(folder, "commit", "-qam", "second")
    assert everypath(folder, "generate", "sample.py").code == 1
    (folder / "sample.py").write_text(
        code.replace("class Box:", "# moved\n\n\nclass Box:").replace("x < LIMIT", "x > 8")
    )
    result = everypath(folder, "generate", "sample.py", "--diff", "HEAD")
    assert result.code == 0, result
    assert [line.partition(":: ")[0] for line in result.out.splitlines() if ": cases" in line] == [
        line for line in result.out.splitlines() if "sample.py::low: cases" in line
    ]
    updated = (folder / "test_sample_generated.py").read_text()
    assert "risky" in updated and "Cart" in updated
    assert everypath(folder, "generate", "sample.py", "--check").code == 0


def test_a_shallow_clone_says_what_it_lacks(tmp_path: Path) -> None:
    folder = tmp_path / "whole"
    folder.mkdir()
    (folder / "shop.py").write_text(CODE)
    git(folder, "init", "-q", "-b", "main")
    for message in ("one", "two"):
        (folder / "note").write_text(message)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", message)
    git(tmp_path, "clone", "-q", "--depth", "1", folder.as_uri(), "shallow")
    result = everypath(tmp_path / "shallow", "generate", "shop.py", "--diff", "HEAD~1")
    assert result.code == 2
    assert "a shallow clone that lacks older commits; get them with `git fetch --unshallow`" in result.err
    assert everypath(tmp_path / "shallow", "generate", "shop.py", "--diff", "HEAD").code == 0
    assert written(tmp_path / "shallow") >= {"shop.py"} and not list((tmp_path / "shallow").glob("test_*"))


def test_a_branch_that_is_switched_during_a_run_leaves_the_file_of_tests_alone(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    git(tmp_path, "init", "-q", "-b", "main")
    everypath(tmp_path, "generate", "shop.py")
    tests = tmp_path / "test_shop_generated.py"
    before = tests.read_bytes()
    git(tmp_path, "add", "shop.py")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "checkout", "-q", "-b", "other")
    # Importing it takes long enough to switch meanwhile, and says when it has begun.
    slow = "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(2)\n"
    (tmp_path / "shop.py").write_text(slow + CODE.replace("x < LIMIT", "x < OTHER"))
    git(tmp_path, "commit", "-q", "-a", "-m", "two")
    process = start(tmp_path, "generate", "shop.py", "--allow-io")
    while not (tmp_path / "begun").exists() and process.poll() is None:
        time.sleep(0.01)
    git(tmp_path, "checkout", "-q", "main")
    result = checked(process.returncode, *process.communicate(timeout=LONGEST))
    assert process.returncode == 2
    assert "shop.py: edited: was edited while it was being tested" in result.said
    assert "wrote" not in result.out
    assert tests.read_bytes() == before

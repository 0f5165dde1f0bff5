"""Modules and functions of a package that cannot be tested: a clear line for each, and the rest is tested."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes, written
from .test_packages import table

FINE = "\n\ndef fine(x: int) -> int:\n    if x > 2:\n        return 1\n    return 0\n"
MODULES = {
    "first": "from pkg import second\n\nLIMIT = 3\n\n\ndef one(x: int) -> int:\n    return second.two(x) + 1\n",
    "second": (
        "from pkg import first\n\n\ndef two(x: int) -> int:\n    if x > first.LIMIT:\n        return 1\n    return 2\n"
    ),
    "knot": "from pkg.tangle import g\n\n\ndef f(x: int) -> int:\n    return g(x)\n",
    "tangle": "from pkg.knot import f\n\n\ndef g(x: int) -> int:\n    return x\n",
    "saving": "open('made_by_import.txt', 'w').write('x')\n" + FINE,
    "leaving": "import sys\n\nsys.exit(3)\n" + FINE,
    "loud": "import random\nimport time\n\nprint('l' * 100)\nSTARTED = time.time()\nLUCK = random.random()\n" + FINE,
    "failing": "TABLE = {}\nVALUE = TABLE['missing']\n" + FINE,
}
CALLS = """\
import datetime
import os
import random
import sys
import time
from pathlib import Path


def never(x: int) -> int:
    while True:
        if x == 12345678:
            x += 0


def leaves(x: int) -> int:
    if x > 3:
        sys.exit(2)
    return 1


def aborts(x: int) -> int:
    if x > 3:
        os.abort()
    return 1


def recurses(x: int) -> int:
    return recurses(x + 1)


def mutual(x: int) -> int:
    return other(x)


def other(x: int) -> int:
    return mutual(x)


def opens(name: str) -> str:
    if name == "":
        return ""
    with open(name) as file:
        return file.read()


def writes(x: int) -> int:
    if x > 1:
        Path("trace.txt").write_text("x")
    return 1


def sleeps(x: int) -> int:
    if x > 1:
        time.sleep(300)
    return 1


def asks(x: int) -> str:
    if x > 1:
        return input("name? ")
    return ""


def reads(x: int) -> str:
    if x > 1:
        return sys.stdin.read()
    return ""


def now(x: int) -> bool:
    if x > 1:
        return time.time() > 1
    return False


def today(x: int) -> int:
    if x > 1:
        return datetime.datetime.now().microsecond
    return 0


def dice(x: int) -> int:
    if x > 1:
        return random.randint(1, 1000000)
    return 0


def fine(x: int) -> int:
    if x > 1:
        return 1
    return 0
"""
CONFLICTS = """\
from __future__ import annotations


def default(x: int = "text") -> int:
    if x == 3:
        return 1
    return 2


def no_default(x: int = None) -> int:
    return x


def wrong_return(x: int) -> str:
    return x


def unknown_name(x: Missing) -> int:
    return 1


class Box:
    n: int

    def __init__(self) -> None:
        self.n: str = "a"

    def get(self) -> int:
        if self.n == "a":
            return 1
        return 2


def fine(x: int) -> int:
    if x > 1:
        return 1
    return 0
"""


def test_modules_that_cannot_be_imported_and_those_that_can(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    for name, text in MODULES.items():
        (tmp_path / f"pkg/{name}.py").write_text(text)
    result = everypath(tmp_path, "generate", "pkg")
    assert result.code == 0, result
    rows = {key: " ".join(cells) for key, cells in table(result.out).items()}
    assert rows["pkg.first", "one"].startswith("2 0") and rows["pkg.second", "two"].startswith("2 0")
    assert rows["pkg.loud", "fine"].startswith("2 0")
    for module, function, text in (
        ("pkg.knot", "f", "circular import"),
        ("pkg.tangle", "g", "circular import"),
        ("pkg.saving", "fine", "pkg/saving.py:1: import: importing pkg.saving tries to write the file"),
        ("pkg.leaving", "fine", "pkg/leaving.py:3: import:"),
        ("pkg.failing", "fine", "pkg/failing.py:2: import: pkg.failing cannot be imported: KeyError"),
    ):
        assert rows[module, function].startswith("refused:") and text in rows[module, function], rows[module, function]
    assert "lll" not in result.said
    tests = {f"test_pkg_{name}_generated.py" for name in ("first", "second", "loud")}
    assert {name for name in written(tmp_path) if not name.startswith("pkg")} == tests
    assert pytest_passes(tmp_path, *tests).startswith("6 passed")


def test_functions_that_do_not_return_leave_or_depend_on_the_world(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(CALLS)
    (tmp_path / "conflicts.py").write_text(CONFLICTS)
    result = everypath(tmp_path, "generate", ".", "--time", "3", "--case-seconds", "2")
    assert result.code == 0, result
    rows = table(result.out)
    for name in ("never", "recurses", "mutual", "other"):
        assert rows["calls", name][0] == "0" and rows["calls", name][2] != "0", name
    for name in ("leaves", "aborts", "opens", "writes", "sleeps", "asks", "reads", "now", "today", "dice"):
        # What can be said without the world is tested; for the rest there is a line with its place.
        assert int(rows["calls", name][0]) >= 1, name
        line = next(n for n, text in enumerate(CALLS.splitlines(), 1) if text.startswith(f"def {name}("))
        told = [
            text
            for text in result.out.splitlines()
            if text.startswith(tuple(f"calls.py:{line + i}:" for i in range(5)))
        ]
        assert told or int(rows["calls", name][0]) >= (3 if name == "now" else 2), name
    for module in ("calls", "conflicts"):
        assert rows[module, "fine"] == ["2", "0", "0", "0"]
    # It cannot be followed, so it is run.
    assert rows["conflicts", "unknown_name"][0] == "1"
    assert "conflicts.py:4: types: parameter 'x' of default is of type int, but its default is 'text'" in result.out
    assert rows["conflicts", "no_default"][0] == "1"
    assert rows["conflicts", "Box.get"][0] in ("1", "2")
    assert "defect" not in result.said
    assert not (tmp_path / "trace.txt").exists()
    pytest_passes(tmp_path, "test_calls_generated.py", "test_conflicts_generated.py")


def test_a_missing_dependency_is_told_first_where_it_is_imported_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "needs.py").write_text("import inner\n\ndef f(a: int) -> bool:\n    return a > 2\n")
    (tmp_path / "inner.py").write_text("X = 1\nimport no_such_module.part as part\n")
    (tmp_path / "fine.py").write_text("def g(a: int) -> bool:\n    return a > 2\n")
    alone = everypath(tmp_path, "generate", "needs.py")
    assert alone.code == 2
    first = alone.out.splitlines()[0]
    assert first.startswith("inner.py:2: import: needs cannot be imported: ModuleNotFoundError: ")
    assert "'no_such_module'" in first and "pip install no_such_module`" in first
    assert alone.out.count("no_such_module`") == 1
    both = everypath(tmp_path, "generate", "needs.py", "fine.py")
    assert "pip install no_such_module`" in both.out
    assert table(both.out)["fine", "g"][0] != "0"
    assert pytest_passes(tmp_path, "test_fine_generated.py")


def test_a_module_that_nobody_could_follow_and_cannot_be_imported_costs_nothing_else(tmp_path: Path) -> None:
    # No case is predicted, so that the first import is the one for observing.
    text = "import ctypes\nimport no_such_module\n\ndef f(a: str) -> str:\n    return ctypes.c_wchar_p(a).value\n"
    (tmp_path / "a_needs.py").write_text(text)
    (tmp_path / "fine.py").write_text("def g(a: int) -> bool:\n    return a > 2\n")
    both = everypath(tmp_path, "generate", "a_needs.py", "fine.py")
    assert "pip install no_such_module`" in " ".join(table(both.out)["a_needs", "f"])
    assert table(both.out)["fine", "g"][0] != "0"
    alone = everypath(tmp_path, "generate", "a_needs.py")
    assert alone.code == 2 and "pip install no_such_module`" in alone.out.splitlines()[0]

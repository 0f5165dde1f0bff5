"""Runs emitted tests again and again, in random order and with other hash seeds, and watches what they touch.

`python -m modules.repeat KEPT` takes the tests that `modules.compare --keep KEPT` left, and fails if a test fails once
or changes anything outside of the folder that pytest gives it. Two watches look on: an audit hook, for what tests do
anywhere, and a comparison of the home folder, where they run, and the installed packages, for what escapes the hook.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from modules import environment
from modules.measure import ended
from modules.subjects import HERE, ROOT, read
from modules.tools import run

TIMES = 3
TEST_SECONDS = 120.0
DECOYS = ("notes.txt", ".config/settings.ini", "src/main.py")
"""Files that lie about where the tests run, so that overwriting or deleting would be seen."""
CHANGING = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.symlink",
    "os.link",
    "os.truncate",
    "os.utime",
)
STARTING = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect")
HARMLESS = ("/dev/", "/proc/self/")


@dataclass(slots=True)
class Verdict:
    """What came of running the tests of one subject several times."""

    passed: int = 0
    failed: int = 0
    touched: list[str] = field(default_factory=list)


# --- in the process of pytest, of which this module is a plugin ---


class Watch:
    """Notes what a test does outside of the folder that it may use."""

    def __init__(self, allowed: str) -> None:
        self.allowed = (os.path.realpath(allowed) + os.sep, *HARMLESS)
        self.test = ""
        self.noted: dict[str, None] = {}
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit event of the interpreter."""
        if not self.test:
            return
        if event.startswith(STARTING):
            self.noted[f"{self.test}: {event}"] = None
        elif event in CHANGING or (event == "open" and _writes(arguments[1], arguments[2])):
            count = 2 if event in ("os.rename", "os.link") else 1
            for path in arguments[:count]:
                if isinstance(path, str | bytes | os.PathLike) and not self.may(os.fsdecode(path)):
                    self.noted[f"{self.test}: {event} {os.fsdecode(path)}"] = None

    def may(self, path: str) -> bool:
        """Whether a test may change what is at a path."""
        return (os.path.realpath(path) + os.sep).startswith(self.allowed)


WATCH = pytest.StashKey[Watch]()


def _writes(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def pytest_configure(config: pytest.Config) -> None:
    """Begins to watch."""
    config.stash[WATCH] = Watch(os.environ["TMPDIR"])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests in an order that only the seed knows."""
    random.Random(os.environ["PYTHONHASHSEED"]).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What happens meanwhile is this test's doing."""
    watch = item.config.stash[WATCH]
    watch.test = item.name
    try:
        return (yield)
    finally:
        watch.test = ""


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hands on what was noted."""
    watch = session.config.stash[WATCH]
    Path(os.environ["NOTED"]).write_text(json.dumps(list(watch.noted)), encoding="utf-8")


# --- around it ---


def repeated(python: Path, tests: Iterable[Path], times: int = TIMES) -> Verdict:
    """Runs test files so many times and gathers what happened."""
    verdict = Verdict()
    for seed in range(1, times + 1):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            home, free = place / "home", place / "free"
            free.mkdir()
            _decorate(home)
            packages = python.parents[1] / "lib"
            before = {**state(home), **state(packages)}
            settings = {
                "HOME": str(home),
                "TMPDIR": str(free),
                "NOTED": str(place / "noted.json"),
                "PYTHONHASHSEED": str(seed),
                "PYTHONPATH": os.pathsep.join([str(ROOT / "benchmarks"), str(ROOT / "examples")]),
            }
            options = ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "modules.repeat"]
            places = [f"--basetemp={free / 'pytest'}", f"--junitxml={place / 'outcomes.xml'}", f"--rootdir={home}"]
            run([str(python), "-m", "pytest", *options, *places, *map(str, tests)], home, TEST_SECONDS, settings)
            (home / "output.txt").unlink()
            passed, failed = ended(place / "outcomes.xml")
            verdict.passed += passed
            verdict.failed += failed
            noted = json.loads((place / "noted.json").read_text("utf-8")) if (place / "noted.json").exists() else []
            verdict.touched += [*noted, *differences(before, {**state(home), **state(packages)})]
    return verdict


def _decorate(home: Path) -> None:
    for decoy in DECOYS:
        file = home / decoy
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{decoy} must stay as it is\n", encoding="utf-8")


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file under a folder; a folder counts as well, by its existence."""

    def found() -> Iterator[tuple[str, tuple[int, int]]]:
        for root, folders, files in os.walk(folder):
            yield from ((os.path.join(root, name), (-1, -1)) for name in folders)
            for name in files:
                facts = os.lstat(os.path.join(root, name))
                yield os.path.join(root, name), (facts.st_size, facts.st_mtime_ns)

    return dict(found())


def differences(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> list[str]:
    """What is new, gone or changed."""
    changed = {path for path, facts in after.items() if before.get(path) != facts} | (before.keys() - after.keys())
    return sorted(f"changed: {path}" for path in changed)


def main(kept: Path) -> int:
    """Checks all subjects; 1 if any test failed or touched something."""

    python = environment.prepared(read(HERE / "modules.txt"))
    bad = 0
    for folder in sorted((kept / "everypath").iterdir()):
        tests = sorted(folder.glob("test_*.py"))
        if not tests:
            continue
        verdict = repeated(python, tests)
        bad += bool(verdict.failed or verdict.touched)
        print(
            f"{folder.name:48} passed {verdict.passed}, failed {verdict.failed}, touched {len(verdict.touched)}",
            flush=True,
        )
        for line in dict.fromkeys(verdict.touched):
            print(f"    {line}", flush=True)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))

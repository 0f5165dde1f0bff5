"""Neither a search of real runs nor the tests that come of it touch anything but folders of their own.

The kernel itself is asked, with inotify: whatever a process does to a watched folder is told, also what a fence or an
audit hook would not see.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emit.test_pytest_writer import WITHOUT_PLUGINS

CHANGES = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200
"""Written, attributes changed, moved from and to, made, removed."""
TRANSIENT = ("__pycache__", ".pytest_cache")
MEDDLING = '''\
import os
import pathlib
import shutil
import tempfile


def tidy(name):
    """Removes what is there, whatever it is."""
    if os.path.isdir(name):
        shutil.rmtree(name)
        return "folder"
    if os.path.exists(name):
        os.remove(name)
        return "file"
    return "nothing"


def settings(text):
    place = pathlib.Path.home() / "settings.ini"
    before = place.read_text() if place.exists() else ""
    place.write_text(before + text)
    return len(before)


def log(text, name="notes.txt"):
    with open(name, "a") as file:
        file.write(text)
    return os.stat(name).st_size


def exchange(one, other):
    os.rename(one, other)
    os.chmod(other, 0o600)
    return sorted(os.listdir(os.path.dirname(other) or "."))


def scratch(text):
    folder = tempfile.mkdtemp()
    (pathlib.Path(folder) / "kept").write_text(text)
    os.chdir(folder)
    return os.listdir()


def above(name):
    with open(os.path.join("..", "..", name), "w") as file:
        file.write("x")
    return name
'''


class Watch:
    """Tells what happens to the files of some folders."""

    def __init__(self, *folders: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK)
        self._names: dict[int, Path] = {}
        for folder in folders:
            for place, _, _ in os.walk(folder):
                number = self._libc.inotify_add_watch(self._descriptor, os.fsencode(place), CHANGES)
                assert number >= 0
                self._names[number] = Path(place)

    def told(self) -> list[str]:
        """The files that were touched since it was last asked."""
        found = []
        while True:
            try:
                data = os.read(self._descriptor, 1 << 16)
            except BlockingIOError:
                return found
            while data:
                number, _, _, length = struct.unpack_from("iIII", data)
                name = data[16 : 16 + length].rstrip(b"\0").decode()
                found.append(str(self._names[number] / name))
                data = data[16 + length :]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "work" / "project"
    for place in ("notes.txt", "data/a/b.txt", "settings.ini"):
        file = project / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("must stay as it is\n")
    (project / "meddling.py").write_text(MEDDLING)
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.ini").write_text("must stay as it is\n")
    return project


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is a service of Linux")
def test_the_watch_sees_what_happens(project: Path) -> None:
    watch = Watch(project)
    (project / "data" / "a" / "b.txt").write_text("changed")
    (project / "notes.txt").unlink()
    assert {Path(each).name for each in watch.told()} == {"b.txt", "notes.txt"}
    assert watch.told() == []


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is a service of Linux")
def test_nothing_but_folders_of_their_own_is_touched(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    environment = {**WITHOUT_PLUGINS, "HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    watch = Watch(tmp_path / "work", tmp_path / "home")
    command = [sys.executable, "-m", "everypath", "generate", "meddling.py", "--select", "branches", "-o", str(out)]
    made = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)
    assert _foreign(watch) == [], made.stdout
    [file] = out.glob("test_*.py")
    text = file.read_text()
    assert all(f"meddling import {name}" in text or f"{name}(" in text for name in ("tidy", "log", "settings"))
    for seed in ("1", "2", "3"):
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                f"--basetemp={tmp_path / 'base'}",
                str(file),
            ],
            cwd=project,
            env={**environment, "PYTHONHASHSEED": seed, "PYTHONPATH": str(project)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stdout
        assert _foreign(watch) == []


def _foreign(watch: Watch) -> list[str]:
    return [each for each in watch.told() if not any(part in each for part in (*TRANSIENT, ".everypath"))]

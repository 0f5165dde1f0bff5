"""What code does outside of itself: files, environment, processes, connections, input."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from everypath.generate.results import Run
from everypath.languages.python.writers.pytest_writer import render
from everypath.options import Limits, Options
from tests.observing.test_observed import passes, run_on

PATIENT = Options(limits=Limits(time=60), select="branches", seed=1)
FILES = """
import os
import pathlib
import tempfile

def load(name):
    if not os.path.exists(name):
        return []
    with open(name) as file:
        text = file.read()
    if text.startswith("#"):
        return ["comment"]
    return text.splitlines()

def save(name, text):
    with open(name, "w") as file:
        file.write(text)
    return os.path.abspath(name)

def home():
    return pathlib.Path.home() / ".config"

def kept(text):
    handle, name = tempfile.mkstemp(suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    return os.path.getsize(name)

def forget(name):
    os.remove(name)
    return name

def elsewhere():
    os.chdir("/")
    return os.listdir(".")
"""


def text_of(run: Run) -> str:
    [module] = run.modules.values()
    return render(module.suites, variants=module.ways)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, str]:
    folder = tmp_path_factory.mktemp("files")
    run = run_on(folder, FILES, PATIENT)
    return folder, run, text_of(run)


def test_every_branch_that_asks_for_files_is_reached(files: tuple[Path, Run, str]) -> None:
    folder, run, _ = files
    assert passes(folder, run) == ""
    lines = {step.line for case in run.cases for step in case.trace}
    assert {8, 12, 13, 18, 21, 27, 31} <= lines


def test_a_test_writes_the_files_that_its_call_reads(files: tuple[Path, Run, str]) -> None:
    _, _, text = files
    assert '.write_text("#' in text
    assert "monkeypatch.chdir(tmp_path)" in text


def test_what_was_written_is_asserted_and_what_was_removed(files: tuple[Path, Run, str]) -> None:
    _, _, text = files
    assert ".read_text() == " in text
    assert ".exists()" in text


def test_the_home_is_set_only_where_it_is_asked_for(files: tuple[Path, Run, str]) -> None:
    _, _, text = files
    assert text.count('monkeypatch.setenv("HOME", str(tmp_path))') == 1
    [home] = [part for part in text.split("\n\n\n") if "assert home()" in part]
    assert home.splitlines()[1:] == [
        '    monkeypatch.setenv("HOME", str(tmp_path))',
        "",
        '    assert home() == tmp_path / ".config"',
    ]


def test_temporary_files_are_made_in_the_folder_of_the_test(files: tuple[Path, Run, str]) -> None:
    assert 'monkeypatch.setattr("tempfile.tempdir", str(tmp_path))' in files[2]


def test_other_folders_are_out_of_reach(files: tuple[Path, Run, str]) -> None:
    folder, run, text = files
    [elsewhere] = [part for part in text.split("\n\n\n") if "elsewhere()" in part]
    assert 'monkeypatch.setattr("os.chdir", magic_mock)' in elsewhere
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".py") == [
        "subject_under_test.py",
        "test_generated.py",
    ]


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "program").mkdir()
    run = run_on(tmp_path / "program", FILES + "\n\ndef end(name):\n    os.mkdir(name)\n    os._exit(3)\n", PATIENT)
    assert run.cases
    assert list(temporary.iterdir()) == []


DESTROYED = """
import os
import shutil

def away(name):
    shutil.rmtree(os.path.abspath(name))
    return name

def taken(name):
    here = os.getcwd()
    os.rmdir(here)
    os.symlink("/", here)
    return name

def ask(name):
    if os.path.isdir(name):
        return 1
    if os.path.exists(name):
        return 2
    return 3
"""


def test_a_call_that_removes_its_own_folder_ends_no_other(tmp_path: Path) -> None:
    run = run_on(tmp_path, DESTROYED, PATIENT)
    assert passes(tmp_path, run) == ""
    asked = {step.line for case in run.cases if case.entry.qualified.endswith("ask") for step in case.trace}
    assert {17, 19, 20} <= asked
    assert not [problem for problem in run.problems if "end the process" in problem.message]


COLLABORATORS = """
import os
import socket
import subprocess
import sys
import time
import urllib.request
from subprocess import check_output

def run(command):
    done = subprocess.run([command])
    if done.returncode == 0:
        return "fine"
    return "failed"

def version(tool):
    try:
        return check_output([tool, "--version"])
    except FileNotFoundError:
        return None

def fetch(address):
    with urllib.request.urlopen(address) as answer:
        return answer.status == 200

def connect(host):
    connection = socket.socket()
    connection.connect((host, 80))
    return "connected"

def patiently(count):
    time.sleep(3600)
    return count + 1

def typed():
    return [line.strip() for line in sys.stdin]

def level():
    value = os.environ["LEVEL"]
    return "high" if os.path.basename(value) == "high" else "low"
"""


@pytest.fixture(scope="module")
def collaborators(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, str]:
    folder = tmp_path_factory.mktemp("collaborators")
    run = run_on(folder, COLLABORATORS, PATIENT)
    return folder, run, text_of(run)


def test_collaborators_outside_are_replaced_and_every_line_is_reached(collaborators: tuple[Path, Run, str]) -> None:
    folder, run, _ = collaborators
    assert passes(folder, run) == ""
    lines = {step.line for case in run.cases for step in case.trace}
    assert {13, 14, 18, 20, 24, 29, 33, 36, 40} <= lines


@pytest.mark.parametrize(
    "place",
    ["subprocess.run", "subject_under_test.check_output", "urllib.request.urlopen", "socket.socket", "sys.stdin"],
)
def test_the_name_that_the_module_looks_up_is_replaced(place: str, collaborators: tuple[Path, Run, str]) -> None:
    assert f'monkeypatch.setattr("{place}", ' in collaborators[2]


def test_the_environment_of_the_user_is_no_part_of_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVEL", "high")
    run = run_on(tmp_path, COLLABORATORS, PATIENT)
    assert 'setenv("LEVEL"' in text_of(run)
    assert os.environ["LEVEL"] == "high"


def test_an_import_may_use_temporary_files_and_sees_no_network(tmp_path: Path) -> None:
    source = """
import socket
import tempfile

with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/made.txt", "w") as file:
        file.write("text")
try:
    socket.socket(socket.AF_INET)
    CONNECTED = True
except OSError:
    CONNECTED = False

def double(n: int) -> int:
    if n > 3:
        return 2 * n
    return 0
"""
    run = run_on(tmp_path, source, PATIENT)
    assert len(run.cases) == 2


def test_a_module_that_keeps_files_at_home_is_imported_with_an_empty_home(tmp_path: Path) -> None:
    source = """
import os, socket

FOLDER = os.path.expanduser("~/.everypath-test-of-a-home")
os.mkdir(FOLDER)
ADDRESS = socket.getaddrinfo("127.0.0.1", 80)

def double(n: int) -> int:
    if n > 3:
        return 2 * n
    return 0
"""
    run = run_on(tmp_path, source, PATIENT)
    assert len(run.cases) == 2
    assert not (Path.home() / ".everypath-test-of-a-home").exists()

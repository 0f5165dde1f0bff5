"""`everypath race` around the search: targets, options, what is written, what is said and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from everypath.app.arguments import main
from everypath.cases.json_writer import schema
from everypath.cases.store import load
from everypath.languages.python.classes_under_test import find_targets
from everypath.languages.python.writers.race_writer import render_race
from everypath.records import replace

from ..race.fake_worker import fake_worker
from ..race.samples import COUNTER, LOST
from .command import no_process_left, written

FILES = {
    "counter.py": COUNTER + "\n\nclass Pair:\n    class Half:\n        pass\n\n\nclass _Hidden:\n    pass\n\n\n"
    "class Full(Exception):\n    pass\n\n\ndef make():\n    return Counter()\n",
    "broken.py": "class C:\n    def f(self) -> int:\n        return 1 +\n",
    "plain.txt": "text",
    "empty.py": "x = 1\n",
    "dynamic.py": "Point = make('Point')\n",
    "shop/__init__.py": "from .cart import Cart, Busy, _Line\nfrom . import cart\n",
    "shop/cart.py": "class Cart:\n    pass\n\n\nclass Busy(RuntimeError):\n    pass\n\n\nclass _Line:\n    pass\n",
    "lib/deep/__init__.py": "",
    "lib/deep/pool.py": "class Pool:\n    pass\n",
}
FOUND = """
if replaying:
    channel.replayed(Replayed(True))
else:
    channel.progress(RaceStats(sequences=2))
    channel.finding(findings[0])
    channel.done(RaceStats(sequences=5, enforced=7, pairs_covered=1, pairs_total=1))
"""
CLEAN = "channel.done(RaceStats(sequences=5, enforced=7, pairs_covered=1, pairs_total=1, complete=True))"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def race(*arguments: str) -> Result:
    with no_process_left():
        result = CliRunner().invoke(main, ["race", *arguments])
    assert "Traceback" not in result.output
    return result


def test_a_finding_becomes_a_test(folder: Path) -> None:
    with fake_worker(FOUND, [LOST], folder.parent) as worker:
        result = race("counter.py::Counter", "--time", "3")
    assert result.exit_code == 1, result.output
    assert written(folder) == {*FILES, "shop", "lib", "lib/deep", "test_counter_threads.py"}
    assert (folder / "test_counter_threads.py").read_text() == render_race([LOST])
    for text in ("1. Counter.add and Counter.add", "8: self.n += 1", "3 of 3 times", "wrote test_counter_threads.py"):
        assert text in result.stdout
    first, *confirming = worker.requests()
    assert (first["module"], first["cls"], first["root"]) == ("counter", "Counter", str(folder))
    assert first["seconds"] == pytest.approx(3, abs=0.5)
    assert (first["mode"], first["skip"]) == ("predict", [])
    assert str(folder) in first["path"]
    assert [request["$"] for request in confirming] == ["ReplayRequest"] * 3


def test_nothing_found_writes_nothing_and_says_so(folder: Path) -> None:
    with fake_worker(CLEAN, [], folder.parent):
        result = race("counter.py::Counter")
    assert result.exit_code == 0
    clean, end = result.stdout.splitlines()
    assert clean.startswith("counter.py::Counter: no violation found in 5 sequences, 7 interleavings, ")
    assert clean.endswith("covered 1 of 1 method pairs")
    assert end.startswith("no tests were written")
    assert not (folder / "test_counter_threads.py").exists()


def test_every_option_reaches_the_search(folder: Path) -> None:
    arguments = ["--setup", " Counter() ", "--arg", "key='a'", "--arg", "key = 2", "--method", "add", "--seed", "4"]
    with fake_worker(CLEAN, [], folder.parent) as worker:
        for mode in ("exhaustive", "random"):
            assert race("counter.py::Counter", *arguments, f"--{mode}", "--no-confirm").exit_code == 0
    for request, mode in zip(worker.requests(), ("exhaustive", "random"), strict=True):
        assert (request["setup"], request["methods"], request["seed"]) == ("Counter()", ["add"], 4)
        assert (request["args"], request["mode"]) == ([["key", "'a'"], ["key", "2"]], mode)


METRICS = """
class Plane:
    def __init__(self):
        self.scale = {"x": 3}

class Index:
    def __init__(self):
        self._points = {}

    def add_point(self, point, metric):
        self._points[point] = metric.scale["x"] * 2

    def count(self):
        return len(self._points)
"""


def test_what_a_message_advises_works(folder: Path) -> None:
    (folder / "metrics.py").write_text(METRICS)
    advice = "give values with --arg add_point.point=... --arg add_point.metric=..."
    result = race("metrics.py::Index", "--time", "5")
    assert advice in result.output and "never called: add_point" in result.output
    result = race("metrics.py::Index", "--time", "5", "--arg", "add_point.metric=Plane()")
    assert advice not in result.output and "exercised: 2 of 2 methods" in result.output
    for name, reason in (("ad_point.metric", "no method 'ad_point'"), ("count.metric", "no parameter has this name")):
        refused = race("metrics.py::Index", "--arg", f"{name}=Plane()")
        assert refused.exit_code == 2 and reason in refused.output


def test_other_classes_keep_their_tests(folder: Path) -> None:
    def found(cls: str) -> str:
        finding = replace(LOST, test=replace(LOST.test, cls=cls), title=f"{cls}.add: an update of n is lost")
        with fake_worker(FOUND, [finding], folder.parent):
            assert race(f"counter.py::{cls}", "--no-confirm", "-o", "both.py").exit_code == 1
        return (folder / "both.py").read_text()

    first = found("Counter")
    test = first[first.index("def test_") : first.index("# Checksums")].rstrip()
    both = found("Pair")
    assert test in both and '"counter::Pair"' in both
    assert both.count("def test_") == 2
    # A class that is searched again has its tests replaced, not doubled.
    assert found("Pair").count("def test_") == 2


def test_settings_come_from_the_configuration(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        "[tool.everypath]\ntime = 5\nexhaustive = true\nno-confirm = true\narg = ['key=1']\nloops = 2\n"
    )
    with fake_worker(FOUND, [LOST], folder.parent) as worker:
        result = race("counter.py::Counter", "--seed", "3")
    (request,) = worker.requests()
    assert request["seconds"] == pytest.approx(5, abs=0.5)
    assert (request["mode"], request["seed"], request["args"]) == ("exhaustive", 3, {"key": "1"})
    assert "not confirmed" in result.stdout


def test_json_is_one_object_on_the_output(folder: Path) -> None:
    with fake_worker(FOUND, [LOST], folder.parent):
        result = race("counter.py::Counter", "--format", "json")
        assert race("counter.py::Counter", "--format", "json", "-o", "out.json").exit_code == 1
    document = json.loads(result.stdout)
    jsonschema.validate(document, schema())
    assert document["target"] == "counter.py::Counter"
    assert document["options"]["time"] == 30.0
    assert document["findings"][0]["replays"] == 3
    assert "1 finding" in result.stderr
    again = json.loads((folder / "out.json").read_text())
    assert again["findings"] == document["findings"]
    assert not (folder / "test_counter_threads.py").exists()


def test_stored_faults_are_replayed(folder: Path) -> None:
    with fake_worker(FOUND.replace("Replayed(True)", "Replayed(True, 'state')"), [LOST], folder.parent) as worker:
        assert race("counter.py::Counter").exit_code == 1
        result = CliRunner().invoke(main, ["replay", "counter.py::Counter"])
        assert (result.exit_code, len(worker.requests())) == (0, 5)
    assert [path.name for path in (folder / ".everypath").glob("*.json")] == ["counter.py--Counter.threads.json"]
    assert result.stdout.splitlines() == [f"ok   state_1: {LOST.title}", "1 of 1 cases replayed as recorded"]
    assert load(folder / ".everypath/counter.py--Counter.threads.json").cases[0].schedule == LOST.test.schedule
    for answer, said in [("False", "the fault no longer shows"), ("True, 'deadlock'", "now another fault: deadlock")]:
        with fake_worker(FOUND.replace("True", answer), [LOST], folder.parent):
            result = CliRunner().invoke(main, ["replay", "counter.py--Counter.threads.json::state_1"])
        assert result.exit_code == 1
        assert f"FAIL state_1: {said}\n0 of 1 cases" in result.stdout
        assert "run `everypath race counter.py::Counter` again" in result.stderr


def test_where_tests_go(folder: Path) -> None:
    with fake_worker(FOUND, [LOST], folder.parent):
        assert "wrote tests/test_counter_threads.py" in race("counter.py::Counter", "-o", "tests/").stdout
        assert "wrote checks/threads.py" in race("counter.py::Counter", "-o", "checks/threads.py").stdout
    for name in ("tests/test_counter_threads.py", "checks/threads.py"):
        assert '        path="..",\n' in (folder / name).read_text()


def test_a_finding_that_does_not_fail_again_is_not_reported(folder: Path) -> None:
    with fake_worker(FOUND.replace("Replayed(True)", "Replayed(False)"), [LOST], folder.parent):
        result = race("counter.py::Counter")
    assert result.exit_code == 2
    assert "defect: not reported as a finding: Counter.add" in result.stdout
    assert "no violation found" in result.stdout
    assert not (folder / "test_counter_threads.py").exists()


def test_places_are_named_relative_to_the_working_folder(folder: Path) -> None:
    file = str(folder / "counter.py")
    turns = tuple(replace(turn, file=file if turn.line else "") for turn in LOST.timeline)
    with fake_worker(FOUND, [replace(LOST, location=f"{file}:8", timeline=turns)], folder.parent):
        result = race("counter.py::Counter", "--format", "json")
    assert str(folder) not in result.output
    assert "8: self.n += 1" in result.stderr


def test_one_class_that_cannot_be_tested_does_not_keep_the_others_from_it(folder: Path) -> None:
    script = """
if request.cls == "Pair":
    channel.failed("the constructor needs 'x'", BAD_INPUT, "counter.py", 11)
else:
    channel.done(RaceStats(sequences=1))
"""
    with fake_worker(script, [], folder.parent):
        result = race("counter.py")
        alone = race("counter.py::Pair")
        both = race("counter.py::Pair", "counter.py::Counter")
    assert (result.exit_code, both.exit_code) == (0, 2)
    assert "counter.py::Counter: no violation found" in result.stdout
    assert "counter.py:11: cannot be tested: Pair: the constructor needs 'x'" in result.stderr
    assert alone.exit_code == 2
    assert alone.stderr == "error: counter.py:11: the constructor needs 'x'\n"


def test_a_search_without_any_call_is_not_called_clean(folder: Path) -> None:
    with fake_worker("channel.done(RaceStats())", [], folder.parent):
        result = race("counter.py::Counter")
    assert result.exit_code == 3
    assert "nothing is known" in result.stdout


def test_an_interrupt_keeps_the_findings(folder: Path) -> None:
    script = FOUND.replace("    channel.done", "    os.kill(os.getppid(), 2)\n    time.sleep(60)\n    channel.done")
    with fake_worker(script, [LOST], folder.parent):
        result = race("counter.py::Counter")
    assert result.exit_code == 130
    assert "interrupted; confirming the 1 findings so far" in result.stderr
    assert (folder / "test_counter_threads.py").read_text() == render_race([LOST])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["counter.py::Conter"], ["counter.py: there is no class 'Conter'", "did you mean Counter?"]),
        (["counter.py::X"], ["there is no class 'X'", "it defines Counter, Pair, Pair.Half"]),
        (["counter.py::make"], ["make is a function", "needs a class"]),
        (["counter.py::Counter.add"], ["add is a method", "counter.py::Counter --method add"]),
        (["empty.py"], ["empty.py: defines no public class"]),
        (["empty.py::C"], ["it defines no classes"]),
        (["broken.py::C"], ["broken.py:3:", "invalid syntax"]),
        (["conter.py::C"], ["conter.py: no such file; did you mean counter.py?"]),
        (["plain.txt::C"], ["not a Python source file"]),
        (["lib/"], ["lib/", "is a directory"]),
        (["no_module::C"], ["no module named 'no_module'"]),
        (["_thread::lock"], ["built into the interpreter"]),
        (["counter.py::Counter", "--setup", "Counter("], ["'Counter(' is no expression"]),
        (["counter.py", "--setup", "Counter()"], ["an object of one class", "Counter, Pair"]),
        (["counter.py::Counter", "--arg", "key"], ["'key' is not NAME=EXPR"]),
        (["counter.py::Counter", "--time", "0"], ["--time"]),
        (["counter.py::Counter", "--random", "--exhaustive"], ["exclude each other"]),
        (["counter.py::Counter", "-o", "counter.py"], ["is the code under test"]),
        (["counter.py::Counter", "-o", "plain.txt/x.py"], ["plain.txt is a file"]),
        (["counter.py::Counter", "--format", "json", "-o", "shop"], ["is a folder, but JSON is one file"]),
        (["counter.py::Counter", "shop.cart::Cart", "-o", "x.py"], ["tests of counter and of shop.cart"]),
        ([], ["TARGET"]),
    ],
)  # fmt: skip
def test_bad_input_says_what_to_do(folder: Path, arguments: list[str], expected: list[str]) -> None:
    result = race(*arguments)
    assert result.exit_code == 2
    for text in expected:
        assert text in result.output
    assert written(folder) == {*FILES, "shop", "lib", "lib/deep"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("counter.py", [("counter", "Counter"), ("counter", "Pair")]),
        ("counter", [("counter", "Counter"), ("counter", "Pair")]),
        ("counter.py::Pair.Half", [("counter", "Pair.Half")]),
        ("counter::_Hidden", [("counter", "_Hidden")]),
        ("dynamic.py::Point", [("dynamic", "Point")]),
        ("shop", [("shop", "Cart")]),
        ("shop/__init__.py::Cart", [("shop", "Cart")]),
        ("lib/deep/pool.py", [("deep.pool", "Pool")]),
        ("queue::Queue", [("queue", "Queue")]),
        ("collections::OrderedDict", [("collections", "OrderedDict")]),
    ],
)
def test_targets(folder: Path, target: str, expected: list[tuple[str, str]]) -> None:
    found = find_targets([target, target])
    assert [(each.module, each.cls) for each in found] == expected
    if target.startswith("lib"):
        assert found[0].root == folder / "lib"

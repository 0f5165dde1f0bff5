"""The parent of a search: it keeps what it was told, goes on after hangs and crashes, and confirms what was found."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceStats, ThreadTest
from everypath.errors import BadInput, Internal
from everypath.race import protocol, replay
from everypath.race.protocol import RaceRequest, ReplayRequest
from everypath.race.session import Patience, confirm, run_race, start_text
from everypath.records import replace
from everypath.workers.process import Process, interpreter

from ..cli.command import no_process_left
from .fake_worker import fake_worker
from .samples import EVICTED, INCREMENT, LOST

REQUEST = RaceRequest("counter", "Counter", seconds=20.0)
QUICK = Patience(silence=0.5, essential=1.0)
DONE = "channel.done(RaceStats(sequences=4, enforced=9, complete=True))\n"


def test_requests_and_results_survive_the_journey() -> None:
    request = RaceRequest(
        "m", "C", "/r", ("/p",), "C(1)", ("a", "b"), (("x", "1"),), (("f", "x", "[2]"),), "random", 1.5, 3, ("s",)
    )
    assert protocol.parse_request(protocol.request_text(request)) == request
    again = ReplayRequest(EVICTED.test, None, ("/p",))
    assert protocol.parse_request(protocol.request_text(again)) == again
    for finding in (LOST, EVICTED):
        assert protocol.record_from(RaceFinding, protocol.as_object(finding)) == finding


def test_a_worker_runs_the_package_that_started_it(tmp_path: Path) -> None:
    """Whatever version of it is installed in the interpreter."""
    package = tmp_path / "everypath" / "race"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").write_text("")
    (package / "worker.py").write_text("def main():\n    print(__file__, flush=True)\n")
    process = Process(interpreter(start_text(str(tmp_path)), 0))
    try:
        assert process.receive(60) == os.fsencode(package / "worker.py")
    finally:
        process.close()


def test_everything_that_was_told_is_in_the_report(tmp_path: Path) -> None:
    script = """
print("what the program prints is not a message")
os.write(1, b"neither is this\\n")
channel.doing("importing counter", essential=True)
channel.progress(RaceStats(sequences=1))
channel.finding(findings[0], "n")
channel.finding(findings[1], "data")
channel.finding(findings[0], "n")
channel.problem(Problem("unsupported", "counter.py", 3, "yield"))
channel.note(Problem("note", "counter.py", 4, "a counter"))
channel.tests([{"first": ["a"]}])
"""
    heard: list[str] = []
    with no_process_left(), fake_worker(script + DONE, [LOST, EVICTED], tmp_path):
        report = run_race(REQUEST, lambda message: heard.append(message["type"]))
    assert report.findings == [EVICTED, LOST]
    assert report.problems == [Problem("unsupported", "counter.py", 3, "yield")]
    assert report.notes == [Problem("note", "counter.py", 4, "a counter")]
    assert report.tests == [{"first": ["a"]}]
    assert (report.stats.sequences, report.stats.enforced, report.stats.complete) == (4, 9, True)
    assert 0 < report.stats.seconds < 5
    assert heard == ["doing", "progress", *["finding"] * 3, "problem", "note", "tests", "done"]


@pytest.mark.parametrize(
    ("end", "told"),
    [("time.sleep(60)", "hangs"), ("os.abort()", "SIGABRT"), ("os._exit(7)", "code 7")],
    ids=["hang", "crash", "exit"],
)
def test_what_ends_a_worker_is_left_out_by_the_next_one(tmp_path: Path, end: str, told: str) -> None:
    script = f"""
channel.progress(RaceStats(sequences=3))
channel.finding(findings[0])
channel.doing("running sut.first()")
if "running sut.wait()" not in request.skip:
    channel.doing("running sut.wait()", file="counter.py", line=7)
    {end}
"""
    with no_process_left(), fake_worker(script + DONE, [LOST], tmp_path) as worker:
        report = run_race(REQUEST, patience=QUICK)
    first, second = worker.requests()
    assert (first["skip"], second["skip"]) == ([], ["running sut.wait()"])
    assert second["seconds"] < first["seconds"] <= 20
    assert report.findings == [LOST]
    assert report.stats.complete
    (problem,) = report.problems
    assert (problem.file, problem.line) == ("counter.py", 7)
    assert "running sut.wait()" in problem.message and told in problem.message


def test_a_step_that_cannot_be_left_out_ends_the_search(tmp_path: Path) -> None:
    script = 'channel.progress(RaceStats())\nchannel.doing("running sut.wait()")\ntime.sleep(60)\n'
    with no_process_left(), fake_worker(script, [], tmp_path) as worker:
        report = run_race(REQUEST, patience=QUICK)
    assert len(worker.requests()) == 2
    assert "given up" in report.problems[-1].message
    assert not report.stats.complete


def test_workers_are_not_started_for_ever(tmp_path: Path) -> None:
    script = 'channel.progress(RaceStats())\nchannel.doing(f"step {attempt}")\nos._exit(1)\n'
    with fake_worker(script, [], tmp_path) as worker:
        report = run_race(REQUEST, patience=replace(QUICK, restarts=2))
    assert len(worker.requests()) == 3
    assert "given up after 2 new starts" in report.problems[-1].message


KILLED = "os.kill(os.getpid(), 9)"


@pytest.mark.parametrize("when", ["importing", "searching"])
def test_a_worker_that_is_killed_from_outside_is_replaced(tmp_path: Path, when: str) -> None:
    begin = "channel.progress(RaceStats(sequences=3))" if when == "searching" else ""
    script = f"""
channel.doing("importing counter", essential=True)
{begin}
channel.doing("running sut.first()")
if attempt <= 3:
    {KILLED}
channel.finding(findings[0])
"""
    with no_process_left(), fake_worker(script + DONE, [LOST], tmp_path) as worker:
        report = run_race(REQUEST, patience=QUICK)
    assert [request["skip"] for request in worker.requests()] == [[]] * 4
    assert report.findings == [LOST] and report.problems == [] and report.stats.complete


def test_a_worker_that_is_killed_again_and_again_is_given_up(tmp_path: Path) -> None:
    script = f'channel.progress(RaceStats())\nchannel.doing("running sut.first()")\n{KILLED}\n'
    with no_process_left(), fake_worker(script, [], tmp_path) as worker:
        report = run_race(REQUEST, patience=QUICK)
    assert len(worker.requests()) == 5
    assert "was ended by SIGKILL while running sut.first()" in report.problems[0].message


def test_a_confirmation_that_is_killed_is_made_again(tmp_path: Path) -> None:
    script = f"if attempt <= 2:\n    {KILLED}\nchannel.replayed(Replayed(True))\n"
    with no_process_left(), fake_worker(script, [], tmp_path) as worker:
        assert confirm(LOST, 3) == replace(LOST, replays=3)
    assert len(worker.requests()) == 5


def test_a_worker_that_does_not_stop_in_time_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everypath.race.session._GRACE", 0.3)
    script = (
        'channel.doing("searching")\nwhile True:\n    channel.progress(RaceStats(sequences=2))\n    time.sleep(0.05)\n'
    )
    with no_process_left(), fake_worker(script, [], tmp_path):
        report = run_race(replace(REQUEST, seconds=1.0))
    assert report.stats.sequences == 2
    assert 1 < report.stats.seconds < 3


@pytest.mark.parametrize(
    ("script", "error", "text"),
    [
        ('channel.failed("no class C", BAD_INPUT, "m.py", 3)', BadInput, "m.py:3: no class C"),
        ('channel.failed("KeyError: 1")', Internal, "KeyError: 1"),
        ('channel.doing("importing m", essential=True)\nos._exit(3)', BadInput, "ended with code 3 while importing m"),
        ('channel.doing("importing m", essential=True)\ntime.sleep(60)', BadInput, "importing m takes longer than 1 s"),
        ("raise RuntimeError('in the beginning')", BadInput, "RuntimeError: in the beginning"),
    ],
)
def test_a_search_that_cannot_begin_says_why(tmp_path: Path, script: str, error: type[Exception], text: str) -> None:
    with no_process_left(), fake_worker(script, [], tmp_path), pytest.raises(error) as raised:
        run_race(REQUEST, patience=QUICK)
    assert text in str(raised.value)


def test_a_failure_after_findings_keeps_them(tmp_path: Path) -> None:
    script = 'channel.finding(findings[0])\nchannel.failed("out of ideas")\n'
    with fake_worker(script, [LOST], tmp_path):
        report = run_race(REQUEST)
    assert report.findings == [LOST]
    assert report.problems == [Problem("defect", "", 0, "out of ideas")]


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    script = "channel.progress(RaceStats(sequences=3))\nchannel.finding(findings[0])\ntime.sleep(60)\n"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with no_process_left(), fake_worker(script, [LOST], tmp_path):
        report = run_race(REQUEST, lambda m: timer.start() if m["type"] == "finding" else None)
    assert report.interrupted
    assert report.findings == [LOST] and report.stats.sequences == 3


def test_a_finding_that_fails_every_time_is_confirmed(tmp_path: Path) -> None:
    with no_process_left(), fake_worker("channel.replayed(Replayed(True))", [], tmp_path) as worker:
        confirmed = confirm(LOST, 3, "/somewhere", ["/else"])
    assert confirmed == replace(LOST, replays=3)
    requests = worker.requests()
    assert len(requests) == 3
    asked = protocol.parse_request(json.dumps(requests[0]))
    assert asked == ReplayRequest(INCREMENT, "/somewhere", ("/else",))


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("channel.replayed(Replayed(attempt < 3))", "did not fail"),
        ('channel.failed("cannot be made", BAD_INPUT)', "cannot be made"),
        ("os._exit(5)", "code 5"),
    ],
)
def test_a_finding_that_does_not_is_a_defect_of_ours(tmp_path: Path, script: str, text: str) -> None:
    with no_process_left(), fake_worker(script, [], tmp_path):
        problem = confirm(LOST, 4)
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.file, problem.line) == ("defect", "counter.py", 8)
    assert LOST.title in problem.message and text in problem.message


def test_replaying_a_fault_says_what_happened(tmp_path: Path) -> None:
    script = """
channel.replayed(Replayed(True, "state", findings[0].observed, findings[0].serial, findings[0].timeline))
"""
    with no_process_left(), fake_worker(script, [LOST], tmp_path) as worker, pytest.raises(AssertionError) as raised:
        replay(
            "counter::Counter",
            setup="Counter()",
            threads=(["sut.add()"], ["sut.add()"]),
            schedule=["A until Counter.add: write self.n", "B", "A"],
            path="../somewhere",
        )
    text = str(raised.value)
    for part in ("then: Counter(n=1)", "in either order:", "then: Counter(n=2)", "thread A", "-> call sut.add()"):
        assert part in text
    (request,) = worker.requests()
    assert request["root"] == os.path.normpath(Path(__file__).parent / "../somewhere")
    assert protocol.record_from(ThreadTest, request["test"]) == INCREMENT


def test_replaying_what_is_fixed_is_silent(tmp_path: Path) -> None:
    with fake_worker("channel.replayed(Replayed(False))", [], tmp_path):
        replay("counter::Counter", setup="Counter()", threads=([], []), schedule=[])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"target": "counter"}, "module::Class"),
        ({"schedule": ["C"]}, "'C' is no leg of a schedule"),
        ({"schedule": "A"}, "list of texts"),
        ({"threads": (["sut.add()"],)}, "two lists of calls"),
        ({"threads": ("sut.add()", "sut.add()")}, "two lists of calls"),
    ],
)
def test_a_test_that_was_edited_badly_says_so(changes: dict[str, object], text: str) -> None:
    arguments = {"target": "m::C", "setup": "C()", "threads": ([], []), "schedule": ["A"], **changes}
    with pytest.raises(BadInput, match=text):
        replay(arguments.pop("target"), **arguments)  # type: ignore[arg-type]


def test_importing_what_tests_need_is_cheap() -> None:
    import subprocess
    import sys

    started = time.monotonic()
    code = "import sys; from everypath.race import replay; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "z3" not in loaded and "everypath.explore" not in loaded and "subprocess" not in loaded
    assert time.monotonic() - started < 5


def test_counts_of_several_workers_are_the_most_that_one_reached(tmp_path: Path) -> None:
    script = """
channel.progress(RaceStats(sequences=9 if attempt == 1 else 2, enforced=attempt))
if attempt == 1:
    channel.doing("step")
    os._exit(1)
channel.done(RaceStats(sequences=2, enforced=5, complete=True))
"""
    with fake_worker(script, [], tmp_path):
        stats = run_race(REQUEST).stats
    assert isinstance(stats, RaceStats)
    assert (stats.sequences, stats.enforced) == (9, 5)

"""`everypath generate FILE.abs::main`: each distinct outcome of a closed program once, and what is told about it."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import jsonschema
import pytest

from everypath.cases.json_writer import schema

from .actor_programs import COUNTER, EXAMPLES, MAIN, command, generated
from .command import checked, no_process_left, start


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "cases", "kinds"),
    [
        ("fact", 2, ["order-dependent"]),
        ("dining_philosophers", 2, ["deadlock", "order-dependent"]),
        ("dining_philosophers_fixed", 1, []),
        ("quicksort", 1, []),
        ("mail", 3, ["order-dependent"]),
        ("prod", 6, ["order-dependent"]),
    ],
)
def test_the_outcomes_of_the_examples(folder: Path, name: str, cases: int, kinds: list[str]) -> None:
    found = generated(f"{EXAMPLES / name}.abs::main")
    jsonschema.validate(found, schema())
    assert len(found["cases"]) == cases
    assert [finding["kind"] for finding in found["findings"]] == kinds
    assert all(case["validated"] for case in found["cases"])
    assert found["stats"]["complete"] and found["stats"]["blocked"] == 0


@pytest.mark.parametrize("order", ["all", "stable", "independent", "optimal"])
@pytest.mark.parametrize("name", ["fact", "hash_table", "mail", "queued", "reader_writer"])
def test_every_order_finds_every_outcome(folder: Path, order: str, name: str) -> None:
    found = generated(f"{EXAMPLES / name}.abs::main", "--order", order)
    wanted = generated(f"{EXAMPLES / name}.abs::main", "--order", "all")
    assert found["stats"]["complete"]
    assert outputs(found) == outputs(wanted)


def outputs(found: dict[str, object]) -> set[str]:
    cases: list[dict[str, dict[str, object]]] = found["cases"]  # type: ignore[assignment]
    return {json.dumps([case["expected"]["output"], case["expected"]["actors"]], sort_keys=True) for case in cases}


def test_what_is_printed_for_an_order_dependent_result(folder: Path) -> None:
    (folder / "count.abs").write_text(COUNTER + MAIN)
    result = command("generate", "count.abs::main")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        """\
count.abs::main: 1 finding

1. order-dependent result: Counter#1.total is 8 or 5
    count.abs:11: order-dependent, cases Counting::main#1 and Counting::main#2

    Counting::main#1     | Counting::main#2
    -------------------- | --------------------
    1  main              | 1  main
    2* Counter#1.add     | 2* Counter#1.double
    3  Counter#1.double  | 3  Counter#1.add
    -------------------- | --------------------
    Counter#1.total is 8 | Counter#1.total is 5

count.abs::main: cases 2, findings 1, executions 2, states 5, cut 0, unsupported 0, unknown 0, seconds """
    )


def test_what_is_printed_for_a_deadlock(folder: Path) -> None:
    (folder / "stuck.abs").write_text(
        "module Stuck;\n"
        "interface A { Unit meet(A other); Unit done(); }\n"
        "class A implements A {\n"
        "    Unit meet(A other) {\n"
        "        Fut<Unit> f = other!done();\n"
        "        f.get;\n"
        "    }\n"
        "    Unit done() { skip; }\n"
        "}\n"
        "{ A a = new A(); A b = new A(); a!meet(b); b!meet(a); }\n"
    )
    result = command("generate", "stuck.abs::main")
    assert result.exit_code == 1
    assert "1. deadlock: wait cycle A#1.done -> A#1.meet -> A#2.done -> A#2.meet -> A#1.done\n" in result.stdout
    assert "    stuck.abs:6: A#1.meet waits for the result of A#2.done\n" in result.stdout
    assert "    schedule: main, A#1.meet, A#2.meet\n" in result.stdout
    [finding, _] = generated("stuck.abs::main")["findings"]
    assert sorted(finding["cycle"]) == ["A#1.done", "A#1.meet", "A#2.done", "A#2.meet"]


@pytest.mark.parametrize(
    ("body", "kind", "line", "message"),
    [
        ("Int x = 0; Rat y = 1 / x;", "runtime-error", 2, "uncaught DivisionByZeroException in main"),
        ("assert 1 == 2;", "assertion", 2, "assertion fails in main"),
        ('throw Odd("x");', "runtime-error", 2, 'uncaught Odd("x") in main'),
    ],
)
def test_errors_that_nobody_handles(folder: Path, body: str, kind: str, line: int, message: str) -> None:
    (folder / "p.abs").write_text(f"module M; exception Odd(String why);\n{{ {body} }}\n")
    found = generated("p.abs::main")
    assert [(f["kind"], f["line"], f["message"]) for f in found["findings"]] == [(kind, line, message)]


def test_policies_fix_the_order_of_a_queue(folder: Path) -> None:
    (folder / "count.abs").write_text(COUNTER + MAIN)
    found = generated("count.abs::main", "--policy", "Counter=fifo")
    assert [case["expected"]["actors"] for case in found["cases"]] and len(found["cases"]) == 1
    assert found["options"]["actors"]["policies"] == [["Counter", "fifo"]]
    result = command("generate", "count.abs::main", "--policy", "Countr=fifo")
    assert result.exit_code == 2 and "there is no class `Countr`" in result.stderr


def test_an_endless_program_is_cut_by_time_and_by_length(folder: Path) -> None:
    (folder / "p.abs").write_text(
        "module M;\ninterface P { Unit ping(Int n); }\n"
        "class P implements P { Int seen = 0; Unit ping(Int n) { this.seen = n; this!ping(n + 1); } }\n"
        "{ P p = new P(); p!ping(0); }\n"
    )
    timed = generated("p.abs::main", "--time", "0.3")
    assert timed["stats"]["cut"]["time"] == 1 and not timed["stats"]["complete"]
    result = command("generate", "p.abs::main", "--depth", "20")
    assert "cut 1 (1 depth)" in result.stdout
    assert result.exit_code == 3


def test_an_endless_loop_is_cut_with_its_line(folder: Path) -> None:
    (folder / "p.abs").write_text("module M;\n{ Int x = 0;\n while (True) { x = x + 1; } }\n")
    result = command("generate", "p.abs::main")
    assert result.exit_code == 3
    assert "p.abs:3: cut: a task ran" in result.stdout
    assert "cut 1 (1 loop)" in result.stdout


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ("while (True) { suspend; }", "endless: main: no execution ends: each comes back to a state that it was in"),
        ("Int n = 0; while (True) { n = n + 1; suspend; }", "cut: main: no execution ends within the bounds"),
    ],
)
def test_a_program_that_never_ends_is_told(folder: Path, statements: str, words: str) -> None:
    (folder / "p.abs").write_text(f"module M;\n{{ {statements} }}")
    result = command("generate", "p.abs::main", "--time", "2")
    assert result.exit_code == 3
    assert f"p.abs:2: {words}" in result.stdout


def test_a_task_has_the_same_name_in_all_findings(folder: Path) -> None:
    text = (EXAMPLES / "dining_philosophers.abs").read_text()
    (folder / "dining.abs").write_text(text)
    found = generated("dining.abs::main")
    full: dict[str, str] = {}
    for case in found["cases"]:
        for name, short in case["names"].items():
            assert full.setdefault(name, short) == short
    assert len(set(full.values())) == len(full)
    [deadlock, dependence] = found["findings"]
    names = {case["id"]: case for case in found["cases"]}
    for shown in (*deadlock["schedules"], *dependence["schedules"]):
        assert shown["steps"] == [full[turn["task"]] for turn in names[shown["case"]]["schedule"]]
    assert set(deadlock["cycle"]) <= set(full.values())


def test_many_executions_are_explored_by_their_states(folder: Path) -> None:
    calls = " ".join(f"c!add({n});" for n in range(8))
    (folder / "many.abs").write_text(COUNTER + "{ Counter c = new Counter(); " + calls + " }")
    found = generated("many.abs::main", "--time", "20")
    assert len(found["cases"]) == 1 and found["stats"]["complete"]
    assert found["stats"]["duplicates"] > 0


def test_random_numbers_are_part_of_the_case(folder: Path) -> None:
    (folder / "dice.abs").write_text("module M; { Int x = random(1000); println(toString(x)); }")
    seen = set()
    for seed in ("1", "2"):
        [case] = generated("dice.abs::main", "--seed", seed)["cases"]
        [[drawn]] = case["inputs"]["draws"].values()
        assert case["expected"]["output"] == f"{drawn}\n" and case["validated"]
        seen.add(drawn)
        assert command("replay", "dice.abs::main").exit_code == 0
    assert len(seen) == 2


def test_an_interrupt_keeps_what_was_found(folder: Path) -> None:
    calls = " ".join(f"Counter c{n} = new Counter(); c{n}!add({n}); c{n}!double();" for n in range(9))
    (folder / "long.abs").write_text(COUNTER + "{ " + calls + " }")
    with no_process_left():
        process = start(folder, "generate", "long.abs::main", "--order", "all", "--format", "json")
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    result = checked(process.returncode, out, err)
    assert result.code == 130
    found = json.loads(result.out)
    assert found["cases"] and all(case["validated"] for case in found["cases"])
    assert not found["stats"]["complete"]
    assert f"interrupted; kept the {len(found['cases'])} cases found so far" in result.err


def test_replay_follows_schedules_and_tells_what_changed(folder: Path) -> None:
    (folder / "count.abs").write_text(COUNTER + MAIN)
    command("generate", "count.abs::main", "--format", "json", "-o", "suite.json")
    for name in ("suite.json", "count.abs::main", "count.abs--main.json"):
        result = command("replay", name)
        assert (result.exit_code, result.stdout) == (0, "ok   main_1\nok   main_2\n2 of 2 cases replayed as recorded\n")
    single = command("replay", "suite.json::main_2")
    assert "   2  Counter#1.double: returns Unit\n" in single.stdout
    assert single.stdout.endswith("1 of 1 cases replayed as recorded\n")
    assert command("replay", "suite.json::Counting::main#2").exit_code == 0
    unknown = command("replay", "suite.json::main_9")
    assert unknown.exit_code == 2 and "it has main_1, main_2" in unknown.stderr
    (folder / "count.abs").write_text((COUNTER + MAIN).replace("* 2", "* 3"))
    changed = command("replay", "suite.json")
    assert changed.exit_code == 1
    assert "FAIL main_1\n    differs: Counter#1.total is 12 instead of 8\n" in changed.stdout
    (folder / "count.abs").write_text("module Counting; {")
    assert command("replay", "suite.json").exit_code == 1

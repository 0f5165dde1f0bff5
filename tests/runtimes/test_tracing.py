"""What the interpreter is seen to execute is what the symbolic machine has executed on the same path."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pytest

import everypath
from everypath.cases.actors import ActorCase, ActorInputs
from everypath.languages.abs.covering import Ways
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.replay import machine_of, state_for, steps
from everypath.languages.abs.runtime.tracing import Lines, Steps, Tracing
from everypath.languages.abs.targets import load
from tests.conftest import ROOT

EXAMPLES = sorted((ROOT / "examples" / "actors").glob("*.abs"))
MANY = 40


def followed(program: Program, case: ActorCase) -> Lines:
    """The lines of a run along the schedule of a case."""
    machine, lines = machine_of(program), Lines()
    state, _ = state_for(machine, case.inputs)
    for _ in steps(machine, state, (turn.task for turn in case.schedule), Tracing(machine, lines)):
        pass
    return lines


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_lines_and_branches_are_those_of_the_path(example: Path) -> None:
    for record in everypath.generate(str(example), time=2).records:
        target = load(record.target).target(record.target.partition("::")[2])
        ways = Ways(target.program)
        for case in cast("list[ActorCase]", record.cases[:MANY]):
            lines = followed(target.program, case)
            assert {(step.file, step.line) for step in case.trace} <= {*lines.places}, case.id
            if not case.expected.failures:
                # What fails on the line of a branch has taken it, and does not come to where it leads.
                assert {*case.covers} <= {*ways.taken(lines)}, case.id


SOURCE = """module Calls;

def Int twice(Int n) = n * 2;

interface A { Int both(Int n); Int own(Int n); }

class A implements A {
    Int last = 0;

    Int both(Int n) {
        Int first = this.own(n);
        Fut<Int> later = this!own(n + 1);
        await later?;
        Int second = later.get;
        return first + second;
    }

    Int own(Int n) {
        Int made = twice(n);
        this.last = made;
        return made;
    }
}

{
    A a = new A();
    Int found = await a!both(3);
    println(toString(found));
}
"""


def test_calls_that_rest_keep_their_number_and_tell_their_variables(tmp_path: Path) -> None:
    (tmp_path / "calls.abs").write_text(SOURCE)
    [target] = load(str(tmp_path / "calls.abs::main")).targets.values()
    machine = machine_of(target.program)
    state, _ = state_for(machine, ActorInputs())
    watched, told = Steps(machine, state), []
    tracing = Tracing(machine, watched)
    while (move := next(machine.moves(state), None)) is not None:
        for _ in steps(machine, state, [str(move)], tracing):
            told += watched.taken()
    begun = {step["at"]: step["function"] for step in told if "function" in step}
    assert sorted(begun.values()) == ["A.both", "A.own", "A.own", "main block", "new A", "twice", "twice"]
    [both] = [at for at, name in begun.items() if name == "A.both"]
    mine = [step for step in told if step["at"] == both]
    assert [step["line"] for step in mine] == [11, 12, 13, 14, 15, 15]
    known: dict[str, object] = {}
    for step in mine:
        known |= step.get("set", {})
    assert {name: value for name, value in known.items() if name in ("n", "first", "second")} == {
        "n": 3,
        "first": 6,
        "second": 8,
    }
    assert mine[-1]["returns"] == 14
    inner = next(step for step in told if step.get("function") == "twice")
    assert [begun[at] for at in inner["above"]] == ["A.both", "A.own"]
    assert "Tracing" not in repr(sys.gettrace())

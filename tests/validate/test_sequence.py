"""Tests that pass alone but disturb each other."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite
from everypath.generate.run import generate
from everypath.languages.python.runtime.cases import validate
from everypath.languages.python.runtime.sequence import settle
from everypath.languages.python.writers.pytest_writer import render
from everypath.options import FenceOptions, Options
from everypath.records import replace

from ..emit.samples import Pointer, all_cases, case, lit, obj, program, returned, suite
from ..emit.test_pytest_writer import WITHOUT_PLUGINS, assert_well_formed
from ..rendered import rendered

COUNTING = """\
import enum
import threading
import time

served = 0
seen = []
lock = threading.Lock()


class Colour(enum.Enum):
    RED = 1


class Ticket:
    following = 1
    colour = Colour.RED

    def __init__(self, name):
        self.name = name
        self.number = Ticket.following
        Ticket.following += 1


def serve(name):
    global served
    served += 1
    seen.append(name)
    return served + len(seen)


def letters(text):
    return "".join(set(text))


def nap(seconds):
    time.sleep(seconds)
"""


def cases() -> list[CallCase]:
    made = {"t": obj("Ticket", "counting", name=lit("a"), number=lit(1))}
    return [
        case("serve", "one", ("name", lit("a")), outcome=returned(2), module="counting"),
        case("serve", "two", ("name", lit("b")), outcome=returned(2), module="counting"),
        case(
            "Ticket.__init__",
            "one",
            ("name", lit("a")),
            kind="constructor",
            after=made,
            outcome=returned(Pointer("t")),
            module="counting",
        ),
        case(
            "Ticket.__init__",
            "two",
            ("name", lit("a")),
            kind="constructor",
            after=made,
            outcome=returned(Pointer("t")),
            module="counting",
        ),
    ]


def test_state_that_tests_change_is_restored_between_them(tmp_path: Path) -> None:
    program(tmp_path, "counting", COUNTING)
    whole = CallSuite("counting.py", {}, cases())
    variants = {c.id: n for c, verdict, n in validate(whole, root=tmp_path, options=FenceOptions()) if verdict.passed}
    assert len(variants) == len(whole.cases)
    settled = settle([whole], variants, root=tmp_path, options=FenceOptions())
    assert (settled.restore_state, settled.unstable) == (True, frozenset())
    text = render(whole, variants=variants, restore_state=True)
    assert_well_formed(text, tmp_path)
    file = tmp_path / "test_counting_generated.py"
    file.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=WITHOUT_PLUGINS)
    assert run.returncode == 0, run.stdout


def test_independent_tests_need_nothing(tmp_path: Path) -> None:
    program(tmp_path)
    past = {"Even.half/odd_value": 2, "Clamped.negative/value_negative": 2}
    settled = settle([suite(all_cases())], past, root=tmp_path, options=FenceOptions())
    assert (settled.restore_state, settled.unstable) == (False, frozenset())


def test_results_that_depend_on_the_order_of_a_set_are_unstable(tmp_path: Path) -> None:
    program(tmp_path, "counting", COUNTING)
    text = "abcdefghij"
    order = subprocess.run(
        [sys.executable, "-c", f"print(''.join(set({text!r})))"],
        env={"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    ).stdout.strip()
    flaky = case("letters", "x", ("text", lit(text)), outcome=returned(order), module="counting")
    whole = CallSuite("counting.py", {}, [flaky, *cases()[:1]])
    assert all(v.passed for _, v, _ in validate(whole, root=tmp_path, options=FenceOptions()))
    assert settle([whole], {}, root=tmp_path, options=FenceOptions()).unstable == {flaky.id}


def test_observed_cases_for_which_there_is_no_time_are_not_written(tmp_path: Path) -> None:
    program(tmp_path, "counting", COUNTING)
    observed = [replace(each, observed=True) for each in cases()]
    whole = CallSuite("counting.py", {}, [*observed[:3], *cases()[3:]])
    over = settle([whole], {}, root=tmp_path, options=FenceOptions(), until=time.monotonic() - 1)
    assert over.untried == {each.id for each in observed[:3]}
    enough = settle([whole], {}, root=tmp_path, options=FenceOptions(), until=time.monotonic() + 60)
    assert (enough.restore_state, enough.untried) == (True, frozenset())


def test_a_rehearsal_that_is_late_tells_whose_turn_did_not_come(tmp_path: Path) -> None:
    program(tmp_path, "counting", COUNTING)
    slow = [
        case("nap", str(number), ("seconds", lit(0.5)), outcome=returned(None), module="counting")
        for number in range(20)
    ]
    whole = CallSuite("counting.py", {}, [*cases()[:2], *(replace(each, observed=True) for each in slow)])
    settled = settle([whole], {}, root=tmp_path, options=FenceOptions(), until=time.monotonic() + 6)
    assert settled.untried and settled.untried <= {each.id for each in slow}


def test_what_comes_first_in_a_set_of_two_texts_is_hardly_ever_asserted(tmp_path: Path) -> None:
    """Every second process has the same order, so that two that agree prove little; with some pairs even seven do."""
    functions = [
        f"def first{at}(names: frozenset[str]) -> str:\n"
        f"    if len(names) == 2 and 'k{at}' in names:\n        return list(names)[0]\n    return ''\n"
        for at in range(6)
    ]
    (tmp_path / "order.py").write_text("\n".join(functions))
    run = generate([str(tmp_path / "order.py")], Options())
    text = rendered(run, "order")
    assert text.count('== ""') >= 6
    assert len(re.findall(r"== \"\w", text)) <= 1

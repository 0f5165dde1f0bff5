"""`--select`: as few tests as take every branch or statement that a test for each path takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .command import everypath

CODE = """\
def price(amount: int, member: bool, express: bool) -> int:
    total = amount * 3
    if member:
        total -= 5
    if express:
        total += 10
    return total


def share(total: int, people: int) -> int:
    if total < 0:
        raise ValueError("negative")
    return total // people


def plain(x: int) -> int:
    return x + 1
"""


def generated(folder: Path, goal: str) -> dict[str, object]:
    (folder / "sample.py").write_text(CODE)
    result = everypath(folder, "generate", "sample.py", "--format", "json", "--select", goal)
    document = json.loads(result.out)
    assert isinstance(document, dict)
    return document


def entries(document: dict[str, object]) -> list[str]:
    cases = document["cases"]
    assert isinstance(cases, list)
    return [case["entry"]["name"] for case in cases]


@pytest.mark.parametrize(("goal", "prices"), [("branches", 2), ("statements", 1)])
def test_few_tests_reach_what_all_reach(tmp_path: Path, goal: str, prices: int) -> None:
    everything, few = generated(tmp_path, "all"), generated(tmp_path, goal)
    assert entries(everything).count("price") == 4
    assert entries(few).count("price") == prices
    assert everything["stats"]["left_out"] == 0
    # The selection guides the search: most of the other paths are never followed.
    assert few["stats"]["left_out"] < len(everything["cases"]) - len(few["cases"])
    assert few["stats"]["states"] <= everything["stats"]["states"]
    assert all(item["verdict"] == "covered" and item["case"] for item in few["wanted"])

    def reached(document: dict[str, object]) -> set[object]:
        if goal == "branches":
            return {branch for case in document["cases"] for branch in case["covers"]}
        return {step for case in document["cases"] for step in case["trace"]}

    assert reached(few) == reached(everything)


def test_findings_and_functions_without_branches_keep_a_test(tmp_path: Path) -> None:
    few = generated(tmp_path, "branches")
    assert entries(few).count("plain") == 1
    assert [finding["message"].partition(":")[0] for finding in few["findings"]] == ["ZeroDivisionError"]


def test_the_summary_tells_what_became_of_what_was_wanted(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    result = everypath(tmp_path, "generate", "sample.py::price", "--select", "branches")
    assert "cases 2" in result.said
    assert "price: of 10 wanted 10 covered;" in result.said
    result = everypath(tmp_path, "generate", "sample.py::price", "--select", "points:sample.py:4")
    assert "sample.py:4: covered by price#1" in result.said
    assert result.code == 0


def test_an_actor_program_has_no_such_choice(tmp_path: Path) -> None:
    (tmp_path / "sample.abs").write_text("module M; class C { Unit m() { skip; } } { }")
    result = everypath(tmp_path, "generate", "sample.abs", "--select", "branches")
    assert result.code == 2
    assert "--select is for Python code" in result.said


@pytest.mark.parametrize("program", ["sorted_list", "bounded_stack", "intervals", "inventory"])
def test_tests_that_take_every_branch_run_every_statement(tmp_path: Path, program: str) -> None:
    """A loop whose body was in no test was once lost: both ends of its condition had the same name."""
    source = Path(__file__).parents[2] / "examples" / f"{program}.py"

    def statements(goal: str) -> set[str]:
        result = everypath(tmp_path, "generate", str(source), "--format", "json", "--select", goal)
        return {step for case in json.loads(result.out)["cases"] for step in case["trace"]}

    assert statements("branches") >= statements("all")


def test_a_limit_keeps_what_differs_most(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "tokenizer.py"

    def run(*options: str) -> dict[str, object]:
        result = everypath(tmp_path, "generate", f"{source}::tokens", "--format", "json", *options)
        document = json.loads(result.out)
        assert isinstance(document, dict)
        return document

    everything, some = run(), run("--tests", "12")
    assert len(some["cases"]) == 12 < len(everything["cases"])
    assert some["stats"]["left_out"] == len(everything["cases"]) - 12
    assert {branch for case in some["cases"] for branch in case["covers"]} == {
        branch for case in everything["cases"] for branch in case["covers"]
    }
    assert len({tuple(case["trace"]) for case in some["cases"]}) == 12
    assert len(run("--tests", "3")["cases"]) == 3
    assert everypath(tmp_path, "generate", f"{source}::tokens", "--tests", "0").code == 2


def test_a_limit_for_a_file_is_shared_by_its_functions(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "account.py"

    def run(*options: str) -> dict[str, object]:
        result = everypath(tmp_path, "generate", str(source), "--format", "json", *options)
        document = json.loads(result.out)
        assert isinstance(document, dict)
        return document

    everything, some = run(), run("--file-tests", "9")
    assert len(some["cases"]) == 9 < len(everything["cases"])
    assert some["stats"]["left_out"] == len(everything["cases"]) - 9
    assert set(entries(some)) == set(entries(everything))
    assert {branch for case in some["cases"] for branch in case["covers"]} == {
        branch for case in everything["cases"] for branch in case["covers"]
    }
    assert len(run("--file-tests", "100")["cases"]) == len(everything["cases"])


def test_a_limit_for_a_file_holds_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(CODE)
    (tmp_path / "two.py").write_text(CODE)
    assert everypath(tmp_path, "generate", "one.py", "two.py", "--file-tests", "3").code == 1
    for name in ("one", "two"):
        assert (tmp_path / f"test_{name}_generated.py").read_text().count("def test") == 3


def test_paths_of_a_function_share_tests(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "account.py"

    def tests(*options: str) -> list[str]:
        assert everypath(tmp_path, "generate", str(source), "-o", "test_account.py", *options).code == 0
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_account.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        text = (tmp_path / "test_account.py").read_text()
        names = [line.partition("(")[0] for line in text.splitlines() if line.startswith("def test")]
        assert f"{len(names)} passed" in run.stdout
        return names

    apart, together, few = tests(), tests("--paths-per-test", "3"), tests("--paths-per-test", "3", "--file-tests", "4")
    assert len(together) < len(apart)
    assert "def test_withdraw_paths_1_to_2" in together and "def test_withdraw_paths_3_to_4" in together
    assert len(few) == 4
    assert everypath(tmp_path, "generate", str(source), "--paths-per-test", "0").code == 2


def test_the_limits_hold_where_paths_cannot_share_tests(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(
        "calls = []\n\n\ndef count(n: int) -> int:\n    calls.append(n)\n    if n > 5:\n        return len(calls)\n"
        "    if n < 0:\n        return -len(calls)\n    return 0 if n else len(calls) + 1\n"
    )
    written = tmp_path / "test_counting_generated.py"
    for limit in ("--tests", "--file-tests"):
        result = everypath(tmp_path, "generate", "counting.py", "--paths-per-test", "2", limit, "2")
        assert result.code == 0 and "cases 2 of 4," in result.out
        assert written.read_text().count("def test") == 2


MUTATED = """\
class Till:
    def __init__(self, money: int) -> None:
        self.money = money

    def pay(self, amount: int, member: bool) -> int:
        if self._too_much(amount):
            raise ValueError("too much")
        self.money -= amount - (1 if member else 0)
        return self.money

    def _too_much(self, amount: int) -> bool:
        return amount > self.money


def sign(x: int, strict: bool = False) -> int:
    if x > 0 and not strict:
        return 1
    while x < -5:
        x += 3
    return x
"""


def test_few_tests_kill_what_all_kill(tmp_path: Path) -> None:
    source = tmp_path / "sample.py"
    source.write_text(MUTATED)
    everything = json.loads(everypath(tmp_path, "generate", "sample.py", "--format", "json").out)
    few = json.loads(everypath(tmp_path, "generate", "sample.py", "--format", "json", "--select", "mutants").out)
    assert len(few["cases"]) < len(everything["cases"])
    assert {item["verdict"] for item in few["wanted"]} <= {"killed", "survived"}
    ids = {case["id"] for case in few["cases"]}
    assert all(item["case"] in ids for item in few["wanted"] if item["verdict"] == "killed")
    assert {"sample.py:12: `amount > self.money` becomes `amount >= self.money`"} <= {
        item["item"] for item in few["wanted"] if item["verdict"] == "killed"
    }

    # The files that are written fail with the same faults, however many tests they have.
    faults = {
        "amount > self.money": "amount >= self.money", "-= amount": "+= amount", "x > 0 and": "x > 0 or",
        "x < -5": "x < -4", "x += 3": "x += 4", "1 if member": "2 if member", "self.money = money": "self.money = None",
        'raise ValueError("too much")': "pass", "return x\n": "return None\n",
    }  # fmt: skip
    for selection in ("all", "mutants"):
        everypath(tmp_path, "generate", "sample.py", "--select", selection, "-o", f"test_{selection}.py")
    for old, new in faults.items():
        assert old in MUTATED
        source.write_text(MUTATED.replace(old, new))
        failed = {name: _fails(tmp_path, f"test_{name}.py") for name in ("all", "mutants")}
        assert failed["all"] == failed["mutants"], old


def _fails(folder: Path, tests: str) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0


def test_the_score_of_mutants_is_printed(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(MUTATED)
    result = everypath(tmp_path, "generate", "sample.py::sign", "--select", "mutants")
    assert "sign: of " in result.said and " mutants " in result.said and " killed" in result.said


def test_mutants_need_tests_that_run(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    result = everypath(tmp_path, "generate", "sample.py", "--select", "mutants", "--no-validate")
    assert result.code == 2
    assert "--no-validate" in result.said

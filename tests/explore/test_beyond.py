"""Known inputs take the branches that bounds and fixed values left out, and such cases replay."""

from __future__ import annotations

import time
from pathlib import Path

from everypath.explore.outcomes import Finished
from everypath.explore.search.strategies import Hurried
from everypath.explore.search.uncovered import defaults_of, small_inputs
from everypath.generate.exploring import replay_case, single_entry
from everypath.generate.run import generate
from everypath.ir.types import BOOL, FLOAT, INT, STR
from everypath.languages.python.frontend import load_target
from everypath.languages.python.semantics.seeds import mentioned, mixtures, varied
from everypath.options import Limits, Options
from everypath.paths import KnownInputs

LOOP = """
class Counter:
    def __init__(self, start: int):
        self.start = start
    def run(self, step: int) -> str:
        found = []
        for number in range(self.start):
            if number != step:
                found.append(number)
        if len(found) > 4:
            return "many"
        return "few"
"""
TEXT = """
import re
def f(text: str) -> str:
    if re.match(r"(\\d+)-(\\d+)", text):
        return "range"
    if re.match(r"<(\\w+)>", text):
        return "tag"
    if re.match(r"%[a-f]", text):
        return "escape"
    if re.match(r"=+$", text):
        return "line"
    if re.match(r"\\$\\$", text):
        return "money"
    return "other"
"""
OPTIONS = Options(limits=Limits(loops=2, time=20.0), predicted_only=True)


def written(folder: Path, source: str) -> str:
    file = folder / "program.py"
    file.write_text(source, encoding="utf-8")
    return str(file)


def test_a_loop_beyond_the_bound_is_followed_with_known_inputs(tmp_path: Path) -> None:
    target = f"{written(tmp_path, LOOP)}::Counter.run"
    (suite,) = generate([target], OPTIONS).suites
    known = [case for case in suite.cases if isinstance(case.start, KnownInputs)]
    assert {case.expected.outcome.value.value for case in suite.cases} == {"many", "few"}
    assert known and all(case.validated for case in suite.cases)
    assert any("known inputs are tried" in note.message for note in suite.stats.concretised)
    source = load_target(target, ())
    for case in known:
        state = replay_case(source, single_entry(source, target), OPTIONS, case)
        assert state.outcome == Finished(case.expected.outcome.value.value)


def test_texts_are_made_from_what_the_code_looks_for(tmp_path: Path) -> None:
    (suite,) = generate([f"{written(tmp_path, TEXT)}::f"], OPTIONS).suites
    found = {case.expected.outcome.value.value for case in suite.cases}
    assert found == {"range", "tag", "escape", "line", "money", "other"}


def test_complete_suites_stay_as_they_are(tmp_path: Path) -> None:
    source = "def f(n: int) -> int:\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n"
    (suite,) = generate([f"{written(tmp_path, source)}::f"], OPTIONS).suites
    assert suite.stats.cut["loop"] and not any(isinstance(case.start, KnownInputs) for case in suite.cases)


def test_mixtures_are_always_the_same(tmp_path: Path) -> None:
    program = load_target(written(tmp_path, TEXT), ()).program
    entry = program.classes["program"].methods["f"]
    numbers, texts = mentioned(program, entry)
    assert {"range", "$$"} <= set(texts) and numbers == []
    for type_ in (INT, BOOL, FLOAT, STR):
        first = [known(type_, "text") for known in mixtures(program, entry)]
        assert first == [known(type_, "text") for known in mixtures(program, entry)]
        assert len(set(first)) > 1


DOCUMENTED = """
def parse(text: str, strict: bool = False) -> tuple:
    \'\'\'Takes a name apart.

    >>> parse("tool-1.2.zip")
    ('tool', '1.2')
    >>> parse("tool-1.2",
    ...       strict=True)
    \'\'\'
    words = text.split("-")
    if len(words) != 2 or words[0].upper() != "TOOL":
        return ()
    if words[1].title() != "1.2.Zip":
        return words[0], strict
    return words[0], words[1][:-4]
"""


def test_docstrings_show_inputs(tmp_path: Path) -> None:
    target = written(tmp_path, DOCUMENTED.replace("\\'", "'"))
    (entry,) = load_target(f"{target}::parse").entries
    assert entry.examples == ((("text", "tool-1.2.zip"),), (("text", "tool-1.2"), ("strict", True)))
    run = generate([target], OPTIONS)
    assert any({n: v for n, v, _ in c.inputs.arguments}["text"].value == "tool-1.2.zip" for c in run.cases)


def test_inputs_close_to_those_of_docstrings_are_tried(tmp_path: Path) -> None:
    target = written(tmp_path, DOCUMENTED.replace("\\'", "'"))
    source = load_target(f"{target}::parse")
    method = source.program.find_method("program", "parse")
    assert method is not None
    texts = [known(STR, "text") for known in varied(source.entries[0].examples, source.program, method)]
    assert texts == [known(STR, "text") for known in varied(source.entries[0].examples, source.program, method)]
    assert len(set(texts)) > 16 and any(text.count("-") == 2 for text in texts)
    assert list(varied((), source.program, method)) == []


def test_a_loop_without_end_that_calls_functions_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text(
        "def one(n: int) -> int:\n    return n\n"
        "def endless(n: int) -> int:\n"
        "    found = 0\n"
        "    while n or not n:\n"
        "        found = sum(map(one, [1, 2])) + len(sorted([2, 1], key=one))\n"
        "    return found\n"
    )
    started = time.monotonic()
    run = generate([f"{path}::endless"], Options(limits=Limits(time=0.5, depth=20_000), predicted_only=True))
    assert time.monotonic() - started < 20
    assert run.cases == [] and not run.defective


def test_a_path_that_turns_out_impossible_in_a_hurry() -> None:
    hurried = Hurried([])
    hurried.add([])
    assert len(hurried) == 0


def test_parameters_keep_their_defaults_at_first(tmp_path: Path) -> None:
    target = written(
        tmp_path,
        "def f(text: str, unit: str = 'seconds', n: int = 3) -> int:\n"
        "    if unit.title() != 'Seconds':\n        return 0\n    return n if text.title() == 'Ab' else 1\n",
    )
    source = load_target(f"{target}::f")
    method = source.program.find_method("program", "f")
    assert method is not None and defaults_of(method) == {"unit": "seconds", "n": 3}
    first, second, *others = small_inputs(defaults_of(method))
    assert (first(STR, "text"), first(STR, "unit"), first(INT, "n")) == ("a", "seconds", 3)
    assert (second(STR, "text"), second(STR, "unit"), second(INT, "n")) == ("ab", "seconds", 3)
    assert [known(STR, "unit") for known in others] == ["a", "ab"]

"""Runs on the JVM that are written down line by line: as the cases predict, and with what a debugger would show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from everypath.cases.model import CallCase, Literal, Raised, Suite
from everypath.cases.recordings import Recording
from everypath.generate.exploring import explore_entry
from everypath.languages.base import Passed
from everypath.languages.java.frontend.load import Loader
from everypath.languages.java.runtime.validation import JavaRuntime
from everypath.options import Limits, Options
from everypath.records import asdict
from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.languages.java.compiling import SOURCES, compile_java
from tests.languages.java.conftest import Compile

TRICKY = """
package p;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

public final class Tricky {
    static int made;
    static final int[] SHARED = {0};
    private final String name;
    private Tricky other;

    static {
        SHARED[0] = 7;
    }

    Tricky(String name) {
        this.name = name;
        made++;
    }

    static long mixed(int a, long b, double c, char d, boolean e) {
        float f = 0.5f;
        Tricky pair = new Tricky("x");
        pair.other = pair;
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            seen.add(i);
        }
        IntUnaryOperator twice = x -> 2 * x;
        try {
            fails(a);
        } catch (IllegalStateException caught) {
            a = twice.applyAsInt(21);
        }
        switch (d) {
            case 'a': b++; break;
            default: b--;
        }
        return e ? b + a : (long) (c + f);
    }

    static void fails(int a) {
        throw new IllegalStateException("no " + a);
    }
}
"""


Told = list[tuple[CallCase, Recording | None]]


def recorded(folder: Path, member: str, *sources: Path) -> Told:
    """The cases of some entries, without their overflows, and what was written down when they ran."""
    options = Options(limits=Limits(loops=1, time=60.0), sources=tuple(map(str, sources)))
    loaded = Loader(options)(f"{folder}::{member}")
    told: Told = []
    for entry in loaded.entries:
        suite: Suite[CallCase] = Suite(member, asdict(options))
        explore_entry(loaded, entry, options, suite, lambda *_: None)
        runtime = JavaRuntime(options)
        verdicts = runtime.run(loaded, suite, suite.cases)
        cases = [verdict.case for verdict in verdicts if isinstance(verdict, Passed)]
        for each in runtime.record(loaded, suite, cases):
            assert each.wrong is None
            told.append((each.case, each.recording))  # type: ignore[arg-type]
    return told


def agrees(case: CallCase, recording: Recording) -> None:
    """A recording goes through the lines of the path to its end, and calls begin and end in pairs."""
    files: dict[int, str] = {}
    under_way: list[int] = []
    lines: set[tuple[str, int]] = set()
    for step in recording.steps:
        at = step["at"]
        if "file" in step:
            files[at] = step["file"]
            assert step["above"] == under_way
            under_way.append(at)
        assert under_way[-1] == at
        if "returns" in step or "raises" in step:
            under_way.pop()
        else:
            lines.add((files[at], step["line"]))
    # Lines of class initialisers are in the path only.
    assert lines <= {(step.file, step.line) for step in case.trace}
    assert not under_way or recording.left_out
    if not recording.left_out:
        last, outcome = recording.steps[-1], case.expected.outcome
        if isinstance(outcome, Raised):
            assert last["raises"].partition(":")[0].rpartition(".")[2] == outcome.cls.rpartition("$")[2]
        elif isinstance(outcome.value, Literal) and type(outcome.value.value) in (int, bool):
            assert last["returns"] in (outcome.value.value, {"$written": "void"}) or "$" in str(last["returns"])


@pytest.mark.parametrize(
    ("folder", "member", "least"),
    [
        (ROOT / "examples" / "papers" / "java", "papers.List", 4),
        (ROOT / "examples" / "structures" / "java", "ds.AvlTree.insert", 100),
        (ROOT / "examples" / "structures" / "java", "ds.ChainedHashMap", 15),
        (SOURCES, "features.Features", 40),
        (SOURCES, "observed.Observed", 10),
    ],
)
def test_recordings_go_along_the_paths(
    folder: Path, member: str, least: int, compiled_examples: Callable[[Path], Path]
) -> None:
    told = recorded(compiled_examples(folder), member, folder)
    assert len(told) >= least
    for case, recording in told:
        assert recording is not None, case.id
        agrees(case, recording)


@pytest.fixture(scope="module")
def compiled_examples(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    @cache
    def folder(sources: Path) -> Path:
        files = sorted(each for each in sources.rglob("*.java") if "newer" not in each.parts)
        return compile_java(files, tmp_path_factory.mktemp("recorded"))

    return folder


def test_variables_and_objects_are_as_a_debugger_shows_them(compiled: Compile) -> None:
    folder = compiled(TRICKY)
    told = [(case, run) for case, run in recorded(folder, "p.Tricky.mixed") if case.name or run]
    assert told
    for _, run in told:
        assert run is not None
        variables: dict[str, Any] = {}
        heap: dict[str, Any] = {}
        last: dict[str, Any] = {}
        for step in run.steps:
            heap |= step.get("heap", {})
            if step["at"] == 1:
                variables |= step.get("set", {})
                for name in step.get("unset", []):
                    del variables[name]
                last = dict(variables)
        assert last["a"] == 42 and last["f"] == {"$float": "0.5"} and last["Tricky.made"] == 1
        assert set(last["d"]) == {"$written"} and last["e"] in (True, False)
        assert "i" not in last and "caught" not in last
        pair = heap[last["pair"]["$ref"]]
        assert pair == {"class": "Tricky", "fields": {"name": "x", "other": last["pair"]}}
        assert heap[last["seen"]["$ref"]] == {"list": [0, 1], "class": "ArrayList"}
        # What the class initialiser did is there, its steps are not.
        assert heap[last["Tricky.SHARED"]["$ref"]]["array"] == [7]
        functions = [step["function"] for step in run.steps if "function" in step]
        assert functions == ["Tricky.mixed", "new Tricky", "Tricky.fails", "lambda in Tricky.mixed"]
        assert [step["raises"] for step in run.steps if "raises" in step] == [
            f"java.lang.IllegalStateException: no {next(s['set']['a'] for s in run.steps if s['at'] == 3)}"
        ]


def test_without_the_table_of_variables_there_are_lines(compiled: Compile) -> None:
    folder = compiled(TRICKY, flags=("-g:lines,source",))
    for _, run in recorded(folder, "p.Tricky.mixed"):
        assert run is not None and len(run.steps) > 20
        assert all(name.startswith("Tricky.") for step in run.steps for name in step.get("set", {}))


def test_classes_of_the_jdk_have_no_steps() -> None:
    options = Options()
    loaded = Loader(options)("jdk::java.lang.Math.floorMod(int,int)")
    suite: Suite[CallCase] = Suite("jdk", asdict(options))
    explore_entry(loaded, loaded.entries[0], options, suite, lambda *_: None)
    runs = list(JavaRuntime(options).record(loaded, suite, suite.cases))
    assert runs and all(run.wrong is None and run.recording is None for run in runs)


def test_replay_shows_sources_and_values(compiled: Compile, tmp_path: Path) -> None:
    folder = compiled(TRICKY)
    sources = tmp_path / "sources" / "p"
    sources.mkdir(parents=True)
    (sources / "Tricky.java").write_text(TRICKY)
    made = everypath(tmp_path, "generate", f"{folder}::p.Tricky.fails", "--sources", "sources", "-o", "out")
    assert made.code in (0, 1), made.said
    shown = everypath(tmp_path, "replay", f"{folder}::Tricky.fails", "--steps")
    assert shown.code == 0, shown.said
    line = TRICKY.splitlines().index('        throw new IllegalStateException("no " + a);') + 1
    assert f'      sources/p/Tricky.java:{line}: throw new IllegalStateException("no " + a);\n' in shown.out
    assert "          a = " in shown.out and "      raises java.lang.IllegalStateException: no " in shown.out

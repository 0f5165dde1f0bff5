"""Our execution of bytecode against the JVM's, on random methods: results and exceptions are equal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from everypath.explore.outcomes import Finished, Outcome, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.languages.java.frontend.load import Loader
from everypath.languages.java.semantics.semantics import JavaSemantics
from everypath.options import Limits, Options
from tests.languages.java.compiling import compile_java, needs_jdk
from tests.languages.java.random_programs import RUNNER, program

pytestmark = needs_jdk
OPTIONS = Options(limits=Limits(loops=1000, time=60.0), overflow=True)


def escaped(text: str) -> str:
    return "".join(c if " " <= c < "\x7f" else f"\\u{ord(c):04x}" for c in text)


def shown(outcome: Outcome | None) -> str:
    match outcome:
        case Finished(value=str(value)):
            return escaped(value)
        case Uncaught(cls=cls):
            return f"!{cls}"
    return f"?{outcome}"


def differences(folder: Path, seed: int, count: int, calls: int = 3) -> tuple[list[str], int]:
    """What we and the JVM disagree about, and how many calls were compared."""
    text, called = program(seed, count, calls)
    (folder / "Random.java").write_text(text, encoding="utf-8")
    (folder / "Runner.java").write_text(RUNNER)
    classes = compile_java([folder / "Random.java", folder / "Runner.java"], folder / "out", "-Xlint:none", "-nowarn")
    names = ",".join(name for name, _ in called)
    ran = subprocess.run(
        ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(classes), "Runner", names],
        capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    theirs = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    loaded = Loader(OPTIONS)(f"{classes}::Random.{called[0][0]}")
    exploration = Exploration(JavaSemantics(loaded.program, overflow=True), OPTIONS)
    wrong: list[str] = []
    for name, number in called:
        method = loaded.program.find_method("Random", f"{name}()Ljava/lang/String;")
        assert method is not None
        state, _ = exploration.initial(method, "Random")
        (end,) = exploration.paths(state)
        ours = shown(end.outcome)
        if ours != theirs[name]:
            wrong.append(f"seed {seed}, m{number}, {name}: {ours} instead of {theirs[name]}")
    return wrong, len(called)


@pytest.mark.parametrize("seed", range(2))
def test_random_methods_give_what_the_jvm_gives(tmp_path: Path, seed: int) -> None:
    wrong, compared = differences(tmp_path, seed, 80)
    assert compared == 240
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_thousands_of_random_methods_give_what_the_jvm_gives(tmp_path: Path, seed: int) -> None:
    assert differences(tmp_path, seed, 250)[0] == []

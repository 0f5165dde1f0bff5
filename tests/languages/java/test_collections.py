"""Collections of the JDK: as inputs they are what calls can make of them, and maps behave as on the JVM."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from everypath.explore.search.exploration import Exploration
from everypath.languages.java.frontend.load import Loader
from everypath.languages.java.semantics.semantics import JavaSemantics
from everypath.options import Limits, Options
from tests.cli.command import everypath
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk
from tests.languages.java.test_differential import shown

pytestmark = needs_jdk
KEYS = ("1", "2", "17", "33", "-5", "70000", '"a"', '"bc"', '"Aa"', '"BB"', "null", "'x'", "3L")
CALLS = (
    "m.put({key}, {number})", "m.get({key})", "m.remove({key})", "m.containsKey({key})", "m.size()", "m",
    "m.keySet()", "m.values()", "m.merge({key}, {number}, Integer::sum)", "m.getOrDefault({key}, {number})",
    "m.computeIfAbsent({key}, k -> {number})", "m.putIfAbsent({key}, {number})", "m.entrySet().iterator().hasNext()",
    "m.values().remove({number})", "m.keySet().removeIf(k -> k instanceof Integer)", "m.equals(new HashMap<>(m))",
    "m.hashCode()",
)  # fmt: skip


@pytest.mark.parametrize("heap", ["solver", "lazy"])
def test_tests_build_them_by_calls_and_pass_without_opening_the_library(
    heap: str, jdk_home: Path, junit: list[Path], tmp_path: Path
) -> None:
    classes = compile_java([SOURCES / "Collections.java"], tmp_path / "classes")
    jars = os.pathsep.join(map(str, junit))
    ended = everypath(tmp_path, "generate", str(classes), "--heap", heap, "-o", "./", "--junit", jars)
    assert "defect" not in ended.said and "cannot be built" not in ended.said, ended.said
    file = tmp_path / "collected" / "CollectionsGeneratedTest.java"
    text = file.read_text()
    assert "setAccessible" not in text
    for written in ("new ArrayDeque<>(List.of(", 'prices.put("', "new LinkedList<>()", "Map.of("):
        assert written in text
    path = os.pathsep.join([jars, str(classes)])
    javac = [str(jdk_home / "bin" / "javac"), "-cp", path, "-d", str(tmp_path / "out"), str(file)]
    assert subprocess.run(javac, capture_output=True, check=False).returncode == 0
    java = [str(jdk_home / "bin" / "java"), "-cp", os.pathsep.join([path, str(tmp_path / "out")])]
    console = [*java, "org.junit.platform.console.ConsoleLauncher", "--scan-class-path", str(tmp_path / "out")]
    ran = subprocess.run([*console, "--details", "summary"], capture_output=True, text=True, check=False)
    count = text.count("@Test\n")
    assert count >= 25 and f"{count} tests successful" in ran.stdout, ran.stdout


def program(seed: int, methods: int) -> str:
    """Methods that make a map, call it, and tell all answers and the order of its entries."""
    pick = random.Random(seed)
    made = ("new HashMap<>()", "new LinkedHashMap<>()", "new LinkedHashMap<>(4, 0.75f, true)", "new HashMap<>(3)")
    lines = ["import java.util.*;", "public class Random {"]
    for number in range(methods):
        lines += [f"  static String m{number}() {{", f"    Map<Object, Integer> m = {pick.choice(made)};"]
        lines += ["    StringBuilder s = new StringBuilder();"]
        for _ in range(pick.randint(3, 25)):
            call = pick.choice(CALLS).format(key=pick.choice(KEYS), number=pick.randint(0, 3))
            lines.append(f"    s.append({call}).append(' ');")
        lines += ["    for (Object k : m.keySet()) s.append(k).append(',');", "    return s.toString();", "  }"]
    calls = "\n".join(f"    System.out.println(m{number}());" for number in range(methods))
    return "\n".join([*lines, f"  public static void main(String[] a) {{\n{calls}\n  }}", "}"])


def differences(folder: Path, seed: int, methods: int) -> list[str]:
    (folder / "Random.java").write_text(program(seed, methods))
    classes = compile_java([folder / "Random.java"], folder / "out", "-nowarn")
    ran = subprocess.run(["java", "-cp", str(classes), "Random"], capture_output=True, text=True, check=True)
    options = Options(limits=Limits(loops=1000, time=60.0), overflow=True)
    loaded = Loader(options)(f"{classes}::Random.m0")
    exploration = Exploration(JavaSemantics(loaded.program, overflow=True), options)
    wrong: list[str] = []
    for number, theirs in enumerate(ran.stdout.splitlines()):
        method = loaded.program.find_method("Random", f"m{number}()Ljava/lang/String;")
        assert method is not None
        state, _ = exploration.initial(method, "Random")
        (end,) = exploration.paths(state)
        if shown(end.outcome) != theirs:
            wrong.append(f"seed {seed}, m{number}: {shown(end.outcome)} instead of {theirs}")
    return wrong


def test_maps_answer_as_on_the_jvm(tmp_path: Path) -> None:
    assert differences(tmp_path, 1, 40) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_maps_answer_as_on_the_jvm(tmp_path: Path, seed: int) -> None:
    assert differences(tmp_path, seed, 200) == []

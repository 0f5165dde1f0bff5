"""Cases on the JVM: verdicts, the fence, limits, fresh classes, what was reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.languages.java.runtime.jdk import usable_jdk
from everypath.languages.java.runtime.runner import Ending, Setting, run_cases, run_suite
from everypath.options import FenceOptions
from tests.languages.java.conftest import Compile

SUBJECT = """
package ds;

public final class Subject {
    static int count;
    private int secret = 7;

    static int next() {
        return ++count;
    }

    static int pick(int k) {
        switch (k) {
            case 1:
                return 10;
            case 2:
                return 20;
            default:
                return k > 5 ? 1 : 0;
        }
    }

    static boolean all(int a, int b) {
        return a > 0
            && Math.abs(b) > 0
            && Integer.signum(a) > 0;
    }

    static void spin() {
        while (true) {
            count++;
        }
    }

    static void sleepForEver() {
        while (true) {
            try {
                Thread.sleep(1000);
            } catch (Throwable ignored) {
                continue;
            }
        }
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static int fill() {
        java.util.List<long[]> all = new java.util.ArrayList<>();
        while (true) {
            all.add(new long[1 << 20]);
        }
    }

    static void fail() {
        throw new IllegalStateException("no");
    }

    static int swallowed() {
        try {
            System.exit(4);
        } catch (SecurityException refused) {
            return 1;
        }
        return 0;
    }

    static void read(String file) throws java.io.IOException {
        new java.io.FileInputStream(file).close();
    }

    static void write(String file) throws java.io.IOException {
        java.nio.file.Files.writeString(java.nio.file.Path.of(file), "x");
    }

    static void run() throws java.io.IOException {
        new ProcessBuilder("true").start();
    }

    static void connect() throws java.io.IOException {
        new java.net.Socket("127.0.0.1", 9).close();
    }

    static int asserted(int n) {
        assert n > 0 : "not positive";
        return n;
    }
}
"""


@pytest.fixture(scope="module")
def setting(compiled: Compile) -> Setting:
    return Setting(usable_jdk(), (compiled(SUBJECT),), FenceOptions(case_seconds=0.5, memory_mb=256))


def source(name: str, body: str) -> tuple[str, str]:
    text = (
        f"package ds;\nimport static org.junit.jupiter.api.Assertions.*;\nclass {name} {{\n"
        f"void test() throws Throwable {{\n{body}\n}}\n}}\n"
    )
    return f"ds.{name}", text


def run(setting: Setting, **bodies: str) -> dict[str, Ending]:
    return run_cases({name: source(name, body) for name, body in bodies.items()}, setting)


def test_each_case_has_a_verdict_and_one_that_does_not_compile_harms_no_other(setting: Setting) -> None:
    endings = run(
        setting,
        Good="assertEquals(10, Subject.pick(1));",
        Wrong="assertEquals(11, Subject.pick(1));",
        Bad="int x = nothing;",
        Throwing='everypath.driver.Phase.at("act");\nSubject.fail();',
        Expected='assertEquals("no", assertThrows(IllegalStateException.class, Subject::fail).getMessage());',
    )
    assert {name: ending.status for name, ending in endings.items()} == {
        "Good": "passed",
        "Wrong": "failed",
        "Bad": "uncompiled",
        "Throwing": "error",
        "Expected": "passed",
    }
    assert endings["Wrong"].text == "expected: <11> but was: <10>"
    assert "cannot find symbol" in endings["Bad"].text
    thrown = endings["Throwing"]
    assert (thrown.phase, thrown.thrown, thrown.cls) == ("act", "java.lang.IllegalStateException", "ds.Subject")
    assert SUBJECT.splitlines()[thrown.line - 1].strip() == 'throw new IllegalStateException("no");'


def test_statics_are_fresh_for_every_case(setting: Setting) -> None:
    endings = run(setting, One="assertEquals(1, Subject.next());", Two="assertEquals(1, Subject.next());")
    assert [ending.status for ending in endings.values()] == ["passed", "passed"]


def test_lines_and_branches_of_the_call_are_reported(setting: Setting) -> None:
    endings = run(
        setting,
        First='Subject.next();\neverypath.driver.Phase.at("act");\nSubject.pick(1);',
        Default='everypath.driver.Phase.at("act");\nSubject.pick(7);',
        Small='everypath.driver.Phase.at("act");\nSubject.pick(0);',
    )
    lines = SUBJECT.splitlines()
    text = {name: [lines[n - 1].strip() for _, n in sorted(e.lines())][-2:] for name, e in endings.items()}
    assert text["First"] == ["switch (k) {", "return 10;"]
    assert text["Default"] == text["Small"] == ["switch (k) {", "return k > 5 ? 1 : 0;"]
    taken = {name: {b for b in ending.branches() if "#pick(" in b} for name, ending in endings.items()}
    assert [len(branches) for branches in taken.values()] == [1, 2, 2]
    assert len(taken["Default"] & taken["Small"]) == 1, "the same way out of the switch, two ways of the condition"
    assert not taken["First"] & taken["Default"]


def test_a_jump_into_the_middle_of_a_line_executes_it(setting: Setting) -> None:
    [ending] = run(setting, Jump='everypath.driver.Phase.at("act");\nassertFalse(Subject.all(0, 1));').values()
    lines = SUBJECT.splitlines()
    # The compiler puts what is common to all three lines behind the last of them.
    assert {lines[n - 1].strip() for _, n in ending.lines()} == {"return a > 0", "&& Integer.signum(a) > 0;"}


def test_what_hangs_or_overflows_ends_and_the_others_run(setting: Setting) -> None:
    endings = run(
        setting,
        Spinning="Subject.spin();",
        Stuck="Subject.sleepForEver();",
        Deep="Subject.deep(0);",
        Full="Subject.fill();",
        After="assertEquals(20, Subject.pick(2));",
    )
    assert [endings[name].status for name in ("Spinning", "Stuck", "After")] == ["timeout", "timeout", "passed"]
    assert endings["Deep"].thrown == "java.lang.StackOverflowError"
    assert endings["Full"].thrown == "java.lang.OutOfMemoryError"


@pytest.mark.parametrize("home", [None, *sorted(Path("/usr/lib/jvm").glob("*25*"))], ids=str)
def test_the_fence_holds(setting: Setting, tmp_path: Path, home: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if home is not None:
        monkeypatch.setenv("JAVA_HOME", str(home))
        setting = Setting(usable_jdk(), setting.own, setting.options)
        assert setting.jdk.home == str(home)
    file = tmp_path / "written"
    endings = run(
        setting,
        Exit="assertEquals(1, Subject.swallowed());",
        Read='Subject.read("/etc/passwd");',
        Write=f'Subject.write("{file}");',
        Process="Subject.run();",
        Connection="Subject.connect();",
        Typed="System.in.read();",
        Fine="assertEquals(20, Subject.pick(2));",
    )
    assert {n: e.status for n, e in endings.items()} == dict.fromkeys(endings, "refused") | {"Fine": "passed"}
    assert endings["Exit"].text == "end the process"
    assert endings["Process"].text == "start a process"
    assert endings["Typed"].text == "read what is typed"
    assert not file.exists()


def test_assertions_of_the_program_are_on(setting: Setting) -> None:
    [ending] = run(setting, Off="Subject.asserted(0);").values()
    assert (ending.status, ending.thrown) == ("error", "java.lang.AssertionError")


SUITE = """package ds;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SubjectTest {
    @Test
    @DisplayName("next: first")
    void next_first() {
        assertEquals(1, Subject.next());
    }

    @Test
    void next_again() {
        assertEquals(1, Subject.next());
    }
}
"""


@pytest.mark.parametrize("real", [False, True], ids=["ours", "junit"])
def test_a_whole_file_runs_with_shared_statics(setting: Setting, junit: list[Path], real: bool) -> None:
    with_junit = Setting(setting.jdk, setting.own, setting.options, junit=tuple(junit) if real else ())
    ended = run_suite("ds.SubjectTest", SUITE, ["next_first", "next_again"], with_junit)
    assert (ended.errors, ended.warnings) == ((), ())
    assert [ending.status for ending in ended.tests.values()] == ["passed", "failed"]

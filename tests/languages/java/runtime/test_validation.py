"""Hand-made cases through the whole runtime: statements are written, run on the JVM, judged, and emitted."""

from __future__ import annotations

import math
import os
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from everypath.cases.model import (
    CallCase,
    CallSuite,
    Entry,
    Expected,
    Gives,
    Heap,
    Inputs,
    Literal,
    Named,
    ObjectState,
    Pointer,
    Raised,
    Returned,
    SequenceState,
    StandInState,
    Throws,
    Value,
)
from everypath.languages.base import Failed, Passed, Refused, Verdict
from everypath.languages.java.classfile.places import ClassPath, Folder, Jdk
from everypath.languages.java.frontend.hierarchy import Hierarchy
from everypath.languages.java.runtime.jdk import usable_jdk
from everypath.languages.java.runtime.runner import Setting, run_cases, run_suite
from everypath.languages.java.runtime.validation import JavaRuntime
from everypath.languages.java.scripts.literals import literal
from everypath.languages.java.writers.junit_writer import render_class
from everypath.options import Options
from tests.languages.java.conftest import Compile

SHOP = """
package ds;

import java.util.List;

public final class Shop {
    enum Mode { OPEN, CLOSED }

    private enum Secret { ONLY }

    static Object secret() {
        return Secret.ONLY;
    }

    interface Clock {
        long now();

        String name(int id) throws java.io.IOException;
    }

    static class Node {
        int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private static class Hidden {
        private final char sign;
        private Hidden other;

        Hidden(char sign) {
            if (sign == 'x') {
                throw new IllegalArgumentException("x");
            }
            this.sign = sign;
        }
    }

    static class Box<T extends Comparable<T>> {
        private T content;
        private Object[] all = new Object[2];
        T[] typed;

        T get() {
            return content;
        }

        boolean larger(T other) {
            return content.compareTo(other) > 0;
        }
    }

    record Pair(byte left, String right) {}

    private Mode mode;
    private Hidden hidden;
    long total;
    float rate;

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public Mode mode() {
        return mode;
    }

    void swap(Node a, Node b) {
        Node kept = a.next;
        a.next = b;
        b.next = kept;
        total = Long.MIN_VALUE;
    }

    char sign() {
        hidden.other = hidden;
        return hidden.sign;
    }

    static Node wrap(Node inner, int[] values) {
        values[0]++;
        return new Node(values[0], inner);
    }

    static long at(Clock clock) throws java.io.IOException {
        return clock.name(1).length() + clock.now() + clock.now();
    }

    static void refuse(String text) {
        throw new IllegalStateException("no \\"" + text + "\\"");
    }

    static String join(List<String> parts) {
        return String.join("+", parts);
    }

    static StringBuilder append(StringBuilder text) {
        return text.append("b");
    }

    static byte left(Pair pair) {
        return pair.left();
    }
}
"""


@dataclass
class Program:
    """As much of a loaded program as the runtime asks for."""

    hierarchy: Hierarchy
    classpath: tuple[Path, ...]
    of_jdk: bool = False

    @property
    def program(self) -> SimpleNamespace:
        """Nothing is summarised."""
        return SimpleNamespace(summarised=())


@pytest.fixture(scope="module")
def program(compiled: Compile, jdk_home: Path) -> Program:
    folder = compiled(SHOP)
    return Program(Hierarchy(ClassPath([Folder(folder), Jdk(jdk_home)])), (folder,))


def obj(cls: str, **fields: Value) -> ObjectState:
    return ObjectState(cls, "ds", tuple(fields.items()))


def num(value: object) -> Literal:
    return Literal(value)  # type: ignore[arg-type]


NULL = Literal(None)


def case(
    name: str,
    call: str,
    kind: str,
    outcome: Returned | Raised,
    *,
    receiver: Value | None = None,
    arguments: Iterable[Value] = (),
    before: Heap | None = None,
    after: Heap | None = None,
    cls: str = "Shop",
) -> CallCase:
    entry = Entry("ds.Shop", "ds/Shop.java", cls, call, kind)
    named = tuple((f"arg{i}", value, "positional") for i, value in enumerate(arguments))
    heap = before or {}
    inputs = Inputs(receiver, named, heap)
    return CallCase(name, entry, inputs, Expected(outcome, heap if after is None else after), name=name)


def node(value: int, next_: Value = NULL) -> ObjectState:
    return obj("Shop$Node", value=num(value), next=next_)


def shop(**changed: Value) -> ObjectState:
    fields: dict[str, Value] = {"mode": NULL, "hidden": NULL, "total": num(0), "rate": num(0.0)}
    return obj("Shop", **{**fields, **changed})


def integer(value: int) -> ObjectState:
    return ObjectState("Integer", "java.lang", (("value", num(value)),))


SWAP = "swap(Lds/Shop$Node;Lds/Shop$Node;)V"
OPEN = ObjectState("Shop$Mode", "ds", (("name", num("OPEN")), ("ordinal", num(0))))
"""A constant as an object of the heap."""
BUILDER = "append(Ljava/lang/StringBuilder;)Ljava/lang/StringBuilder;"


def builder(text: str) -> ObjectState:
    return ObjectState("StringBuilder", "java.lang", (("text", num(text)),))


CASES = [
    case("private_constant", "secret()Ljava/lang/Object;", "static", Returned(Named("ds", "Shop$Secret.ONLY"))),
    case(
        "enum_object",
        "mode()Lds/Shop$Mode;",
        "method",
        Returned(Pointer("open")),
        receiver=Pointer("shop"),
        before={"shop": shop(mode=Pointer("open")), "open": OPEN},
    ),
    case(
        "text_that_changes",
        BUILDER,
        "static",
        Returned(Pointer("s")),
        arguments=[Pointer("s")],
        before={"s": builder("a")},
        after={"s": builder("ab")},
    ),
    case(
        "shared_node",
        SWAP,
        "method",
        Returned(NULL),
        receiver=Pointer("shop"),
        arguments=[Pointer("a"), Pointer("a")],
        before={"shop": shop(rate=num(0.1)), "a": node(3, Pointer("b")), "b": node(-1, Pointer("a"))},
        after={
            "shop": shop(rate=num(0.1), total=num(-(2**63))),
            "a": node(3, Pointer("b")),
            "b": node(-1, Pointer("a")),
        },
    ),
    case(
        "private_class_on_a_cycle",
        "sign()C",
        "method",
        Returned(num(ord("'"))),
        receiver=Pointer("shop"),
        before={
            "shop": shop(mode=Named("ds", "Shop$Mode.CLOSED"), hidden=Pointer("h")),
            "h": obj("Shop$Hidden", sign=num(ord("'")), other=NULL),
        },
        after={
            "shop": shop(mode=Named("ds", "Shop$Mode.CLOSED"), hidden=Pointer("h")),
            "h": obj("Shop$Hidden", sign=num(ord("'")), other=Pointer("h")),
        },
    ),
    case(
        "refused_by_its_constructor",
        "sign()C",
        "method",
        Returned(num(ord("x"))),
        receiver=Pointer("shop"),
        before={"shop": shop(hidden=Pointer("h")), "h": obj("Shop$Hidden", sign=num(ord("x")), other=Pointer("h"))},
    ),
    case(
        "new_object",
        "wrap(Lds/Shop$Node;[I)Lds/Shop$Node;",
        "static",
        Returned(Pointer("new")),
        arguments=[Pointer("n"), Pointer("v")],
        before={"n": node(1), "v": SequenceState("list", (num(2**31 - 2), num(-(2**31))))},
        after={
            "n": node(1),
            "v": SequenceState("list", (num(2**31 - 1), num(-(2**31)))),
            "new": node(2**31 - 1, Pointer("n")),
        },
    ),
    case(
        "stand_in",
        "at(Lds/Shop$Clock;)J",
        "static",
        Returned(num(10**12 + 7)),
        arguments=[Pointer("c")],
        before={
            "c": StandInState(
                "Shop$Clock",
                "ds",
                answers=(
                    ("now()J", (Gives(num(10**12)), Gives(num(5)))),
                    ("name(I)Ljava/lang/String;", (Gives(num("ab")),)),
                ),
            )
        },
    ),
    case(
        "stand_in_throws",
        "at(Lds/Shop$Clock;)J",
        "static",
        Raised("IOException", "java.io", False, None, 0),
        arguments=[Pointer("c")],
        before={
            "c": StandInState(
                "Shop$Clock", "ds", answers=(("name(I)Ljava/lang/String;", (Throws("IOException", "java.io"),)),)
            )
        },
    ),
    case(
        "odd_text",
        "refuse(Ljava/lang/String;)V",
        "static",
        Raised("IllegalStateException", "java.lang", False, 'no "\\u0041\u00e9\n\ud800"', 0),
        arguments=[num("\\u0041\u00e9\n\ud800")],
    ),
    case(
        "generic",
        "larger(Ljava/lang/Comparable;)Z",
        "method",
        Returned(num(True)),
        cls="Shop$Box",
        receiver=Pointer("box"),
        arguments=[Pointer("i")],
        before={
            "box": obj("Shop$Box", content=Pointer("j"), all=Pointer("o"), typed=Pointer("t")),
            "i": integer(3),
            "j": integer(200),
            "o": SequenceState("[Ljava/lang/Object;", (Pointer("box"), num("text"))),
            "t": SequenceState("list", (Pointer("i"),)),
        },
    ),
    case(
        "library_list",
        "join(Ljava/util/List;)Ljava/lang/String;",
        "static",
        Returned(num("a+b")),
        arguments=[Pointer("l")],
        before={
            "l": ObjectState("ArrayList", "java.util", (("$0", num("a")), ("$1", num("b")))),
        },
    ),
    case(
        "record",
        "left(Lds/Shop$Pair;)B",
        "static",
        Returned(num(-128)),
        arguments=[Pointer("p")],
        before={"p": obj("Shop$Pair", left=num(-128), right=num("r"))},
    ),
    case(
        "null_argument",
        "left(Lds/Shop$Pair;)B",
        "static",
        Raised("NullPointerException", "java.lang", True, None, 0),
        arguments=[NULL],
    ),
    case(
        "setter",
        "setMode(Lds/Shop$Mode;)V",
        "method",
        Returned(NULL),
        receiver=Pointer("shop"),
        arguments=[Named("ds", "Shop$Mode.OPEN")],
        before={"shop": shop()},
        after={"shop": shop(mode=Named("ds", "Shop$Mode.OPEN"))},
    ),
]


BY_NAME = {each.id: each for each in CASES}


def verdicts(program: Program, cases: list[CallCase]) -> list[Verdict]:
    suite = CallSuite("ds.Shop", {}, cases)
    return list(JavaRuntime(Options()).run(program, suite, cases))  # type: ignore[arg-type]


def test_every_kind_of_input_is_built_and_compared(program: Program, junit: list[Path]) -> None:
    found = verdicts(program, CASES)
    assert [v.problem.message for v in found if isinstance(v, Refused)] == []
    assert [each.id for each, v in zip(CASES, found) if not isinstance(v, Passed)] == [], found
    ways = {v.case.id: v.way for v in found if isinstance(v, Passed)}
    rendered = render_class([CallSuite("ds.Shop", {}, CASES)], program.hierarchy, "ds.Shop", ways)
    runtime = JavaRuntime(Options())
    setting = Setting(runtime._jdk, program.classpath, Options().fence, junit=tuple(junit))
    ended = run_suite(rendered.name, rendered.text, list(rendered.methods.values()), setting)
    assert (ended.errors, ended.warnings, rendered.left_out) == ((), (), ())
    assert {e.status for e in ended.tests.values()} == {"passed"} and len(ended.tests) == len(CASES)


def test_suites_pass_with_the_console_of_junit(
    program: Program, junit: list[Path], jdk_home: Path, tmp_path: Path
) -> None:
    ways = {v.case.id: v.way for v in verdicts(program, CASES) if isinstance(v, Passed)}
    rendered = render_class([CallSuite("ds.Shop", {}, CASES)], program.hierarchy, "ds.Shop", ways)
    source = tmp_path / "ds" / "ShopGeneratedTest.java"
    source.parent.mkdir()
    source.write_text(rendered.text, encoding="ascii")
    path = os.pathsep.join(map(str, [*junit, *program.classpath, tmp_path]))
    compile_ = [jdk_home / "bin" / "javac", "-Xlint:all", "-Werror", "-cp", path, "-d", tmp_path, source]
    done = subprocess.run(list(map(str, compile_)), capture_output=True, text=True, check=False)
    # Debian's jars name others in their manifests that are not installed.
    assert not [line for line in done.stderr.splitlines() if ".java:" in line], done.stderr
    if not (tmp_path / "ds" / "ShopGeneratedTest.class").exists():
        subprocess.run([part for part in map(str, compile_) if part != "-Werror"], check=True, capture_output=True)
    console = [jdk_home / "bin" / "java", "-cp", path, "org.junit.platform.console.ConsoleLauncher"]
    command = [*map(str, console), "--select-class", rendered.name, "--details", "summary"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"{len(CASES)} tests successful" in ran.stdout, ran.stdout
    assert ran.returncode == 0


def test_what_was_predicted_wrongly_is_a_defect(program: Program) -> None:
    right = CASES[-1]
    wrong = replace(right, expected=Expected(Returned(NULL), {"shop": shop(mode=Named("ds", "Shop$Mode.CLOSED"))}))
    unseen = replace(
        BY_NAME["new_object"],
        id="unseen",
        expected=Expected(BY_NAME["new_object"].expected.outcome, BY_NAME["new_object"].inputs.heap),
    )
    found = verdicts(program, [wrong, unseen])
    assert [type(each) for each in found] == [Failed, Failed]
    assert all(isinstance(each, Failed) and each.problem.kind == "defect" for each in found)
    assert "expected: <CLOSED> but was: <OPEN>" in found[0].problem.message  # type: ignore[union-attr]


def test_what_cannot_be_called_is_refused_with_the_reason(program: Program) -> None:
    private = case("private", "get()Ljava/lang/Object;", "method", Returned(NULL), cls="Shop$Hidden")
    [found] = verdicts(program, [private])
    assert isinstance(found, Refused)
    assert "has no method" in found.problem.message


def test_literals_mean_exactly_the_value(program: Program) -> None:
    random = Random(7)
    floats = [struct.unpack(">f", random.randbytes(4))[0] for _ in range(150)]
    doubles = [struct.unpack(">d", random.randbytes(8))[0] for _ in range(150)]
    lines = [
        f"assertEquals({bits}, Float.floatToIntBits({literal(value, 'F')}));"
        for value in (0.0, -0.0, math.inf, -math.inf, 0.1, 1e-45, 3.4028234663852886e38, *floats)
        if not math.isnan(value)
        for [bits] in [struct.unpack(">i", struct.pack(">f", value))]
    ]
    lines += [
        f"assertEquals({bits}L, Double.doubleToLongBits({literal(value, 'D')}));"
        for value in (0.0, -0.0, 5e-324, 1e22, 123456789.125, *doubles)
        if not math.isnan(value)
        for [bits] in [struct.unpack(">q", struct.pack(">d", value))]
    ]
    codes = [*range(0x180), 0x2028, 0xD800, 0xDFFF, 0xFFFF]
    lines += [f"assertEquals({code}, (int) {literal(code, 'C')});" for code in codes]
    lines += [f"assertEquals({code}, (int) {literal(chr(code), 'Ljava/lang/String;')}.charAt(0));" for code in codes]
    text = "import static org.junit.jupiter.api.Assertions.*;\nclass Case {\nvoid test() {\n%s\n}\n}\n"
    setting = Setting(usable_jdk(), program.classpath, Options().fence)
    [ending] = run_cases({"case": ("Case", text % "\n".join(lines))}, setting).values()
    assert ending.status == "passed", ending.text

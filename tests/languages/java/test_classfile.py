"""The reader of class files against `javap -v`, on classes of our own and on some of the JDK."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from everypath.languages.java.classfile.constants import StringConstant
from everypath.languages.java.classfile.descriptors import (
    Parameterised,
    Primitive,
    Variable,
    Wildcard,
    class_signature,
    field_signature,
    method_signature,
    method_types,
    readable,
)
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.model import Switch
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.languages.java.classfile.places import ClassPath, Folder, Jar, Jdk, find_jdk
from everypath.languages.java.classfile.reader import ClassFile
from everypath.languages.java.frontend.hierarchy import Hierarchy
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk
JDK_CLASSES = """java.lang.Integer java.lang.String java.util.HashMap java.util.TreeMap java.util.Arrays
    java.util.BitSet java.lang.Math java.util.ArrayDeque java.lang.invoke.LambdaForm
    java.util.concurrent.ConcurrentHashMap""".split()


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java([SOURCES / "Shapes.java"], tmp_path_factory.mktemp("classes"), "-parameters")


def told_by_javap(*arguments: str) -> str:
    done = subprocess.run(["javap", "-v", "-p", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def javap_methods(text: str) -> Iterator[tuple[str, str, str]]:
    """Class, descriptor and listing of each method."""
    for part in text.split("Classfile ")[1:]:
        name = re.search(r"this_class: #\d+ +// (\S+)", part)
        assert name
        body = part[part.index("\n{\n") :]
        for method in re.split(r"\n\n", body):
            descriptor = re.search(r"^    descriptor: (\(.*)$", method, re.M)
            if descriptor:
                yield name[1].strip('"'), descriptor[1], method


def our_listing(file: ClassFile) -> Iterator[tuple[str, str, list[str]]]:
    """The same facts in the same order, as short lines."""
    for method in file.info.methods:
        code = file.code(method)
        lines = [f"flags {method.flags:#06x}"]
        if code is not None:
            lines.append(f"stack={code.max_stack}, locals={code.max_locals}")
            for instruction in code.instructions:
                lines.append(f"{instruction.offset}: {NAMES[instruction.opcode]}")
                if isinstance(instruction.operand, Switch):
                    # The default of a table that has holes stands for them.
                    lines.extend(f"case {value}: {target}" for value, target in instruction.operand.cases)
                    lines.append(f"default: {instruction.operand.default}")
            lines.extend(f"catch {c.start} {c.end} {c.handler} {c.type or 'any'}" for c in code.catches)
            lines.extend(sorted(f"line {line}: {at}" for at, line in code.lines))
            lines.extend(
                sorted(f"var {v.start} {v.end - v.start} {v.slot} {v.name} {v.descriptor}" for v in code.variables)
            )
        if method.signature:
            lines.append(f"signature {method.signature}")
        yield file.info.name, method.descriptor, lines


def javap_listing(method: str) -> list[str]:
    flags = re.search(r"flags: \((0x\w+)\)", method)
    assert flags
    lines = [f"flags {flags[1]}"]
    rows: dict[str, list[str]] = {"line": [], "var": []}
    catches = []
    section = ""
    for text in method.splitlines():
        if text.startswith("      ") and text.strip().endswith(":") and not text.startswith("       "):
            section = text.strip()
        if found := re.match(r"      stack=(\d+), locals=(\d+)", text):
            lines.append(f"stack={found[1]}, locals={found[2]}")
        elif found := re.match(r" +(\d+): ([a-z]\w*)( |$)", text):
            name = found[2] if found[2] in NAMES else found[2].removesuffix("_w")
            lines.append(f"{found[1]}: {name}")
        elif found := re.match(r" +(-?\d+|default): (\d+)$", text):
            lines.append(f"default: {found[2]}" if found[1] == "default" else f"case {found[1]}: {found[2]}")
        elif found := re.match(r" +(\d+) +(\d+) +(\d+)   (?:Class )?(\S+)$", text):
            catches.append(f"catch {found[1]} {found[2]} {found[3]} " + found[4].strip('"'))
        elif found := re.match(r" +line (\d+): (\d+)", text):
            rows["line"].append(f"line {found[1]}: {found[2]}")
        elif section == "LocalVariableTable:" and (found := re.match(r" +(\d+) +(\d+) +(\d+) +(\S+)   (\S+)$", text)):
            rows["var"].append("var " + " ".join(found.groups()))
        elif found := re.match(r"    Signature: #\d+ +// (\S+)", text):
            catches_and_rows = [*catches, *sorted(rows["line"]), *sorted(rows["var"])]
            return [*lines, *catches_and_rows, f"signature {found[1]}"]
    return [*lines, *catches, *sorted(rows["line"]), *sorted(rows["var"])]


def compare(text: str, path: ClassPath) -> int:
    expected: dict[str, list[tuple[str, list[str]]]] = {}
    for name, descriptor, method in javap_methods(text):
        expected.setdefault(name, []).append((descriptor, javap_listing(method)))
    for name, methods in expected.items():
        file = path.find(name)
        assert file is not None
        for ours, theirs in zip(our_listing(file), methods, strict=True):
            assert ours[1:] == theirs, name
    return sum(map(len, expected.values()))


def test_our_classes_are_read_as_javap_reads_them(classes: Path) -> None:
    files = sorted(map(str, classes.rglob("*.class")))
    assert compare(told_by_javap(*files), ClassPath([Folder(classes)])) > 30


def test_classes_of_the_jdk_are_read_as_javap_reads_them() -> None:
    home = find_jdk()
    assert home is not None
    text = told_by_javap("-J-Xshare:auto", *JDK_CLASSES)
    assert compare(text, ClassPath([Jdk(home)])) > 900


def test_a_jar_and_a_folder_hold_the_same(classes: Path, tmp_path: Path) -> None:
    jar = tmp_path / "shapes.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in classes.rglob("*.class"):
            archive.write(path, path.relative_to(classes))
    assert list(Jar(jar).names()) == list(Folder(classes).names())
    for name in Folder(classes).names():
        assert Jar(jar).read(name) == Folder(classes).read(name)


def test_the_modules_of_the_jdk_are_the_same_in_both_forms() -> None:
    home = find_jdk()
    assert home is not None
    jdk = Jdk(home)
    if not (home / "jmods").is_dir():
        pytest.skip("this JDK has no jmods")
    for name in ("java/lang/String", "java/util/logging/Logger"):
        assert jdk.read(name) == jdk._read_jmod(name) is not None
    assert jdk.read("java/lang/Nothing") is None
    assert jdk.read("nowhere/at/All") is None


def test_attributes_of_a_class(classes: Path) -> None:
    path = ClassPath([Folder(classes)])
    file = path.find("demo/Shapes")
    assert file is not None
    info = file.info
    assert info.source == "Shapes.java"
    assert {"demo/Shapes$Colour", "demo/Shapes$Sum"} <= set(info.nest_members)
    constants = {f.name: f.constant for f in info.fields if f.constant is not None}
    assert {name: c.value for name, c in constants.items()} == {  # type: ignore[union-attr]
        "COUNT": 7, "LARGE": 1 << 40, "HALF": 0.5, "THIRD": 1.0 / 3, "TEXT": "h\u00e4\0\ud83d\ude00",
    }  # fmt: skip
    assert isinstance(constants["TEXT"], StringConstant)
    assert [len(constants["TEXT"].value)] == [5], "one character for each UTF-16 code unit"
    area, pick = ({m.name: m for m in info.methods}[name] for name in ("area", "pick"))
    assert area.exceptions == ("java/io/IOException", "java/lang/InterruptedException")
    assert area.parameter_names == ("width", "height")
    assert [[a.type for a in each] for each in area.parameter_annotations] == [["Ldemo/Shapes$Note;"], []]
    assert [a.type for a in pick.annotations] == ["Ldemo/Shapes$Note;"]
    assert {b.handle.member.name for b in info.bootstraps} == {"makeConcatWithConstants", "metafactory"}
    point, left, colour, green = (path.find(f"demo/Shapes${name}") for name in ("Point", "Left", "Colour", "Colour$1"))
    assert point and left and colour and green
    assert [(c.name, c.descriptor) for c in point.info.components or ()] == [
        ("x", "I"),
        ("names", "Ljava/util/List;"),
    ]
    assert (point.info.components or ())[1].signature == "Ljava/util/List<Ljava/lang/String;>;"
    assert left.info.nest_host == "demo/Shapes"
    assert green.info.enclosing == ("demo/Shapes$Colour", None, None)
    total = path.find("demo/Shapes$Sum")
    assert total is not None
    assert total.info.permitted == ("demo/Shapes$Left", "demo/Shapes$Right")


def test_descriptors_and_signatures() -> None:
    assert method_types("(I[[JLjava/util/Map$Entry;)V") == (("I", "[[J", "Ljava/util/Map$Entry;"), "V")
    assert readable("[[Ljava/util/Map$Entry;") == "java.util.Map.Entry[][]"
    assert field_signature("Ljava/util/List<-TT;>;") == Parameterised("java/util/List", (Wildcard("-", Variable("T")),))
    inner = field_signature("Lp/Outer<TT;>.Inner<I*>;".replace("I*", "*"))
    assert inner == Parameterised("p/Outer$Inner", (Wildcard("*", None),))
    signature = method_signature("<E:Ljava/lang/Object;X:Ljava/lang/Exception;:Ljava/lang/Runnable;>(TE;I)TX;")
    assert [formal.name for formal in signature.formals] == ["E", "X"]
    assert len(signature.formals[1].bounds) == 2
    assert signature.parameters == (Variable("E"), Primitive("I"))
    cls = class_signature("<T::Ljava/lang/Comparable<TT;>;>Ljava/lang/Object;Ljava/util/Comparator<TT;>;")
    assert cls.formals[0].bounds == (Parameterised("java/lang/Comparable", (Variable("T"),)),)
    assert cls.interfaces == (Parameterised("java/util/Comparator", (Variable("T"),)),)


def test_damaged_files_are_refused_with_a_reason(classes: Path) -> None:
    data = (classes / "demo" / "Shapes.class").read_bytes()
    with pytest.raises(BadClassFile, match="does not begin"):
        ClassFile(b"PK" + data)
    with pytest.raises(BadClassFile, match="version 200.*--release"):
        ClassFile(data[:6] + b"\0\xc8" + data[8:])
    for length in range(10, len(data) - 1, 97):
        with pytest.raises(BadClassFile):
            file = ClassFile(data[:length])
            for method in file.info.methods:
                file.code(method)


def test_damaged_bytes_never_end_in_anything_but_a_refusal(classes: Path) -> None:
    data = bytearray((classes / "demo" / "Shapes$Colour.class").read_bytes())
    for at in range(8, len(data)):
        for value in (0, 0xFF, data[at] ^ 1):
            changed = bytes(data[:at]) + bytes((value,)) + bytes(data[at + 1 :])
            try:
                file = ClassFile(changed)
                for method in file.info.methods:
                    file.code(method)
                    method_types(method.descriptor)
            except BadClassFile:
                pass


def test_the_hierarchy_tells_what_plain_constructors_and_setters_do(tmp_path: Path) -> None:
    source = tmp_path / "Node.java"
    source.write_text(
        """package ds;
        public class Node<T> {
            T value; Node<T> next; long size = 3; boolean seen;
            public Node(T value, long unused, Node<T> next) { this.value = value; this.next = next; }
            Node() { if (size > 2) next = null; }
            void setNext(Node<T> next) { this.next = next; }
            void both(Node<T> next) { this.next = next; this.seen = true; }
            class Inner { int value; }
            enum E { A, B { } }
        }
        class Sub extends Node<String> { int next; }
        """
    )
    hierarchy = Hierarchy(ClassPath([Folder(compile_java([source], tmp_path / "out"))]))
    node, sub = hierarchy.find("ds.Node"), hierarchy.find("ds.Sub")
    assert node and sub
    empty, full = node.constructors
    does = node.assignments(full)
    assert does is not None
    assert dict(does.parameters) == {0: "value", 2: "next"}
    assert dict(does.constants) == {"size": 3}
    assert full.parameter_names == ("value", "unused", "next")
    assert node.assignments(empty) is None
    assert {name: setter.name for name, setter in node.setters.items()} == {"next": "setNext"}
    assert list(sub.all_fields) == ["value", "next", "size", "seen", "next@ds.Sub"]
    assert node.fields["value"].generic == Variable("T")
    inner, enum, body = (hierarchy.find(f"ds.Node${name}") for name in ("Inner", "E", "E$1"))
    assert inner and enum and body
    assert (inner.kind, inner.inner, inner.source_name) == ("class", True, "ds.Node.Inner")
    assert (enum.kind, enum.enum_constants, enum.source_file) == ("enum", ("A", "B"), "ds/Node.java")
    assert (body.kind, body.enum_constant_body, body.anonymous) == ("enum", True, True)
    assert hierarchy.is_subtype("ds.Sub", "ds.Node")
    assert not hierarchy.is_subtype("ds.Node", "ds.Sub")

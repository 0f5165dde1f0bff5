"""Emitted pytest files: they run, read well, and are formatted."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from everypath.cases.model import BuildPlan, CallCase, CallSuite, Literal
from everypath.errors import Unsupported
from everypath.languages.python.scripts.body import render_case
from everypath.languages.python.scripts.grouping import Table, arrange_units, cases_of
from everypath.languages.python.writers.pytest_writer import node_ids, render

from .samples import (
    PLANS,
    Finding,
    MappingState,
    Named,
    Pointer,
    TupleValue,
    all_cases,
    case,
    construction_cases,
    items,
    linked_cases,
    lit,
    literal_cases,
    node,
    obj,
    program,
    raised,
    returned,
    suite,
)

WITHOUT_PLUGINS = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
BUILT_PAST_CONSTRUCTOR = {"Even.half/odd_value": 2, "Clamped.negative/value_negative": 2}


def ruff(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--isolated"], cwd=folder, capture_output=True, text=True
    )


def assert_well_formed(text: str, folder: Path) -> None:
    """Formatted as formatters leave it, without unused or missing names."""
    file = folder / "test_well_formed.py"
    file.write_text(text)
    formatted = ruff("format", "--diff", "--line-length", "88", file.name, folder=folder)
    assert formatted.returncode == 0, formatted.stdout
    checked = ruff("check", "--select", "F,E7,E9", file.name, folder=folder)
    assert checked.returncode == 0, checked.stdout


def run_pytest(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", file.name, *arguments]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, env=WITHOUT_PLUGINS)


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("emitted")
    program(folder)
    file = folder / "test_shapes_generated.py"
    file.write_text(render(suite(all_cases()), variants=BUILT_PAST_CONSTRUCTOR))
    return file


def function(text: str, name: str) -> str:
    """The source of one emitted function."""
    start = text.index(f"def {name}(")
    end = text.find("\n\n\n", start)
    return text[start : end if end >= 0 else len(text)].rstrip() + "\n"


def test_the_file_passes_under_pytest(emitted: Path) -> None:
    run = run_pytest(emitted)
    assert run.returncode == 0, run.stdout
    assert f"{len(all_cases())} passed" in run.stdout


def test_the_file_is_formatted_and_clean(emitted: Path, tmp_path: Path) -> None:
    assert_well_formed(emitted.read_text(), tmp_path)


def test_the_file_mentions_nothing_of_ours(emitted: Path) -> None:
    assert "import everypath" not in emitted.read_text()
    assert "from everypath" not in emitted.read_text()


def test_rendering_is_deterministic() -> None:
    assert render(suite(all_cases())) == render(
        [suite(linked_cases()), suite([*construction_cases(), *literal_cases()])]
    )


def test_findings_come_first_with_a_comment(emitted: Path) -> None:
    text = emitted.read_text()
    tests = [line for line in text.splitlines() if line.startswith("def test_")]
    assert "rem_all_when_l_is_none_raises_attribute_error" in tests[0]
    assert "quotient_b_zero_raises" in tests[1]
    assert (
        "# Finding: ZeroDivisionError: division by zero at shapes.py, line 111.\n# Reached by: quotient(1, 0).\n"
        in text
    )


def test_node_ids_are_those_that_pytest_collects(emitted: Path) -> None:
    listed = run_pytest(emitted, "--collect-only").stdout.splitlines()
    collected = {line.partition("::")[2] for line in listed if "::" in line}
    ids = node_ids(suite(all_cases()))
    assert set(ids.values()) == collected
    assert ids["sign/n_zero"] == "test_sign[n_zero]"
    assert len(ids) == len(all_cases())


def test_every_test_asserts(emitted: Path) -> None:
    for part in emitted.read_text().split("\n\n\n")[1:-1]:
        assert "assert " in part or "pytest.raises" in part


def test_aliasing_shows_as_one_variable_used_twice() -> None:
    text = function(render(suite(linked_cases())), "test_rem_all_same_list_loop_once")
    assert text == (
        "def test_rem_all_same_list_loop_once():\n"
        "    node = Node(data=5, next=None)\n"
        "    sl_list = SLList()\n"
        "    sl_list.first = node\n"
        "    sl_list.size = 1\n"
        "\n"
        "    result = sl_list.rem_all(sl_list)\n"
        "\n"
        "    assert result is None\n"
        "    assert sl_list.first is None\n"
        "    assert sl_list.size == 1\n"
        "    assert (node.data, node.next) == (5, None)\n"
    )


def test_cycles_are_closed_after_both_objects_exist() -> None:
    text = function(render(suite(linked_cases())), "test_swap_cyclic")
    assert text.splitlines()[1:4] == [
        "    b = Node(data=2)",
        "    a = Node(data=1, next=b)",
        "    b.next = a",
    ]
    assert "assert result is a" in text
    assert "assert a.next is a" in text


def test_new_objects_are_asserted_field_by_field() -> None:
    text = function(render(suite(linked_cases())), "test_push_non_empty_list")
    assert "assert type(sl_list.first) is Node" in text
    assert 'assert sl_list.first.data == "x"' in text
    assert "assert sl_list.first.next is node" in text


def test_constants_of_the_constructor_are_not_assigned_again() -> None:
    text = function(render(suite(linked_cases())), "test_rem_all_when_l_is_none_raises_attribute_error")
    assert "    sl_list = SLList()\n\n" in text


def test_variants_build_past_the_constructor() -> None:
    odd = construction_cases()[0]
    assert "even = Even(value=3)" in render(suite([odd]))
    assert "even = Even.__new__(Even)\n    even.value = 3" in render(suite([odd]), variants={odd.id: 2})
    assert 'object.__setattr__(even, "value", 3)' in render(suite([odd]), variants={odd.id: 3})


def test_a_class_without_a_plan_is_built_from_its_fields() -> None:
    only = construction_cases()[0]
    assert "Even.__new__(Even)" in render(CallSuite("shapes.py", {}, [only]))


def test_two_literal_cases_stay_separate_and_three_become_a_table() -> None:
    cases = [c for c in literal_cases() if c.entry.name == "sign"]
    assert "parametrize" not in render(suite(cases[:2]))
    text = render(suite(cases))
    assert text.count("def test_") == 1
    assert 'pytest.param(-1, -1, id="n_negative"),' in text


def test_tables_compare_none_and_booleans_by_identity() -> None:
    cases = [case("same", f"c{i}", ("a", lit(i)), ("b", lit(0)), outcome=returned(i == 0)) for i in range(3)]
    assert "assert same(a, b) is expected" in render(suite(cases))


def test_a_finding_never_hides_in_a_table() -> None:
    finding = Finding("assertion", "wrong", "shapes.py", 3)
    cases = [
        case("sign", f"c{i}", ("n", lit(i)), outcome=returned(1), finding=finding if i == 1 else None)
        for i in range(1, 5)
    ]
    text = render(suite(cases))
    assert "def test_sign_c1():" in text
    assert text.count("pytest.param(") == 3


def test_methods_of_the_same_name_are_told_apart_by_class() -> None:
    cases = [
        case("Stack.pop", "empty", receiver=Pointer("s"), heap={"s": obj("Stack")}, outcome=returned(None)),
        case("Queue.pop", "empty", receiver=Pointer("s"), heap={"s": obj("Queue")}, outcome=returned(None)),
    ]
    assert set(node_ids(suite(cases)).values()) == {"test_stack_pop_empty", "test_queue_pop_empty"}


def test_equal_names_get_numbers() -> None:
    one = case("sign", "same", ("n", lit(float("nan"))), outcome=returned(1))
    other = case("sign", "same", ("n", lit(float("nan"))), outcome=returned(2))
    text = render(suite([one, other]))
    assert "def test_sign_same():" in text
    assert "def test_sign_same_2():" in text


CLASHING = """\
import other


class Item(Exception):
    pass


class TestThing:
    def run(self):
        return 2


def f(f, pytest, result, len):
    return 0


def test_it(class_):
    return 1


def g(request, expected):
    return request


def h(a):
    assert type(a) is other.Item
    raise Item
"""


def names_that_clash() -> list[CallCase]:
    return [
        case(
            "f",
            "names",
            ("f", Pointer("x")),
            ("pytest", Pointer("y")),
            ("result", Pointer("z")),
            ("len", Pointer("w")),
            heap={k: items(lit(i)) for i, k in enumerate("xyzw")},
            outcome=returned(0),
            module="clash",
        ),
        case("test_it", "x", ("class", lit(1)), outcome=returned(1), module="clash"),
        case(
            "TestThing.run",
            "x",
            receiver=Pointer("t"),
            heap={"t": obj("TestThing", "clash")},
            outcome=returned(2),
            module="clash",
        ),
        *(
            case("g", f"r{i}", ("request", lit(i)), ("expected", lit(0)), outcome=returned(i), module="clash")
            for i in range(3)
        ),
        case(
            "h",
            "x",
            ("a", Pointer("a")),
            heap={"a": obj("Item", "other")},
            outcome=raised("Item", module="clash"),
            module="clash",
        ),
    ]


def test_names_never_hide_each_other(tmp_path: Path) -> None:
    program(
        tmp_path,
        "clash",
        CLASHING,
    )
    program(tmp_path, "other", "class Item:\n    pass\n")
    file = tmp_path / "test_clash_generated.py"
    file.write_text(render(suite(names_that_clash())))
    assert_well_formed(file.read_text(), tmp_path)
    run = run_pytest(file)
    assert run.returncode == 0, run.stdout
    assert "7 passed" in run.stdout


def test_a_module_that_no_statement_can_import(tmp_path: Path) -> None:
    program(tmp_path, "my-shapes")
    file = tmp_path / "test_it.py"
    file.write_text(render(suite([case("sign", "n_zero", ("n", lit(0)), outcome=returned(0), module="my-shapes")])))
    assert_well_formed(file.read_text(), tmp_path)
    assert run_pytest(file).returncode == 0


CONTAINERS = """\
class Box:
    def __init__(self, items, index):
        self.items = items
        self.index = index

    def swap(self):
        self.items, self.index = self.index, self.items


def tie(xs, d, s):
    return (xs, {"xs": xs, "d": d}, s)


def grow(box):
    box.items = [Box([], {}), Box([1], box)]
    return {box}
"""


def container_cases() -> list[CallCase]:
    plan = {"items": Pointer("xs"), "index": Pointer("d")}
    return [
        case(
            "tie",
            "knot",
            ("xs", Pointer("xs")),
            ("d", Pointer("d")),
            ("s", Pointer("s")),
            heap={
                "xs": items(lit(1), Pointer("xs"), Pointer("b")),
                "d": MappingState(((lit("me"), Pointer("d")), (TupleValue((lit(1), lit("k"))), Pointer("xs")))),
                "s": items(Pointer("b"), kind="set"),
                "b": obj("Box", "boxes", items=Pointer("s"), index=Pointer("d2")),
                "d2": MappingState(((Pointer("b"), lit(1)),)),
            },
            after={"r": MappingState(((lit("xs"), Pointer("xs")), (lit("d"), Pointer("d"))))},
            outcome=returned(TupleValue((Pointer("xs"), Pointer("r"), Pointer("s")))),
            module="boxes",
        ),
        case(
            "Box.swap",
            "containers",
            receiver=Pointer("b"),
            heap={"b": obj("Box", "boxes", **plan), "xs": items(lit(1)), "d": MappingState(((lit("k"), lit(b"v")),))},
            after={"b": obj("Box", "boxes", items=Pointer("d"), index=Pointer("xs"))},
            outcome=returned(None),
            module="boxes",
        ),
        case(
            "grow",
            "new",
            ("box", Pointer("b")),
            heap={"b": obj("Box", "boxes", items=lit(None), index=lit(float("nan")))},
            after={
                "b": obj("Box", "boxes", items=Pointer("l"), index=lit(float("nan"))),
                "l": items(Pointer("n1"), Pointer("n2")),
                "n1": obj("Box", "boxes", items=Pointer("e1"), index=Pointer("e2")),
                "e1": items(),
                "e2": MappingState(()),
                "n2": obj("Box", "boxes", items=Pointer("e3"), index=Pointer("b")),
                "e3": items(lit(1)),
                "r": items(Pointer("b"), kind="set"),
            },
            outcome=returned(Pointer("r")),
            module="boxes",
        ),
    ]


def test_containers_with_cycles_sharing_and_new_objects(tmp_path: Path) -> None:
    program(tmp_path, "boxes", CONTAINERS)
    none = Literal(None)
    plan = BuildPlan("Box", "boxes", (("items", "items", False, none), ("index", "index", False, none)), ())
    file = tmp_path / "test_boxes_generated.py"
    file.write_text(render(CallSuite("boxes.py", {}, container_cases(), {("boxes", "Box"): plan})))
    assert_well_formed(file.read_text(), tmp_path)
    run = run_pytest(file)
    assert run.returncode == 0, run.stdout + file.read_text()


def random_value(choose: random.Random, depth: int) -> object:
    kinds = ["int", "text", "float", "none", "bytes"] + (["tuple", "list", "dict", "set"] if depth else [])
    match choose.choice(kinds):
        case "int":
            return choose.choice([0, -1, 7, 10 ** choose.randint(1, 90), -(2**200)])
        case "text":
            alphabet = "ab c'\"\\\n\té漢\u200b\U0001f600"
            return "".join(choose.choice(alphabet) for _ in range(choose.randint(0, choose.choice([3, 30, 90]))))
        case "float":
            return choose.choice([0.0, -1.5, 1e300, 1e-7, float("inf"), float("-inf")])
        case "bytes":
            return bytes(choose.randint(0, 255) for _ in range(choose.randint(0, 20)))
        case "tuple":
            return tuple(random_value(choose, depth - 1) for _ in range(choose.randint(0, 5)))
        case "list":
            return [random_value(choose, depth - 1) for _ in range(choose.randint(0, 9))]
        case "dict":
            return {f"key{i}": random_value(choose, depth - 1) for i in range(choose.randint(0, 4))}
        case "set":
            return {choose.randint(0, 99) for _ in range(choose.randint(0, 30))}
    return None


class Modelled:
    """Python values as values of the model, their containers in one heap."""

    def __init__(self) -> None:
        self.heap: dict[str, object] = {}

    def value(self, value: object) -> object:
        if isinstance(value, tuple):
            return TupleValue(tuple(self.value(v) for v in value))
        if isinstance(value, list | set | dict):
            target = f"c{len(self.heap)}"
            self.heap[target] = None
            if isinstance(value, dict):
                self.heap[target] = MappingState(tuple((lit(k), self.value(v)) for k, v in value.items()))
            else:
                self.heap[target] = items(*(self.value(v) for v in value), kind=type(value).__name__)
            return Pointer(target)
        return lit(value)


def test_random_data_is_written_exactly_and_formatted(tmp_path: Path) -> None:
    program(
        tmp_path,
        "echo",
        "def echo_with_a_rather_long_name(first_argument, second):\n    return [first_argument, second]\n",
    )
    choose = random.Random(7)
    cases = []
    for i in range(250):
        before = Modelled()
        first, second = random_value(choose, 3), random_value(choose, 2)
        arguments = ("first_argument", before.value(first)), ("second", before.value(second))
        result = items(*(v for _, v in arguments))
        cases.append(
            case(
                "echo_with_a_rather_long_name",
                f"case_{i}",
                *arguments,
                heap=before.heap,
                after={"r": result},
                outcome=returned(Pointer("r")),
                module="echo",
            )
        )
    file = tmp_path / "test_echo_generated.py"
    file.write_text(render(suite(cases)))
    assert_well_formed(file.read_text(), tmp_path)
    run = run_pytest(file)
    assert run.returncode == 0, run.stdout[-3000:]


def test_long_names_and_paths_are_wrapped_like_a_formatter_does(tmp_path: Path) -> None:
    long = "a_field_with_quite_a_long_name_that_goes_on_and_on"
    heap = {"x": obj("Node", **{long: Pointer("y"), "data": lit(1)}), "y": obj("Node", **{long: lit("s" * 70)})}
    after = {
        "x": obj("Node", **{long: Pointer("new"), "data": lit(2)}),
        "new": obj("Node", **{long: Pointer("y"), long + "2": Pointer("q")}),
        "q": items(lit("word"), lit("w" * 60)),
    }
    cases = [
        case(
            "swap",
            "long",
            (f"{long}_parameter", Pointer("x")),
            (f"{long}_other", Pointer("y")),
            heap=heap,
            after=after,
            outcome=returned(Pointer("y")),
        ),
        case(
            "swap",
            "message",
            ("a", lit("t" * 50)),
            ("b", lit("u" * 50)),
            outcome=raised("ValueError", "bad (" + "m" * 60),
        ),
        case("swap", "broad", ("a", lit(1)), outcome=raised("Exception", "x" * 70)),
        *(
            case("same", f"row_{i}", ("a", lit("v" * 90)), (long, lit(i)), ("c" + long, lit(i)), outcome=returned(i))
            for i in range(3)
        ),
        case(
            "Node." + long, "getter", receiver=Pointer("x"), kind="property", heap=heap, outcome=returned(Pointer("y"))
        ),
        case("Node." + long + long, "method", receiver=Pointer("x"), heap=heap, outcome=returned("z" * 80)),
    ]
    for variant in (1, 2, 3):
        assert_well_formed(render(suite(cases), variants={c.id: variant for c in cases}), tmp_path)


def test_scripts_for_validation_hold_the_emitted_statements() -> None:
    for each in all_cases():
        script = render_case(each, PLANS)
        compile(script, "<script>", "exec")
        body = render(suite([each])).partition("\ndef ")[2].partition("\n\n\n# Checksums")[0]
        emitted_lines = [line for line in body.splitlines()[1:] if line.strip()]
        position = 0
        lines = script.splitlines()
        for line in emitted_lines:
            for statement in unfolded(line, lines):
                position = lines.index(statement, position) + 1


def unfolded(line: str, script: list[str]) -> list[str]:
    """A call inside of an assertion as the script makes it, before the assertion about its result."""
    for kept in (each for each in script if each.startswith("    result = ")):
        called = kept.removeprefix("    result = ")
        for written in (called, f"({called})"):
            if line == f"    {called}":
                return [kept]
            if line.startswith(f"    assert {written} "):
                return [kept, f"    assert result {line.removeprefix(f'    assert {written} ')}"]
    return [line]


def test_subclasses_call_the_method_that_the_path_is_about() -> None:
    only = case("Base.run", "x", receiver=Pointer("d"), heap={"d": obj("Derived")}, outcome=returned(1))
    assert "assert Base.run(derived) == 1" in render(suite([only]))


def test_subclasses_read_and_set_the_property_that_the_path_is_about() -> None:
    heap = {"d": obj("Derived")}
    read = case("Base.size", "x", kind="property", receiver=Pointer("d"), heap=heap, outcome=returned(1))
    assert "assert Base.size.__get__(derived) == 1" in render(suite([read]))
    written = case(
        "Base.size", "x", ("v", lit(3)), kind="setter", receiver=Pointer("d"), heap=heap, outcome=returned(None)
    )
    assert "Base.size.__set__(derived, 3)" in render(suite([written]))


def test_classes_and_functions_as_values() -> None:
    only = case(
        "kind",
        "x",
        ("flag", Named("builtins", "int")),
        ("colour", Named("shapes", "Colour.RED")),
        outcome=returned(None),
    )
    text = render(suite([only]))
    assert "kind(int, Colour.RED)" in text
    assert "from shapes import Colour, kind" in text


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    size = 3_000
    heap = {f"n{i}": node(i, f"n{i + 1}" if i + 1 < size else None) for i in range(size)}
    text = render(suite([case("swap", "chain", ("a", Pointer("n0")), heap=heap, outcome=returned(None))]))
    assert "    a = Node(data=0, next=node)" in text


def test_long_uniform_data_is_written_as_a_product(tmp_path: Path) -> None:
    heap = {"xs": items(*[lit(0)] * 500), "ys": items(*[lit("")] * 9, lit("x"))}
    arguments = ("xs", Pointer("xs")), ("ys", Pointer("ys")), ("text", lit("a" * 100))
    text = render(suite([case("take", "long", *arguments, heap=heap, outcome=returned("b" * 100))]))
    assert "xs = [0] * 500" in text
    assert 'assert result == "b" * 100' in text
    assert_well_formed(text, tmp_path)


def test_names_local_to_a_function_cannot_be_tested() -> None:
    with pytest.raises(Unsupported, match="local to a function"):
        render(suite([case("kind", "x", ("flag", Named("shapes", "f.<locals>.g")), outcome=returned(None))]))


def test_misleading_names_are_avoided() -> None:
    heap = {"l": items(lit(1)), "s": obj("List"), "d": items(lit(2))}
    arguments = ("l", Pointer("l")), ("input", Pointer("d"))
    text = render(suite([case("List.add", "x", *arguments, receiver=Pointer("s"), heap=heap, outcome=returned(None))]))
    assert "list_.add(l_list, input_)" in text


def test_an_import_path_comes_before_the_imports_that_need_it(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    program(tmp_path / "src" / "deep")
    file = tmp_path / "tests" / "test_it.py"
    file.parent.mkdir()
    file.write_text(render(suite(literal_cases()), import_path="../src/deep"))
    assert 'sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src/deep"))' in file.read_text()
    assert_well_formed(file.read_text(), tmp_path)
    assert run_pytest(file).returncode == 0


def test_paths_that_share_a_test_follow_each_other(tmp_path: Path) -> None:
    cases = all_cases()
    text = render(suite(cases), variants=BUILT_PAST_CONSTRUCTOR, paths_per_test=4)
    assert_well_formed(text, tmp_path)
    program(tmp_path)
    file = tmp_path / "test_shared.py"
    file.write_text(text)
    shared = arrange_units(cases, 4)
    assert f"{len(shared)} passed" in run_pytest(file).stdout
    assert sorted(case.id for unit in shared for case in cases_of(unit)) == sorted(case.id for case in cases)
    for unit in shared:
        together = cases_of(unit)
        assert len(together) <= 4
        assert len({(case.entry, case.finding is None) for case in together}) == 1
    assert any(len(cases_of(unit)) > 1 for unit in shared)


def test_state_that_is_put_back_keeps_paths_apart() -> None:
    cases = all_cases()
    assert "_paths_1_to_" in render(suite(cases), paths_per_test=4)
    assert "_paths_1_to_" not in render(suite(cases), paths_per_test=4, restore_state=True)


def test_a_table_holds_only_calls_that_are_given_the_same_arguments(tmp_path: Path) -> None:
    both = [case("sign", f"path_{n}", ("n", lit(n)), outcome=returned(1)) for n in (1, 2, 3)]
    more = [case("sign", f"more_{n}", ("n", lit(n)), ("m", lit(n)), outcome=returned(1)) for n in (4, 5, 6)]
    tables = [unit for unit in arrange_units([*both, *more]) if isinstance(unit, Table)]
    assert [len(table.rows) for table in tables] == [3, 3]
    assert_well_formed(render(suite([*both, *more])), tmp_path)

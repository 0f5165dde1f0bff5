"""Targets: files, modules and what is inside them; every mistake gets an answer to act on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.ir.text import print_program
from everypath.languages.python.frontend import EntryPoint, Sources, finder, load_target
from tests.frontends.lowered import Snippets

SHOP = """
class Cart:
    def __init__(self, size: int) -> None:
        self.size = size
    def add(self, n: int) -> None:
        self.size += n
    def _hidden(self) -> None: ...
    def __len__(self) -> int:
        return self.size
    @staticmethod
    def make(n: int) -> "Cart":
        return Cart(n)
    @classmethod
    def empty(cls) -> "Cart":
        return cls(0)
    @property
    def full(self) -> bool:
        return self.size > 9
    class Item:
        def price(self) -> int:
            return 1
class _Private:
    def m(self) -> int: return 1
class Big(Cart):
    pass
def total(carts: list[Cart]) -> int:
    return len(carts)
def _internal(x: int) -> int: return x
"""


def kinds(entries: tuple[EntryPoint, ...]) -> dict[str, str]:
    return {entry.qualname: entry.kind for entry in entries}


def test_a_file_gives_its_public_functions_and_methods(snippets: Snippets) -> None:
    loaded = snippets.load(SHOP, name="cart.py")
    assert kinds(loaded.entries) == {
        "Cart.__init__": "constructor",
        "Cart.add": "method",
        "Cart.make": "static",
        "Cart.empty": "class",
        "Cart.full": "property",
        "Cart.__len__": "method",
        "Cart.Item.price": "method",
        "total": "function",
    }
    assert (loaded.module, loaded.root, loaded.file) == ("cart", snippets.folder, "cart.py")
    assert loaded.problems == ()


@pytest.mark.parametrize(
    ("member", "qualnames"),
    [
        ("total", ["total"]),
        ("_internal", ["_internal"]),
        ("Cart.add", ["Cart.add"]),
        ("Cart::add", ["Cart.add"]),
        ("Cart.__len__", ["Cart.__len__"]),
        ("Cart._hidden", ["Cart._hidden"]),
        ("Cart.Item", ["Cart.Item.price"]),
        ("_Private", ["_Private.m"]),
        ("Big.add", ["Big.add"]),
    ],
)
def test_a_member_is_named_after_the_colons(member: str, qualnames: list[str], snippets: Snippets) -> None:
    assert [e.qualname for e in snippets.load(SHOP, member).entries] == qualnames


def test_an_inherited_method_starts_from_the_class_that_was_named(snippets: Snippets) -> None:
    (entry,) = snippets.load(SHOP, "Big.add").entries
    assert (entry.cls, entry.method, entry.module) == ("snippet.Big", "add", "snippet")
    assert [p.name for p in entry.params] == ["self", "n"]


def test_a_file_in_a_package_has_its_dotted_name(snippets: Snippets) -> None:
    snippets.write("", "store/__init__.py")
    snippets.write("", "store/deep/__init__.py")
    loaded = snippets.load("def f(x: int) -> int: return x", name="store/deep/mod.py")
    assert (loaded.module, loaded.root) == ("store.deep.mod", snippets.folder)
    assert loaded.entries[0].cls == "store.deep.mod"


def test_a_module_is_found_by_name_without_importing_it(snippets: Snippets) -> None:
    snippets.write("", "store/__init__.py")
    snippets.write("raise SystemExit('imported')\ndef f(x: int) -> int: return x", "store/mod.py")
    loaded = load_target("store.mod::f", search=snippets.folder)
    assert (loaded.module, loaded.root) == ("store.mod", snippets.folder)


def test_modules_of_the_standard_library_are_found() -> None:
    loaded = load_target("bisect::bisect_left")
    assert loaded.module == "bisect"
    assert loaded.entries[0].span.file.endswith("bisect.py")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nothing.py", "no such file; check the path"),
        ("cart2.py::total", "no such file; did you mean cart.py?"),
        ("no_such_module", "no file and no module named 'no_such_module'"),
        ("sys", "built into the interpreter"),
        ("_ctypes", "is an extension"),
        ("cart.py::totel", "did you mean total?"),
        ("cart.py::Cart.ad", "did you mean Cart.add"),
        ("cart.py::qqqqqq", "it defines Cart, Cart.__init__"),
        ("cart.py::total.x", "there is no 'total.x'"),
        ("broken.py", "not valid Python"),
        ("empty.py::f", "it defines no functions or classes"),
        ("notes.txt", "not a Python source file"),
        ("::f", "names no file or module"),
        ("a-b", "neither a file nor the name of a module"),
        ("folder", "is a directory"),
        ("null.py", "null bytes"),
    ],
)
def test_a_bad_target_says_what_to_do(target: str, says: str, snippets: Snippets) -> None:
    snippets.write(SHOP, "cart.py")
    snippets.write("def f(:\n", "broken.py")
    snippets.write("", "empty.py")
    snippets.write("", "notes.txt")
    snippets.write("x = 1\0", "null.py")
    (snippets.folder / "folder").mkdir()
    with pytest.raises(BadInput) as caught:
        load_target(target, search=snippets.folder)
    assert says in str(caught.value)


def test_a_syntax_error_has_its_line(snippets: Snippets) -> None:
    snippets.write("x = 1\ny = = 2\n", "broken.py")
    with pytest.raises(BadInput) as caught:
        load_target("broken.py", search=snippets.folder)
    assert str(caught.value).startswith("broken.py:2: not valid Python")


def test_encodings_and_line_ends_are_python_s_business(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\r\ndef f(x: int) -> str:\r\n    return '\xe9'\r\n")
    assert load_target("latin.py::f", search=tmp_path).problems == ()


def test_types_from_the_command_line_annotate_parameters_by_name(snippets: Snippets) -> None:
    source = "def f(a, x: str): return a\ndef g(a): return a\ndef h(b): return b\n"
    loaded = snippets.load(source, types=("a: list[int], x: int",))
    assert [[str(p.type) for p in e.params] for e in loaded.entries] == [["list[int]", "int"], ["list[int]"], ["int"]]
    assert [p.kind for p in loaded.problems] == ["types"]
    assert "assumed from the code of h: b: int" in str(loaded.problems[0])
    assert all(entry.problems == () for entry in loaded.entries)


def test_types_from_the_command_line_reach_constructors_and_fields(snippets: Snippets) -> None:
    source = """
    class Node:
        def __init__(self, value, next=None):
            self.value = value
            self.next = next
    def f(n: Node): return n.value
    """
    loaded = snippets.load(source, "f", types=("value: int", "Node.next: Node | None"))
    fields = loaded.program.classes["snippet.Node"].fields
    assert {f.name: str(f.type) for f in fields.values()} == {"value": "int", "next": "snippet.Node | none"}


@pytest.mark.parametrize("text", ["a", "a: ", "1", "a: int; b: int", ")"])
def test_bad_types_are_refused(text: str, snippets: Snippets) -> None:
    with pytest.raises(BadInput):
        snippets.load("def f(a): return a", types=(text,))


def test_an_annotation_that_is_not_understood_is_a_problem_of_entries_only(snippets: Snippets) -> None:
    source = "def f(a: Mystery, b: Unknown): return g(a)\ndef g(c: Unknown): return c\n"
    loaded = snippets.load(source, "f")
    assert [p.message.split(";")[0] for p in loaded.problems] == [
        "the annotation 'Mystery' of parameter 'a' of f gives no type to make values of",
        "the annotation 'Unknown' of parameter 'b' of f gives no type to make values of",
    ]


def test_a_property_whose_getter_takes_more_is_tried_as_that_method(snippets: Snippets) -> None:
    source = """
    class Plan:
        def following(self, tag: int = 0) -> int: return tag
        def width(self) -> int: return 3
        next_one = property(following)
        wide = property(width)
    """
    entries = [entry.qualname for entry in snippets.load(source).entries]
    assert entries == ["Plan.following", "Plan.width", "Plan.wide"]


def test_the_constructor_of_an_abstract_class_is_no_entry(snippets: Snippets) -> None:
    source = (
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    def __init__(self, n: int) -> None:\n"
        "        self.n = n\n    @abstractmethod\n    def m(self) -> int: ...\n"
        "    def k(self) -> int:\n        return 1\nclass B(A):\n    def m(self) -> int:\n        return 2\n"
    )
    assert [entry.qualname for entry in snippets.load(source, name="shapes.py").entries] == ["A.k", "B.m"]
    with pytest.raises(BadInput, match="abstract"):
        snippets.load(source, "A.__init__", name="shapes.py")
    assert snippets.load(source, "B.__init__", name="shapes.py").entries


def test_targets_that_share_sources_parse_each_file_once(snippets: Snippets, monkeypatch: pytest.MonkeyPatch) -> None:
    snippets.write(
        """
        from collections import namedtuple
        try:
            from nowhere import fast
        except ImportError:
            def fast(x: int) -> int: return x
        Point = namedtuple("Point", "x y")
        """,
        "shapes.py",
    )
    snippets.write("x: int\ndef left(p: Point) -> int: ...\n", "first.pyi")
    first = snippets.write("from shapes import Point, fast\ndef left(p):\n    return fast(p.x)\n", "first.py")
    second = snippets.write(
        "from first import left\nfrom shapes import Point\ndef g(): return left(Point(1, 2))\n", "b.py"
    )
    targets = [str(first), str(second), f"{second}::g"]
    alone = [print_program(load_target(target, (), snippets.folder).program) for target in targets]
    parsed: list[str] = []
    parse = finder.parse

    def noting(source: bytes, file: str) -> ast.Module:
        parsed.append(file)
        return parse(source, file)

    monkeypatch.setattr(finder, "parse", noting)
    sources = Sources()
    loaded = [load_target(target, (), snippets.folder, sources) for target in targets]
    assert sorted(parsed) == ["b.py", "first.py", "shapes.py"]
    assert [print_program(one.program) for one in loaded] == alone


PRIVATE = """
class _Box:
    def __init__(self, n: int) -> None:
        self.n = n
    def __secret(self) -> int:
        return self.n
def _helper(n: int) -> int:
    return n
def __getattr__(name: str) -> int:
    raise AttributeError(name)
"""


def test_a_module_without_anything_public_offers_what_is_private_and_says_so(snippets: Snippets) -> None:
    loaded = load_target(str(snippets.write(PRIVATE)))
    assert [entry.qualname for entry in loaded.entries] == ["_Box.__init__", "_Box.__secret", "_helper"]
    assert [problem.kind for problem in loaded.problems] == ["note"]
    assert "nothing public" in loaded.problems[0].message


def test_private_functions_are_offered_beside_public_ones_when_asked_for(snippets: Snippets) -> None:
    file = str(snippets.write(f"{PRIVATE}\ndef shown(n: int) -> int:\n    return n\n"))
    assert [entry.qualname for entry in load_target(file).entries] == ["shown"]
    asked = load_target(file, private=True)
    assert [entry.qualname for entry in asked.entries] == ["_Box.__init__", "_Box.__secret", "_helper", "shown"]
    assert not asked.problems

"""Classes: fields and their types, constructors, attributes, inheritance, dataclasses."""

from __future__ import annotations

import pytest

from everypath.ir import names
from everypath.ir.instructions import StaticDefault
from everypath.ir.program import Class
from tests.frontends.lowered import Snippets


def fields(cls: Class) -> dict[str, str]:
    return {field.name: str(field.type) for field in cls.fields.values()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.x = 1", "int"),
        ("self.x = 'a'", "str"),
        ("self.x = True", "bool"),
        ("self.x = p", "int"),
        ("self.x = p + 1", "int"),
        ("self.x = p > 1", "bool"),
        ("self.x = [1, 2]", "list[int]"),
        ("self.x = {'a': 1}", "dict[str, int]"),
        ("self.x = {1}", "set[int]"),
        ("self.x = (1, 'a')", "tuple[int, str]"),
        ("self.x = Node()", "snippet.Node"),
        ("self.x: list[str] = []", "list[str]"),
        ("self.x = len([])", "int"),
        ("self.x = f'{p}'", "str"),
        ("self.x = make()", "snippet.Node"),
        ("self.x = None if p else 1", "none | int"),
        ("self.x = q", "any"),
        ("self.x = None", "any"),
        ("a, self.x = 1, 2", "int"),
        ("local = Node()\n        self.x = local", "snippet.Node"),
        ("self.x = []\n        self.x.append(p)", "list[int]"),
        ("self.x = {}\n        self.x['k'] = p", "dict[str, int]"),
        ("self.x = set()\n        self.x.add('a')", "set[str]"),
    ],
)
def test_the_type_of_a_field_is_inferred(body: str, expected: str, snippets: Snippets) -> None:
    source = f"""\
class Node: pass
def make() -> Node: return Node()
class A:
    def __init__(self, p: int, q):
        {body}
"""
    loaded = snippets.load(source, "A.__init__")
    assert fields(loaded.program.classes["snippet.A"])["x"] == expected


LINKED = """
class Node:
    def __init__(self, data, next=None):
        self.data = data
        self.next = next
class Linked:
    def __init__(self):
        self.first = None
        self.count = 0
    def push(self, x: int) -> None:
        node = Node(x, self.first)
        node.next = self.first
        self.first = node
        self.count += 1
    def last(self):
        p = self.first
        while p is not None and p.next is not None:
            p = p.next
        return p
    def append(self, x: int):
        self.last().next = Node(x)
"""


def test_an_unannotated_linked_list_is_understood(snippets: Snippets) -> None:
    classes = snippets.load(LINKED, "Linked.push").program.classes
    assert fields(classes["snippet.Linked"]) == {"first": "none | snippet.Node", "count": "int"}
    assert fields(classes["snippet.Node"])["next"] in ("snippet.Node | none", "none | snippet.Node")


def test_a_constructor_says_which_parameter_goes_where(snippets: Snippets) -> None:
    source = """
    class A:
        def __init__(self, a: int, b: int = 2, *, c: str = "x") -> None:
            self.a = a
            self.twice = b * 2
            self._c: str = c
            self.none = None
            self.items = []
            self.flag = -1
            if a:
                self.maybe = 1
    """
    made = snippets.load(source, "A").program.classes["snippet.A"].constructor
    assert made is not None
    assert [p.name for p in made.params] == ["a", "b", "c"]
    assert made.sets == {"a": "a", "c": "_c"}
    assert made.constants == {"none": None, "flag": -1}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A:\n    def m(self) -> int: return 1\n", ([], {})),
        (
            "class B:\n    def __init__(self, x: int): self.x = x\nclass A(B):\n    def m(self): ...\n",
            (["x"], {"x": "x"}),
        ),
        ("class A:\n    def __init__(self, x: int):\n        x += 1\n        self.x = x\n", (["x"], {})),
        ("class A:\n    def __init__(self, x: int):\n        self.x = x\n        self.x = 2\n", (["x"], {})),
        ("class A:\n    def __init__(self, x: int):\n        self.__x = x\n", (["x"], {"x": "_A__x"})),
    ],
)
def test_constructors_of_other_shapes(
    source: str, expected: tuple[list[str], dict[str, str]], snippets: Snippets
) -> None:
    made = snippets.load(source).program.classes["snippet.A"].constructor
    assert made is not None
    assert ([p.name for p in made.params], made.sets) == expected


def test_a_constructor_that_is_new_sets_nothing_by_its_text(snippets: Snippets) -> None:
    source = "class A:\n    def __new__(cls): return object.__new__(cls)\n    def m(self): return A()\n"
    loaded = snippets.load(source, "A.m")
    made = loaded.program.classes["snippet.A"].constructor
    assert made is not None and (made.params, made.sets) == ((), {})
    assert loaded.problems == ()


def test_statics_setters_and_kinds(snippets: Snippets) -> None:
    source = """
    class A:
        LIMIT = 3
        pair: "ClassVar[int]" = 4
        def __init__(self): self._v = 0
        @property
        def v(self): return self._v
        @v.setter
        def v(self, x): self._v = x
        @staticmethod
        def s(): return 1
        @classmethod
        def c(cls): return cls()
    """
    cls = snippets.load(source, "A").program.classes["snippet.A"]
    assert cls.statics == {"LIMIT": "<static LIMIT>", "pair": "<static pair>"}
    assert cls.setters == {"v": "<set v>"}
    kinds = {name: method.kind for name, method in cls.methods.items() if name in ("v", "s", "c", "__init__")}
    assert kinds == {"__init__": "instance", "v": "property", "s": "static", "c": "class"}
    assert fields(cls) == {"_v": "int"}


def test_slots_and_private_names(snippets: Snippets) -> None:
    source = """
    class A:
        __slots__ = ("a", "__b")
        def set(self, x: int): self.__b = x
        def __hidden(self): return self.__b
    """
    cls = snippets.load(source, "A.set").program.classes["snippet.A"]
    assert fields(cls) == {"a": "any", "_A__b": "int"}
    assert "_A__hidden" in cls.methods


def test_abstract_classes_and_subclasses_come_along(snippets: Snippets) -> None:
    source = """
    from abc import ABC, abstractmethod
    class Shape(ABC):
        @abstractmethod
        def area(self) -> int: ...
    class Square(Shape):
        def __init__(self, side: int): self.side = side
        def area(self) -> int: return self.side * self.side
    class Unrelated:
        def area(self) -> int: return 1
    def total(s: Shape) -> int: return s.area()
    """
    program = snippets.load(source, "total").program
    assert program.classes["snippet.Shape"].abstract
    stand_in = names.stand_in("snippet.Shape")
    assert sorted(program.subclasses("snippet.Shape")) == ["snippet.Shape", stand_in, "snippet.Square"]
    assert not program.classes[stand_in].abstract
    assert not program.classes["snippet.Square"].abstract
    assert "snippet.Unrelated" not in program.classes


def test_the_exception_hierarchy_is_always_there(snippets: Snippets) -> None:
    program = snippets.load("def f(): return 1\n").program
    assert program.mro("FileNotFoundError") == ("FileNotFoundError", "OSError", "Exception", "BaseException", "object")
    assert program.classes["ValueError"].external and program.classes["ValueError"].module == "builtins"


def test_dataclasses_have_constructors_and_comparisons(snippets: Snippets) -> None:
    source = """
    from dataclasses import dataclass, field
    @dataclass(order=True)
    class P:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        hidden: int = field(default=0, init=False, compare=False)
        def norm(self) -> int: return self.x
    def f(p: P) -> int: return p.x
    """
    loaded = snippets.load(source, "P.norm")
    cls = loaded.program.classes["snippet.P"]
    assert fields(cls) == {"x": "int", "y": "int", "tags": "list[str]", "hidden": "int"}
    assert {"__init__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__"} <= set(cls.methods)
    assert cls.methods["__eq__"].model
    assert cls.constructor is not None
    assert cls.constructor.sets == {"x": "x", "y": "y", "tags": "tags"}
    assert [e.qualname for e in loaded.entries] == ["P.norm"]


def test_defaults_that_are_not_constants_are_statics(snippets: Snippets) -> None:
    loaded = snippets.load("LIMIT = [1]\ndef f(a: int = 3, b: list[int] = [], c=LIMIT): return a\n")
    a, b, c = loaded.entries[0].params
    assert a.default == 3
    assert b.default == StaticDefault("snippet", "<default f.b>")
    assert c.default == StaticDefault("snippet", "<default f.c>")
    assert "<static <default f.b>>" in loaded.program.classes["snippet"].methods


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("class A(frozenset):\n    def m(self) -> int: return 1\n", 1, "extends frozenset"),
        ("import ast\nclass A(ast.NodeVisitor):\n    def m(self) -> int: return 1\n", 2, "extends ast.NodeVisitor"),
        ("class A(metaclass=M):\n    def m(self) -> int: return 1\n", 1, "class keyword metaclass"),
        ("import other\n@other.s\nclass A:\n    def m(self) -> int: return 1\n", 2, "@other.s"),
        ("class A:\n    print()\n    def m(self) -> int: return 1\n", 2, "in the body of class A"),
        ("import numba\nclass A:\n    @numba.njit\n    def m(self): return 1\n", 3, "numba.njit"),
    ],
)
def test_what_is_unusual_about_a_class_is_reported(source: str, line: int, says: str, snippets: Snippets) -> None:
    problems = [p for p in snippets.load(source).problems if p.kind == "unsupported"]
    assert [p.span.line for p in problems] == [line]
    assert says in problems[0].message


def test_super_that_depends_on_the_object_is_looked_up_by_its_class(snippets: Snippets) -> None:
    source = """
    class A:
        def m(self): return 1
    class B(A):
        def m(self): return super().m() + 1
    class C(A):
        def m(self): return super().m() + 2
    class D(B, C):
        pass
    """
    loaded = snippets.load(source, "D.m")
    assert loaded.problems == ()
    found = [loaded.program.find_method(f"snippet.{cls}", "<super snippet.B>.m") for cls in "BD"]
    assert [method.span.line for method in found if method is not None] == [3, 7]

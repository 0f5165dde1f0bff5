"""Questions about classes and attributes, and exception objects."""

from __future__ import annotations

from typing import Any

import pytest

from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Class, Field, Program
from everypath.ir.types import INT, ClassType
from everypath.languages.python.frontend.hierarchy import PYTHON, exception_classes
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic import terms
from tests.natives.driver import call, expected, follow, new_state, plain, unknown


def program() -> Program:
    classes = exception_classes()
    classes["m.A"] = Class("m.A", ("object",), fields={"x": Field("x", INT)}, module="m")
    classes["m.B"] = Class("m.B", ("m.A",), module="m")
    classes["m.E"] = Class("m.E", ("ValueError",), module="m")
    return Program(PYTHON, classes)


BUILTIN: list[tuple[Any, type]] = [
    (1, int), (True, int), (True, bool), (1, bool), ("a", str), (1.0, float), (None, int), ((1,), tuple), ([1], list),
    ({}, dict), (set(), set), (1, object), ("a", list), (range(2), range), (b"", bytes),
]  # fmt: skip


@pytest.mark.parametrize(("value", "cls"), BUILTIN, ids=str)
def test_instances_of_builtin_classes(value: Any, cls: type) -> None:
    st = new_state()
    assert NATIVES["isinstance"](st, plain(st, value), NativeRef(cls.__name__)) == isinstance(value, cls)
    several = (NativeRef("str"), (NativeRef(cls.__name__),))
    assert NATIVES["isinstance"](st, plain(st, value), several) == isinstance(value, str | cls)


def test_instances_of_abstract_classes() -> None:
    st = new_state()
    for value, name, answer in (
        ([], "Sequence", True),
        ({}, "Mapping", True),
        (1, "Iterable", False),
        ("", "Sized", True),
    ):
        assert NATIVES["isinstance"](st, plain(st, value), NativeRef(f"collections.abc.{name}")) is answer


def test_instances_of_the_programs_classes() -> None:
    st = new_state(program=program())
    b = st.heap.new_object("m.B")
    assert NATIVES["isinstance"](st, b, ClassRef("m.A")) is True
    assert NATIVES["isinstance"](st, b, (NativeRef("int"), ClassRef("m.E"))) is False
    paths = follow(new_state(program=program()), call("isinstance", unknown(ClassType("m.A")), ClassRef("m.B")))
    assert [path.value for path in paths] == [True, False]


def test_what_is_no_class() -> None:
    for name, function in (("isinstance", isinstance), ("issubclass", issubclass)):
        first: Any = NativeRef("int") if name == "issubclass" else 1
        (path,) = follow(new_state(), call(name, first, 3))
        assert path.outcome({}) == expected(function, int if name == "issubclass" else 1, 3)


def test_subclasses() -> None:
    st = new_state(program=program())
    assert NATIVES["issubclass"](st, ClassRef("m.B"), ClassRef("m.A")) is True
    assert NATIVES["issubclass"](st, ClassRef("m.A"), ClassRef("m.B")) is False
    assert NATIVES["issubclass"](st, ClassRef("m.E"), (ClassRef("KeyError"), ClassRef("Exception"))) is True
    assert NATIVES["issubclass"](st, NativeRef("bool"), NativeRef("int")) is True


def test_the_type_of_a_value() -> None:
    st = new_state(program=program())
    assert NATIVES["type"](st, 1) == NativeRef("int")
    assert NATIVES["type"](st, terms.bool_var("b")) == NativeRef("bool")
    assert NATIVES["type"](st, None) == NativeRef("NoneType")
    assert NATIVES["type"](st, st.heap.new_object("m.B")) == ClassRef("m.B")
    paths = follow(st, call("type", unknown(ClassType("m.A"))))
    assert {path.value for path in paths} == {ClassRef("m.A"), ClassRef("m.B")}


def test_what_can_be_called() -> None:
    st = new_state(program=program())
    for value, answer in (
        (NativeRef("len"), True),
        (ClassRef("m.A"), True),
        (FunctionRef("m", "f"), True),
        (NativeRef("NotImplemented"), False),
        (1, False),
        (st.heap.new_object("m.A"), False),
    ):
        assert NATIVES["callable"](st, value) is answer


def test_attributes_by_name() -> None:
    st = new_state(program=program())
    a = st.heap.new_object("m.A", {"x": 1})
    assert NATIVES["getattr"](st, a, "x") == 1
    assert NATIVES["getattr"](st, a, "y", 5) == 5
    assert NATIVES["hasattr"](st, a, "x") is True
    assert NATIVES["hasattr"](st, a, "y") is False
    NATIVES["setattr"](st, a, "y", 2)
    assert NATIVES["getattr"](st, a, "y") == 2
    (path,) = follow(st, call("getattr", a, "z"))
    assert path.fault == ("AttributeError", ("'A' object has no attribute 'z'",))
    (path,) = follow(st, call("getattr", a, 1))
    assert path.fault is not None and path.fault[0] == "TypeError"
    paths = follow(st, call("getattr", a, terms.str_var("s"), 7))
    assert {path.value for path in paths} >= {1, 2, 7} and all(path.fixed for path in paths)


def test_exception_objects() -> None:
    st = new_state(program=program())
    made = NATIVES["new_exception"](st, ClassRef("ValueError"), "a", 1)
    assert st.heap.cells[made] == {"args": ("a", 1)}
    own = st.heap.new_object("m.E")
    NATIVES["init_exception"](st, own, "b")
    assert st.heap.cells[own]["args"] == ("b",)
    failed = NATIVES["assertion_error"](st, "why")
    assert failed.cls == "AssertionError" and st.heap.cells[failed] == {"args": ("why",), "$assert": True}
    (path,) = follow(st, call("unsupported", "this"))
    assert path.stopped == "this"


def test_the_methods_that_every_object_has() -> None:
    st = new_state(program=program())
    a, b = st.heap.new_object("m.A"), st.heap.new_object("m.A")
    assert NATIVES["object.__init__"](st, a) is None
    assert NATIVES["object.__eq__"](st, a, a) is True
    assert NATIVES["object.__eq__"](st, a, b) == NativeRef("NotImplemented")
    (path,) = follow(st, call("object.__init__", a, 1))
    assert path.fault == ("TypeError", ("A() takes no arguments",))

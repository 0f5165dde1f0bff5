"""Switches over patterns (Java 21), which compilers leave to `SwitchBootstraps`: which label is the first that fits.

A label is a class, a text, a number (which a character also fits), or in a switch over an enum the name of a constant.
What is asked again, because a guard did not hold, begins behind the last label.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param, Reg
from everypath.ir.program import Class
from everypath.ir.types import ANY, INT, ClassType
from everypath.languages.java.classfile.constants import ClassConstant, IntConstant, StringConstant
from everypath.languages.java.frontend.hierarchy import dotted
from everypath.languages.java.frontend.types import exact_type

SWITCHES = "java/lang/runtime/SwitchBootstraps"
CHOOSE = "choose"
"""the method that gives the number of the label, -1 for null"""
_EQUALS = "equals(Ljava/lang/Object;)Z"
_KNOWN = (ClassConstant, IntConstant, StringConstant)


def switch_class(name: str, labels: Sequence[object], over_enum: bool) -> Class | None:
    """A class whose static method takes what is switched over and where to begin; None for labels of other kinds."""
    if not all(isinstance(label, _KNOWN) for label in labels):
        return None
    build = MethodBuilder(name, CHOOSE, (Param("value", ANY), Param("start", INT)))
    some = build.label("some")
    nothing = build.label("nothing")
    absent = build.give(ins.Compare(build.register(), "is", 0, build.constant(None)))
    build.branch(absent, nothing, some)
    build.start(nothing)
    build.end(ins.Return(build.constant(-1)))
    build.start(some)
    for number, label in enumerate(labels):
        following = build.label("next")
        asked = build.give(ins.Compare(build.register(), "<=", 1, build.constant(number)))
        _then(build, asked, following)
        _fits(build, label, over_enum, following)
        build.end(ins.Return(build.constant(number)))
        build.start(following)
    build.end(ins.Return(build.constant(len(labels))))
    made = Class(name, ("java.lang.Object",), model=True)
    made.methods[CHOOSE] = build.finish(returns=INT, kind="static", model=True)
    return made


def _then(build: MethodBuilder, condition: Reg, otherwise: ins.Label) -> None:
    """Go on if a condition holds."""
    inside = build.label("inside")
    build.branch(condition, inside, otherwise)
    build.start(inside)


def _is_of(build: MethodBuilder, cls: str, otherwise: ins.Label) -> None:
    descriptor = cls if cls.startswith("[") else f"L{cls};"
    _then(build, build.give(ins.TypeTest(build.register(), 0, (exact_type(descriptor),))), otherwise)


def _fits(build: MethodBuilder, label: object, over_enum: bool, otherwise: ins.Label) -> None:
    match label:
        case ClassConstant(name):
            _is_of(build, name, otherwise)
        case StringConstant(text):
            value = 0
            if over_enum:
                value = build.give(ins.CallVirtual(build.register(), 0, "name()Ljava/lang/String;", ()))
            known = build.constant(text)
            _then(build, build.give(ins.CallVirtual(build.register(), known, _EQUALS, (value,))), otherwise)
        case IntConstant(number):
            boxed, other, same = build.label("number"), build.label("character"), build.label("same")
            held = build.register()
            for cls, place in (("java/lang/Integer", other), ("java/lang/Character", otherwise)):
                tested = build.give(ins.TypeTest(build.register(), 0, (ClassType(dotted(cls)),)))
                inside = build.label("inside")
                build.branch(tested, inside, place)
                build.start(inside)
                build.emit(ins.GetField(held, 0, "value"))
                build.end(ins.Jump(boxed))
                if place == other:
                    build.start(other)
            build.start(boxed)
            _then(build, build.give(ins.Compare(build.register(), "==", held, build.constant(number))), otherwise)
            build.start(same)

"""An invariant as a precondition: code that fails unless the objects among some inputs fulfil it."""

from __future__ import annotations

from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    CallVirtual,
    ClassRef,
    GetField,
    Jump,
    Label,
    Param,
    Reg,
    Return,
    Throw,
    TypeTest,
    Unary,
)
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, ClassType, Type, UnionType

_INVARIANT = "<invariant>"


def check_of(program: Program, invariant: str, type: Type, nested: int) -> Method | None:
    """A method that fails for an object of which the invariant does not hold; None where there is no such object.

    The objects in declared fields are looked at too, so many fields deep as `nested` says.
    """
    if not _having(program, invariant, type):
        return None
    build = MethodBuilder("builtins", _INVARIANT, (Param("value", ANY),))
    fails = build.label("fails")
    _check(build, program, invariant, (0, type), nested, fails)
    build.end(Return(build.constant(None)))
    build.start(fails)
    build.end(Throw(build.constant(ClassRef(program.profile.assertion_error))))
    return build.finish(kind="static", model=True)


def _check(
    build: MethodBuilder, program: Program, invariant: str, value: tuple[Reg, Type], nested: int, fails: Label
) -> None:
    """Go to `fails` unless the value is no object of a class with the invariant or fulfils it."""
    register, type = value
    done = build.label("done")
    for option in _having(program, invariant, type):
        applies, holds, other = map(build.label, ("applies", "holds", "other"))
        is_object, result, broken = build.register(), build.register(), build.register()
        build.emit(TypeTest(is_object, register, (option,)))
        build.branch(is_object, applies, other)
        build.start(applies)
        found = program.find_method(option.name, invariant)
        if found is not None and found.kind == "property":
            build.emit(GetField(result, register, invariant))
        else:
            build.emit(CallVirtual(result, register, invariant, ()))
        build.emit(Unary(broken, "not", result))
        build.branch(broken, fails, holds)
        build.start(holds)
        for name, declared in program.all_fields(option.name).items() if nested else ():
            if _having(program, invariant, declared.type):
                inner = build.register()
                build.emit(GetField(inner, register, name))
                _check(build, program, invariant, (inner, declared.type), nested - 1, fails)
        build.end(Jump(done))
        build.start(other)
    build.start(done)


def _having(program: Program, invariant: str, type: Type) -> list[ClassType]:
    """The classes of a type that have the invariant."""
    options = type.options if isinstance(type, UnionType) else (type,)
    return [o for o in options if isinstance(o, ClassType) and program.find_method(o.name, invariant) is not None]

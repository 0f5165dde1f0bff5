"""The methods that every record has: equality, hash code and text, which compilers leave to `ObjectMethods`."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param, Reg
from everypath.ir.program import Class, Method
from everypath.ir.types import ANY, BOOL, INT, STR, ClassType
from everypath.languages.java.frontend.boxing import WRAPPERS
from everypath.languages.java.frontend.concatenation import text_of
from everypath.languages.java.frontend.hierarchy import JavaClass

_SPAN = Span()


def record_class(cls: JavaClass, name: str) -> Class:
    """A class with the three methods as static ones, whose first parameter is the record."""
    made = Class(name, ("java.lang.Object",), module=cls.package, model=True)
    for method in (_equals(cls, name), _hash_code(cls, name), _to_string(cls, name)):
        made.methods[method.name] = method
    return made


def _field(build: MethodBuilder, obj: Reg, name: str) -> Reg:
    return build.give(ins.GetField(build.register(), obj, name))


def _equals(cls: JavaClass, home: str) -> Method:
    this, other = Param("this", ClassType(cls.name)), Param("other", ANY)
    build = MethodBuilder(home, "equals", (this, other))
    alike, different = build.label("alike"), build.label("different")
    tested = build.give(ins.TypeTest(build.register(), 1, (ClassType(cls.name),)))
    build.branch(tested, alike, different)
    build.start(alike)
    for name, descriptor in cls.components:
        mine, theirs = _field(build, 0, name), _field(build, 1, name)
        following = build.label("alike")
        build.branch(_same(build, mine, theirs, descriptor), following, different)
        build.start(following)
    build.end(ins.Return(build.constant(True)))
    build.start(different)
    build.end(ins.Return(build.constant(False)))
    return build.finish(returns=BOOL, kind="static", model=True)


def _same(build: MethodBuilder, mine: Reg, theirs: Reg, descriptor: str) -> Reg:
    into = build.register()
    if descriptor in ("F", "D"):
        wrapper = WRAPPERS[descriptor][0]
        compared = build.give(
            ins.CallStatic(build.register(), wrapper, f"compare({descriptor}{descriptor})I", (mine, theirs))
        )
        return build.give(ins.Compare(into, "==", compared, build.constant(0)))
    if descriptor in WRAPPERS:
        return build.give(ins.Compare(into, "==", mine, theirs))
    name = "equals(Ljava/lang/Object;Ljava/lang/Object;)Z"
    return build.give(ins.CallStatic(into, "java.util.Objects", name, (mine, theirs)))


def _hash_code(cls: JavaClass, home: str) -> Method:
    build = MethodBuilder(home, "hashCode", (Param("this", ClassType(cls.name)),))
    total = build.constant(0)
    for name, descriptor in cls.components:
        value, part = _field(build, 0, name), build.register()
        if descriptor in WRAPPERS:
            build.emit(ins.CallStatic(part, WRAPPERS[descriptor][0], f"hashCode({descriptor})I", (value,)))
        else:
            build.emit(ins.CallStatic(part, "java.util.Objects", "hashCode(Ljava/lang/Object;)I", (value,)))
        scaled = build.give(ins.Binary(build.register(), "*", total, build.constant(31)))
        total = build.give(ins.Binary(build.register(), "+", scaled, part))
    build.end(ins.Return(total))
    return build.finish(returns=INT, kind="static", model=True)


def _to_string(cls: JavaClass, home: str) -> Method:
    build = MethodBuilder(home, "toString", (Param("this", ClassType(cls.name)),))
    pieces = [build.constant(f"{cls.simple}[")]
    for number, (name, descriptor) in enumerate(cls.components):
        pieces.append(build.constant(f"{', ' if number else ''}{name}="))
        pieces.append(text_of(build, _field(build, 0, name), descriptor, _SPAN))
    pieces.append(build.constant("]"))
    build.end(ins.Return(build.give(ins.CallNative(build.register(), "concat", tuple(pieces)))))
    return build.finish(returns=STR, kind="static", model=True)

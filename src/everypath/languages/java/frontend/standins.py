"""What stands for any object of an interface or abstract class that nobody implements: each answer is an input.

The class is made up. Its methods hand each call on to the engine, which makes an input of the declared type and keeps a
log; the test writes the stand-in as an anonymous class that gives the same answers.
"""

from __future__ import annotations

from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param
from everypath.ir.names import stand_in
from everypath.ir.program import Class, Method
from everypath.ir.types import ClassType, Type
from everypath.languages.java.frontend.hierarchy import OBJECT, JavaClass, JavaMethod

ANSWER = "answer"
"""the native that answers a call"""


def stand_in_class(cls: JavaClass) -> Class:
    """The class of the objects that stand in, without its methods."""
    bases = (OBJECT, cls.name) if cls.kind == "interface" else (cls.name,)
    return Class(stand_in(cls.name), bases, module=cls.package, model=True)


def answered(cls: JavaClass) -> dict[str, JavaMethod]:
    """The abstract methods of a class and of those above it that no other one implements."""
    found: dict[str, JavaMethod] = {}
    concrete: set[str] = set()
    for name in cls.hierarchy.supertypes(cls.name):
        owner = cls.hierarchy.find(name)
        for method in owner.methods.values() if owner is not None else ():
            if method.abstract and method.ir_name not in concrete:
                found.setdefault(method.ir_name, method)
            elif not method.static:
                concrete.add(method.ir_name)
    # What every object has is not asked.
    root = cls.hierarchy.find(OBJECT)
    known = root.methods if root is not None else {}
    return {name: method for name, method in found.items() if name not in known}


def answer_method(made: Class, method: JavaMethod, params: tuple[Param, ...], returns: Type) -> Method:
    """A method that asks the engine."""
    build = MethodBuilder(made.name, method.ir_name, (Param("this", ClassType(made.name)), *params))
    name, into = build.constant(method.ir_name), build.register()
    build.emit(ins.CallNative(into, ANSWER, (0, name, *range(1, len(params) + 1))))
    build.end(ins.Return(into))
    return build.finish(returns=returns, model=True)

"""Lambdas and method references: for each of them a class is made up that implements the interface.

What `LambdaMetafactory` does when a program runs is done here when it is translated: the object holds what the lambda
captures, and its one method passes that and its own arguments on to the method with the lambda's body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param, Reg
from everypath.ir.program import Class, Field
from everypath.ir.types import ClassType
from everypath.languages.java.classfile.constants import (
    ClassConstant,
    Constant,
    DynamicConstant,
    HandleConstant,
    IntConstant,
    MethodTypeConstant,
)
from everypath.languages.java.classfile.descriptors import method_types
from everypath.languages.java.classfile.model import Bootstrap
from everypath.languages.java.frontend.boxing import adapted
from everypath.languages.java.frontend.hierarchy import JavaClass, dotted
from everypath.languages.java.frontend.surroundings import Surroundings
from everypath.languages.java.frontend.types import descriptor_type

_SERIALIZABLE, _MARKERS = 1, 2
_VIRTUAL, _STATIC, _SPECIAL, _CONSTRUCTOR, _INTERFACE = 5, 6, 7, 8, 9


def lambda_class(
    surroundings: Surroundings,
    home: JavaClass,
    name: str,
    site: DynamicConstant,
    bootstrap: Bootstrap,
    captured: tuple[str, ...],
) -> Class:
    """The class of the objects that a call site makes."""
    erased, handle, instantiated = bootstrap.arguments[:3]
    assert isinstance(erased, MethodTypeConstant)
    assert isinstance(handle, HandleConstant)
    assert isinstance(instantiated, MethodTypeConstant)
    interface = dotted(method_types(site.descriptor)[1][1:-1])
    bases = dict.fromkeys(("java.lang.Object", interface, *_markers(bootstrap.arguments[3:])))
    made = Class(name, tuple(bases), module=home.package, model=True)
    for number, descriptor in enumerate(captured):
        made.fields[f"captured{number}"] = Field(f"captured{number}", descriptor_type(descriptor))
    parameters, result = method_types(erased.descriptor)
    shown, _ = method_types(instantiated.descriptor)
    params = (
        Param("this", ClassType(name)),
        *(Param(f"arg{number}", descriptor_type(each)) for number, each in enumerate(parameters)),
    )
    method_name = site.name + erased.descriptor
    build = MethodBuilder(name, method_name, params)
    values: list[tuple[Reg, str]] = []
    for number, descriptor in enumerate(captured):
        register = build.register()
        build.emit(ins.GetField(register, 0, f"captured{number}"))
        values.append((register, descriptor))
    for number, (plain, exact) in enumerate(zip(parameters, shown)):
        values.append((number + 1, exact if plain.startswith(("L", "[")) else plain))
    returned = _call(surroundings, build, handle, values, result)
    build.end(ins.Return(returned))
    made.methods[method_name] = build.finish(returns=descriptor_type(result), model=True)
    return made


def _markers(arguments: Sequence[Constant]) -> Iterator[str]:
    """The other interfaces that `LambdaMetafactory.altMetafactory` is asked for: flags, then a count and names."""
    flags = arguments[0] if arguments else None
    if not isinstance(flags, IntConstant):
        return
    if flags.value & _SERIALIZABLE:
        yield "java.io.Serializable"
    if flags.value & _MARKERS:
        for each in arguments[2:]:
            if not isinstance(each, ClassConstant):
                break
            yield dotted(each.name)


def _call(
    surroundings: Surroundings, build: MethodBuilder, handle: HandleConstant, values: list[tuple[Reg, str]], result: str
) -> Reg:
    """Call what the handle refers to; the register with the result in the type that the interface wants."""
    member, span = handle.member, Span()
    owner, method = dotted(member.owner), member.name + member.descriptor
    parameters, given = method_types(member.descriptor)
    into = build.register()
    if handle.kind == _CONSTRUCTOR:
        _initialise(surroundings, build, owner)
        build.emit(ins.NewObject(into, owner))
        arguments = [adapted(build, reg, have, want, span) for (reg, have), want in zip(values, parameters)]
        build.emit(ins.CallStatic(build.register(), owner, method, (into, *arguments)))
        return into
    if handle.kind != _STATIC:
        parameters = (f"L{member.owner};", *parameters)
    else:
        _initialise(surroundings, build, owner)
    arguments = [adapted(build, reg, have, want, span) for (reg, have), want in zip(values, parameters)]
    if handle.kind in (_VIRTUAL, _INTERFACE):
        found = surroundings.hierarchy.find(owner)
        known = found.methods.get(method) if found is not None else None
        if known is None or known.access != "private":
            build.emit(ins.CallVirtual(into, arguments[0], method, tuple(arguments[1:])))
            return adapted(build, into, given, result, span)
    build.emit(ins.CallStatic(into, owner, method, tuple(arguments)))
    return adapted(build, into, given, result, span)


def _initialise(surroundings: Surroundings, build: MethodBuilder, owner: str) -> None:
    if surroundings.has_initialiser(owner):
        build.emit(ins.GetStatic(build.register(), owner, "$initialised"))

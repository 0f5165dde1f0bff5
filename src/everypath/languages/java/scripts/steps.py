"""The calls before the one under test that make its inputs."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import BuildStep, CallCase, Value
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import Generic
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.generics import from_descriptor
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.subject import BOXES, find_class
from everypath.languages.java.scripts.values import Values


def step_lines(
    case: CallCase, names: Mapping[str, str], types: CaseTypes, values: Values, imports: Imports
) -> list[str]:
    """The statements of the steps in their order."""
    return [_step(step, names, types, values, imports) for step in case.inputs.steps]


def _step(step: BuildStep, names: Mapping[str, str], types: CaseTypes, values: Values, imports: Imports) -> str:
    cls = find_class(imports.hierarchy, step.module, step.cls)
    method = _method(cls, step)
    alike = [each for each in cls.methods.values() if each.name == method.name]
    overloaded = sum(len(each.parameters) == len(method.parameters) for each in alike) > 1
    arguments = ", ".join(
        _argument(value, from_descriptor(descriptor), overloaded, values, imports)
        for (_, value, _), descriptor in zip(step.arguments, method.parameters)
    )
    if method.name == "<init>":
        diamond = "<>" if cls.formals else ""
        declared = imports.type(types.of(step.target))
        if cls.name in BOXES:
            return f"{declared} {names[step.target]} = {arguments};"
        return f"{declared} {names[step.target]} = new {imports.cls(cls.name)}{diamond}({arguments});"
    if step.on:
        return (
            f"{imports.type(types.of(step.target))} {names[step.target]} = {names[step.on]}.{method.name}({arguments});"
        )
    return f"{names[step.target]}.{method.name}({arguments});"


def _argument(value: Value, type_: Generic, overloaded: bool, values: Values, imports: Imports) -> str:
    """An argument; of several methods with as many parameters, a bare null would not say which one is meant."""
    written = values.value(value, type_)
    return f"({imports.type(type_, raw=True)}) null" if written == "null" and overloaded else written


def _method(cls: JavaClass, step: BuildStep) -> JavaMethod:
    named = step.method.partition("(")[0]
    name = step.method if named else f"<init>{step.method}"
    for owner in cls.hierarchy.supertypes(cls.name):
        found = cls.hierarchy.find(owner)
        for method in found.methods.values() if found is not None else ():
            fits = len(method.parameters) == len(step.arguments)
            if name in (method.ir_name, method.name) and fits:
                return method
    raise Unsupported(f"{cls.name} has no method {name}")

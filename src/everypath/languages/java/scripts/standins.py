"""Stand-ins for any object of an interface or abstract class, as anonymous classes that give known answers."""

from __future__ import annotations

from everypath.cases.model import Answer, Gives, StandInState, Throws
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import Generic, Parameterised, Primitive
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod
from everypath.languages.java.scripts.generics import Binding, from_descriptor, plain, seen_as, substituted
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.layout import INDENT
from everypath.languages.java.scripts.subject import find_class
from everypath.languages.java.scripts.values import Values

_DEFAULTS = {"Z": "false", "V": "", "L": "null", "[": "null"}


def anonymous_class(cls: JavaClass, state: StandInState, type_: Generic, values: Values, imports: Imports) -> str:
    """An expression, over several lines, that makes a stand-in; what it is not asked it does not answer."""
    if not imports.accessible(cls) or cls.final:
        raise Unsupported(f"a stand-in for {cls.name}, which a test cannot extend")
    arguments = type_.arguments if isinstance(type_, Parameterised) else ()
    binding = dict(zip((formal.name for formal in cls.formals), arguments))
    lines = [f"new {imports.type(type_)}({_constructor(cls, imports)}) {{"]
    answers = dict(state.answers)
    body: list[list[str]] = []
    for method in _open_methods(cls, answers):
        given = answers.get(method.ir_name) or answers.get(method.name) or ()
        body.append(_method(method, given, _bound_in(cls, method, binding), values, imports))
    for number, method_lines in enumerate(body):
        lines += [""] * (number > 0) + [f"{INDENT}{line}" if line else "" for line in method_lines]
    return "\n".join([*lines, "}"])


def _constructor(cls: JavaClass, imports: Imports) -> str:
    """The arguments of the constructor that asks for least."""
    if cls.kind == "interface":
        return ""
    usable = [each for each in cls.constructors if each.access != "private"]
    if not usable:
        raise Unsupported(f"a stand-in for {cls.name}, whose constructors are private")
    return ", ".join(_default(descriptor) for descriptor in usable[0].parameters)


def _default(descriptor: str) -> str:
    return _DEFAULTS.get(descriptor[0], "0")


def _open_methods(cls: JavaClass, answers: dict[str, tuple[Answer, ...]]) -> list[JavaMethod]:
    """The methods that have no body, and those that have answers."""
    found: dict[str, JavaMethod] = {}
    for name in cls.hierarchy.supertypes(cls.name):
        owner = cls.hierarchy.find(name)
        for method in owner.methods.values() if owner is not None else ():
            if method.name != "<init>" and not method.static and not method.synthetic:
                found.setdefault(method.ir_name, method)
    named = {"equals(Ljava/lang/Object;)Z", "hashCode()I", "toString()Ljava/lang/String;"}
    return [
        method
        for key, method in found.items()
        if key in answers or method.name in answers or (method.abstract and key not in named)
    ]


def _bound_in(cls: JavaClass, method: JavaMethod, binding: Binding) -> dict[str, Generic]:
    """What the type parameters of the class that declares a method are."""
    owner = cls.hierarchy.find(method.owner)
    if owner is None or owner is cls:
        return dict(binding)
    lifted = seen_as(cls.hierarchy, cls, owner.name) or ()
    return {formal.name: substituted(each, binding) for formal, each in zip(owner.formals, lifted)}


def _method(
    method: JavaMethod, given: tuple[Answer, ...], binding: Binding, values: Values, imports: Imports
) -> list[str]:
    types = method.signature.parameters
    if len(types) != len(method.parameters):
        types = tuple(map(from_descriptor, method.parameters))
    parameters = ", ".join(
        f"{imports.type(substituted(type_, binding))} {name}" for type_, name in zip(types, method.parameter_names)
    )
    result = substituted(method.signature.result, binding)
    access = f"{method.access} " if method.access else ""
    head = f"{access}{imports.type(result)} {method.name}({parameters})"
    throwing = [answer for answer in given if isinstance(answer, Throws)]
    checked = [name for name in method.exceptions if throwing]
    if checked:
        head += f" throws {', '.join(imports.cls(name) for name in checked)}"
    if len(set(given)) <= 1:
        body = [_answer(given[0], result, values, imports)] if given else [_unasked(result)]
        return ["@Override", f"{head} {{", *(f"{INDENT}{line}" for line in body), "}"]
    lines = [
        f"private int {method.name}Calls;",
        "",
        "@Override",
        f"{head} {{",
        f"{INDENT}switch ({method.name}Calls++) {{",
    ]
    for number, answer in enumerate(given):
        label = "default:" if number == len(given) - 1 else f"case {number}:"
        lines += [f"{INDENT * 2}{label}", f"{INDENT * 3}{_answer(answer, result, values, imports)}"]
    return [*lines, f"{INDENT}}}", "}"]


def _unasked(result: Generic) -> str:
    return 'throw new UnsupportedOperationException("nobody asks");'


def _answer(answer: Answer, result: Generic, values: Values, imports: Imports) -> str:
    if isinstance(answer, Throws):
        cls = find_class(imports.hierarchy, answer.module, answer.cls)
        arguments = ", ".join(values.value(each, Parameterised("java/lang/Object")) for each in answer.arguments)
        return f"throw new {imports.cls(cls.name)}({arguments});"
    assert isinstance(answer, Gives)
    if isinstance(result, Primitive) and result.letter == "V":
        return "return;"
    return f"return {values.value(answer.value, plain(result))};"

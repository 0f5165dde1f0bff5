"""String concatenation, which compilers leave to `StringConcatFactory`: a recipe with places for the arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Reg
from everypath.languages.java.classfile.constants import Constant, DynamicConstant, StringConstant
from everypath.languages.java.classfile.model import Bootstrap
from everypath.languages.java.frontend.assignments import PLAIN
from everypath.languages.java.frontend.stack import OperandStack

_ARGUMENT, _CONSTANT = "\1", "\2"
_STRING = "Ljava/lang/String;"
_NATIVES = {"C": "char text", "Z": "boolean text", "F": "float text", "D": "double text"}


class Translation(Protocol):
    """The translation of the method with the call site."""

    build: MethodBuilder
    stack: OperandStack

    def span(self) -> Span:
        """The line of the current instruction."""


def text_of(build: MethodBuilder, register: Reg, descriptor: str, span: Span) -> Reg:
    """A register with the text that a value of this type adds to a string."""
    made = build.register()
    if descriptor == _STRING:
        build.emit(ins.CallNative(made, "text or null", (register,), span=span))
    elif descriptor.startswith(("L", "[")):
        name = "valueOf(Ljava/lang/Object;)Ljava/lang/String;"
        build.emit(ins.CallStatic(made, "java.lang.String", name, (register,), span=span))
    else:
        build.emit(ins.CallNative(made, _NATIVES.get(descriptor, "int text"), (register,), span=span))
    return made


def concatenated(
    translation: Translation,
    site: DynamicConstant,
    bootstrap: Bootstrap,
    parameters: tuple[str, ...],
    arguments: list[Reg],
) -> None:
    """Put the string on the stack that a call site makes of its arguments."""
    build, span = translation.build, translation.span()
    recipe = _ARGUMENT * len(arguments)
    constants: Iterator[Constant] = iter(())
    if site.name == "makeConcatWithConstants":
        first, *others = bootstrap.arguments
        assert isinstance(first, StringConstant)
        recipe, constants = first.value, iter(others)
    waiting = iter(zip(arguments, parameters))
    pieces: list[Reg] = []
    text = ""

    def flush() -> None:
        nonlocal text
        if text:
            pieces.append(build.constant(text, span))
            text = ""

    for character in recipe:
        if character == _ARGUMENT:
            flush()
            pieces.append(text_of(build, *next(waiting), span))
        elif character == _CONSTANT:
            constant = next(constants)
            text += str(constant.value) if isinstance(constant, PLAIN) else ""
        else:
            text += character
    flush()
    build.emit(ins.CallNative(translation.stack.result("A"), "concat", tuple(pieces), span=span))

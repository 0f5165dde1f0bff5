"""Finds every fault of a program: what no front end may produce and no later stage has to expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from everypath.errors import NOWHERE
from everypath.ir import instructions as ins
from everypath.ir.check_flow import loop_faults, wait_faults
from everypath.ir.forms import FORMS, Hole
from everypath.ir.instructions import Instruction, Param, Reg, Terminator
from everypath.ir.operands import reads, targets, writes
from everypath.ir.program import METHOD_KINDS, PARAM_KINDS, Class, Data, Fault, Method, Program
from everypath.ir.types import (
    SCALARS,
    DataType,
    Scalar,
    TupleType,
    TypeParameter,
    UnionType,
    has_samples_only,
)

__all__ = ["Fault", "check", "check_method"]


def check(program: Program) -> list[Fault]:
    """All faults of the program, class by class; if the list is empty, it may be explored."""
    cycles = [Fault(name, "", f"class {name} inherits from itself", c.span) for name, c in _cyclic(program).items()]
    if cycles:
        # Looking up a method or static along cyclic bases does not end, so nothing else can be said.
        return cycles
    scope = _Scope(program)
    faults: list[Fault] = []
    for name, data in program.data.items():
        faults += _data_faults(scope, name, data)
    for name, cls in program.classes.items():
        faults += _class_faults(scope, name, cls)
        for key, method in cls.methods.items():
            if method.name != key or method.cls != name:
                message = f"filed as {name}.{key} but calls itself {method.qualified}"
                faults.append(Fault(f"{name}.{key}", "", message, method.span))
            faults += _method_faults(scope, method)
    return faults


def check_method(program: Program, method: Method) -> list[Fault]:
    """The faults of one method, for programs whose methods are made when they are called."""
    return list(_method_faults(_Scope(program), method))


def _cyclic(program: Program) -> dict[str, Class]:
    """The classes on a cycle of bases, or below such a cycle."""
    remaining = dict(program.classes)
    while True:
        settled = [name for name, cls in remaining.items() if not any(base in remaining for base in cls.bases)]
        if not settled:
            return remaining
        for name in settled:
            del remaining[name]


class _Scope:
    """What names mean in the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.assigned = {
            (i.cls, i.name)
            for method in program.methods(models=True)
            for block in method.blocks.values()
            for i in block.instructions
            if isinstance(i, ins.SetStatic)
        }
        self.arguments = {
            constructor: len(types)
            for data in program.data.values()
            for constructor, types in data.constructors.items()
        }

    def known(self, cls: str) -> bool:
        return cls in self.program.classes

    def open(self, cls: str) -> bool:
        """Whether the class may have members that the program does not list."""
        found = (self.program.classes.get(name) for name in self.program.mro(cls))
        return any(c is None or c.external for c in found)

    def static(self, cls: str, name: str) -> bool:
        if self.program.find_static(cls, name) is not None or self.open(cls):
            return True
        return any((base, name) in self.assigned for base in self.program.mro(cls))


def _data_faults(scope: _Scope, name: str, data: Data) -> Iterator[Fault]:
    if data.name != name:
        yield Fault(name, "", f"filed as {name} but calls itself {data.name}", NOWHERE)
    if len(set(data.parameters)) != len(data.parameters):
        yield Fault(name, "", "two type parameters have the same name", NOWHERE)
    for constructor, arguments in data.constructors.items():
        homes = [other.name for other in scope.program.data.values() if constructor in other.constructors]
        if homes[0] != data.name:
            yield Fault(name, "", f"constructor {constructor} belongs to {homes[0]} too", NOWHERE)
        for argument in arguments:
            for message in _faults(scope, argument, data.parameters):
                yield Fault(name, "", f"constructor {constructor}: {message}", NOWHERE)


def _class_faults(scope: _Scope, name: str, cls: Class) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault(name, "", message, cls.span)

    if cls.name != name:
        yield fault(f"filed as {name} but calls itself {cls.name}")
    for base in cls.bases:
        if not scope.known(base):
            yield fault(f"unknown base class {base}")
    if len(set(cls.bases)) != len(cls.bases):
        yield fault("a base class is named twice")
    for key, field in cls.fields.items():
        if field.name != key:
            yield fault(f"field filed as {key} but calls itself {field.name}")
        for message in _faults(scope, field.type):
            yield Fault(name, "", f"field {key}: {message}", field.span)
    for static, initialiser in cls.statics.items():
        method = cls.methods.get(initialiser)
        if method is None:
            yield fault(f"static {static} has no initialiser {initialiser}")
        elif method.kind != "static" or method.params:
            yield fault(f"the initialiser {initialiser} of static {static} must be a static method without parameters")
    for prop, setter in cls.setters.items():
        if setter not in cls.methods:
            yield fault(f"property {prop} has no setter {setter}")
    if cls.constructor is not None:
        for message in _constructor_faults(scope, name, cls):
            yield fault(message)


def _constructor_faults(scope: _Scope, name: str, cls: Class) -> Iterator[str]:
    assert cls.constructor is not None
    names = {param.name for param in cls.constructor.params}
    fields = scope.program.all_fields(name)
    for param in cls.constructor.params:
        for message in _param_faults(scope, param):
            yield f"constructor {message}"
    for given, field in cls.constructor.sets.items():
        if given not in names:
            yield f"the constructor has no parameter {given}"
        if field not in fields:
            yield f"the constructor sets unknown field {field}"
    for field in cls.constructor.constants:
        if field not in fields:
            yield f"the constructor sets unknown field {field}"


def _faults(scope: _Scope, thing: object, parameters: tuple[str, ...] = ()) -> Iterator[str]:
    """What is wrong with an instruction, type or constant: first with each part, then with their combination."""
    if type(thing) not in FORMS:
        yield f"not a type: {thing!r}"
        return
    for hole in FORMS[type(thing)]:
        if isinstance(hole, Hole):
            yield from _part_faults(scope, hole.kind, getattr(thing, hole.names[0]), parameters)
    if isinstance(thing, TypeParameter) and thing.name not in parameters:
        yield f"unknown type parameter {thing.name}"
    if isinstance(thing, TupleType) and thing.rest is not None:
        yield from _faults(scope, thing.rest, parameters)
    if type(thing) in _COMBINATIONS:
        yield from _COMBINATIONS[type(thing)](scope, thing)


def _part_faults(scope: _Scope, kind: str, value: Any, parameters: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with a value in a hole of this kind."""
    if kind in ("class", "class_name"):
        if not scope.known(value):
            yield f"unknown class {value}"
    elif kind == "variant":
        if value not in scope.arguments:
            yield f"unknown constructor {value}"
    elif kind in _WORDS:
        words, what = _WORDS[kind]
        if value not in words:
            yield f"unknown {what} {value}"
    elif kind == "type":
        yield from _faults(scope, value, parameters)
    elif kind in ("types", "elements"):
        for each in value:
            yield from _faults(scope, each, parameters)
    elif kind == "constant" and type(value) in FORMS:
        yield from _faults(scope, value)


def _scalar_faults(_: _Scope, scalar: Scalar) -> Iterator[str]:
    if scalar.name not in SCALARS and not has_samples_only(scalar):
        yield f"unknown scalar type {scalar.name}"


def _union_faults(_: _Scope, union: UnionType) -> Iterator[str]:
    if len(union.options) < 2:
        yield "a union needs two options"


def _data_type_faults(scope: _Scope, used: DataType) -> Iterator[str]:
    data = scope.program.data.get(used.name)
    if data is None:
        yield f"unknown data type {used.name}"
        return
    if len(used.arguments) != len(data.parameters):
        yield f"data type {used.name} takes {len(data.parameters)} types, {len(used.arguments)} are given"
    for constructor in used.only:
        if constructor not in data.constructors:
            yield f"data type {used.name} has no constructor {constructor}"


def _param_faults(scope: _Scope, param: Param) -> Iterator[str]:
    if param.kind not in PARAM_KINDS:
        yield f"parameter {param.name}: unknown kind {param.kind}"
    for message in _faults(scope, param.type):
        yield f"parameter {param.name}: {message}"
    if isinstance(param.default, ins.StaticDefault):
        if not scope.known(param.default.cls):
            yield f"parameter {param.name}: unknown class {param.default.cls} of its default"
        elif not scope.static(param.default.cls, param.default.name):
            yield f"parameter {param.name}: no static {param.default.cls}.{param.default.name} for its default"


def _method_faults(scope: _Scope, method: Method) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault(method.qualified, "", message, method.span)

    if method.kind not in METHOD_KINDS:
        yield fault(f"unknown kind of method {method.kind}")
    names = [param.name for param in method.params]
    if len(set(names)) != len(names):
        yield fault("two parameters have the same name")
    if method.kind in ("instance", "class", "property") and not names:
        yield fault(f"a method of kind {method.kind} needs a parameter for its receiver")
    for param in method.params:
        for message in _param_faults(scope, param):
            yield fault(message)
    for message in _faults(scope, method.returns):
        yield fault(f"result: {message}")
    if method.registers < len(method.params):
        yield fault(f"{len(method.params)} parameters do not fit in {method.registers} registers")
    for number in method.register_names:
        if not 0 <= number < method.registers:
            yield fault(f"a name for register %{number}, which is out of range")
    if method.entry not in method.blocks:
        yield fault(f"no entry block {method.entry}")
    yield from _handler_faults(method)
    yield from _block_faults(scope, method)
    yield from loop_faults(method)
    yield from wait_faults(method)


def _handler_faults(method: Method) -> Iterator[Fault]:
    covered: set[str] = set()
    for handler in method.handlers:

        def fault(message: str, label: str = handler.target) -> Fault:
            return Fault(method.qualified, label if label in method.blocks else "", message, method.span)

        if handler.target not in method.blocks:
            yield fault(f"a handler goes to undefined block {handler.target}")
        for label in sorted(handler.blocks - method.blocks.keys()):
            yield fault(f"a handler covers undefined block {label}")
        if not 0 <= handler.exception < method.registers:
            yield fault(f"a handler writes register %{handler.exception}, which is out of range")
        if handler.blocks and handler.blocks <= covered:
            yield fault(f"unreachable handler {handler.target}: earlier handlers cover all its blocks")
        covered |= handler.blocks


def _block_faults(scope: _Scope, method: Method) -> Iterator[Fault]:
    written = set(range(len(method.params))) | {handler.exception for handler in method.handlers}
    # A named register is a variable of the source, which a program may read without ever binding it.
    written |= set(method.register_names)
    for block in method.blocks.values():
        for instruction in (*block.instructions, block.terminator):
            register = writes(instruction)
            if register is not None:
                written.add(register)
    for label, block in method.blocks.items():
        if block.label != label:
            message = f"filed as {label} but calls itself {block.label}"
            yield Fault(method.qualified, label, message, block.terminator.span)
        for index, instruction in enumerate((*block.instructions, block.terminator)):
            last = index == len(block.instructions)
            if not isinstance(instruction, Terminator if last else Instruction):
                place = "the end" if last else "the middle"
                messages = [f"{type(instruction).__name__} at {place} of a block"]
            else:
                messages = [
                    *_register_faults(method.registers, written, instruction),
                    *_faults(scope, instruction),
                    *(f"undefined block {t}" for t in _targets(instruction) if t not in method.blocks),
                ]
            for message in messages:
                yield Fault(method.qualified, label, message, getattr(instruction, "span", method.span), index)


def _targets(instruction: Instruction | Terminator) -> tuple[str, ...]:
    return targets(instruction) if isinstance(instruction, Terminator) else ()


def _register_faults(count: int, written: set[Reg], instruction: Instruction | Terminator) -> Iterator[str]:
    target = writes(instruction)
    used = dict.fromkeys(reads(instruction) + (() if target is None else (target,)))
    for register in used:
        if not 0 <= register < count:
            yield f"register %{register} is out of range"
        elif register not in written:
            yield f"register %{register} is read but never written"


def _collection_faults(_: _Scope, new: ins.NewCollection) -> Iterator[str]:
    if new.kind == "dict" and len(new.items) % 2:
        yield "a dict needs a value for every key"
    elif new.kind == "slice" and len(new.items) != 3:
        yield "a slice needs start, stop and step"


def _construct_faults(scope: _Scope, construct: ins.Construct) -> Iterator[str]:
    given, expected = len(construct.args), scope.arguments.get(construct.constructor)
    if expected is not None and given != expected:
        yield f"constructor {construct.constructor} takes {expected} arguments, {given} are given"


def _matches_faults(scope: _Scope, test: ins.Matches) -> Iterator[str]:
    for each in dict.fromkeys(test.among):
        if each != test.constructor:
            yield from _part_faults(scope, "variant", each, ())
    if test.among and test.constructor not in test.among:
        yield f"{test.constructor} is looked for, but is not among the constructors of the case"


def _argument_faults(scope: _Scope, taken: ins.Argument) -> Iterator[str]:
    if not 0 <= taken.index < scope.arguments.get(taken.constructor, taken.index + 1):
        yield f"constructor {taken.constructor} has no argument {taken.index}"


def _static_faults(scope: _Scope, read: ins.GetStatic) -> Iterator[str]:
    if scope.known(read.cls) and not scope.static(read.cls, read.name):
        yield f"class {read.cls} has no static {read.name}"


def _function_faults(scope: _Scope, function: ins.FunctionRef | ins.CallStatic) -> Iterator[str]:
    closed = scope.known(function.cls) and not scope.open(function.cls)
    if closed and scope.program.find_method(function.cls, function.name) is None:
        yield f"class {function.cls} has no method {function.name}"


def _switch_faults(_: _Scope, switch: ins.Switch) -> Iterator[str]:
    values = [value for value, _ in switch.cases]
    if len(set(values)) != len(values):
        yield "a case of the switch is given twice"


def _call_faults(scope: _Scope, call: ins.CallStatic) -> Iterator[str]:
    yield from _function_faults(scope, call)
    method = scope.program.find_method(call.cls, call.name) if scope.known(call.cls) else None
    if method is None:
        return
    kinds = {param.kind for param in method.params}
    positional = [param for param in method.params if param.kind in ("normal", "positional")]
    if len(call.args) > len(positional) and "star" not in kinds:
        yield f"{method.qualified} takes {len(positional)} positional arguments, {len(call.args)} are given"
    given = {param.name for param in positional[: len(call.args)]}
    named = {param.name for param in method.params if param.kind in ("normal", "keyword")}
    for name, _ in call.keywords:
        if name in given:
            yield f"{method.qualified} gets argument {name} twice"
        elif name not in named and "doublestar" not in kinds:
            yield f"{method.qualified} has no parameter {name}"
        given.add(name)
    for param in method.params:
        required = param.kind in ("normal", "positional", "keyword") and isinstance(param.default, ins.NoDefault)
        if required and param.name not in given:
            yield f"{method.qualified} lacks argument {param.name}"


_WORDS: dict[str, tuple[tuple[str, ...], str]] = {
    "unary": (ins.UNARY_OPS, "unary operator"),
    "binary": (ins.BINARY_OPS, "binary operator"),
    "compare": (ins.COMPARE_OPS, "comparison"),
    "collection": (ins.COLLECTIONS, "kind of collection"),
}
"""Kinds of holes that only take some words: which, and what to call them."""
_COMBINATIONS: dict[type, Callable[[_Scope, Any], Iterator[str]]] = {
    Scalar: _scalar_faults,
    UnionType: _union_faults,
    DataType: _data_type_faults,
    ins.NewCollection: _collection_faults,
    ins.Construct: _construct_faults,
    ins.Matches: _matches_faults,
    ins.Argument: _argument_faults,
    ins.GetStatic: _static_faults,
    ins.FunctionRef: _function_faults,
    ins.CallStatic: _call_faults,
    ins.Switch: _switch_faults,
}

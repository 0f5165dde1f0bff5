"""Finds every fault of a program: what no front end may produce and no later stage has to expect."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.errors import NOWHERE
from everypath.ir import instructions as ins
from everypath.ir.check_loops import loop_faults
from everypath.ir.check_waits import wait_faults
from everypath.ir.faults import Fault
from everypath.ir.instructions import Instruction, Param, Reg, Terminator
from everypath.ir.operands import reads, targets, writes
from everypath.ir.program import METHOD_KINDS, PARAM_KINDS, Class, Data, Method, Program
from everypath.ir.types import (
    LIBRARY_OBJECTS,
    SCALARS,
    AnyType,
    ArrayType,
    ClassType,
    DataType,
    DictType,
    FutureType,
    ListType,
    MemberType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
    TypeParameter,
    UnionType,
    named_class,
)

__all__ = ["Fault", "check"]


def check(program: Program) -> list[Fault]:
    """All faults of the program, class by class; an empty list means that it may be explored."""
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


def _cyclic(program: Program) -> dict[str, Class]:
    """The classes on a cycle of bases, or below one."""
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
            for message in _type_faults(scope, argument, data.parameters):
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
        for message in _type_faults(scope, field.type):
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


def _type_faults(scope: _Scope, type_: Type, parameters: tuple[str, ...] = ()) -> Iterator[str]:
    match type_:
        case Scalar(name):
            if name not in SCALARS and name not in LIBRARY_OBJECTS and named_class(type_) is None:
                yield f"unknown scalar type {name}"
        case AnyType():
            pass
        case ClassType(name) | MemberType(name) | RecordType(name):
            if not scope.known(name):
                yield f"unknown class {name}"
        case UnionType(options):
            if len(options) < 2:
                yield "a union needs two options"
            for option in options:
                yield from _type_faults(scope, option, parameters)
        case ListType(element) | ArrayType(element) | SetType(element) | FutureType(element):
            yield from _type_faults(scope, element, parameters)
        case DictType(key, value):
            yield from _type_faults(scope, key, parameters)
            yield from _type_faults(scope, value, parameters)
        case TupleType(elements, rest):
            for element in elements + (() if rest is None else (rest,)):
                yield from _type_faults(scope, element, parameters)
        case DataType(name, arguments, only):
            yield from _data_type_faults(scope.program.data.get(name), name, arguments, only)
            for argument in arguments:
                yield from _type_faults(scope, argument, parameters)
        case TypeParameter(name):
            if name not in parameters:
                yield f"unknown type parameter {name}"
        case _:
            yield f"not a type: {type_!r}"


def _data_type_faults(
    data: Data | None, name: str, arguments: tuple[Type, ...], only: tuple[str, ...]
) -> Iterator[str]:
    if data is None:
        yield f"unknown data type {name}"
        return
    if len(arguments) != len(data.parameters):
        yield f"data type {name} takes {len(data.parameters)} types, {len(arguments)} are given"
    for constructor in only:
        if constructor not in data.constructors:
            yield f"data type {name} has no constructor {constructor}"


def _param_faults(scope: _Scope, param: Param) -> Iterator[str]:
    if param.kind not in PARAM_KINDS:
        yield f"parameter {param.name}: unknown kind {param.kind}"
    for message in _type_faults(scope, param.type):
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
    for message in _type_faults(scope, method.returns):
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
                    *_instruction_faults(scope, instruction),
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


def _instruction_faults(scope: _Scope, instruction: Instruction | Terminator) -> Iterator[str]:
    match instruction:
        case ins.Unary(op=op) if op not in ins.UNARY_OPS:
            yield f"unknown unary operator {op}"
        case ins.Binary(op=op) if op not in ins.BINARY_OPS:
            yield f"unknown binary operator {op}"
        case ins.Compare(op=op) if op not in ins.COMPARE_OPS:
            yield f"unknown comparison {op}"
        case ins.NewCollection(kind=kind, items=items):
            if kind not in ins.COLLECTIONS:
                yield f"unknown kind of collection {kind}"
            elif kind == "dict" and len(items) % 2:
                yield "a dict needs a value for every key"
            elif kind == "slice" and len(items) != 3:
                yield "a slice needs start, stop and step"
        case (
            ins.NewObject(cls=cls) | ins.NewActor(cls=cls) | ins.Const(value=ins.ClassRef(cls)) | ins.SetStatic(cls=cls)
        ):
            if not scope.known(cls):
                yield f"unknown class {cls}"
        case ins.Construct(constructor=constructor, args=args):
            yield from _constructor_use_faults(scope, constructor, len(args))
        case ins.Matches(constructor=constructor, among=among):
            for each in dict.fromkeys((constructor, *among)):
                yield from _constructor_use_faults(scope, each, None)
            if among and constructor not in among:
                yield f"{constructor} is looked for, but is not among the constructors of the case"
        case ins.Argument(constructor=constructor, index=index):
            yield from _constructor_use_faults(scope, constructor, None)
            if not 0 <= index < scope.arguments.get(constructor, index + 1):
                yield f"constructor {constructor} has no argument {index}"
        case ins.GetStatic(cls=cls, name=name):
            if not scope.known(cls):
                yield f"unknown class {cls}"
            elif not scope.static(cls, name):
                yield f"class {cls} has no static {name}"
        case ins.Const(value=ins.FunctionRef(cls, name)):
            if not scope.known(cls):
                yield f"unknown class {cls}"
            elif scope.program.find_method(cls, name) is None and not scope.open(cls):
                yield f"class {cls} has no method {name}"
        case ins.CallStatic():
            yield from _call_faults(scope, instruction)
        case ins.NewArray(element=type_) | ins.Cast(type=type_):
            yield from _type_faults(scope, type_)
        case ins.TypeTest(types=types):
            for type_ in types:
                yield from _type_faults(scope, type_)
        case ins.Switch(cases=cases):
            values = [value for value, _ in cases]
            if len(set(values)) != len(values):
                yield "a case of the switch is given twice"


def _constructor_use_faults(scope: _Scope, constructor: str, given: int | None) -> Iterator[str]:
    expected = scope.arguments.get(constructor)
    if expected is None:
        yield f"unknown constructor {constructor}"
    elif given is not None and given != expected:
        yield f"constructor {constructor} takes {expected} arguments, {given} are given"


def _call_faults(scope: _Scope, call: ins.CallStatic) -> Iterator[str]:
    if not scope.known(call.cls):
        yield f"unknown class {call.cls}"
        return
    method = scope.program.find_method(call.cls, call.name)
    if method is None:
        if not scope.open(call.cls):
            yield f"class {call.cls} has no method {call.name}"
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

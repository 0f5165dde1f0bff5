"""Descriptors and slots: attributes of objects that the class has a say in."""

from __future__ import annotations

import ast

from everypath.errors import NOWHERE, Span
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, ClassRef, NativeRef, Param, Return, SetField
from everypath.ir.names import refusing_setter
from everypath.ir.program import Class
from everypath.ir.types import ANY, ClassType
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionBinding, FunctionNode, place_at, positional
from everypath.languages.python.frontend.names import ClassName, Denotation, FunctionName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserClass, written_method
from everypath.records import replace


def read_descriptors(linker: Linker, info: UserClass) -> None:
    """Turn class attributes that are objects with `__get__` or `__set__` into properties that call these."""
    for name, writers in list(info.statics.items()):
        match writers:
            case [
                ast.Assign(targets=[ast.Name()], value=ast.Call() as made)
                | ast.AnnAssign(target=ast.Name(), value=ast.Call() as made)
            ]:
                denoted = linker.expression(info.module, made.func, info)
            case _:
                continue
        if not isinstance(denoted, ClassName) or info.data_fields is not None:
            continue
        has = {m for m in ("__get__", "__set__", "__delete__", "__set_name__") if linker.defines(denoted.name, m)}
        if not has:
            continue
        if has != {"__set_name__"} and ("__delete__" in has or "__get__" not in has):
            message = f"the descriptor {name} without __get__ or with __delete__ is not supported"
            linker.problem(info.module, info.module.span(made), message)
            continue
        kept = f"_descriptor_{name}"
        value: ast.expr = made
        if "__set_name__" in has:
            owner, text = ast.Constant(ClassRef(info.name)), ast.Constant(name)
            value = ast.Call(ast.Constant(NativeRef("named_descriptor")), [made, owner, text], [])
        del info.statics[name]
        info.statics[name if has == {"__set_name__"} else kept] = [place_at(ast.Assign([], value), made)]
        if has == {"__set_name__"}:
            continue
        info.annotated.pop(name, None)
        info.generate(f"{name}(self)", f"return type(self).{kept}.__get__(self, type(self))", "property")
        stored = f"type(self).{kept}.__set__(self, value)"
        if "__set__" not in has:
            stored = f"native_store_attribute(self, {name!r}, value)"
        info.generated_setters[name] = place_at(written_method(f"{name}(self, value)", stored), info.node)
        if {"__set__", "__set_name__"} <= has:
            _declare_stored(linker, info, denoted.name, name)


def _declare_stored(linker: Linker, info: UserClass, descriptor: str, name: str) -> None:
    """Objects have the attribute in which a descriptor keeps the value, under a name that it makes of its own."""
    methods = {m: f.node for each in reversed(linker.line(descriptor)) for m, f in each.functions.items()}
    told, store = methods.get("__set_name__"), methods.get("__set__")
    if told is None or store is None or len(told.args.args) != 3 or len(store.args.args) != 3:
        return
    names = {}
    for part in walk(told):
        match part:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=attribute)], value=made):
                names[attribute] = _made_of(made, told.args.args[2].arg, name)
    for part in walk(store):
        match part:
            case (
                ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(), ast.Attribute(attr=attribute), ast.Name()])
                | ast.Subscript(
                    value=ast.Attribute(attr="__dict__"), slice=ast.Attribute(attr=attribute), ctx=ast.Store()
                )
            ) if kept := names.get(attribute):
                annotation = store.args.args[2].annotation or ast.Name("object", ast.Load())
                target = ast.Name(kept, ast.Store())
                declared = ast.AnnAssign(target, place_at(annotation, info.node), None, 1)
                info.annotated.setdefault(kept, place_at(declared, info.node))


def _made_of(made: ast.expr, parameter: str, name: str) -> str | None:
    """The text of an expression that puts texts and the name together."""
    match made:
        case ast.Name(id=used) if used == parameter:
            return name
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [_made_of(left, parameter, name), _made_of(right, parameter, name)]
        case ast.JoinedStr(values=values):
            inner = [v.value if isinstance(v, ast.FormattedValue) and v.format_spec is None else v for v in values]
            parts = [_made_of(value, parameter, name) for value in inner]
        case _:
            return None
    return None if None in parts else "".join(part or "" for part in parts)


def read_decorated(linker: Linker, info: UserClass) -> None:
    """Find methods that a decorator turns into an object; one with `__get__` acts as a property or method."""
    for name, function in list(info.functions.items()):
        if function.kind != "instance" or not function.unknown_decorators:
            continue
        made = _made_by(linker, info, function.unknown_decorators[0])
        if not made:
            continue
        alone = len(positional(function.node)) == 1 and not function.node.args.vararg
        kind = "static" if not linker.defines(made, "__get__") else "property" if alone else function.kind
        info.functions[name] = replace(function, kind=kind, made=made)


def _made_by(linker: Linker, info: UserClass, decorator: ast.expr) -> str:
    """The class of the program that a decorator returns an object of, empty where that is not obvious."""
    if not isinstance(decorator, (ast.Name, ast.Attribute)):
        return ""
    denoted: Denotation | None = linker.expression(info.module, decorator)
    if isinstance(denoted, FunctionName) and denoted.cls not in linker.classes:
        denoted = _returned_by(linker, denoted)
    if not isinstance(denoted, ClassName) or denoted.name not in linker.classes:
        return ""
    cls = linker.classes[denoted.name]
    plain = cls.module.user and not linker.defines(cls.name, "__new__")
    return cls.name if plain and linker.is_translated(cls.name) else ""


def _returned_by(linker: Linker, function: FunctionName) -> Denotation | None:
    """What a decorator that is a function calls for its result, if all it can return are calls of the same thing."""
    source = linker.finder.module(function.cls)
    binding = source.bindings.get(function.name) if source is not None and source.user else None
    if source is None or not isinstance(binding, FunctionBinding) or binding.node.decorator_list:
        return None
    if any(isinstance(part, (ast.FunctionDef, ast.Lambda)) for s in binding.node.body for part in walk(s)):
        return None
    body = [s for s in binding.node.body if not _without_function(s, binding.node)]
    returned = [part.value for s in body for part in walk(s) if isinstance(part, ast.Return)]
    called = {ast.unparse(value.func): value.func for value in returned if isinstance(value, ast.Call)}
    if len(called) != 1 or not all(isinstance(value, ast.Call) for value in returned):
        return None
    return linker.expression(source, next(iter(called.values())))


def _without_function(statement: ast.stmt, decorator: FunctionNode) -> bool:
    """Whether a statement is `if function is None: ...`, which handles a decorator that is called with options."""
    first = next(iter(positional(decorator)), None)
    match statement:
        case ast.If(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]), orelse=[]
        ):
            return first is not None and first.arg == name
    return False


def read_operators(info: UserClass) -> None:
    """Turn special methods that a class body computes, such as `__add__, __radd__ = make()`, into written ones."""
    for name, writers in list(info.statics.items()):
        if not (name.startswith("__") and name.endswith("__")) or name in _NO_OPERATORS or len(writers) != 1:
            continue
        value: ast.expr
        match writers[0]:
            case ast.Assign(targets=[ast.Name()], value=made) if not isinstance(made, _DATA):
                value = made
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=made) if all(
                isinstance(target, ast.Name) for target in targets
            ):
                place = [target.id for target in targets if isinstance(target, ast.Name)].index(name)
                value = ast.copy_location(ast.Subscript(made, ast.Constant(place), ast.Load()), made)
            case _:
                continue
        kept = f"_assigned_{name}"
        del info.statics[name]
        info.statics[kept] = [place_at(ast.Assign([], value), writers[0])]
        info.generate(f"{name}(self, *given, **named)", f"return self.{kept}(*given, **named)")


_NO_OPERATORS = frozenset(
    "__slots__ __match_args__ __class_getitem__ __annotations__ __doc__ __module__ __dict__ __init_subclass__ __new__ "
    "__test__ __all__ __version__ __author__ __fields__ __orig_bases__ __qualname__ __name__".split()
)
_DATA = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr)


def setter_builder(cls: str, method: str, span: Span = NOWHERE) -> MethodBuilder:
    """The builder of a method that assigns an attribute: the object comes in register 0, the value in 1."""
    return MethodBuilder(cls, method, (Param("self", ClassType(cls)), Param("value", ANY)), span)


def settle_slots(linker: Linker) -> None:
    """Give classes with `__slots__` setters that raise for every other attribute that some code assigns."""
    slotted = [info for info in linker.classes.values() if _is_slotted(linker, info)]
    if not slotted:
        return
    blocks = (block for method in linker.program.methods() for block in method.blocks.values())
    assigned = {made.name for block in blocks for made in block.instructions if isinstance(made, SetField)}
    for info in slotted:
        order, cls = linker.program.mro(info.name), linker.program.classes[info.name]
        allowed = {slot for base in order for slot in linker.classes[base].slots}
        allowed |= {name for base in order for name in linker.program.classes[base].setters}
        if "_asdict" not in info.generated:
            _pass_on(linker, info, allowed)
        # Only names that some code assigns need a setter that refuses them.
        for name in sorted(assigned - allowed):
            builder = setter_builder(cls.name, refusing_setter(name))
            result = builder.give(CallNative(builder.register(), "no_slot", (0, builder.constant(name))))
            builder.end(Return(result))
            add_setter(cls, name, builder)


def add_setter(cls: Class, name: str, builder: MethodBuilder) -> None:
    """Put the method that assigns an attribute into a class."""
    cls.methods[builder.name] = builder.finish(model=True)
    cls.setters[name] = builder.name


def _pass_on(linker: Linker, info: UserClass, allowed: set[str]) -> None:
    """Move declared fields without a slot to the classes that extend this one and do have a place for them."""
    cls = linker.program.classes[info.name]
    for name in [name for name in cls.fields if name not in allowed]:
        declared = cls.fields.pop(name)
        for other in linker.classes.values():
            holds = name in other.slots or not _is_slotted(linker, other)
            if holds and info.name in linker.program.mro(other.name)[1:]:
                linker.program.classes[other.name].fields.setdefault(name, declared)


def _is_slotted(linker: Linker, info: UserClass) -> bool:
    """Whether no class along the order of bases gives its objects a place for any attribute."""
    if info.enum or not linker.is_translated(info.name):
        return False
    return all(base.slotted for base in linker.line(info.name))

"""User classes to classes of the IR: fields, methods, class attributes and how objects are made."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping

from everypath.ir import names
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, ClassRef, ConstValue, NativeRef, NoDefault, Param, Throw
from everypath.ir.program import Class, Constructor
from everypath.ir.types import ANY, Type
from everypath.languages.python.frontend.descriptors import add_setter, setter_builder
from everypath.languages.python.frontend.fields import FieldTypes
from everypath.languages.python.frontend.functions import FunctionLowering
from everypath.languages.python.frontend.interfaces import add_stand_in, is_interface
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode, assigned_pairs, dotted, positional
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserClass, UserFunction


class ClassLowering:
    """Fills in the classes that the linker brought into the program."""

    def __init__(self, linker: Linker, functions: FunctionLowering) -> None:
        self.linker = linker
        self.functions = functions
        self.signatures = functions.signatures
        self.field_types = FieldTypes(linker, functions.signatures)

    def complete(self, info: UserClass) -> None:
        """Translate everything in the class."""
        cls = self.linker.program.classes[info.name]
        module = info.module
        for statement in info.ignored:
            message = f"this statement in the body of class {info.qualname} is not supported"
            self.linker.problem(module, module.span(statement), message)
        # Members count in the order of the class body, not in the one in which the program names them.
        cls.statics.update({name: names.member_initialiser(name) for name in info.members})
        cls.members = tuple(info.members)
        cls.flags = dict(info.flags)
        cls.fields = self.field_types.fields(info)
        for name in info.functions:
            self.linker.need_function(module, info, name)
        for name, node in info.generated.items():
            function = UserFunction(node, info.generated_kinds.get(name, "instance"))
            cls.methods[name] = self.functions.method(module, info, name, function, model=True)
        for name, function in info.setters.items():
            setter = cls.setters[name] = names.setter(name)
            cls.methods[setter] = self.functions.method(module, info, setter, function)
        for name, node in info.generated_setters.items():
            setter = cls.setters[name] = names.setter(name)
            function = UserFunction(node, "instance")
            cls.methods[setter] = self.functions.method(module, info, setter, function, model=True)
            cls.fields.pop(name, None)
        for name, function in info.deleters.items():
            deleter = names.deleter(name)
            cls.methods[deleter] = self.functions.method(module, info, deleter, function)
        for name in info.statics:
            if name != "__slots__":
                self.linker.need_static(module, info, name)
        for name, nested in info.nested.items():
            self.linker.user_class(module, f"{info.qualname}.{name}", nested)
        if info.frozen:
            self._freeze(info, cls)
        if not cls.model and any(base.typed_dict for base in self.linker.line(info.name)):
            self._typed_dict(info, cls)
        if _is_registered(info):
            marker = MethodBuilder(info.name, names.REGISTERED, ())
            cls.methods[marker.name] = marker.finish(kind="static", model=True)
        for name, type_ in info.answers.items():
            cls.methods[name].returns = type_
        cls.abstract = self.linker.has_abstract_methods(info.name) or info.protocol
        cls.kept = _has_named_objects_only(info)
        if is_interface(self.linker, info):
            add_stand_in(self.linker, info, self._result, self._arguments)
        cls.constructor = self._constructor(info)

    def _result(self, owner: UserClass, node: FunctionNode) -> Type:
        """What the module does with the results of a method tells their type, if anything does."""
        return self.signatures.inference.of(owner.module).result(node) or ANY

    def _arguments(self, info: UserClass) -> Mapping[str, Mapping[str, Type]]:
        # Most programs have no interfaces.
        from everypath.languages.python.frontend.generics import inherited_arguments

        return inherited_arguments(self.linker, info, info.arguments)

    def _typed_dict(self, info: UserClass, cls: Class) -> None:
        """Declare the keys of a typed dict; the optional ones are keywords."""
        keys: dict[str, Param] = {}
        for owner in reversed(self.linker.line(info.name)):
            reader = self.linker.annotations(owner.module, owner)
            given = {k.arg: k.value.value for k in owner.node.keywords if isinstance(k.value, ast.Constant)}
            total = bool(given.get("total", True))
            for name, statement in owner.annotated.items():
                annotation, required = statement.annotation, total
                while isinstance(annotation, ast.Subscript):
                    head = ast.unparse(annotation.value).rpartition(".")[2]
                    if head not in ("Required", "NotRequired", "ReadOnly"):
                        break
                    required = required if head == "ReadOnly" else head == "Required"
                    annotation = annotation.slice
                keys[name] = Param(name, reader.read(annotation), "normal" if required else "keyword")
        cls.keys = tuple(sorted(keys.values(), key=lambda param: param.kind == "keyword"))

    def _freeze(self, info: UserClass, cls: Class) -> None:
        """Assigning a field of a frozen dataclass raises."""
        home = "attr.exceptions" if info.by_attrs else "dataclasses"
        error, span = f"{home}.FrozenInstanceError", info.module.span(info.node)
        raising = Class(error, ("AttributeError",), external=True, module=home)
        self.linker.program.classes.setdefault(error, raising)
        for name in info.data_fields or {}:
            builder = setter_builder(info.name, names.setter(name), span)
            raised = builder.register()
            made = [builder.constant(ClassRef(error), span)]
            if not info.by_attrs:  # whose error words its message itself
                made.append(builder.constant(f"cannot assign to field {name!r}", span))
            builder.emit(CallNative(raised, "new_exception", tuple(made), span=span))
            builder.end(Throw(raised, span=span))
            add_setter(cls, name, builder)

    def _constructor(self, info: UserClass) -> Constructor | None:
        """How a test may build an object: the constructor that calling the class runs, and the fields that it sets."""
        for base in self.linker.program.mro(info.name):
            if (owner := self.linker.classes.get(base)) is None:
                # An exception takes any arguments; anything else outside the program is not understood.
                return None
            written = owner.functions.get("__init__")
            node = written.node if written is not None else owner.generated.get("__init__")
            if node is None and "__new__" in owner.functions:
                # Only a run shows which fields it sets.
                maker = owner.functions["__new__"].node
                return Constructor(self.signatures.read(owner.module, owner, "__new__", maker, "instance")[1:], {}, {})
            if node is None:
                continue
            params = self.signatures.read(owner.module, owner, "__init__", node, "instance")[1:]
            sets, constants = self._stores(owner, node, params)
            return Constructor(params, sets, constants, self._by_value(info, sets))
        return Constructor((), {}, {})

    def _by_value(self, info: UserClass, sets: Mapping[str, str]) -> bool:
        """Whether `==` and the constructor are those that the fields imply, and accept any state of an object."""
        fields = info.data_fields
        if fields is None or not {"__init__", "__eq__"} <= info.generated.keys() or set(fields) != set(sets.values()):
            return False
        # What changes later may be refused by checks of the constructor.
        after = "__attrs_post_init__" if info.by_attrs else "__post_init__"
        checked = any(after in base.functions for base in self.linker.line(info.name))
        return all(made.compare and not made.init_only for made in fields.values()) and (info.frozen or not checked)

    def _stores(
        self, owner: UserClass, node: FunctionNode, params: tuple[Param, ...]
    ) -> tuple[dict[str, str], dict[str, ConstValue]]:
        """Parameter -> the field that receives it unchanged, and field -> the constant that it always gets."""
        sets: dict[str, str] = {}
        constants: dict[str, ConstValue] = {}
        received = positional(node)
        if not received:
            return sets, constants
        receiver = received[0].arg
        names = {p.name for p in params if p.kind not in ("star", "doublestar")}
        rebound = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        times = _assigned(node, receiver)
        for field, value in (pair for statement in node.body for pair in _simple_stores(statement, receiver)):
            if times[field] != 1 or field in owner.setters:
                continue
            stored = owner.mangle(field)
            value = _argument(owner, value)
            if isinstance(value, ast.Name) and value.id in names - rebound:
                sets[value.id] = stored
            elif not isinstance(value, (ast.Name, ast.Attribute)):
                constant = self.signatures.constant(owner.module, owner, value)
                if not isinstance(constant, NoDefault):
                    constants[stored] = constant
        return sets, constants


def _assigned(node: FunctionNode, receiver: str) -> Counter[str]:
    """How often a constructor assigns or deletes each field of the object."""
    parts = (part for part in walk(node) if isinstance(part, ast.Attribute))
    stores = (part for part in parts if isinstance(part.ctx, (ast.Store, ast.Del)) and _is_named(part.value, receiver))
    return Counter(part.attr for part in stores)


def _simple_stores(statement: ast.stmt, receiver: str) -> list[tuple[str, ast.expr]]:
    """`receiver.field = value` of a statement that always runs."""
    pairs: Iterable[tuple[ast.expr, ast.expr]] = ()
    match statement:
        case ast.Assign():
            pairs = assigned_pairs(statement)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            pairs = [(target, value)]
    return [
        (target.attr, value)
        for target, value in pairs
        if isinstance(target, ast.Attribute) and _is_named(target.value, receiver)
    ]


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _argument(owner: UserClass, value: ast.expr) -> ast.expr:
    """What a generated constructor stores, without what makes a default, or a copy."""
    if isinstance(value, ast.IfExp) and _is_factory(value.test):
        value = value.orelse
    if owner.by_pydantic and isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    return value


def _is_factory(test: ast.expr) -> bool:
    match test:
        case ast.Compare(comparators=[ast.Constant(value=NativeRef())]):
            return True
    return False


def _is_registered(info: UserClass) -> bool:
    """Whether an abstract class is told to take the class for its own: `Mapping.register(C)`, `@Mapping.register`."""
    if any(dotted(decorator).endswith(".register") for decorator in info.node.decorator_list):
        return True
    for statement in info.module.tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register"), args=[ast.Name(id=name)])):
                if name == info.qualname:
                    return True
    return False


def _has_named_objects_only(info: UserClass) -> bool:
    """Whether a class is there for the sake of marks such as `MISSING = _Missing()`, which nobody else makes."""
    plain = not (info.functions.keys() & {"__init__", "__new__"} or info.annotated or info.slots)
    if not (plain or info.qualname.startswith("_")) or not info.module.user:
        return False
    body = info.module.tree.body
    named = [statement.value for statement in body if isinstance(statement, (ast.Assign, ast.AnnAssign))]
    made = [call for call in named if isinstance(call, ast.Call) and dotted(call.func) == info.qualname]
    if not made:
        return False
    mentioned = (node for node in ast.walk(info.module.tree) if isinstance(node, ast.Call))
    return sum(dotted(call.func) == info.qualname for call in mentioned) == len(made)

"""Types of instance fields, from annotations and from what is assigned to them.

For each field of a class, in this order, the first that tells something: an annotation or `--types`; what the methods
of the class assign to it; what other code of the module stores under that name; how its values are used
(`inference.py`). Collections are filled with what is put into them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from everypath.ir.program import Field
from everypath.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
    not_null,
    options_of,
    union,
)
from everypath.languages.python.cards.index import COLLECTIONS
from everypath.languages.python.frontend import typeshed
from everypath.languages.python.frontend.annotations import PREDEFINED, AnnotationReader, scalar_type
from everypath.languages.python.frontend.collected_types import converted, merge, refines, useful, vague, with_keys
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import (
    FunctionNode,
    ModuleSource,
    assigned_pairs,
    defaults_of,
    dotted,
    positional,
)
from everypath.languages.python.frontend.names import BuiltinName, ClassName, ExternalName, FunctionName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.shapes import CONTENT
from everypath.languages.python.frontend.signatures import Signatures
from everypath.languages.python.frontend.stores import receiver_of, stores
from everypath.languages.python.frontend.syntax import excludes_null
from everypath.languages.python.frontend.userclass import UserClass, UserFunction
from everypath.languages.python.frontend.uses import RESULTS
from everypath.records import dataclass, field

_ALWAYS: dict[type[ast.expr], Type] = {
    ast.Compare: BOOL, ast.DictComp: DictType(ANY, ANY), ast.JoinedStr: STR, ast.ListComp: ListType(ANY),
    ast.SetComp: SetType(ANY),
}  # fmt: skip
"""Expressions whose type does not depend on what is inside them."""


@dataclass(slots=True)
class _Evidence:
    """What was assigned to one field."""

    types: list[Type] = field(default_factory=list)
    elements: list[Type] = field(default_factory=list)
    keys: list[Type] = field(default_factory=list)
    declared: Type | None = None
    line: ast.AST | None = None


class FieldTypes:
    """Infers the fields of classes; each class is read once."""

    def __init__(self, linker: Linker, signatures: Signatures) -> None:
        self.linker = linker
        self.signatures = signatures
        self._known: dict[str, dict[str, Type]] = {}
        self._places: dict[str, dict[str, ast.AST]] = {}
        self._guessed: dict[str, set[str]] = {}
        """class -> its fields that nobody declares"""
        self._wide: dict[str, set[str]] = {}
        """class -> its fields that are declared to hold more than values are made of"""
        self._stores: dict[str, dict[str, list[tuple[UserClass | None, FunctionNode, ast.expr]]]] = {}

    def fields(self, info: UserClass) -> dict[str, Field]:
        """The fields that the class itself declares or assigns, in order."""
        types = self._types(info)
        inherited = self._inherited(info)
        return {
            name: self._field(info, name, type_)
            for name, type_ in types.items()
            if name not in inherited or type_ != ANY
        }

    def _field(self, info: UserClass, name: str, type_: Type) -> Field:
        span = info.module.span(self._places[info.name].get(name, info.node))
        return Field(name, type_, span, name in self._guessed[info.name], name in self._wide[info.name])

    def _inherited(self, info: UserClass) -> set[str]:
        return set[str]().union(*(self._types(base) for base in self.linker.line(info.name)[1:]))

    def _types(self, info: UserClass) -> dict[str, Type]:
        if info.name in self._known:
            return self._known[info.name]
        # Registered before it is complete, so that classes may refer to each other.
        known = self._known[info.name] = {}
        places = self._places[info.name] = {}
        self._guessed[info.name], self._wide[info.name] = set(), set()
        reader = self.linker.annotations(info.module, info)
        evidence = self._declared(info, reader, known)
        functions = [*info.functions.values(), *info.setters.values()]
        for _ in range(2):
            # Twice: a field may be assigned from another one that is only understood later.
            for function in sorted(functions, key=lambda f: f.node.name != "__init__"):
                self._read(info, function, evidence)
            for name, found in evidence.items():
                known[name] = self._decide(found)
                if found.line is not None:
                    places.setdefault(name, found.line)
        for name, found in evidence.items():
            if found.declared is None:
                known[name] = self._by_uses(info, name, known[name], found)
                self._guessed[info.name].add(name)
            elif info.module.user and vague(known[name]):
                inference = self.signatures.inference
                filled = with_keys(known[name], inference.of(info.module).field(info.qualname, name))
                if filled != known[name]:
                    self._wide[info.name].add(name)
                known[name] = inference.bring(self.linker, info.module, filled)
        self._add_content(info, reader, known)
        return known

    def _declared(self, info: UserClass, reader: AnnotationReader, known: dict[str, Type]) -> dict[str, _Evidence]:
        """What slots, annotations of the class body and the command line say; annotated fields are known at once."""
        evidence = {name: _Evidence() for name in info.slots if name not in ("__dict__", "__weakref__")}
        for name, statement in info.annotated.items():
            made = (info.data_fields or {}).get(name)
            if not _is_class_variable(statement.annotation) and not (made and made.init_only):
                reader.wide.clear()
                known[name] = reader.read(statement.annotation)
                if reader.wide:
                    self._wide[info.name].add(name)
                evidence[name] = _Evidence(declared=known[name], line=statement)
        for field_name, given in self.signatures.given.fields.items():
            cls, _, name = field_name.rpartition(".")
            if cls == info.qualname:
                evidence.setdefault(name, _Evidence()).declared = reader.read(given)
        return evidence

    def _by_uses(self, info: UserClass, name: str, known: Type, found: _Evidence) -> Type:
        """The type of a field that its class leaves open, from what the rest of the module does with it."""
        if known in (ANY, NONE):
            known = self._from_elsewhere(info, name, found)
        if known != NONE and not vague(known):
            return known
        inference = self.signatures.inference
        used = inference.of(info.module).field(info.qualname, name)
        if used is not None and used != NONE and refines(used, known):
            return inference.bring(self.linker, info.module, used)
        if isinstance(known, ClassType):
            # Of the classes only collections leave something open.
            return COLLECTIONS[known.name].filled(known, used and inference.bring(self.linker, info.module, used))
        return known

    def _add_content(self, info: UserClass, reader: AnnotationReader, known: dict[str, Type]) -> None:
        """Add the content of objects whose class extends a dict or list, as its base or its methods tell it."""
        for base in info.node.bases:
            name = dotted(base.value) if isinstance(base, ast.Subscript) else ""
            if name in CONTENT:
                known[CONTENT[name][0]] = reader.read(base)
                return
        inference = self.signatures.inference
        bases = {dotted(base) for each in self.linker.line(info.name) for base in each.node.bases}
        # Other classes have fields of these names as well, which hold what they are declared to hold.
        for field_name, type_ in (CONTENT[name] for name in CONTENT if name in bases):
            used = inference.of(info.module).field(info.qualname, field_name) if info.module.user else None
            if isinstance(used, (DictType, ListType)) and type(used) is type(type_):
                known[field_name] = inference.bring(self.linker, info.module, used)

    def _read(self, info: UserClass, function: UserFunction, evidence: dict[str, _Evidence]) -> None:
        receiver = receiver_of(function)
        if receiver is None:
            return
        scope = _Locals(self, info.module, info, function.node)
        for name, value, how, place in stores(function.node, receiver):
            name = info.mangle(name)
            if name in info.setters:
                continue
            if how in ("element", "key") and name not in evidence:
                # Something is put into a collection that another class made.
                continue
            found = evidence.setdefault(name, _Evidence())
            found.line = found.line or place
            if isinstance(place, ast.AnnAssign) and not _is_bare_final(place.annotation):
                if found.declared is None:
                    reader = self.linker.annotations(info.module, info)
                    declared = reader.read(place.annotation)
                    if reader.wide:
                        self._wide[info.name].add(name)
                    found.declared = _made_as(declared, ANY if value is None else scope.type_of(value))
            elif value is not None:
                kept = {"element": found.elements, "key": found.keys}.get(how, found.types)
                kept.append(scope.type_of(value))

    def _decide(self, found: _Evidence) -> Type:
        if found.declared is not None:
            return found.declared
        types = [t for t in found.types if t != ANY]
        if not types or (all(t == NONE for t in types) and len(types) < len(found.types)):
            return ANY
        return union(merge([self._filled(option, found) for option in options_of(union(types))]))

    def _filled(self, type_: Type, found: _Evidence) -> Type:
        keys = [t for t in found.keys if t != ANY]
        element = useful(found.elements)
        match type_:
            case ListType(inner) if inner == ANY:
                return ListType(element)
            case SetType(inner, frozen) if inner == ANY:
                return SetType(element, frozen)
            case DictType(key, value):
                known_key = union(keys) if keys and key == ANY else key
                return DictType(known_key, element if value == ANY else value)
            case ClassType(name, held) if name in COLLECTIONS:
                card = COLLECTIONS[name]
                if not card.keyed:
                    return card.filled(type_, ListType(element))
                if held or keys:
                    return card.filled(type_, DictType(union(keys) if keys else ANY, element))
        return type_

    def _from_elsewhere(self, info: UserClass, name: str, found: _Evidence) -> Type:
        """What other code in the module stores under this name, when the class itself does not tell."""
        types = list(found.types)
        for owner, function, value in self._stores_in(info.module).get(name, []):
            types.append(_Locals(self, info.module, owner, function).type_of(value))
        found_types = useful(list(dict.fromkeys(types)))
        return ANY if found_types == NONE else found_types

    def _stores_in(self, module: ModuleSource) -> dict[str, list[tuple[UserClass | None, FunctionNode, ast.expr]]]:
        if module.name not in self._stores:
            stores = self._stores[module.name] = {}
            for owner, function in self._functions(module):
                for node in walk(function):
                    for target, value in assigned_pairs(node) if isinstance(node, ast.Assign) else ():
                        if isinstance(target, ast.Attribute):
                            stores.setdefault(target.attr, []).append((owner, function, value))
        return self._stores[module.name]

    def _functions(self, module: ModuleSource) -> Iterator[tuple[UserClass | None, FunctionNode]]:
        for node in module.tree.body:
            if isinstance(node, FunctionNode):
                yield None, node
            elif isinstance(node, ast.ClassDef):
                owner = self.linker.classes.get(f"{module.name}.{node.name}")
                yield from ((owner, member) for member in node.body if isinstance(member, FunctionNode))

    def of_class(self, cls: str, name: str) -> Type:
        """The type of a field of a class, looked up along its bases."""
        tables = (self._types(info) for info in self.linker.line(cls))
        return next((types[name] for types in tables if name in types), ANY)


class _Locals:
    """Types of the expressions of one function, as far as they can be told without running it."""

    def __init__(self, fields: FieldTypes, module: ModuleSource, owner: UserClass | None, node: FunctionNode) -> None:
        self.fields = fields
        self.linker = fields.linker
        self.module = module
        self.owner = owner
        self.node = node
        self._names: dict[str, Type] = {}
        self._assigned: dict[str, list[ast.expr]] = {}
        self._replaced: dict[str, list[ast.expr]] = {}
        """name -> what it becomes where it is None, or else stays"""
        self._visiting: set[str] = set()
        signatures = fields.signatures
        key = (owner.name if owner else module.name, node.name)
        reader = self.linker.annotations(module, owner, node)
        static = any(isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod") for d in node.decorator_list)
        defaults = defaults_of(node)
        for position, argument in enumerate([*positional(node), *node.args.kwonlyargs]):
            if position == 0 and owner is not None and not static:
                self._names[argument.arg] = ClassType(owner.name)
            elif (annotation := signatures.annotation(argument, key)) is not None:
                self._names[argument.arg] = reader.read(annotation)
            elif argument.arg in defaults:
                self._names[argument.arg] = _constant_type(defaults[argument.arg])
            else:
                self._names[argument.arg] = ANY
        for part in walk(node):
            if isinstance(part, ast.Assign):
                for target, value in assigned_pairs(part):
                    if isinstance(target, ast.Name):
                        self._assigned.setdefault(target.id, []).append(value)
                        if isinstance(value, (ast.BoolOp, ast.IfExp)):
                            self._replaced.setdefault(target.id, []).append(value)
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self._names[part.target.id] = reader.read(part.annotation)
            elif isinstance(part, ast.If) and not part.orelse:
                self._note_replaced(part)

    def _note_replaced(self, node: ast.If) -> None:
        """`if x is None: x = ...`"""
        for statement in node.body:
            for target, value in assigned_pairs(statement) if isinstance(statement, ast.Assign) else ():
                if isinstance(target, ast.Name) and excludes_null(node.test, False, target.id):
                    self._replaced.setdefault(target.id, []).append(value)

    def type_of(self, node: ast.expr) -> Type:
        """The type of an expression, ANY when unknown."""
        match node:
            case ast.Constant():
                return _constant_type(node)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute(value=value, attr=name):
                base = self.type_of(value)
                return self._attribute(base, self.owner.mangle(name) if self.owner else name)
            case ast.Call():
                return self._call(node)
            case ast.List(elts=elements):
                return ListType(self._join(elements))
            case ast.Set(elts=elements):
                return SetType(self._join(elements))
            case ast.Tuple(elts=elements) if not any(isinstance(e, ast.Starred) for e in elements):
                return TupleType(tuple(map(self.type_of, elements)))
            case ast.Dict(keys=keys, values=values):
                return DictType(self._join([k for k in keys if k is not None]), self._join(values))
            case ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.UnaryOp(operand=inner) | ast.NamedExpr(value=inner):
                return self.type_of(inner)
            case ast.BinOp(left=left, right=right, op=op):
                return self._binary(self.type_of(left), self.type_of(right), op)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return useful([self._unless_null(body, test, True), self._unless_null(orelse, test, False)])
            case ast.BoolOp(op=ast.Or(), values=[*values, last]):
                # Nothing is handed on but what is true. `clock or (lambda: ...)` is what `clock` is declared to be.
                return useful([*(not_null(self.type_of(value)) for value in values), self.type_of(last)])
            case ast.BoolOp(values=values):
                return union(map(self.type_of, values))
            case _:
                return _ALWAYS.get(type(node), ANY)

    def _unless_null(self, node: ast.expr, test: ast.expr, outcome: bool) -> Type:
        """The type of an expression that is evaluated if a test has this outcome."""
        found = self.type_of(node)
        return not_null(found) if excludes_null(test, outcome, ast.unparse(node)) else found

    def _join(self, nodes: list[ast.expr]) -> Type:
        return union(map(self.type_of, nodes)) if nodes else ANY

    def _name(self, name: str) -> Type:
        if name in self._names:
            known = self._names[name]
            if name in self._replaced and NONE in options_of(known) and name not in self._visiting:
                self._visiting.add(name)
                replaced = union(map(self.type_of, self._replaced[name]))
                # What is computed from the value itself may still be None.
                known = known if replaced == ANY or NONE in options_of(replaced) else union((not_null(known), replaced))
                self._visiting.discard(name)
            if known not in (ANY, NONE) or name not in self._assigned:
                return known if known != NONE else ANY
        # `x = x.next` and the like lead back to the variable itself, which tells nothing new.
        if name in self._visiting or name not in self._assigned:
            return ANY
        self._visiting.add(name)
        types = [self.type_of(value) for value in self._assigned[name]]
        self._visiting.discard(name)
        return useful(types)

    def _attribute(self, base: Type, name: str) -> Type:
        found = [self.fields.of_class(o.name, name) for o in options_of(base) if isinstance(o, ClassType)]
        return union(found) if found else ANY

    def _made_by(self, factory: ast.expr) -> Type:
        """The type of what a function without parameters gives."""
        if isinstance(factory, ast.Lambda):
            return self.type_of(factory.body)
        return self._call(ast.copy_location(ast.Call(factory, [], []), factory))

    def _call(self, node: ast.Call) -> Type:
        if isinstance(node.func, ast.Name) and node.func.id in self._names:
            # A parameter is called, which hides whatever else has that name.
            return ANY
        named = isinstance(node.func, (ast.Name, ast.Attribute))
        match self.linker.expression(self.module, node.func) if named else None:
            case ClassName(name):
                return self._made(name, node.args)
            case BuiltinName("list" | "set" | "tuple" | "sorted" as name) if node.args:
                return converted(name, self.type_of(node.args[0]))
            case BuiltinName(name):
                return RESULTS.get(name) or PREDEFINED.get(name, ANY)
            case FunctionName(cls, name):
                return self._returned(cls, name)
            case ExternalName(name):
                return self._given_by_library(name)
        if isinstance(node.func, ast.Attribute):
            for option in options_of(self.type_of(node.func.value)):
                for info in self.linker.line(option.name) if isinstance(option, ClassType) else ():
                    if node.func.attr in info.functions:
                        return self._returned(info.name, node.func.attr)
        return ANY

    def _given_by_library(self, name: str) -> Type:
        found = typeshed.result_type(name)
        if found != ANY:
            return found
        # Most programs keep no such objects.
        from everypath.languages.python.frontend.library_interfaces import library_result

        return library_result(self.linker, name)

    def _made(self, name: str, arguments: list[ast.expr]) -> ClassType:
        """The type of what a class gives when it is called."""
        card = COLLECTIONS.get(name)
        if card is not None and card.makes_missing and arguments:
            return ClassType(name, (ANY, self._made_by(arguments[0])))
        return ClassType(name, (ANY, card.values)) if card is not None and card.values is not None else ClassType(name)

    def _returned(self, cls: str, name: str) -> Type:
        if (info := self.linker.classes.get(cls)) is not None:
            returns = info.functions[name].node.returns
            return self.linker.annotations(info.module, info).read(returns)
        module = self.linker.finder.module(cls)
        binding = module.bindings.get(name) if module else None
        node = getattr(binding, "node", None)
        if module is None:
            # Of the library there may be a version of ours, which does without annotations.
            return self._given_by_library(f"{cls}.{name}")
        return self.linker.annotations(module).read(node.returns) if node is not None else ANY

    def _binary(self, left: Type, right: Type, op: ast.operator) -> Type:
        if left == right and left in (INT, STR, FLOAT) and not isinstance(op, (ast.Div, ast.Mod)):
            return left
        if left in (INT, FLOAT) and right in (INT, FLOAT):
            return FLOAT if FLOAT in (left, right) or isinstance(op, ast.Div) else INT
        if left == STR and isinstance(op, (ast.Mod, ast.Mult)):
            return STR
        if isinstance(left, ListType) and isinstance(op, (ast.Add, ast.Mult)):
            return left
        return ANY


def _made_as(declared: Type, made: Type) -> Type:
    """The type of a field that is made as something more special than its annotation says, such as a `defaultdict`."""
    if isinstance(made, ClassType) and made.name in COLLECTIONS and isinstance(declared, DictType):
        return COLLECTIONS[made.name].holding((declared.key, declared.value))
    return declared


def _constant_type(node: ast.expr) -> Type:
    if isinstance(node, ast.UnaryOp):
        return _constant_type(node.operand)
    if not isinstance(node, ast.Constant):
        return ANY
    return NONE if node.value is None else scalar_type(node.value) or ANY


def _is_class_variable(annotation: ast.expr) -> bool:
    text = ast.unparse(annotation).strip("'\"")
    return text.partition("[")[0].rpartition(".")[2] in ("ClassVar", "KW_ONLY")


def _is_bare_final(annotation: ast.expr) -> bool:
    """Whether an annotation says `Final` only: the type is that of the value."""
    return ast.unparse(annotation).strip("'\"").rpartition(".")[2] == "Final"

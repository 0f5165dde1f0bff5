"""What the statements and expressions of a function say about the types of its variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from everypath.ir.types import ANY, BOOL, FLOAT, INT, STR, ClassType, DictType, ListType, SetType, Type
from everypath.languages.python.frontend import uses
from everypath.languages.python.frontend.evidence import Slot, known
from everypath.languages.python.frontend.modules import FunctionNode
from everypath.languages.python.frontend.private_names import mangled

if TYPE_CHECKING:
    from everypath.languages.python.frontend.inference import ClassShape, ModuleUses, Scope

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.LShift, ast.RShift)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


class Reader:
    """Reads statements and expressions of one scope."""

    def __init__(self, module: ModuleUses, scope: Scope) -> None:
        self.module = module
        self.scope = scope

    def function(self, node: FunctionNode | ast.Lambda, owner: ClassShape | None = None) -> None:
        """Read a function in a scope of its own."""
        scope = self.module.start(node, self.scope, owner)
        inner = Reader(self.module, scope)
        if isinstance(node, ast.Lambda):
            self.module.returned[node].borrow(inner.value(node.body))
        else:
            inner.body(node.body)

    def body(self, statements: list[ast.stmt]) -> None:
        """Read statements in order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """What one statement says."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
                return
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, value)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                declared = uses.annotated(annotation)
                slot = self.value(target)
                if declared is not None:
                    slot.find().types[declared] = None
                if value is not None:
                    self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                self.arithmetic(self.value(target), op, self.value(value), value)
            case ast.For(target=target, iter=iterable) | ast.AsyncFor(target=target, iter=iterable):
                self.bind(target, self.elements(iterable))
                self.body(node.body + node.orelse)
            case ast.If(test=test, body=body, orelse=orelse):
                self.value(test)
                before = dict(self.scope.names)
                self.body(body)
                converted = {
                    name: slot for name, slot in self.scope.names.items() if before.get(name, slot) is not slot
                }
                # What one branch replaces is still there in the other one.
                self.scope.names.update({name: before[name] for name in converted})
                self.body(orelse)
                self.scope.names.update(converted)
            case ast.While(test=test):
                self.value(test)
                self.body(node.body + node.orelse)
            case ast.Return(value=value):
                if value is not None:
                    self.returns(value)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    self.value(item.context_expr)
                self.body(node.body)
            case ast.Try() | ast.TryStar():
                self.body(node.body)
                for handler in node.handlers:
                    self.body(handler.body)
                self.body(node.orelse + node.finalbody)
            case ast.Match(subject=subject, cases=cases):
                self.match(self.value(subject), cases)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.value(target)
            case _:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        self.value(part)

    def returns(self, value: ast.expr) -> None:
        """What a function returns is what it says about its result."""
        self.scope.returned.borrow(self.value(value))

    def match(self, subject: Slot, cases: list[ast.match_case]) -> None:
        """Literal patterns say what the subject is compared with."""
        for case in cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue) and isinstance(part.value, ast.Constant):
                    subject.find().types.update(uses.constant(part.value.value).types)
            self.body(case.body)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """`target = value`"""
        sequences = ast.Tuple | ast.List
        if isinstance(target, sequences) and isinstance(value, sequences) and len(target.elts) == len(value.elts):
            for inner, part in zip(target.elts, value.elts):
                self.assign(inner, part)
            return
        self.bind(target, self.value(value), conversion=isinstance(value, ast.Call))

    def bind(self, target: ast.expr, slot: Slot, conversion: bool = False) -> None:
        """A value is stored; the result of a call may well be of another type than what the name held before."""
        match target:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                root = slot.find()
                if any(isinstance(e, ast.Starred) for e in elements):
                    root.iterated = True
                for position, element in enumerate(elements):
                    if isinstance(element, ast.Starred):
                        continue
                    if root.element is not None and not root.items:
                        self.bind(element, root.inside())
                    else:
                        self.bind(element, root.find().items.setdefault(position, Slot()))
                    root = root.find()
            case ast.Starred(value=value):
                self.bind(value, slot)
            case ast.Subscript(value=value, slice=index):
                holder = self.value(value).find()
                holder.indexed = not isinstance(index, ast.Slice)
                place = self.subscript(value, index)
                if isinstance(index, ast.Slice):
                    place.lend(slot)
                else:
                    place.merge(slot)
            case _:
                if conversion and isinstance(target, ast.Name) and target.id in self.scope.params:
                    self.convert(target.id, slot)
                    return
                place = self.value(target)
                if isinstance(target, ast.Name) and target.id in self.scope.once:
                    conversion = False
                if conversion and not any(isinstance(t, ClassType) for t in slot.find().types):
                    place.lend(slot)
                else:
                    place.merge(slot)

    def convert(self, name: str, slot: Slot) -> None:
        """A parameter is replaced by the result of a call: from here on its uses speak of that."""
        before = self.scope.names[name]
        after = self.scope.names[name] = Slot()
        after.borrow(slot)
        after.borrow(before)
        before.borrow(after)

    def elements(self, node: ast.expr) -> Slot:
        """The elements that a loop over the value sees."""
        slot = self.value(node).find()
        if DictType(ANY, ANY) in slot.types or slot.attributes & {"items", "keys", "values"}:
            return slot.keys()
        slot.iterated = True
        return slot.inside()

    def value(self, node: ast.expr) -> Slot:
        """The slot of an expression; what is inside it is read on the way."""
        match node:
            case ast.Constant(value=value):
                return uses.constant(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(value, attr)
            case ast.Subscript(value=value, slice=index):
                return self.subscript(value, index)
            case ast.Call():
                return uses.Calls(self, node).result()
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(self.value(left), op, self.value(right), right)
            case ast.UnaryOp(op=op, operand=operand):
                slot = self.value(operand).find()
                if isinstance(op, ast.Not):
                    return known(BOOL)
                slot.number = True
                return slot
            case ast.Compare(left=left, ops=ops, comparators=others):
                self.compare(left, ops, others)
                return known(BOOL)
            case ast.BoolOp(values=values):
                slots = [self.value(v) for v in values]
                result = Slot()
                for slot in slots:
                    result.borrow(slot)
                return result
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test)
                result = Slot()
                result.borrow(self.value(body))
                result.borrow(self.value(orelse))
                return result
            case ast.List(elts=elements) | ast.Set(elts=elements):
                return self.display(elements, ListType(ANY) if isinstance(node, ast.List) else SetType(ANY))
            case ast.Tuple(elts=elements):
                return self.tuple(elements)
            case ast.Dict(keys=keys, values=values):
                slot = known(DictType(ANY, ANY))
                for key, content in zip(keys, values):
                    if key is not None:
                        slot.keys().merge(self.value(key))
                        slot.inside().merge(self.value(content))
                    else:
                        slot.lend(self.value(content))
                return slot
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case ast.JoinedStr(values=values):
                for part in values:
                    if isinstance(part, ast.FormattedValue):
                        self.value(part.value)
                return known(STR)
            case ast.NamedExpr(target=target, value=value):
                self.assign(target, value)
                return self.value(target)
            case ast.Lambda():
                self.function(node)
                result = Slot()
                result.called = True
                return result
            case ast.Starred(value=value):
                slot = self.value(value).find()
                slot.iterated = True
                return slot
            case ast.Await(value=value) | ast.YieldFrom(value=value):
                return self.value(value)
            case ast.Yield(value=value):
                if value is not None:
                    self.value(value)
        return Slot()

    def name(self, name: str) -> Slot:
        """The slot of a name; functions and classes of the module have none of their own."""
        return self.scope.lookup(name) or Slot()

    def receiver(self, node: ast.expr) -> ClassShape | None:
        """The class whose object the expression is known to be."""
        if isinstance(node, ast.Name) and node.id != self.scope.first:
            slot = self.scope.lookup(node.id)
            types = list(slot.find().types) if slot is not None else []
            if len(types) == 1 and isinstance(types[0], ClassType):
                return self.module.classes.get(types[0].name.removeprefix(f"{self.module.module.name}."))
        if isinstance(node, ast.Name) and node.id == self.scope.first:
            return self.scope.owner
        scope = self.scope.outer
        while scope is not None and isinstance(node, ast.Name) and node.id not in self.scope.names:
            if node.id == scope.first:
                return scope.owner
            scope = scope.outer
        return None

    def attribute(self, value: ast.expr, attr: str) -> Slot:
        """`value.attr`, read or written."""
        shape = self.receiver(value)
        if shape is not None:
            method = shape.method(attr)
            if method is not None:
                self.module.slots(method)
                return self.module.returned[method]
            return shape.slot(mangled(attr, "_" + shape.node.name.lstrip("_")))
        slot = self.value(value).find()
        slot.attributes.add(attr)
        self.module.used_as_object(slot)
        return slot.fields.setdefault(attr, Slot())

    def subscript(self, value: ast.expr, index: ast.expr) -> Slot:
        """`value[index]`, read or written."""
        found = self._through("__getitem__", value, index)
        if found is not None:
            return found
        slot = self.value(value).find()
        if isinstance(index, ast.Slice):
            slot.sliced = True
            for bound in (index.lower, index.upper, index.step):
                if bound is not None and not isinstance(bound, ast.Constant):
                    self.value(bound).find().number = True
            return slot
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            if slot.element is not None or slot.iterated or slot.sized or slot.indexed:
                slot.indexed = True
                return slot.inside()
            return slot.items.setdefault(index.value, Slot()) if index.value >= 0 else self._last(slot)
        slot.indexed = True
        slot.keys().merge(self.value(index))
        return slot.find().inside()

    def _through(self, method: str, value: ast.expr, argument: ast.expr) -> Slot | None:
        """What a special method of the module's own class says about its argument and result."""
        shape = self.receiver(value)
        function = shape.method(method) if shape is not None else None
        if function is None or isinstance(argument, ast.Slice) or len(function.args.args) < 2:
            return None
        self.module.slots(function)[function.args.args[1].arg].lend(self.value(argument))
        return self.module.returned[function]

    def _last(self, slot: Slot) -> Slot:
        slot.indexed = True
        return slot.inside()

    def display(self, elements: list[ast.expr], type_: Type) -> Slot:
        """A list or set written out."""
        slot = known(type_)
        for element in elements:
            if not isinstance(element, ast.Starred):
                slot.inside().lend(self.value(element))
            else:
                self.value(element)
        return slot

    def tuple(self, elements: list[ast.expr]) -> Slot:
        """A tuple written out."""
        slot = Slot()
        for position, element in enumerate(elements):
            slot.items[position] = self.value(element)
        return slot

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Slot:
        """A comprehension; its variables are taken for those of the function."""
        names = {name for generator in node.generators for name in _stored_in(generator.target)}
        inner = Reader(self.module, self.scope.inside({name: Slot() for name in names}))
        for generator in node.generators:
            inner.bind(generator.target, inner.elements(generator.iter))
            for test in generator.ifs:
                inner.value(test)
        if isinstance(node, ast.DictComp):
            slot = known(DictType(ANY, ANY))
            slot.found_at(inner.value(node.key))
            slot.inside().lend(inner.value(node.value))
            return slot
        slot = known(SetType(ANY) if isinstance(node, ast.SetComp) else ListType(ANY))
        slot.inside().lend(inner.value(node.elt))
        return slot

    def compare(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> None:
        """What a comparison says about its two sides."""
        for op, right in zip(ops, others):
            if self.compare_types(left, right) or self.compare_types(right, left):
                left = right
                continue
            if isinstance(op, (ast.In, ast.NotIn)):
                self.membership(left, right)
            elif isinstance(op, (ast.Is, ast.IsNot)):
                for one, other in ((left, right), (right, left)):
                    if isinstance(other, ast.Constant) and other.value is None:
                        self.value(one).find().nullable = True
                    else:
                        self.value(one)
            else:
                self.value(left).lend(self.value(right))
            left = right

    def compare_types(self, left: ast.expr, right: ast.expr) -> bool:
        """`type(x) is T` and the like say what `isinstance` says."""
        subject = type_argument(left)
        if subject is None:
            return False
        other = type_argument(right)
        if other is not None:
            self.value(subject).find().alike.append(self.value(other))
        else:
            uses.Calls(self, ast.Call(ast.Name("isinstance"), [subject, right], [])).test()
        return True

    def membership(self, left: ast.expr, right: ast.expr) -> None:
        """`left in right`"""
        if any(self._through(method, right, left) is not None for method in ("__contains__", "__getitem__")):
            return
        one = self.value(left)
        if isinstance(right, ast.Constant) and isinstance(right.value, str):
            one.find().types[STR] = None
        elif isinstance(right, (ast.Tuple, ast.List, ast.Set)):
            for element in right.elts:
                one.lend(self.value(element))
        else:
            slot = self.value(right).find()
            text = isinstance(left, ast.Constant) and isinstance(left.value, str)
            if DictType(ANY, ANY) in slot.types or slot.key is not None:
                slot.found_at(one)
            elif slot.items and not slot.types:
                for item in slot.items.values():
                    one.lend(item)
            elif text and len(left.value) == 1 and not slot.iterated:  # type: ignore[attr-defined]
                slot.text = True
            else:
                slot.indexed = True
                slot.inside().lend(one)

    def arithmetic(self, left: Slot, op: ast.operator, right: Slot, node: ast.expr) -> Slot:
        """`left op right`"""
        left, right = left.find(), right.find()
        if isinstance(op, ast.Mod) and (STR in left.types or left.text or isinstance(node, (ast.Tuple, ast.Dict))):
            left.text = True
            return known(STR)
        if isinstance(op, ast.Add):
            left.lend(right)
            result = Slot()
            result.borrow(left)
            result.borrow(right)
            if FLOAT in left.types or FLOAT in right.types:
                left.types.setdefault(FLOAT)
                right.types.setdefault(FLOAT)
                result.types.setdefault(FLOAT)
            return result
        if isinstance(op, ast.Mult):
            for one, other in ((left, right), (right, left)):
                if STR in one.types or isinstance(next(iter(one.types), None), ListType):
                    other.number = True
                    return one
        if isinstance(op, _BITS):
            left.lend(right)
            return left
        left.number = right.number = True
        result = Slot()
        result.number = True
        if FLOAT in left.types or FLOAT in right.types:
            for one in (left, right):
                one.types[FLOAT] = None
            result.types[FLOAT] = None
        elif INT in left.types or INT in right.types or isinstance(op, _NUMERIC):
            result.borrow(left)
            result.borrow(right)
        return result


def stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    agenda: list[ast.AST] = [statement]
    while agenda:
        node = agenda.pop()
        if isinstance(node, _FUNCTIONS):
            continue
        if isinstance(node, ast.ClassDef):
            continue
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        agenda.extend(ast.iter_child_nodes(node))


def type_argument(node: ast.expr) -> ast.expr | None:
    """The x of `type(x)`."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
    ):
        return node.args[0]
    return None


def _stored_in(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id

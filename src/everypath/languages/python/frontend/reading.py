"""What the statements and expressions of a function say about the types of its variables.

Every expression has a slot, and reading it leaves evidence there: `x + 1` says that `x` is a number, `for y in x` that
the slot of `y` is that of the elements of `x`. Statements are read in the order of the text, each once; a loop is not
repeated, because slots that were connected stay connected.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import cast

from everypath.ir.types import ANY, BOOL, STR, ClassType, DictType, ListType, SetType, Type
from everypath.languages.python.frontend.evidence import Slot, known
from everypath.languages.python.frontend.literals import annotated, constant
from everypath.languages.python.frontend.modules import Function, bound_names, type_argument
from everypath.languages.python.frontend.operators import arithmetic
from everypath.languages.python.frontend.private_names import mangled
from everypath.languages.python.frontend.shapes import ClassShape, ModuleShape, Scope
from everypath.languages.python.frontend.uses import Calls


class Reader:
    """Reads statements and expressions of one scope."""

    def __init__(self, module: ModuleShape, scope: Scope) -> None:
        self.module = module
        self.scope = scope

    def function(self, node: Function, owner: ClassShape | None = None) -> None:
        """Read a function in a scope of its own."""
        inner = Reader(self.module, self.module.function_scope(node, self.scope, owner))
        if isinstance(node, ast.Lambda):
            self.module.returned[node].borrow(inner.value(node.body))
        else:
            inner.body(node.body)

    def body(self, statements: list[ast.stmt]) -> None:
        """Read statements in order."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """What one statement says; of those without a rule, what the expressions in them say."""
        read = _STATEMENTS.get(type(node))
        if read is not None:
            read(self, node)
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)

    def _assignment(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.assign(target, node.value)

    def _declaration(self, node: ast.AnnAssign) -> None:
        declared = annotated(node.annotation)
        slot = self.value(node.target)
        if declared is not None:
            slot.find().types[declared] = None
        if node.value is not None:
            self.assign(node.target, node.value)

    def _change(self, node: ast.AugAssign) -> None:
        arithmetic(self.value(node.target), node.op, self.value(node.value), node.value)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.bind(node.target, self.elements(node.iter))
        self.body(node.body + node.orelse)

    def _if(self, node: ast.If) -> None:
        self.value(node.test)
        before = dict(self.scope.names)
        self.body(node.body)
        converted = {name: slot for name, slot in self.scope.names.items() if before.get(name, slot) is not slot}
        # What one branch replaces is still there in the other one.
        self.scope.names.update({name: before[name] for name in converted})
        self.body(node.orelse)
        self.scope.names.update(converted)

    def _while(self, node: ast.While) -> None:
        self.value(node.test)
        self.body(node.body + node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.value(item.context_expr).find().entered = True
        self.body(node.body)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        self.body(node.body)
        for handler in node.handlers:
            self.body(handler.body)
        self.body(node.orelse + node.finalbody)

    def _nothing(self, node: ast.stmt) -> None:
        """A class has a reader of its own; names that are imported or declared are no evidence."""

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.scope.returned.borrow(self.value(node.value))

    def _match(self, node: ast.Match) -> None:
        """Literal patterns say what the subject is compared with."""
        subject = self.value(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue) and isinstance(part.value, ast.Constant):
                    subject.find().types.update(constant(part.value.value).types)
            self.body(case.body)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """`target = value`"""
        sequences = ast.Tuple | ast.List
        # `a, b = x, y` says which variable gets which value; through a tuple all of that would be one slot's items.
        if isinstance(target, sequences) and isinstance(value, sequences) and len(target.elts) == len(value.elts):
            for inner, part in zip(target.elts, value.elts):
                self.assign(inner, part)
            return
        self.bind(target, self.value(value), conversion=isinstance(value, ast.Call))

    def bind(self, target: ast.expr, slot: Slot, conversion: bool = False) -> None:
        """Store a value; the result of a call (`conversion`) may have another type than what the name held before."""
        match target:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                root = slot.find()
                if any(isinstance(e, ast.Starred) for e in elements):
                    root.iterated = True
                for position, element in enumerate(elements):
                    if isinstance(element, ast.Starred):
                        continue
                    if root.element is not None and not root.items:
                        # It was run over before, so that its positions have no meaning of their own.
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
                    # It never held anything else, so that the result of the call is what it is.
                    conversion = False
                if conversion and not any(isinstance(t, ClassType) for t in slot.find().types):
                    place.lend(slot)
                else:
                    place.merge(slot)

    def convert(self, name: str, slot: Slot) -> None:
        """Replace a parameter by the result of a call: from here on, its uses are evidence for that one."""
        before = self.scope.names[name]
        after = self.scope.names[name] = Slot()
        after.borrow(slot)
        after.borrow(before)
        before.borrow(after)

    def elements(self, node: ast.expr) -> Slot:
        """The elements that a loop over the value sees."""
        slot = self.value(node).find()
        # Running over a mapping gives its keys, and its methods give it away.
        if DictType(ANY, ANY) in slot.types or slot.attributes & {"items", "keys", "values"}:
            return slot.keys()
        slot.iterated = True
        return slot.inside()

    def value(self, node: ast.expr) -> Slot:
        """The slot of an expression; what is inside it is read on the way."""
        read = _EXPRESSIONS.get(type(node))
        return read(self, node) if read is not None else Slot()

    def _operation(self, node: ast.BinOp) -> Slot:
        return arithmetic(self.value(node.left), node.op, self.value(node.right), node.right)

    def _unary(self, node: ast.UnaryOp) -> Slot:
        slot = self.value(node.operand).find()
        if isinstance(node.op, ast.Not):
            return known(BOOL)
        slot.number = True
        return slot

    def _comparison(self, node: ast.Compare) -> Slot:
        self.compare(node.left, node.ops, node.comparators)
        return known(BOOL)

    def _either(self, *nodes: ast.expr) -> Slot:
        """The slot of a value that is one of several."""
        result = Slot()
        for slot in [self.value(node) for node in nodes]:
            result.borrow(slot)
        return result

    def _conditional(self, node: ast.IfExp) -> Slot:
        self.value(node.test)
        return self._either(node.body, node.orelse)

    def _dict(self, node: ast.Dict) -> Slot:
        slot = known(DictType(ANY, ANY))
        for key, content in zip(node.keys, node.values):
            if key is not None:
                slot.keys().merge(self.value(key))
                slot.inside().merge(self.value(content))
            else:
                slot.lend(self.value(content))
        return slot

    def _text(self, node: ast.JoinedStr) -> Slot:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.value)
        return known(STR)

    def _walrus(self, node: ast.NamedExpr) -> Slot:
        self.assign(node.target, node.value)
        return self.value(node.target)

    def _lambda(self, node: ast.Lambda) -> Slot:
        self.function(node)
        result = Slot()
        result.called = True
        return result

    def _starred(self, node: ast.Starred) -> Slot:
        slot = self.value(node.value).find()
        slot.iterated = True
        return slot

    def _yield(self, node: ast.Yield) -> Slot:
        if node.value is not None:
            self.value(node.value)
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
                return self.module.shape_of(types[0].name)
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
        self.module.objects.append(slot)
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
            # `x[0]` may be a field of a tuple, but not where `x` is used as a whole as well; nor is `x[-1]`.
            if not (slot.element is not None or slot.iterated or slot.sized or slot.indexed or index.value < 0):
                return slot.items.setdefault(index.value, Slot())
            slot.indexed = True
            return slot.inside()
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

    def display(self, elements: list[ast.expr], type_: Type) -> Slot:
        """A list or set written out."""
        slot = known(type_)
        for element in elements:
            part = self.value(element)
            if not isinstance(element, ast.Starred):
                slot.inside().lend(part)
        return slot

    def tuple(self, elements: list[ast.expr]) -> Slot:
        """A tuple written out."""
        slot = Slot()
        slot.items.update(enumerate(map(self.value, elements)))
        return slot

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Slot:
        """A comprehension; its variables are taken for those of the function."""
        names = {name for generator in node.generators for name in bound_names(generator.target)}
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
            Calls(self, ast.Call(ast.Name("isinstance"), [subject, right], [])).test()
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
            # One character in quotes is rather looked for in a text than among the elements of a list.
            elif text and len(left.value) == 1 and not slot.iterated:  # type: ignore[attr-defined]
                slot.text = True
            else:
                slot.indexed = True
                slot.inside().lend(one)


_STATEMENTS = cast(
    Mapping[type[ast.stmt], Callable[[Reader, ast.stmt], None]],
    {
        ast.AnnAssign: Reader._declaration,
        ast.Assign: Reader._assignment,
        ast.AsyncFor: Reader._for,
        ast.AsyncFunctionDef: Reader.function,
        ast.AsyncWith: Reader._with,
        ast.AugAssign: Reader._change,
        ast.ClassDef: Reader._nothing,
        ast.For: Reader._for,
        ast.FunctionDef: Reader.function,
        ast.Global: Reader._nothing,
        ast.If: Reader._if,
        ast.Import: Reader._nothing,
        ast.ImportFrom: Reader._nothing,
        ast.Match: Reader._match,
        ast.Nonlocal: Reader._nothing,
        ast.Return: Reader._return,
        ast.Try: Reader._try,
        ast.TryStar: Reader._try,
        ast.While: Reader._while,
        ast.With: Reader._with,
    },
)
_EXPRESSIONS = cast(
    Mapping[type[ast.expr], Callable[[Reader, ast.expr], Slot]],
    {
        ast.Attribute: lambda reader, node: reader.attribute(node.value, node.attr),
        ast.Await: lambda reader, node: reader.value(node.value),
        ast.BinOp: Reader._operation,
        ast.BoolOp: lambda reader, node: reader._either(*node.values),
        ast.Call: lambda reader, node: Calls(reader, node).result(),
        ast.Compare: Reader._comparison,
        ast.Constant: lambda reader, node: constant(node.value),
        ast.Dict: Reader._dict,
        ast.DictComp: Reader.comprehension,
        ast.GeneratorExp: Reader.comprehension,
        ast.IfExp: Reader._conditional,
        ast.JoinedStr: Reader._text,
        ast.Lambda: Reader._lambda,
        ast.List: lambda reader, node: reader.display(node.elts, ListType(ANY)),
        ast.ListComp: Reader.comprehension,
        ast.Name: lambda reader, node: reader.name(node.id),
        ast.NamedExpr: Reader._walrus,
        ast.Set: lambda reader, node: reader.display(node.elts, SetType(ANY)),
        ast.SetComp: Reader.comprehension,
        ast.Starred: Reader._starred,
        ast.Subscript: lambda reader, node: reader.subscript(node.value, node.slice),
        ast.Tuple: lambda reader, node: reader.tuple(node.elts),
        ast.UnaryOp: Reader._unary,
        ast.Yield: Reader._yield,
        ast.YieldFrom: lambda reader, node: reader.value(node.value),
    },
)

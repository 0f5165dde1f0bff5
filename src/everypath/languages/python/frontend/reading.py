"""What the statements and expressions of a function say about the types of its variables.

Every expression has a slot, and reading it leaves evidence there: `x + 1` says that `x` is a number, `for y in x` that
the slot of `y` is that of the elements of `x`. Statements are read in the order of the text, each once; a loop is not
repeated, because slots that were connected stay connected.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir.types import ANY, BOOL, FLOAT, INT, STR, ClassType, DictType, ListType, SetType
from everypath.languages.python.frontend.evidence import Slot, annotated, constant, known
from everypath.languages.python.frontend.modules import Function, bound_names, type_argument
from everypath.languages.python.frontend.nodes import children, walk
from everypath.languages.python.frontend.shapes import ClassShape, ModuleShape, Scope
from everypath.languages.python.frontend.syntax import mangled
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
        """What one statement says; of those without a rule, what their parts say. A class has a reader of its own."""
        read: Callable[[ast.stmt], None] | None = getattr(self, f"_{type(node).__name__}", None)
        if read is not None:
            read(node)
            return
        for part in children(node) if not isinstance(node, ast.ClassDef) else ():
            if isinstance(part, ast.expr):
                self.value(part)
            elif isinstance(part, ast.stmt):
                self.statement(part)
            elif isinstance(part, ast.ExceptHandler):
                self.body(part.body)

    _FunctionDef = _AsyncFunctionDef = function

    def _Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.assign(target, node.value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        declared = annotated(node.annotation)
        slot = self.value(node.target)
        if declared is not None:
            slot.find().types[declared] = None
        if node.value is not None:
            self.assign(node.target, node.value)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        arithmetic(self.value(node.target), node.op, self.value(node.value), node.value)

    def _For(self, node: ast.For | ast.AsyncFor) -> None:
        self.bind(node.target, self.elements(node.iter))
        self.body(node.body + node.orelse)

    _AsyncFor = _For

    def _If(self, node: ast.If) -> None:
        self.value(node.test)
        before = dict(self.scope.names)
        self.body(node.body)
        converted = {name: slot for name, slot in self.scope.names.items() if before.get(name, slot) is not slot}
        # What one branch replaces is still there in the other one.
        self.scope.names.update({name: before[name] for name in converted})
        self.body(node.orelse)
        self.scope.names.update(converted)

    def _With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.value(item.context_expr).find().entered = True
        self.body(node.body)

    _AsyncWith = _With

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.scope.returned.borrow(self.value(node.value))

    def _Match(self, node: ast.Match) -> None:
        """Literal patterns say what the subject is compared with."""
        subject = self.value(node.subject)
        for case in node.cases:
            for part in walk(case.pattern):
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
        read: Callable[[ast.expr], Slot] | None = getattr(self, f"_{type(node).__name__}", None)
        return Slot() if read is None else read(node)

    def _Constant(self, node: ast.Constant) -> Slot:
        return constant(node.value)

    def _Name(self, node: ast.Name) -> Slot:
        # Functions and classes of the module have no slot of their own.
        return self.scope.lookup(node.id) or Slot()

    def _Attribute(self, node: ast.Attribute) -> Slot:
        return self.attribute(node.value, node.attr)

    def _Subscript(self, node: ast.Subscript) -> Slot:
        return self.subscript(node.value, node.slice)

    def _Call(self, node: ast.Call) -> Slot:
        return Calls(self, node).result()

    def _Await(self, node: ast.Await | ast.YieldFrom) -> Slot:
        return self.value(node.value)

    _YieldFrom = _Await

    def _BinOp(self, node: ast.BinOp) -> Slot:
        return arithmetic(self.value(node.left), node.op, self.value(node.right), node.right)

    def _UnaryOp(self, node: ast.UnaryOp) -> Slot:
        slot = self.value(node.operand).find()
        if isinstance(node.op, ast.Not):
            return known(BOOL)
        slot.number = True
        return slot

    def _either(self, *nodes: ast.expr) -> Slot:
        """The slot of a value that is one of several."""
        result = Slot()
        for slot in [self.value(node) for node in nodes]:
            result.borrow(slot)
        return result

    def _BoolOp(self, node: ast.BoolOp) -> Slot:
        return self._either(*node.values)

    def _IfExp(self, node: ast.IfExp) -> Slot:
        self.value(node.test)
        return self._either(node.body, node.orelse)

    def _Dict(self, node: ast.Dict) -> Slot:
        slot = known(DictType(ANY, ANY))
        for key, content in zip(node.keys, node.values):
            if key is not None:
                slot.keys().merge(self.value(key))
                slot.inside().merge(self.value(content))
            else:
                slot.lend(self.value(content))
        return slot

    def _JoinedStr(self, node: ast.JoinedStr) -> Slot:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.value)
        return known(STR)

    def _NamedExpr(self, node: ast.NamedExpr) -> Slot:
        self.assign(node.target, node.value)
        return self.value(node.target)

    def _Lambda(self, node: ast.Lambda) -> Slot:
        self.function(node)
        result = Slot()
        result.called = True
        return result

    def _Starred(self, node: ast.Starred) -> Slot:
        slot = self.value(node.value).find()
        slot.iterated = True
        return slot

    def _Yield(self, node: ast.Yield) -> Slot:
        if node.value is not None:
            self.value(node.value)
        return Slot()

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
        if (shape := self.receiver(value)) is not None:
            if (method := shape.method(attr)) is not None:
                self.module.slots(method)
                return self.module.returned[method]
            return shape.slot(mangled(attr, "_" + shape.node.name.lstrip("_")))
        slot = self.value(value).find()
        slot.attributes.add(attr)
        self.module.objects.append(slot)
        return slot.fields.setdefault(attr, Slot())

    def subscript(self, value: ast.expr, index: ast.expr) -> Slot:
        """`value[index]`, read or written."""
        if (found := self._through("__getitem__", value, index)) is not None:
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

    def _List(self, node: ast.List | ast.Set) -> Slot:
        slot = known(ListType(ANY) if isinstance(node, ast.List) else SetType(ANY))
        for element in node.elts:
            part = self.value(element)
            if not isinstance(element, ast.Starred):
                slot.inside().lend(part)
        return slot

    _Set = _List

    def _Tuple(self, node: ast.Tuple) -> Slot:
        slot = Slot()
        slot.items.update(enumerate(map(self.value, node.elts)))
        return slot

    def _ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Slot:
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

    _SetComp = _GeneratorExp = _DictComp = _ListComp

    def _Compare(self, node: ast.Compare) -> Slot:
        left = node.left
        for op, right in zip(node.ops, node.comparators):
            if self.compare_types(left, right) or self.compare_types(right, left):
                pass
            elif isinstance(op, (ast.In, ast.NotIn)):
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
        return known(BOOL)

    def compare_types(self, left: ast.expr, right: ast.expr) -> bool:
        """`type(x) is T` and the like say what `isinstance` says."""
        if (subject := type_argument(left)) is None:
            return False
        if (other := type_argument(right)) is not None:
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


_NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.LShift, ast.RShift)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def arithmetic(left: Slot, op: ast.operator, right: Slot, node: ast.expr) -> Slot:
    """What `left op right` says about both sides, and its result; `node` is the right side as it is written."""
    left, right = left.find(), right.find()
    if isinstance(op, ast.Mod) and (STR in left.types or left.text or isinstance(node, (ast.Tuple, ast.Dict))):
        # `"%s" % value`: the right side may be anything.
        left.text = True
        return known(STR)
    if isinstance(op, ast.Add):
        # Numbers, texts and lists can all be added; both sides are the same of these.
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
                # A sequence is repeated, so that only the other side is a number.
                other.number = True
                return one
    if isinstance(op, _BITS):
        # Sets are combined like this as well as numbers.
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

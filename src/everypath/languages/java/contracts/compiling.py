"""Compiles a condition over the parameters of a method to a method of the IR that tells whether it holds.

Operands have the kinds of the JVM's stack: I and J for integers, D, Z and A; that of a reference says its class, for
fields and methods. Conditions that do not fit together are refused with what is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from everypath.errors import BadInput, Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param, Reg
from everypath.ir.program import Method
from everypath.ir.types import ANY, BOOL
from everypath.languages.java.contracts.parsing import parse
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaMethod, dotted
from everypath.languages.java.frontend.types import exact_type
from everypath.records import dataclass

if TYPE_CHECKING:
    from lark import Tree

_OPERATIONS = {"+": "+", "-": "-", "*": "*", "/": "//", "%": "%"}
_LONG = {"+": "ladd", "-": "lsub", "*": "lmul", "/": "ldiv", "%": "lrem"}
_DOUBLE = {"+": "dadd", "-": "dsub", "*": "dmul", "/": "ddiv", "%": "drem"}
_INTEGERS = frozenset("BCSIJ")


@dataclass(frozen=True, slots=True)
class Operand:
    """A register, and the descriptor of its type; `null` for null."""

    register: Reg
    type: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """A condition as a method, and the methods whose values before the call it takes behind its other parameters."""

    method: Method
    olds: tuple[tuple[Method, str], ...] = ()


def compile_condition(
    text: str,
    hierarchy: Hierarchy,
    cls: JavaClass,
    params: tuple[Param, ...],
    types: Mapping[str, str],
    span: Span,
    end: tuple[str, str] | None = None,
) -> Compiled:
    """The method, with these parameters, of which the descriptors are given by name.

    A condition about the `end` of a call may mention values of before, and takes also what there is at the end: its
    name, such as `\\result`, and its descriptor.
    """
    tree = parse(text, span)
    olds: list[tuple[Method, str]] = []
    inside: dict[int, str] = {}
    for node in tree.find_data("old") if end is not None else ():
        before = _Compiler(hierarchy, cls, params, types, text, span)
        kept = before.value(node.children[0])
        before.build.end(ins.Return(kept.register))
        inside[id(node.children[0])] = f"\\old{len(olds)}"
        olds.append((before.build.finish(kind="static", model=True), kept.type))
    more = {**dict(zip(inside.values(), (type_ for _, type_ in olds))), **(dict([end]) if end is not None else {})}
    compiler = _Compiler(hierarchy, cls, (*params, *(Param(name, ANY) for name in more)), {**types, **more}, text, span)
    compiler.olds = inside
    found = compiler.value(tree)
    if found.type != "Z":
        raise BadInput(f"'{text}' is no condition", span)
    compiler.build.end(ins.Return(found.register))
    return Compiled(compiler.build.finish(returns=BOOL, kind="static", model=True), tuple(olds))


class _Compiler:
    """Writes the instructions of one condition."""

    def __init__(
        self,
        hierarchy: Hierarchy,
        cls: JavaClass,
        params: tuple[Param, ...],
        types: Mapping[str, str],
        text: str,
        span: Span,
    ) -> None:
        self.hierarchy = hierarchy
        self.cls = cls
        self.text = text
        self.span = span
        self.build = MethodBuilder(cls.name, f"requires {text}", params, span)
        self.names = {param.name: Operand(number, types[param.name]) for number, param in enumerate(params)}
        self.olds: dict[int, str] = {}
        """what is inside of an `\\old` -> the parameter with its value"""

    def refuse(self, what: str) -> BadInput:
        """What is wrong with the condition."""
        return BadInput(f"the condition '{self.text}': {what}", self.span)

    def value(self, tree: Tree[Any]) -> Operand:
        """The value of an expression."""
        made: Operand = getattr(self, f"_{tree.data}")(*tree.children)
        return made

    def truth(self, tree: Tree[Any]) -> Reg:
        """The value of a condition."""
        found = self.value(tree)
        if found.type != "Z":
            raise self.refuse("a truth value is expected on both sides of its operators")
        return found.register

    # What is either true or false.

    def _decided(self, parts: tuple[Tree[Any], ...], stops: bool) -> Operand:
        """The parts from left to right, until one has the value that decides all."""
        into, end = self.build.register(), self.build.label("decided")
        for number, part in enumerate(parts):
            self.build.emit(ins.Move(into, self.truth(part)))
            if number < len(parts) - 1:
                following = self.build.label("next")
                self.build.branch(into, *((end, following) if stops else (following, end)))
                self.build.start(following)
        self.build.end(ins.Jump(end))
        self.build.start(end)
        return Operand(into, "Z")

    def _and_(self, *parts: Tree[Any]) -> Operand:
        return self._decided(parts, False)

    def _or_(self, *parts: Tree[Any]) -> Operand:
        return self._decided(parts, True)

    def _not_(self, part: Tree[Any]) -> Operand:
        return Operand(self.build.give(ins.Unary(self.build.register(), "not", self.truth(part))), "Z")

    def _implies(self, left: Tree[Any], right: Tree[Any]) -> Operand:
        into, holds, end = self.build.register(), self.build.label("holds"), self.build.label("end")
        otherwise = self.build.label("otherwise")
        self.build.branch(self.truth(left), holds, otherwise)
        self.build.start(otherwise)
        self.build.emit(ins.Const(into, True))
        self.build.end(ins.Jump(end))
        self.build.start(holds)
        self.build.emit(ins.Move(into, self.truth(right)))
        self.build.end(ins.Jump(end))
        self.build.start(end)
        return Operand(into, "Z")

    def _compared(self, *parts: Any) -> Operand:
        """Comparisons; JML and Java chain only `==` and `!=`, of truth values."""
        left = self.value(parts[0])
        for sign, other in zip(parts[1::2], parts[2::2]):
            right = self.value(other)
            left = Operand(self._relation(str(sign), left, right), "Z")
        return left

    def _relation(self, sign: str, left: Operand, right: Operand) -> Reg:
        references = [each.type == "null" or each.type[0] in "L[" for each in (left, right)]
        if any(references):
            if not all(references) or sign not in ("==", "!="):
                raise self.refuse("an object is compared with what is none")
            sign = "is" if sign == "==" else "is not"
        return self.build.give(ins.Compare(self.build.register(), sign, left.register, right.register))

    def _tested(self, part: Tree[Any], named: Tree[Any]) -> Operand:
        name = self._class_named(".".join(map(str, named.children)))
        found = self.value(part).register
        type_ = exact_type(f"L{name.replace('.', '/')};")
        return Operand(self.build.give(ins.TypeTest(self.build.register(), found, (type_,))), "Z")

    def _class_named(self, name: str) -> str:
        nested = self.cls.name.partition("$")[0]
        for tried in (name, f"{self.cls.package}.{name}", f"{nested}${name}", f"java.lang.{name}"):
            if self.hierarchy.find(tried) is not None:
                return tried
        raise self.refuse(f"there is no class {name}")

    # Numbers.

    def _arithmetic(self, *parts: Any) -> Operand:
        left = self.value(parts[0])
        for sign, other in zip(parts[1::2], parts[2::2]):
            left = self._operation(str(sign), left, self.value(other))
        return left

    def _operation(self, sign: str, left: Operand, right: Operand) -> Operand:
        types = {left.type, right.type}
        into = self.build.register()
        if types <= _INTEGERS - {"J"}:
            return Operand(self.build.give(ins.Binary(into, _OPERATIONS[sign], left.register, right.register)), "I")
        wide = "J" if types <= _INTEGERS else "D"
        if wide == "D" and not types <= _INTEGERS | {"D", "F"}:
            raise self.refuse(f"{sign} is for numbers")
        operands = tuple(self._widened(each, wide) for each in (left, right))
        name = (_LONG if wide == "J" else _DOUBLE)[sign]
        return Operand(self.build.give(ins.CallNative(into, name, operands)), wide)

    def _widened(self, operand: Operand, to: str) -> Reg:
        if to == "J" or operand.type in "DF":
            return operand.register
        return self.build.give(ins.CallNative(self.build.register(), "l2d", (operand.register,)))

    def _negated(self, part: Tree[Any]) -> Operand:
        return self._operation("-", Operand(self.build.constant(0), "I"), self.value(part))

    def _number(self, text: object) -> Operand:
        digits = str(text)
        return Operand(self.build.constant(int(digits.rstrip("lL"))), "J" if digits[-1] in "lL" else "I")

    def _string(self, text: object) -> Operand:
        return Operand(self.build.constant(str(ast.literal_eval(str(text)))), "Ljava/lang/String;")

    def _character(self, text: object) -> Operand:
        return Operand(self.build.constant(ord(ast.literal_eval(str(text)))), "C")

    def _true(self) -> Operand:
        return Operand(self.build.constant(True), "Z")

    def _false(self) -> Operand:
        return Operand(self.build.constant(False), "Z")

    def _null(self) -> Operand:
        return Operand(self.build.constant(None), "null")

    # Names.

    def _this(self) -> Operand:
        if "this" not in self.names:
            raise self.refuse("a static method has no this")
        return self.names["this"]

    def _result(self) -> Operand:
        if "\\result" not in self.names:
            raise self.refuse("only a condition on what a method returns has a \\result")
        return self.names["\\result"]

    def _old(self, inside: Tree[Any]) -> Operand:
        if id(inside) not in self.olds:
            raise self.refuse("only a condition on the end of a method knows what was before")
        return self.names[self.olds[id(inside)]]

    def _name(self, name: object) -> Operand:
        if str(name) in self.names:
            return self.names[str(name)]
        if "this" in self.names and any(str(name) == each.name for each in self.cls.all_fields.values()):
            return self._field_of(self.names["this"], str(name))
        known = ", ".join(each for each in self.names if "\\" not in each)
        raise self.refuse(f"{name} is neither a parameter ({known}) nor a field")

    def _field(self, part: Tree[Any], name: object) -> Operand:
        return self._field_of(self.value(part), str(name))

    def _field_of(self, owner: Operand, name: str) -> Operand:
        if name == "length" and owner.type.startswith("["):
            return Operand(self.build.give(ins.Length(self.build.register(), owner.register)), "I")
        cls = self._class_of(owner)
        found = next((each for each in reversed(list(cls.all_fields.values())) if each.name == name), None)
        if found is None:
            raise self.refuse(f"{cls.name} has no field {name}")
        into = self.build.register()
        return Operand(self.build.give(ins.GetField(into, owner.register, found.ir_name)), found.descriptor)

    def _class_of(self, operand: Operand) -> JavaClass:
        name = dotted(operand.type[1:-1]) if operand.type.startswith("L") else "java.lang.Object"
        found = self.hierarchy.find(name)
        if found is None or operand.type[0] not in "L[":
            raise self.refuse("a field or method is wanted of what is no object")
        return found

    def _item(self, part: Tree[Any], index: Tree[Any]) -> Operand:
        array, at = self.value(part), self.value(index)
        if not array.type.startswith("["):
            raise self.refuse("an index into what is no array")
        return Operand(self.build.give(ins.GetItem(self.build.register(), array.register, at.register)), array.type[1:])

    def _call(self, part: Tree[Any], name: object, given: Tree[Any]) -> Operand:
        owner = self.value(part)
        return self._called(self._class_of(owner), owner, str(name), given)

    def _own_call(self, name: object, given: Tree[Any]) -> Operand:
        return self._called(self.cls, self.names.get("this"), str(name), given)

    def _called(self, cls: JavaClass, owner: Operand | None, name: str, given: Tree[Any]) -> Operand:
        values = [self.value(each) for each in given.children]
        method = self._method(cls, name, len(values))
        into = self.build.register()
        arguments = tuple(each.register for each in values)
        if method.static:
            self.build.emit(ins.CallStatic(into, method.owner, method.ir_name, arguments))
        elif owner is None:
            raise self.refuse(f"{name} needs an object")
        else:
            self.build.emit(ins.CallVirtual(into, owner.register, method.ir_name, arguments))
        return Operand(into, method.result)

    def _method(self, cls: JavaClass, name: str, count: int) -> JavaMethod:
        for above in self.hierarchy.supertypes(cls.name):
            owner = self.hierarchy.find(above)
            for method in owner.methods.values() if owner is not None else ():
                if method.name == name and len(method.parameters) == count and not method.synthetic:
                    return method
        raise self.refuse(f"{cls.name} has no method {name} with {count} parameters")

    # Quantifiers.

    def _quantified(self, kind: object, name: object, range_: Tree[Any], body: Tree[Any]) -> Operand:
        """A loop over the range, which must say where it begins and where it ends."""
        low, high = self._bounds(str(name), range_)
        build, loop = self.build, self.build.loop()
        counter, into = build.register(), build.register()
        everywhere = str(kind) == "\\forall"
        build.emit(ins.Move(counter, low))
        build.emit(ins.Const(into, everywhere))
        head, inside, then, further, end = map(build.label, ("head", "inside", "then", "further", "end"))
        build.emit(ins.EnterLoop(loop))
        build.end(ins.Jump(head))
        build.start(head)
        build.branch(build.give(ins.Compare(build.register(), "<", counter, high)), inside, end)
        build.start(inside)
        build.emit(ins.Iterate(loop, counted=True))
        outer = self.names.get(str(name))
        self.names[str(name)] = Operand(counter, "I")
        build.branch(self.truth(range_), then, further)
        build.start(then)
        build.emit(ins.Move(into, self.truth(body)))
        build.branch(into, *((further, end) if everywhere else (end, further)))
        build.start(further)
        build.emit(ins.Const(into, everywhere))
        build.emit(ins.Binary(counter, "+", counter, build.constant(1)))
        build.end(ins.Jump(head))
        build.start(end)
        del self.names[str(name)]
        if outer is not None:
            self.names[str(name)] = outer
        return Operand(into, "Z")

    def _bounds(self, name: str, range_: Tree[Any]) -> tuple[Reg, Reg]:
        """Where the range of a variable begins, and the first number behind it."""
        low = high = None
        conditions = range_.children if range_.data == "and_" else [range_]
        for condition in conditions:
            if getattr(condition, "data", "") != "compared":
                continue
            left, sign, right = condition.children
            if _is_name(right, name):
                left, right = right, left
                sign = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(str(sign), str(sign))
            if not _is_name(left, name):
                continue
            bound, one = self.value(right).register, self.build.constant(1)
            behind = str(sign) in ("<=", ">")
            if behind:
                bound = self.build.give(ins.Binary(self.build.register(), "+", bound, one))
            if str(sign) in (">", ">="):
                low = bound
            elif str(sign) in ("<", "<="):
                high = bound
        if low is None or high is None:
            raise self.refuse(f"the range of {name} needs a beginning and an end, such as 0 <= {name} && {name} < n")
        return low, high


def _is_name(tree: Any, name: str) -> bool:
    return getattr(tree, "data", "") == "name" and str(tree.children[0]) == name

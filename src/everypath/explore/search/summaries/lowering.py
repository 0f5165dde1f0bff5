"""Makes a method of a summary that a user wrote: cases are asked one after the other, and the first that holds counts.

The method is marked as a model: what it does is no path of the user's own code, and an error in it is blamed on the
line that calls it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from everypath.errors import BadInput
from everypath.explore.calls import NO_CASE
from everypath.explore.search.summaries.written import Shape, Written, WrittenCase, constant_of
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, ClassType, Type

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Div: "/",
    ast.Mod: "%",
}


def lowered(written: Written, program: Program, params: tuple[ins.Param, ...], method: Method | None) -> Method:
    """The method that stands for the summarised one."""
    return _Lowering(written, program, params, method).method(_do)


def lowered_check(written: Written, program: Program, params: tuple[ins.Param, ...], method: Method | None) -> Method:
    """A method that returns which cases hold, as bits of a number."""
    return _Lowering(written, program, params, method).check()


def _do(lowering: _Lowering, case: WrittenCase) -> None:
    lowering.effects(case)


class _Lowering:
    def __init__(
        self, written: Written, program: Program, params: tuple[ins.Param, ...], method: Method | None
    ) -> None:
        self._written = written
        self._program = program
        self._original = method
        cls, name = ("", written.name) if method is None else (method.cls, method.name)
        self._build = MethodBuilder(cls, name, params, written.span)
        self._registers = {param.name: at for at, param in enumerate(params)}
        self._names: dict[str, ins.Reg] = dict(self._registers)
        self._span = written.span

    def method(self, do: Callable[[_Lowering, WrittenCase], None]) -> Method:
        build = self._build
        for case in self._written.cases:
            following = build.label("case")
            self._begin(case)
            self._conditions(case, following)
            do(self, case)
            build.start(following)
        # Nothing is known about inputs of no case: the path ends, and says so.
        span = self._written.span
        build.emit(ins.CallNative(build.register(), f"{self._written.name}{NO_CASE}", (), span=span))
        return self._finish()

    def check(self) -> Method:
        build = self._build
        found = build.constant(0)
        for number, case in enumerate(self._written.cases):
            following = build.label("case")
            self._begin(case)
            self._conditions(case, following)
            bit = build.constant(1 << number)
            build.emit(ins.Binary(found, "+", found, bit, span=self._span))
            build.start(following)
        build.end(ins.Return(found, span=self._span))
        return self._finish()

    def _finish(self) -> Method:
        original = self._original
        kind = "static" if original is None else original.kind
        returns: Type = ANY if original is None else original.returns
        return self._build.finish(returns=returns, kind=kind, model=True)

    def _begin(self, case: WrittenCase) -> None:
        self._span = case.span
        self._names = dict(self._registers)

    # What must hold.

    def _conditions(self, case: WrittenCase, otherwise: ins.Label) -> None:
        for shape in case.shapes:
            self._shape(shape, otherwise)
        for condition in case.conditions:
            self._require(condition, otherwise)

    def _require(self, condition: ast.expr, otherwise: ins.Label) -> None:
        build = self._build
        if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
            for part in condition.values:
                self._require(part, otherwise)
            return
        holds = build.label("holds")
        if isinstance(condition, ast.BoolOp):
            for part in condition.values:
                following = build.label("or")
                self._require(part, following)
                build.end(ins.Jump(holds, span=self._span))
                build.start(following)
            build.end(ins.Jump(otherwise, span=self._span))
        elif isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
            self._require(condition.operand, holds)
            build.end(ins.Jump(otherwise, span=self._span))
        else:
            build.branch(self._truth(condition), holds, otherwise, self._span)
        build.start(holds)

    def _truth(self, condition: ast.expr) -> ins.Reg:
        build = self._build
        if not isinstance(condition, ast.Compare):
            value = self.value(condition)
            return build.give(ins.Unary(build.register(), "truth", value, span=self._span))
        if len(condition.ops) != 1:
            raise BadInput(f"{ast.unparse(condition)!r}: write a chain of comparisons as two, with a comma", self._span)
        op = _COMPARED.get(type(condition.ops[0]))
        if op is None:
            raise BadInput(f"{ast.unparse(condition)!r}: summaries know no such comparison", self._span)
        left, right = self.value(condition.left), self.value(condition.comparators[0])
        return build.give(ins.Compare(build.register(), op, left, right, span=self._span))

    def _shape(self, shape: Shape, otherwise: ins.Label) -> None:
        build = self._build
        ref = self._named(shape.name)
        nothing = build.constant(None, self._span)
        present = build.label("present")
        absent = build.give(ins.Compare(build.register(), "is", ref, nothing, span=self._span))
        build.branch(absent, otherwise, present, self._span)
        build.start(present)
        if shape.cls not in ("list", "array", "object"):
            fits = build.label("fits")
            cls = ClassType(self._class(shape.cls))
            build.branch(build.give(ins.TypeTest(build.register(), ref, (cls,), span=self._span)), fits, otherwise)
            build.start(fits)
        for name, node in shape.fields:
            held = build.give(ins.GetField(build.register(), ref, name, span=self._span))
            if isinstance(node, ast.Name) and not constant_of(node)[0] and node.id not in self._names:
                self._names[node.id] = held
                continue
            equal = build.label("equal")
            other = self.value(node)
            same = build.give(ins.Compare(build.register(), "==", held, other, span=self._span))
            build.branch(same, equal, otherwise, self._span)
            build.start(equal)

    # What happens.

    def effects(self, case: WrittenCase) -> None:
        """Assign, and return or throw; everything is computed before anything is assigned."""
        build = self._build
        assigned: list[Callable[[], None]] = []
        for target, node in case.effects:
            value = self.value(node)
            if isinstance(target, ast.Attribute):
                holder = self.value(target.value)
                change: ins.Instruction = ins.SetField(holder, target.attr, value, span=self._span)
            else:
                assert isinstance(target, ast.Subscript)
                holder, index = self.value(target.value), self.value(target.slice)
                change = ins.SetItem(holder, index, value, span=self._span)
            assigned.append(lambda change=change: build.emit(change))  # type: ignore[misc]
        if case.raises:
            made = self._new(self._error(case.raises), ())
            fields = self._program.profile.exception_fields.split()
            for name in fields:
                empty = build.give(ins.NewCollection(build.register(), "tuple", (), span=self._span))
                build.emit(ins.SetField(made, name, empty, span=self._span))
            last: ins.Terminator = ins.Throw(made, span=self._span)
        else:
            assert case.returns is not None
            last = ins.Return(self.value(case.returns), span=self._span)
        for assign in assigned:
            assign()
        build.end(last)

    # Expressions.

    def value(self, node: ast.expr) -> ins.Reg:
        """The register with the value of an expression."""
        build, span = self._build, self._span
        is_constant, value = constant_of(node)
        if is_constant:
            if value is not None and not isinstance(value, (bool, int, str, float)):
                raise BadInput(f"{ast.unparse(node)!r}: summaries know no such constant", span)
            return build.constant(value, span)
        match node:
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(value=holder, attr=name):
                return build.give(ins.GetField(build.register(), self.value(holder), name, span=span))
            case ast.Subscript(value=holder, slice=index):
                held, at = self.value(holder), self.value(index)
                return build.give(ins.GetItem(build.register(), held, at, span=span))
            case ast.Call(func=ast.Name(id="len"), args=[measured], keywords=[]):
                return build.give(ins.Length(build.register(), self.value(measured), span=span))
            case ast.Call(func=made, args=[], keywords=fields) if isinstance(made, (ast.Name, ast.Attribute)):
                return self._new(self._class(ast.unparse(made)), [(f.arg or "", f.value) for f in fields])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                first, second = self.value(left), self.value(right)
                return build.give(ins.Binary(build.register(), _OPERATORS[type(op)], first, second, span=span))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return build.give(ins.Unary(build.register(), "-", self.value(operand), span=span))
            case ast.Compare():
                return self._truth(node)
        raise BadInput(f"{ast.unparse(node)!r}: summaries know no such expression", span)

    def _named(self, name: str) -> ins.Reg:
        if name not in self._names:
            known = ", ".join(self._names)
            raise BadInput(f"{name!r} is no parameter, and nothing that this case names ({known})", self._span)
        return self._names[name]

    def _new(self, cls: str, fields: Sequence[tuple[str, ast.expr]]) -> ins.Reg:
        build = self._build
        values = [(name, self.value(node)) for name, node in fields]
        made = build.give(ins.NewObject(build.register(), cls, span=self._span))
        for name, value in values:
            build.emit(ins.SetField(made, name, value, span=self._span))
        return made

    def _class(self, name: str) -> str:
        found = [cls for cls in self._program.classes if cls == name or cls.endswith(f".{name}")]
        if len(found) != 1:
            said = "several classes have this name" if found else "the targets' code has no such class"
            raise BadInput(f"{name!r}: {said}", self._span)
        return found[0]

    def _error(self, name: str) -> str:
        found = [cls for cls in self._program.classes if cls == name or cls.endswith(f".{name}")]
        # Errors of the language itself are known by their names alone.
        return found[0] if len(found) == 1 else name

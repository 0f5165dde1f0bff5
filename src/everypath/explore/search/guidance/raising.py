"""Which instructions of a method under test cannot raise, as far as the types of their operands tell.

Almost every instruction of a dynamic language may raise something, but numbers can be added and compared without that,
and objects of the program's classes have their fields. An instruction that cannot raise has one way out less, and a
guided search need not look for it. Types are inferred for a whole register at once, from the declared parameters and
fields on; what is not certain may raise.

A call raises what the callee raises on purpose. An error that just happens in the callee is the business of the tests
of the callee, as long as no path comes by it: the callee contributes one way through.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.assigned import unsure_reads
from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.ir import instructions as ir
from everypath.ir.operands import may_raise, reads, writes
from everypath.ir.program import Field, Method, Program
from everypath.ir.types import BOOL, FLOAT, INT, STR, ClassType, Type

_WHOLE = (INT, BOOL)
_EXACT = ("+", "-", "*", "&", "|", "^")
_CALLS_DEEP = 20
Types = tuple[Type | None, ...]


class Raising:
    """What is known about the methods of a program, asked for again and again."""

    def __init__(self, program: Program, calls: CallGraph) -> None:
        self.program = program
        self._calls = calls
        self._known: dict[tuple[int, Types], _Analysed] = {}
        self._thrown: dict[int, bool] = {}
        self._kept: list[Method] = []
        self._under_way: list[int] = []

    def raising(self, method: Method, types: Sequence[Type | None] | None = None) -> frozenset[tuple[ir.Label, int]]:
        """The places of a method at which something may be raised, when its parameters have these types."""
        given: Types = tuple(param.type for param in method.params) if types is None else tuple(types)
        return self._analysed(method, given).places

    def _analysed(self, method: Method, types: Types) -> _Analysed:
        key = (id(method), types)
        found = self._known.get(key)
        if found is None:
            self._kept.append(method)
            self._under_way.append(id(method))
            try:
                found = _Analysed(self, method, types)
            finally:
                self._under_way.pop()
            self._known[key] = found
        return found

    def static_call(self, call: ir.CallStatic, types: Types) -> tuple[bool, Type | None]:
        """Whether a call may raise, and the type of its result."""
        method = self.program.find_method(call.cls, call.name)
        return (True, None) if method is None or call.keywords else self._call(method, types)

    def virtual_call(self, call: ir.CallVirtual, cls: Type | None, types: Types) -> tuple[bool, Type | None]:
        """The same for a call on an object of a class, or of one of those that inherit from it."""
        if not isinstance(cls, ClassType) or call.keywords:
            return True, None
        found = [self.program.find_method(each, call.name) for each in self.program.subclasses(cls.name)]
        results = [(True, None) if method is None else self._call(method, (cls, *types)) for method in found]
        if not results:
            return True, None
        return any(raises for raises, _ in results), _join({result for _, result in results})

    def _call(self, method: Method, types: Types) -> tuple[bool, Type | None]:
        plain = all(param.kind in ("normal", "positional") for param in method.params)
        if method.model or not plain or len(types) != len(method.params):
            return True, None
        raises = self._throws(method)
        # The type of a recursive call's result would need a fixpoint, for little.
        if id(method) in self._under_way or len(self._under_way) >= _CALLS_DEEP:
            return raises, None
        return raises, self._analysed(method, types).result

    def _throws(self, method: Method) -> bool:
        """Whether something in the method, or in what it calls, is raised on purpose."""
        found = self._thrown.get(id(method))
        if found is None:
            found = any(map(throws, self._calls.reachable(method)))
            self._thrown[id(method)] = found
            self._kept.append(method)
        return found


def throws(method: Method) -> bool:
    """Whether the method itself raises something on purpose, and does not only pass on what it has caught."""
    caught = {handler.exception for handler in method.handlers}
    ends = (block.terminator for block in method.blocks.values())
    return any(isinstance(end, ir.Throw) and end.exception not in caught for end in ends)


class _Analysed:
    """One method, called with arguments of certain types."""

    def __init__(self, owner: Raising, method: Method, types: Types) -> None:
        self._owner = owner
        self._types: dict[ir.Reg, Type | None] = dict(enumerate(types))
        self._constants: dict[ir.Reg, set[object]] = {}
        self._infer(method)
        unsure = unsure_reads(method)
        found: set[tuple[ir.Label, int]] = set(unsure)
        for label, block in method.blocks.items():
            for index, instruction in enumerate((*block.instructions, block.terminator)):
                if self._may_raise(instruction):
                    found.add((label, index))
        self.places = frozenset(found)
        """where something may be raised"""
        returned = [b.terminator.value for b in method.blocks.values() if isinstance(b.terminator, ir.Return)]
        kinds = {self._types.get(register) for register in returned}
        self.result = _join(kinds)

    def _infer(self, method: Method) -> None:
        """Types of registers: optimistic at first, joined until nothing changes."""
        writing = [i for b in method.blocks.values() for i in b.instructions if writes(i) is not None]
        caught = {handler.exception for handler in method.handlers}
        self._types |= dict.fromkeys(caught, None)
        for instruction in writing:
            if isinstance(instruction, ir.Const):
                self._constants.setdefault(instruction.dst, set()).add(instruction.value)
            else:
                self._constants.setdefault(writes(instruction) or 0, set()).add(_UNKNOWN)
        changed = True
        while changed:
            changed = False
            for instruction in writing:
                register = writes(instruction)
                assert register is not None
                if any(each not in self._types for each in reads(instruction)):
                    continue
                kind = self._result(instruction)
                joined = kind if register not in self._types else _join({kind, self._types[register]})
                if register not in self._types or joined != self._types[register]:
                    self._types[register] = joined
                    changed = True

    def _is_divisor(self, register: ir.Reg) -> bool:
        """Whether a register only ever holds constants other than zero."""
        values = self._constants.get(register)
        return bool(values) and all(type(value) is int and value != 0 for value in values or ())

    def _kind(self, register: ir.Reg) -> Type | None:
        return self._types.get(register)

    def _result(self, instruction: ir.Instruction) -> Type | None:
        match instruction:
            case ir.Const(value=value):
                return _CONSTANTS.get(type(value))
            case ir.Move(src=src):
                return self._kind(src)
            case ir.Compare() | ir.TypeTest() | ir.Unary(op="not" | "truth"):
                return BOOL if isinstance(instruction, ir.TypeTest) or not self._may_raise(instruction) else None
            case ir.Unary(operand=operand):
                return None if self._may_raise(instruction) else INT if self._kind(operand) in _WHOLE else FLOAT
            case ir.Binary(op=op, left=left, right=right):
                kind = self._kind(left)
                if kind in _WHOLE and self._kind(right) in _WHOLE:
                    return INT if op in (*_EXACT, "//", "%") else None
                return None if self._may_raise(instruction) else kind
            case ir.NewObject(cls=cls):
                return ClassType(cls)
            case ir.GetField(obj=obj, name=name):
                field = self._field(self._kind(obj), name)
                return None if field is None else field.type
            case ir.CallStatic(args=args):
                return self._owner.static_call(instruction, tuple(map(self._kind, args)))[1]
            case ir.CallVirtual(receiver=receiver, args=args):
                return self._owner.virtual_call(instruction, self._kind(receiver), tuple(map(self._kind, args)))[1]
            case _:
                return None

    def _may_raise(self, instruction: ir.Instruction | ir.Terminator) -> bool:
        if not may_raise(instruction):
            return False
        match instruction:
            case ir.Compare(op=op, left=left, right=right):
                kinds = (self._kind(left), self._kind(right))
                return op in ("in", "not in") or not (_numbers(kinds) or kinds == (STR, STR))
            case ir.Unary(op=op, operand=operand):
                kind = self._kind(operand)
                plain = kind in _WHOLE or (kind is FLOAT and op != "~")
                return not (plain or (kind is STR and op in ("not", "truth")))
            case ir.Binary():
                return not self._is_exact(instruction)
            case ir.GetField(obj=obj, name=name) | ir.SetField(obj=obj, name=name):
                return self._field(self._kind(obj), name) is None
            case ir.CallStatic(args=args):
                return self._owner.static_call(instruction, tuple(map(self._kind, args)))[0]
            case ir.CallVirtual(receiver=receiver, args=args):
                return self._owner.virtual_call(instruction, self._kind(receiver), tuple(map(self._kind, args)))[0]
            case _:
                return True

    def _is_exact(self, instruction: ir.Binary) -> bool:
        """Whether an operator always gives a result for the types of its operands."""
        op, both = instruction.op, (self._kind(instruction.left), self._kind(instruction.right))
        if both[0] in _WHOLE and both[1] in _WHOLE:
            return op in _EXACT or (op in ("//", "%") and self._is_divisor(instruction.right))
        return (both == (FLOAT, FLOAT) and op in "+-*") or (both == (STR, STR) and op == "+")

    def _field(self, cls: Type | None, name: str) -> Field | None:
        """A declared field that all objects of the class have, and that no method stands for."""
        if not isinstance(cls, ClassType):
            return None
        program = self._owner.program
        return None if program.find_method(cls.name, name) else program.all_fields(cls.name).get(name)


_UNKNOWN = object()
_CONSTANTS: dict[type, Type] = {int: INT, bool: BOOL, float: FLOAT, str: STR}


def _numbers(kinds: tuple[Type | None, Type | None]) -> bool:
    return all(kind in _WHOLE for kind in kinds) or kinds == (FLOAT, FLOAT)


def _join(kinds: set[Type | None]) -> Type | None:
    if len(kinds) == 1:
        return next(iter(kinds))
    return INT if kinds and kinds <= set(_WHOLE) else None

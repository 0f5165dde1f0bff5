"""Translates the body of a method from stack code to the IR.

Each local variable of the bytecode is a register, each block one block of the IR or a few. Instructions on `int` are
those of the IR; what the IR has no instruction for (the other number types, shifts without sign, conversions) are
natives with the name of the JVM's instruction. Section numbers are those of chapter 6 of "The Java Virtual Machine
Specification", in which each instruction is described under its name.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import ClassRef, ConstValue, Label, Param, Reg
from everypath.ir.program import Method
from everypath.ir.types import Type
from everypath.languages.java.classfile.constants import (
    ClassConstant,
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    MemberConstant,
    StringConstant,
)
from everypath.languages.java.classfile.descriptors import slots
from everypath.languages.java.classfile.model import Code, Dimensions, Instruction, Switch
from everypath.languages.java.classfile.opcodes import ARRAY_KINDS, NAMES
from everypath.languages.java.frontend.assertions import ASSERT, ASSERTION_ERROR, is_assertion
from everypath.languages.java.frontend.blocks import Block, Flow, read_flow
from everypath.languages.java.frontend.control import Control
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod, dotted
from everypath.languages.java.frontend.invocations import Invocations
from everypath.languages.java.frontend.stack import Comparison, Constant, Entry, OperandStack
from everypath.languages.java.frontend.surroundings import Surroundings
from everypath.languages.java.frontend.types import exact_type

_INTEGER = {
    "iadd": "+", "isub": "-", "imul": "*", "idiv": "//", "irem": "%", "ishl": "<<", "ishr": ">>", "iand": "&",
    "ior": "|", "ixor": "^",
}  # fmt: skip
_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "ge": ">=", "gt": ">", "le": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_NATIVE_BINARY = frozenset(
    [kind + name for kind in "lfd" for name in ("add", "sub", "mul", "div", "rem")]
    + "iushr lshl lshr lushr land lor lxor".split()
)
_CONVERSIONS = frozenset(f"{a}2{b}" for a in "ilfd" for b in "ilfd" if a != b) | {"i2b", "i2c", "i2s"}
_COMPARISONS = {"lcmp": None, "fcmpl": -1, "fcmpg": 1, "dcmpl": -1, "dcmpg": 1}
_KIND = {"i": "I", "l": "J", "f": "F", "d": "D", "a": "A", "b": "I", "c": "I", "s": "I"}
_BITS = frozenset("&|^")


def kind_of(descriptor: str) -> str:
    """The kind of stack entry that a value of a type is."""
    if descriptor[0] in "BCS":
        return "I"
    return "A" if descriptor[0] in "L[" else descriptor


class Lowering(Invocations, Control):
    """Translates one method."""

    def __init__(
        self, surroundings: Surroundings, cls: JavaClass, method: JavaMethod, params: tuple[Param, ...]
    ) -> None:
        super().__init__()
        code = cls.file.code(method.info)
        assert code is not None
        self.surroundings = surroundings
        self.cls = cls
        self.method = method
        self.code: Code = code
        self.flow: Flow = read_flow(code)
        self.offset = 0
        self.file = surroundings.file_of(cls)
        self._lines = dict(code.lines)
        self._line = method.line
        self.build = MethodBuilder(cls.name, method.ir_name, params, Span(self.file, method.line))
        self.stack = OperandStack(self.build, self.span)
        self._slots: dict[int, Reg] = {}
        self._waiting: dict[int, str] = {}
        """block -> what is on the stack when it begins"""
        self.labels: dict[int, Label] = {}
        slot = 0
        for register, size in enumerate(self._sizes()):
            self._slots[slot] = register
            slot += size

    def _sizes(self) -> list[int]:
        return [*([] if self.method.static else [1]), *map(slots, self.method.parameters)]

    def span(self) -> Span:
        """The line of the current instruction."""
        return Span(self.file, self._line)

    def lower(self, returns: Type, model: bool) -> Method:
        """The method in the IR."""
        flow = self.flow
        for number in flow.irregular.values():
            self.build.emit(ins.EnterLoop(number, span=self.span()))
        self._waiting[0] = ""
        self.build.end(ins.Jump(self.edge(-1, 0), span=self.span()))
        done: set[int] = set()
        while True:
            start = next((start for start in flow.blocks if start in self._waiting and start not in done), None)
            if start is None:
                break
            done.add(start)
            self._block(flow.blocks[start])
        self.write_markers()
        self.write_handlers()
        kind = "static" if self.method.static else "instance"
        return self.build.finish(returns=returns, kind=kind, model=model)

    # Blocks.

    def _block(self, block: Block) -> None:
        label = f"at{block.start}"
        self.labels[block.start] = label
        self.stack.enter(self._waiting[block.start])
        self._line = self.span_at(block.start).line
        for row in block.catches:
            self._waiting.setdefault(row.handler, "A")
        self.build.start(label)
        loop = self.flow.loops.get(block.start)
        if loop is not None and loop.edge is None:
            self.build.emit(ins.Iterate(loop.number, loop.again, span=self.span()))
        for instruction in block.instructions:
            self.offset = instruction.offset
            self._line = self._lines.get(instruction.offset, self._line)
            self._instruction(block, instruction)
        if self.build.open:
            self.stack.settle()
            self._leave(block, ins.Jump(self.edge(block.start, block.successors[0]), span=self.span()))

    def _leave(self, block: Block, terminator: ins.Terminator) -> None:
        for target in block.successors:
            self._waiting.setdefault(target, self.stack.kinds)
        self.build.end(terminator)

    def _instruction(self, block: Block, instruction: Instruction) -> None:
        name = NAMES[instruction.opcode]
        operand = instruction.operand
        if name.startswith(("if", "goto")) or name in _LEAVES or isinstance(operand, Switch):
            self._terminator(block, name, operand)
        elif isinstance(operand, MemberConstant) and name.startswith(("get", "put")):
            self._field(name, operand)
        elif name.startswith("invoke"):
            self.invoke(name, operand)
        elif not self._moves(name, operand):
            self._computes(name, operand)

    def _terminator(self, block: Block, name: str, operand: object) -> None:
        stack, build, span = self.stack, self.build, self.span()
        if name.startswith("goto"):
            stack.settle()
            self._leave(block, ins.Jump(self.edge(block.start, block.successors[0]), span=span))
        elif name.startswith("if"):
            condition, negated = self._condition(name[2:])
            stack.settle()
            jump, following = (self.edge(block.start, target) for target in block.successors)
            if negated:
                jump, following = following, jump
            self._leave(block, ins.Branch(condition, jump, following, span=span))
        elif isinstance(operand, Switch):
            value = stack.pop_register()
            stack.settle()
            cases = tuple((number, self.edge(block.start, target)) for number, target in operand.cases)
            default = self.edge(block.start, operand.default)
            self._leave(block, ins.Switch(value, cases, default, span=span))
        elif name == "athrow":
            build.end(ins.Throw(stack.pop_register(), span=span))
        elif name == "return":
            build.end(ins.Return(build.constant(None, span), span=span))
        else:
            build.end(ins.Return(self.as_type(stack.pop(), self.method.result), span=span))

    def _condition(self, name: str) -> tuple[Reg, bool]:
        """The register with the condition of a jump, and whether it is the opposite."""
        stack, build, span = self.stack, self.build, self.span()
        if name in ("null", "nonnull"):
            (tested,) = stack.pop_registers(1)
            # One register for each null test: then the test and its branch are one step.
            null, found = build.register(), build.register()
            build.emit(ins.Const(null, None, span=span))
            build.emit(ins.Compare(found, "is" if name == "null" else "is not", tested, null, span=span))
            return found, False
        if name.startswith("_acmp"):
            left, right = stack.pop_registers(2)
            found = stack.scratch()
            build.emit(ins.Compare(found, "is" if name == "_acmpeq" else "is not", left, right, span=span))
            return found, False
        if name.startswith("_icmp"):
            left, right = stack.pop_registers(2)
            found = stack.scratch()
            build.emit(ins.Compare(found, _RELATIONS[name[5:]], left, right, span=span))
            return found, False
        return self._compared_with_zero(_RELATIONS[name])

    def _compared_with_zero(self, relation: str) -> tuple[Reg, bool]:
        stack, build, span = self.stack, self.build, self.span()
        entry = stack.pop()
        if isinstance(entry.holder, Comparison):
            left, right, unordered = entry.holder
            stack.push(left)
            stack.push(right)
            # If not a number makes the jump, then the jump is made unless the opposite holds.
            negated = unordered is not None and eval_relation(unordered, relation)
            operands = stack.pop_registers(2)
            found = stack.scratch()
            shown = _OPPOSITE[relation] if negated else relation
            build.emit(ins.Compare(found, shown, *operands, span=span))
            return found, negated
        register = stack.register_of(entry)
        if entry.kind == "Z" and relation in ("==", "!="):
            return register, relation == "=="
        zero = build.register()
        build.emit(ins.Const(zero, 0, span=span))
        found = stack.scratch()
        build.emit(ins.Compare(found, relation, register, zero, span=span))
        return found, False

    # Values.

    def _moves(self, name: str, operand: object) -> bool:
        """Constants, local variables and the order of the stack; whether it is such an instruction."""
        stack = self.stack
        kind, _, rest = name.partition("load")
        if len(kind) == 1 and "load" in name:
            slot = int(rest[1:]) if rest else operand
            assert isinstance(slot, int)
            stack.push(Entry(self._local(slot), self._local_kind(slot, _KIND[kind])))
            return True
        kind, _, rest = name.partition("store")
        if len(kind) == 1 and "store" in name:
            slot = int(rest[1:]) if rest else operand
            assert isinstance(slot, int)
            self._store(slot)
            return True
        if self._pushes_constant(name, operand):
            return True
        if name in _SHUFFLES or name.startswith(("dup", "pop")):
            self._shuffle(name)
            return True
        return name == "nop"

    def _pushes_constant(self, name: str, operand: object) -> bool:
        stack = self.stack
        if "const_" in name:
            text = name.partition("const_")[2]
            if text == "null":
                stack.push_constant(None, "A")
            else:
                number = -1 if text == "m1" else int(text)
                stack.push_constant(float(number) if name[0] in "fd" else number, _KIND[name[0]])
            return True
        if name in ("bipush", "sipush"):
            assert isinstance(operand, int)
            stack.push_constant(operand, "I")
            return True
        if name in ("ldc", "ldc_w", "ldc2_w"):
            self._load_constant(operand)
            return True
        return False

    def _load_constant(self, operand: object) -> None:
        stack = self.stack
        value: ConstValue
        match operand:
            case IntConstant(value):
                stack.push_constant(value, "I")
            case LongConstant(value):
                stack.push_constant(value, "J")
            case FloatConstant(value):
                stack.push_constant(value, "F")
            case DoubleConstant(value):
                stack.push_constant(value, "D")
            case StringConstant(value):
                stack.push_constant(value, "A")
            case ClassConstant(name):
                stack.push_constant(ClassRef(dotted(name)), "A")
            case _:
                self.native("constant made by a method handle", [], "A")

    def _local(self, slot: int) -> Reg:
        found = self._slots.get(slot)
        if found is None:
            names = {v.name for v in self.code.variables if v.slot == slot}
            found = self._slots[slot] = self.build.register(names.pop() if len(names) == 1 else "")
        return found

    def _local_kind(self, slot: int, kind: str, store: bool = False) -> str:
        """A boolean among the local variables, where the class file tells their types."""
        if kind != "I":
            return kind
        offset = self.offset + (2 if store else 0)
        for variable in self.code.variables:
            if variable.slot == slot and variable.start <= offset < variable.end:
                return "Z" if variable.descriptor == "Z" else kind
        return kind

    def _store(self, slot: int) -> None:
        entry = self.stack.pop()
        boolean = any(v.slot == slot and v.descriptor == "Z" for v in self.code.variables)
        if boolean and entry.kind == "I" and self._local_kind(slot, "I", store=True) == "Z":
            entry = self._truth(entry)
        self.stack.store(entry, self._local(slot))

    def _shuffle(self, name: str) -> None:
        """`dup` and its like; a long or double is one entry, which the JVM counts as two."""
        entries = self.stack.entries
        if name == "swap":
            entries[-1], entries[-2] = entries[-2], entries[-1]
            return

        def wide(entry: Entry) -> bool:
            return entry.kind in "JD"

        def top(count: int) -> int:
            """How many entries make up so many words."""
            taken = 0
            while count > 0:
                taken += 1
                count -= 2 if wide(entries[-taken]) else 1
            return taken

        if name.startswith("pop"):
            del entries[len(entries) - top(2 if name == "pop2" else 1) :]
            return
        copied = top(2 if name.startswith("dup2") else 1)
        values = entries[len(entries) - copied :]
        words = int(name[-1]) if "_x" in name else 0
        below = entries[: len(entries) - copied]
        skipped = 0
        while words > 0:
            skipped += 1
            words -= 2 if wide(below[-skipped]) else 1
        at = len(below) - skipped
        self.stack.entries = [*below[:at], *values, *below[at:], *values]

    def _truth(self, entry: Entry) -> Entry:
        """A number that the JVM uses as a boolean, as one."""
        if isinstance(entry.holder, Constant):
            return Entry(Constant(bool(entry.holder.value)), "Z")
        register = self.stack.register_of(entry)
        found = self.build.register()
        self.build.emit(ins.CallNative(found, "i2z", (register,), span=self.span()))
        return Entry(found, "Z")

    def as_type(self, entry: Entry, descriptor: str) -> Reg:
        """A register with the value as one of the type, for which booleans are no numbers."""
        if descriptor == "Z" and entry.kind == "I":
            entry = self._truth(entry)
        return self.stack.register_of(entry)

    def typed_registers(self, descriptors: tuple[str, ...]) -> list[Reg]:
        """Take the arguments of a call from the stack."""
        count = len(descriptors)
        entries = self.stack.entries
        start = len(entries) - count
        for number, descriptor in enumerate(descriptors):
            if descriptor == "Z" and entries[start + number].kind == "I":
                entries[start + number] = self._truth_in_place(entries[start + number])
        return self.stack.pop_registers(count)

    def _truth_in_place(self, entry: Entry) -> Entry:
        if isinstance(entry.holder, Constant):
            return Entry(Constant(bool(entry.holder.value)), "Z")
        assert isinstance(entry.holder, int)
        found = self.build.register()
        self.build.emit(ins.CallNative(found, "i2z", (entry.holder,), span=self.span()))
        return Entry(found, "Z")

    def native(self, name: str, operands: list[Reg], kind: str) -> None:
        """A native on registers whose result goes on the stack."""
        self.build.emit(ins.CallNative(self.stack.result(kind), name, tuple(operands), span=self.span()))

    def _computes(self, name: str, operand: object) -> None:
        stack, build, span = self.stack, self.build, self.span()
        if name in _INTEGER:
            kinds = {entry.kind for entry in stack.entries[-2:]}
            left, right = stack.pop_registers(2)
            op = _INTEGER[name]
            kind = "Z" if op in _BITS and kinds == {"Z"} else "I"
            build.emit(ins.Binary(stack.result(kind), op, left, right, span=span))
        elif name in _NATIVE_BINARY:
            self.native(name, stack.pop_registers(2), _KIND[name[0]])
        elif name in _COMPARISONS:
            right_entry, left_entry = stack.pop(), stack.pop()
            stack.push(Entry(Comparison(left_entry, right_entry, _COMPARISONS[name]), "I"))
        elif name == "iinc":
            self._increment(operand)
        elif name == "ineg":
            (value,) = stack.pop_registers(1)
            build.emit(ins.Unary(stack.result("I"), "-", value, span=span))
        elif name in ("lneg", "fneg", "dneg"):
            self.native(name, stack.pop_registers(1), _KIND[name[0]])
        elif name == "i2l":
            stack.push(stack.pop()._replace(kind="J"))
        elif name in _CONVERSIONS:
            self.native(name, stack.pop_registers(1), _KIND[name[2]])
        else:
            self._uses_objects(name, operand)

    def _increment(self, operand: object) -> None:
        assert isinstance(operand, tuple)
        slot, amount = operand
        register = self._local(slot)
        self.stack.before_store(register)
        number = self.build.register()
        self.build.emit(ins.Const(number, abs(amount), span=self.span()))
        op = "+" if amount >= 0 else "-"
        self.build.emit(ins.Binary(register, op, register, number, span=self.span()))

    def _uses_objects(self, name: str, operand: object) -> None:
        stack, build, span = self.stack, self.build, self.span()
        if name.endswith("aload"):
            array, index = stack.pop_registers(2)
            build.emit(ins.GetItem(stack.result(_KIND[name[0]]), array, index, span=span))
        elif name.endswith("astore"):
            array, index, value = stack.pop_registers(3)
            build.emit(ins.SetItem(array, index, value, span=span))
        elif name == "arraylength":
            (array,) = stack.pop_registers(1)
            build.emit(ins.Length(stack.result("I"), array, span=span))
        elif name == "newarray":
            assert isinstance(operand, int)
            (length,) = stack.pop_registers(1)
            build.emit(ins.NewArray(stack.result("A"), exact_type(ARRAY_KINDS[operand]), length, span=span))
        elif name in ("monitorenter", "monitorexit"):
            self.surroundings.note_monitor(self.cls, span)
            operands = tuple(stack.pop_registers(1))
            build.emit(ins.CallNative(stack.scratch(), "monitor", operands, span=span))
        elif isinstance(operand, Dimensions):
            lengths = stack.pop_registers(operand.dimensions)
            kind = build.constant(operand.cls.replace("/", "."), span)
            self.native("multianewarray", [kind, *lengths], "A")
        else:
            assert isinstance(operand, ClassConstant)
            self._uses_class(name, operand.name)

    def _uses_class(self, name: str, cls: str) -> None:
        """`new`, `anewarray`, `checkcast` and `instanceof`."""
        stack, build, span = self.stack, self.build, self.span()
        descriptor = cls if cls.startswith("[") else f"L{cls};"
        if name == "new" and cls == "java/lang/String":
            # Strings are values: the constructor gives one.
            stack.push_constant(None, "U")
        elif name == "new":
            self.initialise(dotted(cls))
            build.emit(ins.NewObject(made := stack.result("A"), dotted(cls), span=span))
            if cls == ASSERTION_ERROR and is_assertion(self.code, self.offset):
                build.emit(ins.SetField(made, ASSERT, build.constant(True), span=span))
        elif name == "anewarray":
            (length,) = stack.pop_registers(1)
            build.emit(ins.NewArray(stack.result("A"), exact_type(descriptor), length, span=span))
        elif name == "checkcast":
            if cls != "java/lang/Object":
                (value,) = stack.pop_registers(1)
                build.emit(ins.Cast(stack.result("A"), value, exact_type(descriptor), span=span))
        else:
            (value,) = stack.pop_registers(1)
            build.emit(ins.TypeTest(stack.result("Z"), value, (exact_type(descriptor),), span=span))

    def _field(self, name: str, member: MemberConstant) -> None:
        stack, build, span = self.stack, self.build, self.span()
        owner, kind = dotted(member.owner), kind_of(member.descriptor)
        field = self.surroundings.hierarchy.find_field(owner, member.name, member.descriptor)
        if field is None:
            self.missing(f"the field {owner}.{member.name}")
            return
        if name == "getstatic" and field.constant is not None and field.final:
            value = bool(field.constant) if member.descriptor == "Z" else field.constant
            stack.push_constant(value, kind)
        elif name == "getstatic":
            self.initialise(field.owner)
            build.emit(ins.GetStatic(stack.result(kind), field.owner, field.name, span=span))
        elif name == "putstatic":
            self.initialise(field.owner)
            (value_register,) = self.typed_registers((member.descriptor,))
            build.emit(ins.SetStatic(field.owner, field.name, value_register, span=span))
        elif name == "getfield":
            (obj,) = stack.pop_registers(1)
            build.emit(ins.GetField(stack.result(kind), obj, field.ir_name, span=span))
        else:
            obj, value_register = self.typed_registers(("A", member.descriptor))
            build.emit(ins.SetField(obj, field.ir_name, value_register, span=span))


_LEAVES = frozenset("ireturn lreturn freturn dreturn areturn return athrow".split())
_SHUFFLES = frozenset(("swap",))


def eval_relation(number: int, relation: str) -> bool:
    """Whether a number is in a relation to zero."""
    return {
        "==": number == 0, "!=": number != 0, "<": number < 0, ">=": number >= 0, ">": number > 0, "<=": number <= 0,
    }[relation]  # fmt: skip

"""Writes the text of segments: one small template per instruction.

A segment is a generated function for a straight piece of a method. Known integers, booleans and located objects are
handled inline, since most of what a program does is concrete even when its inputs are not; everything else calls an
operation. The names used in the text (`get_field`, `enter`, `branch`, ...) are the machine's operations, which
`machine.py` puts into the namespace. Every line remembers its instruction, so that the traceback of an exception tells
where it came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from everypath.explore.assigned import Unsure
from everypath.heap.values import Data
from everypath.ir import instructions as ir
from everypath.ir.operands import reads
from everypath.ir.program import Method
from everypath.records import replace

LONGEST_SEGMENT = 60
"""A segment with more instructions than this does not run on into the block that it jumps to."""
_INLINE_COMPARE = {"==", "!=", "<", "<=", ">", ">="}


class Writer:
    """Collects the text of segments and remembers which instruction each line came from."""

    def __init__(
        self,
        method: Method,
        name_of: Callable[[ir.Label, int], str],
        namespace: dict[str, Any],
        marks: Mapping[ir.Label, object],
        unsure: Unsure,
    ) -> None:
        self.places: list[tuple[ir.Label, int]] = []
        self._method = method
        self._name_of = name_of
        self._namespace = namespace
        self._marks = marks
        self._unsure = unsure
        self._disjunctive: bool = namespace.get("DISJUNCTIVE", False)
        self._observed: bool = namespace.get("OBSERVED", False)
        self._inline: frozenset[str] = namespace["INLINE_ARITHMETIC"]
        self._lines: list[str] = []
        self._place: tuple[ir.Label, int] = ("", 0)
        self._reads = Counter(
            register
            for block in method.blocks.values()
            for instruction in (*block.instructions, block.terminator)
            for register in reads(instruction)
        )

    def source(self) -> str:
        """The generated module."""
        return "\n".join(self._lines) + "\n"

    def segment(self, label: ir.Label, index: int, resumed: bool = False) -> None:
        """Write the function that runs the block from this instruction on, and the blocks that it runs into."""
        self._place = (label, index)
        self._line(0, f"def {self._name_of(label, index)}{'_again' if resumed else ''}(st, r):")
        line = self._straight_line(label, index)
        run = (i for name, at in line for i in self._block(name).instructions[at:])
        if any(isinstance(i, (ir.GetField, ir.SetField)) for i in run):
            self._line(1, "heap = st.heap; cells = heap.cells; bind = heap.bind")
        for name, at in line:
            self._place = (name, at)
            if at == 0 and not (resumed and name == label) and not self._method.model:
                self._mark(name)
            self._run(name, at, last=(name, at) == line[-1])

    def _mark(self, label: ir.Label) -> None:
        """Put the block on the trace; blocks that only lead on to the next one are put there in one assignment."""
        start, earlier = "    st.trace = ", "st.trace"
        if self._lines[-1].startswith(start):
            earlier = self._lines.pop().removeprefix(start)
            self.places.pop()
        self._line(1, f"st.trace = ({self._constant(self._marks[label])}, {earlier})")

    def _block(self, label: ir.Label) -> ir.Block:
        return self._method.blocks[label]

    def _straight_line(self, label: ir.Label, index: int) -> list[tuple[ir.Label, int]]:
        """The block and those that unconditional jumps lead to, up to the next call, branch or repeated block."""
        line = [(label, index)]
        seen = {label}
        size = 0
        while True:
            name, at = line[-1]
            block = self._block(name)
            rest = block.instructions[at:]
            size += len(rest)
            target = block.terminator.target if isinstance(block.terminator, ir.Jump) else None
            calls = any(isinstance(i, (ir.CallStatic, ir.CallVirtual, ir.CallValue)) for i in rest)
            if target is None or calls or target in seen or size > LONGEST_SEGMENT:
                return line
            seen.add(target)
            line.append((target, 0))

    def _run(self, label: ir.Label, index: int, last: bool) -> None:
        block = self._block(label)
        nulls: set[int] = set()
        end = len(block.instructions) - 1
        moved = -1
        for at, instruction in enumerate(block.instructions[index:], index):
            if at == moved:
                continue
            self._place = (label, at)
            self._need_values(label, at)
            if at == end and self._null_branch(instruction, block.terminator, nulls):
                return
            if isinstance(instruction, (ir.CallStatic, ir.CallVirtual, ir.CallValue)):
                self._call(instruction, self._name_of(label, at + 1))
                return
            # The null of a null test that ends the block is written nowhere else, so nobody misses it.
            if not (at == end - 1 and self._only_tested(instruction, block)):
                following = block.instructions[at + 1] if at < end else None
                if isinstance(following, ir.Move) and self._only_moved(instruction, following):
                    instruction, moved = replace(instruction, dst=following.dst), at + 1  # type: ignore[arg-type]
                self._instruction(instruction, nulls)
            if at == end and isinstance(instruction, ir.Matches):
                self._note_input_test(instruction, block.terminator)
            _note_null(instruction, nulls)
        self._place = (label, len(block.instructions))
        if last:
            self._need_values(label, len(block.instructions))
            self._terminator(block.terminator)

    def _note_input_test(self, test: ir.Matches, term: ir.Terminator) -> None:
        """Count a look at input data as symbolic if it is the exit test of a loop, although its answer is no term."""
        if isinstance(term, ir.Branch) and term.cond == test.dst:
            for loop in self._loops_tested(term.if_true, term.if_false):
                self._line(1, f"if v.__class__ is not Data: r[{self._counter(loop) + 1}] = st.decisions")

    def _only_tested(self, ins: ir.Instruction, block: ir.Block) -> bool:
        if not isinstance(ins, ir.Const) or ins.value is not None or self._reads[ins.dst] != 1:
            return False
        return self._null_tested(block.instructions[-1], block.terminator, {ins.dst}) is not None

    def _only_moved(self, ins: ir.Instruction, following: ir.Move) -> bool:
        """Whether a result is only read by the next instruction, which moves it: then it is written there at once."""
        src = following.src
        return getattr(ins, "dst", None) == src and self._reads[src] == 1 and src not in self._method.register_names

    def _need_values(self, label: ir.Label, index: int) -> None:
        """Test the variables that may have no value here before the instruction reads them."""
        for register in self._unsure.get((label, index), ()):
            name = self._method.register_names[register]
            self._line(1, f"if r[{register}] is UNBOUND: unbound(st, {name!r})")

    def _line(self, depth: int, text: str) -> None:
        self._lines.append("    " * depth + text)
        self.places.append(self._place)

    def _constant(self, value: object) -> str:
        name = f"K{len(self._namespace)}"
        self._namespace[name] = value
        return name

    def _keywords(self, keywords: ir.Keywords) -> str:
        return "{" + ", ".join(f"{name!r}: r[{reg}]" for name, reg in keywords) + "}" if keywords else "None"

    def _target(self, label: ir.Label) -> str:
        return self._name_of(label, 0)

    def _counter(self, loop: int) -> int:
        # Behind the registers of the method: how often the loop has iterated, and the decisions at its last iteration.
        return self._method.registers + 2 * loop

    def _instruction(self, ins: ir.Instruction, nulls: set[int]) -> None:
        """Write an instruction: by its template where it has one, else by its method."""
        templates = _TEMPLATES.get(type(ins))
        if templates is not None:
            parts = _Parts(ins, self._constant)
            for template in templates:
                self._line(1, template.format_map(parts))
            return
        match ins:
            case ir.Const(dst=dst, value=value):
                literal = repr(value) if value is None or type(value) in (bool, int) else self._constant(value)
                self._line(1, f"r[{dst}] = {literal}")
            case ir.Unary(dst=dst, op=op, operand=operand):
                self._unary(dst, op, operand)
            case ir.Binary():
                self._binary(ins)
            case ir.Compare(dst=dst, op=op, left=left, right=right):
                self._compare(dst, op, left, right, nulls)
            case ir.GetField():
                self._get_field(ins)
            case ir.SetField():
                self._set_field(ins)
            case ir.CallNative(dst=dst, name=name, args=args, keywords=keywords):
                self._line(1, f"r[{dst}] = native(st, {name!r}, ({_registers(args)}), {self._keywords(keywords)})")
            case ir.EnterLoop(loop=loop):
                at = self._counter(loop)
                self._line(1, f"r[{at}] = 0; r[{at + 1}] = -1")
            case ir.Iterate(loop=loop, counted=counted):
                self._iterate(self._counter(loop), counted)
            case ir.Spawn(dst=dst, receiver=receiver, name=name, args=args):
                place = self._shown_place()
                self._line(1, f"r[{dst}] = spawn(st, r[{receiver}], {name!r}, ({_registers(args)}), {place!r})")
            case ir.NewActor(dst=dst, cls=cls, beside=beside):
                other = "None" if beside is None else f"r[{beside}]"
                self._line(1, f"r[{dst}] = new_actor(st, {cls!r}, {other}, {self._shown_place()!r})")
            case ir.Construct(dst=dst, constructor=constructor, args=args):
                made = f"Data({constructor!r}, ({_registers(args)}))" if args else self._constant(Data(constructor))
                self._line(1, f"r[{dst}] = {made}")
            case _:
                raise AssertionError("calls end a segment")

    def _shown_place(self) -> str:
        return f"{self._method.qualified}:{self._place[0]}:{self._place[1]}"

    def _binary(self, ins: ir.Binary) -> None:
        """Write arithmetic; most operands are known integers, for which the operator itself is faster than a call."""
        self._line(1, f"a = r[{ins.left}]; b = r[{ins.right}]")
        called = f"r[{ins.dst}] = binary(st, {ins.op!r}, a, b, {ins.inplace})"
        if ins.op in self._inline:
            self._line(1, f"if a.__class__ is int and b.__class__ is int: r[{ins.dst}] = a {ins.op} b")
            called = f"else: {called}"
        self._line(1, called)

    def _get_field(self, ins: ir.GetField) -> None:
        """Write the read of a field: from the object's cell, or by the heap if it is missing there or has a history."""
        dst, name = ins.dst, ins.name
        self._line(1, f"o = r[{ins.obj}]; o = bind.get(o, o)")
        self._observe(name, 1)
        depth = 1
        if self._disjunctive:
            self._line(1, f"if {name!r} in heap.log: r[{dst}] = get_field(st, o, {name!r})")
            self._line(1, "else:")
            depth = 2
        self._line(depth, f"try: r[{dst}] = cells[o][{name!r}]")
        self._line(depth, f"except (KeyError, TypeError): r[{dst}] = get_field(st, o, {name!r})")

    def _set_field(self, ins: ir.SetField) -> None:
        """Write an assignment to a field; copies of a state share cells, so the cell is replaced."""
        name, value = ins.name, ins.value
        self._line(1, f"o = r[{ins.obj}]; o = bind.get(o, o); c = cells.get(o)")
        self._observe(name, 2)
        if name in self._namespace["SPECIAL_SETTERS"]:
            self._line(1, f"set_field(st, o, {name!r}, r[{value}])")
            return
        plain = "if c.__class__ is dict"
        if self._disjunctive:
            # Only writes to inputs need a history: created objects alias nothing, unless a conditional write has
            # touched them.
            self._line(1, f"{plain} and (o.input or {name!r} in heap.log):")
            self._line(2, f"heap.set_field(o, {name!r}, r[{value}])")
            plain = "elif c.__class__ is dict"
        self._line(1, f"{plain}: c = c.copy(); c[{name!r}] = r[{value}]; cells[o] = c")
        self._line(1, f"else: set_field(st, o, {name!r}, r[{value}])")

    def _observe(self, name: str, how: int) -> None:
        """Note which field of which actor is read (1) or written (2)."""
        if self._observed:
            self._line(1, f"k = (o, {name!r}); t = st.touched; t[k] = t.get(k, 0) | {how}")

    def _null_branch(self, ins: ir.Instruction, term: ir.Terminator, nulls: set[int]) -> bool:
        """Write a null test and the branch on it as one; False if the block does not end with such a test."""
        tested = self._null_tested(ins, term, nulls)
        if tested is None:
            return False
        assert isinstance(ins, ir.Compare) and isinstance(term, ir.Branch)
        null, other = (term.if_true, term.if_false) if ins.op == "is" else (term.if_false, term.if_true)
        yes, no = self._target(null), self._target(other)
        # The bound is tested before the state is copied for a side that would end at once.
        spent = (self._spent(null), self._spent(other))
        self._line(1, f"v = r[{tested}]")
        self._line(1, f"if v is None: return {yes}")
        self._line(1, "if v.__class__ is Unknown:")
        self._line(2, "st.decisions += 1; v = st.heap.bind.get(v, v)")
        self._line(2, f"if v.__class__ is Unknown: return null_branch(st, v, {yes}, {no}, {spent[0]}, {spent[1]})")
        self._line(2, f"if v is None: return {yes}")
        if spent[1] != "False":
            self._line(2, f"if {spent[1]}: st.next, st.outcome = {no}, LOOP_CUT; return None")
        self._line(2, f"return {no}")
        if self._disjunctive:
            self._line(1, "if v.__class__ is OneOf:")
            self._line(2, "st.decisions += 1")
            self._line(2, f"return null_branch_of_choice(st, v, {yes}, {no}, {spent[0]}, {spent[1]})")
        self._line(1, f"if v is UNBOUND: unbound(st, {self._method.register_names.get(tested, '')!r})")
        self._line(1, "if v.__class__ is Ref and v.input: st.decisions += 1")
        self._line(1, f"return {no}")
        return True

    def _null_tested(self, ins: ir.Instruction, term: ir.Terminator, nulls: set[int]) -> int | None:
        """The register that the end of the block compares with null, if that is what it does."""
        if not (isinstance(ins, ir.Compare) and isinstance(term, ir.Branch) and term.cond == ins.dst):
            return None
        if ins.op not in ("is", "is not") or (ins.left in nulls) == (ins.right in nulls):
            return None
        if self._reads[ins.dst] != 1:
            return None
        return ins.left if ins.right in nulls else ins.right

    def _unary(self, dst: int, op: str, operand: int) -> None:
        self._line(1, f"a = r[{operand}]")
        if op == "truth":
            self._line(1, f"r[{dst}] = a if a.__class__ is bool else truth(st, a)")
        elif op == "not":
            self._line(1, f"r[{dst}] = not a if a.__class__ is bool else negation(st, a)")
        else:
            self._line(1, f"r[{dst}] = unary(st, {op!r}, a)")

    def _compare(self, dst: int, op: str, left: int, right: int, nulls: set[int]) -> None:
        if op in ("is", "is not") and (right in nulls or left in nulls):
            # A test of an input reference counts as symbolic even when its answer is known by now, so that
            # a loop around a cyclic input structure is bounded like any other.
            yes, no = ("True", "False") if op == "is" else ("False", "True")
            self._line(1, f"v = r[{left if right in nulls else right}]")
            self._line(1, f"if v is None: r[{dst}] = {yes}")
            self._line(1, "elif v.__class__ is Unknown:")
            if self._observed:
                # No branch tells what was found, which may be known in another order of messages.
                self._line(2, "st.world.uncertain = True")
            self._line(2, f"st.decisions += 1; r[{dst}] = st.heap.is_null(v) is {yes}")
            if self._disjunctive:
                null = "st.heap.null_of(v)" if op == "is" else "negated(st.heap.null_of(v))"
                self._line(1, f"elif v.__class__ is OneOf: st.decisions += 1; r[{dst}] = {null}")
            self._line(1, f"elif v.__class__ is Ref and v.input: st.decisions += 1; r[{dst}] = {no}")
            self._line(1, f"elif v is UNBOUND: unbound(st, {self._method.register_names.get(left, '')!r})")
            self._line(1, f"else: r[{dst}] = {no}")
            return
        self._line(1, f"a = r[{left}]; b = r[{right}]")
        if op in _INLINE_COMPARE:
            self._line(1, f"if a.__class__ is int and b.__class__ is int: r[{dst}] = a {op} b")
            self._line(1, f"else: r[{dst}] = compare(st, {op!r}, a, b)")
        elif op in ("is", "is not"):
            self._line(1, f"r[{dst}] = identity(st, {op == 'is not'}, a, b)")
        else:
            self._line(1, f"r[{dst}] = membership(st, {op == 'not in'}, a, b)")

    def _iterate(self, at: int, counted: bool) -> None:
        """Count the iteration: in a counted loop if its exit test was symbolic, in others if anything was."""
        if self._namespace.get("EVERY_ITERATION"):
            self._line(1, "if True:")
        elif counted:
            self._line(1, f"if r[{at + 1}] >= 0:")
            self._line(2, f"r[{at + 1}] = -1")
        else:
            self._line(1, f"if r[{at + 1}] != st.decisions:")
            self._line(2, f"r[{at + 1}] = st.decisions")
        self._line(2, f"n = r[{at}] + 1; r[{at}] = n")
        self._line(2, "if n > LOOPS: cut(st, 'loop')")

    def _call(self, ins: ir.CallStatic | ir.CallVirtual | ir.CallValue, resume: str) -> None:
        values = "".join(f"r[{i}], " for i in ins.args)
        keywords = self._keywords(ins.keywords)
        if isinstance(ins, ir.CallStatic):
            callee = self._constant(self._namespace["find_callee"](ins.cls, ins.name))
            if keywords == "None":
                self._line(1, f"return enter(st, {callee}, [{values}], {ins.dst}, {resume})")
            else:
                self._line(1, f"return enter(st, {callee}, [{values}], {ins.dst}, {resume}, None, {keywords})")
        elif isinstance(ins, ir.CallVirtual):
            self._line(
                1, f"return invoke(st, r[{ins.receiver}], {ins.name!r}, [{values}], {keywords}, {ins.dst}, {resume})"
            )
        else:
            self._line(1, f"return apply(st, r[{ins.function}], [{values}], {keywords}, {ins.dst}, {resume})")

    def _terminator(self, term: ir.Terminator) -> None:
        match term:
            case ir.Jump(target=target):
                self._line(1, f"return {self._target(target)}")
            case ir.Branch(cond=cond, if_true=if_true, if_false=if_false):
                yes, no = self._target(if_true), self._target(if_false)
                self._line(1, f"c = r[{cond}]")
                self._line(1, f"if c is True: return {yes}")
                self._line(1, f"if c is False: return {no}")
                for loop in self._loops_tested(if_true, if_false):
                    self._line(1, f"r[{self._counter(loop) + 1}] = st.decisions")
                self._line(1, f"return branch(st, c, {yes}, {no}, {self._spent(if_true)}, {self._spent(if_false)})")
            case ir.Switch(value=value, cases=cases, default=default):
                table = "".join(f"({number}, {self._target(label)}), " for number, label in cases)
                self._line(1, f"return switch(st, r[{value}], ({table}), {self._target(default)})")
            case ir.Return(value=value):
                self._line(1, f"return leave(st, r[{value}])")
            case ir.Throw(exception=exception):
                self._line(1, f"throw(st, r[{exception}])")
            case ir.Await(guards=guards, target=target, again=again):
                values = "".join(f"r[{i}], " for i in guards)
                self._line(1, f"return wait(st, ({values}), {self._target(target)}, {again!r})")
            case ir.Get(dst=dst, future=future, target=target):
                place = self._place
                self._line(1, f"return get_result(st, {dst}, r[{future}], {self._target(target)}, {place!r})")
            case ir.Suspend(target=target):
                self._line(1, f"return suspend(st, {self._target(target)})")

    def _spent(self, target: ir.Label) -> str:
        """Whether the block begins an iteration that exceeds the loop bound."""
        block = self._method.blocks[target]
        if block.instructions and isinstance(block.instructions[0], ir.Iterate):
            return f"r[{self._counter(block.instructions[0].loop)}] >= LOOPS"
        return "False"

    def _loops_tested(self, *targets: ir.Label) -> list[int]:
        """The counted loops whose body begins at one of the targets: this branch is their exit test."""
        loops = []
        for target in targets:
            block = self._method.blocks[target]
            if block.instructions and isinstance(block.instructions[0], ir.Iterate) and block.instructions[0].counted:
                loops.append(block.instructions[0].loop)
        return loops


def _note_null(instruction: ir.Instruction, nulls: set[int]) -> None:
    written = getattr(instruction, "dst", None)
    if isinstance(instruction, ir.Const) and instruction.value is None:
        nulls.add(instruction.dst)
    elif written is not None:
        nulls.discard(written)


def _registers(numbers: Iterable[int]) -> str:
    return "".join(f"r[{number}], " for number in numbers)


class _Parts(dict[str, object]):
    """The fields of an instruction, for a template; `{constant_NAME}` is the field NAME as a constant of the module."""

    def __init__(self, ins: ir.Instruction, constant: Callable[[object], str]) -> None:
        self._ins = ins
        self._constant = constant

    def __missing__(self, name: str) -> object:
        if name.startswith("constant_"):
            return self._constant(getattr(self._ins, name.removeprefix("constant_")))
        value = getattr(self._ins, name)
        return _registers(value) if name == "items" else value


_TEMPLATES: dict[type[ir.Instruction], tuple[str, ...]] = {
    ir.Move: ("r[{dst}] = r[{src}]",),
    ir.NewObject: ("r[{dst}] = new_object(st, {cls!r})",),
    ir.NewArray: ("r[{dst}] = new_array(st, {constant_element}, r[{length}])",),
    ir.NewCollection: ("r[{dst}] = new_collection(st, {kind!r}, ({items}))",),
    ir.DelField: ("del_field(st, r[{obj}], {name!r})",),
    ir.GetStatic: ("r[{dst}] = get_static(st, {cls!r}, {name!r})",),
    ir.SetStatic: ("set_static(st, {cls!r}, {name!r}, r[{value}])",),
    ir.GetItem: ("r[{dst}] = get_item(st, r[{obj}], r[{index}])",),
    ir.SetItem: ("set_item(st, r[{obj}], r[{index}], r[{value}])",),
    ir.DelItem: ("del_item(st, r[{obj}], r[{index}])",),
    ir.Length: ("r[{dst}] = length(st, r[{obj}])",),
    ir.TypeTest: ("r[{dst}] = type_test(st, r[{obj}], {constant_types})",),
    ir.Cast: ("r[{dst}] = cast(st, r[{obj}], {constant_type})",),
    ir.Matches: (
        "v = r[{value}]",
        "if v.__class__ is Data: r[{dst}] = v.constructor == {constructor!r}",
        "else: r[{dst}] = matches(st, v, {constructor!r}, {among!r})",
    ),
    ir.Argument: (
        "v = r[{value}]",
        "if v.__class__ is Data: r[{dst}] = v.arguments[{index}]",
        "else: r[{dst}] = argument(st, v, {constructor!r}, {index})",
    ),
}
"""instruction -> its lines, where those depend on nothing but its fields"""

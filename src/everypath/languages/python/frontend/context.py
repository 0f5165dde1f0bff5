"""The state of lowering one function: its builder, its scopes and the statements it is inside of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.names import CELL, deleted
from everypath.ir.types import Type
from everypath.languages.python.frontend.constructs import missing
from everypath.languages.python.frontend.hierarchy import CELL_FIELD
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ImportBinding, ModuleSource, dotted
from everypath.languages.python.frontend.names import (
    ClassName,
    ConstantName,
    Denotation,
    FunctionName,
    LocalName,
    UndefinedName,
)
from everypath.languages.python.frontend.userclass import UserClass
from everypath.records import dataclass, field


@dataclass(slots=True)
class LoopFrame:
    """An enclosing loop."""

    on_break: ins.Label
    on_continue: ins.Label
    broken: bool = False
    endless: int | None = None
    """the number of a loop whose condition never fails"""
    iterator: ins.Reg | None = None
    """what a `for` runs over when nothing else refers to it, so that leaving the loop early gives it up"""


@dataclass(slots=True)
class TryFrame:
    """An enclosing `try`; `excluded` are blocks inside it that its handlers must not cover."""

    final: list[ast.stmt]
    excluded: set[ins.Label] = field(default_factory=set)


Frame = LoopFrame | TryFrame


@dataclass(slots=True)
class FunctionContext:
    """Everything that lowering a statement or expression needs to know about its surroundings."""

    linker: Linker
    module: ModuleSource
    owner: UserClass | None
    builder: MethodBuilder
    tables: Tables
    locals: dict[str, LocalName]
    imports: dict[str, ImportBinding] = field(default_factory=dict)
    functions: dict[str, FunctionName] = field(default_factory=dict)
    """nested functions that are known statically"""
    overrides: list[dict[str, LocalName]] = field(default_factory=list)
    """scopes of comprehensions and exception names, innermost last"""
    frames: list[Frame] = field(default_factory=list)
    handling: list[ins.Reg] = field(default_factory=list)
    """exceptions being handled, for a bare `raise`"""
    expects_missing: bool = False
    """whether a clause around the statement says what happens when an attribute is missing"""
    booleans: set[ins.Reg] = field(default_factory=set)
    """temporaries known to hold a boolean"""
    class_scope: bool = False
    """names of the class body are visible, as in the body itself"""
    defined_with: frozenset[str] = frozenset()
    """names that the same assignment binds, which have their earlier meaning in its value"""
    defined_by: int = 0
    """the last line of the class body that the code here belongs to"""
    first: str | None = None
    """the parameter that receives the object or class, in a method"""
    copied_names: set[str] = field(default_factory=set)
    """variables that may have no value where they are read, or that a walrus may rebind before their value is used"""
    perhaps_free: set[str] = field(default_factory=set)
    """variables that may have no value where a comprehension, which is a function of its own, reads them"""
    function_inside: bool = False
    """the code here belongs to such a comprehension"""
    once: set[str] = field(default_factory=set)
    """variables bound by exactly one statement"""
    stable: set[str] = field(default_factory=set)
    """variables that never change once they have a value"""
    local_classes: dict[str, ClassName] = field(default_factory=dict)
    """classes defined in this function, by the names that only they have"""
    plain_stores: bool = False
    """attributes are stored past what assigning them would run, as the constructor of a frozen dataclass must"""
    activation: ins.Reg | None = None
    """the generator or coroutine whose body this is"""
    statements: Sequence[ast.AST] = ()
    """the whole body"""
    supers: dict[str, ast.Call] = field(default_factory=dict)
    """variables that only ever hold this `super()`"""
    defining: str = ""
    """the static whose initialiser this is; inside it the name means what it meant before"""

    def __post_init__(self) -> None:
        self.defined_by = self.builder.span.line

    def span(self, node: ast.AST) -> Span:
        """Where a node is."""
        return self.module.span(node)

    def value(self, node: ast.expr) -> ins.Reg:
        """Lower an expression; the register that holds its value."""
        lower = self.tables.expressions.get(type(node))
        return lower(self, node) if lower else self.unsupported(node, missing(node))

    def into(self, node: ast.expr, register: ins.Reg) -> None:
        """Lower an expression and leave its value in the given register."""
        self.emit(ins.Move(register, self.value(node), span=self.span(node)))

    def copied(self, node: ast.expr) -> ins.Reg:
        """Lower an expression; a register of its own that holds the value."""
        register = self.fresh()
        self.into(node, register)
        return register

    def test(self, node: ast.expr, yes: ins.Label, no: ins.Label) -> None:
        """Lower a condition straight to control flow."""
        self.tables.test(self, node, yes, no)

    def body(self, statements: list[ast.stmt]) -> None:
        """Lower statements; those after a `return`, `raise`, `break` or `continue` can never run."""
        for statement in statements:
            if not self.builder.open:
                # Lowering them all the same would make blocks that nothing leads to.
                return
            lower = self.tables.statements.get(type(statement))
            if lower:
                lower(self, statement)
            else:
                self.unsupported(statement, missing(statement))

    def assign(self, target: ast.expr, value: ins.Reg) -> None:
        """Store a value in an assignment target."""
        self.tables.assign(self, target, value)

    def emit(self, instruction: ins.Instruction) -> None:
        """Append an instruction."""
        self.builder.emit(instruction)

    def give(self, instruction: ins.Giving) -> ins.Reg:
        """Append an instruction; the register that gets its result."""
        return self.builder.give(instruction)

    def fresh(self) -> ins.Reg:
        """A new temporary."""
        return self.builder.register()

    def constant(self, value: ins.ConstValue, node: ast.AST) -> ins.Reg:
        """A new temporary that holds a constant."""
        register = self.builder.constant(value, self.span(node))
        if isinstance(value, bool):
            self.booleans.add(register)
        return register

    def native(self, name: str, args: tuple[ins.Reg, ...], node: ast.AST, keywords: ins.Keywords = ()) -> ins.Reg:
        """Call an operation of the engine."""
        return self.give(ins.CallNative(self.fresh(), name, args, keywords, span=self.span(node)))

    def virtual(self, receiver: ins.Reg, name: str, args: tuple[ins.Reg, ...], node: ast.AST) -> ins.Reg:
        """Call a method by name."""
        return self.give(ins.CallVirtual(self.fresh(), receiver, name, args, span=self.span(node)))

    def item(self, obj: ins.Reg, index: int, node: ast.AST) -> ins.Reg:
        """Read the item at a constant position."""
        return self.give(ins.GetItem(self.fresh(), obj, self.constant(index, node), span=self.span(node)))

    def collection(self, kind: str, items: tuple[ins.Reg, ...], node: ast.AST) -> ins.Reg:
        """Make a collection."""
        return self.give(ins.NewCollection(self.fresh(), kind, items, span=self.span(node)))

    def compare(self, op: str, left: ins.Reg, right: ins.Reg, node: ast.AST) -> ins.Reg:
        """Compare two values."""
        register = self.give(ins.Compare(self.fresh(), op, left, right, span=self.span(node)))
        self.booleans.add(register)
        return register

    def is_instance(self, obj: ins.Reg, types: tuple[Type, ...], node: ast.AST) -> ins.Reg:
        """Ask whether a value has one of these types."""
        register = self.give(ins.TypeTest(self.fresh(), obj, types, span=self.span(node)))
        self.booleans.add(register)
        return register

    def binary(self, op: str, left: ins.Reg, right: ins.Reg, node: ast.AST, inplace: bool = False) -> ins.Reg:
        """Apply a binary operator."""
        return self.give(ins.Binary(self.fresh(), op, left, right, inplace, span=self.span(node)))

    def truth(self, register: ins.Reg, node: ast.AST) -> ins.Reg:
        """The truth value of a register."""
        # Asking for the truth value of a boolean would be one more instruction on every branch.
        if register in self.booleans:
            return register
        result = self.give(ins.Unary(self.fresh(), "truth", register, span=self.span(node)))
        self.booleans.add(result)
        return result

    def branch(self, condition: ins.Reg, yes: ins.Label, no: ins.Label, node: ast.AST) -> None:
        """End the block with a branch on a truth value."""
        self.builder.end(ins.Branch(self.truth(condition, node), yes, no, span=self.span(node)))

    def jump(self, label: ins.Label, node: ast.AST) -> None:
        """End the block, if it is still open, with a jump."""
        if self.builder.open:
            self.builder.end(ins.Jump(label, span=self.span(node)))

    def loop_over(self, iterator: ins.Reg, node: ast.AST, *hints: str) -> list[ins.Label]:
        """Begin a loop over an iterator; what is emitted next is its body.

        The hints name the labels of its head, which asks whether there is more, of its body, of where it goes on when
        there is nothing more, and of any others; all of them but the body's are given back.
        """
        loop, span = self.builder.loop(), self.span(node)
        header, body, *others = (self.builder.label(hint) for hint in hints)
        self.emit(ins.EnterLoop(loop, span=span))
        self.builder.start(header)
        more = self.native("has_next", (iterator,), node)
        self.builder.end(ins.Branch(more, body, others[0], span=span))
        self.builder.start(body)
        self.emit(ins.Iterate(loop, counted=True, span=span))
        return [header, *others]

    def unsupported(self, node: ast.AST, message: str) -> ins.Reg:
        """Record a construct that is not handled, and end the paths that reach it there."""
        self.linker.problem(self.module, self.span(node), message)
        # Translation goes on: only the paths that get here end, and one run reports every problem.
        return self.native("unsupported", (self.constant(message, node),), node)

    def mangle(self, name: str) -> str:
        """An attribute name as Python stores it."""
        return self.owner.mangle(name) if self.owner else name

    @contextmanager
    def scope(self, names: dict[str, LocalName], function: bool = False) -> Iterator[None]:
        """Names that mean something else inside a comprehension, which may be a function of its own, or handler."""
        outside, self.function_inside = self.function_inside, self.function_inside or function
        self.overrides.append(names)
        try:
            yield
        finally:
            self.overrides.pop()
            self.function_inside = outside

    def read(self, variable: LocalName, node: ast.AST) -> ins.Reg:
        """A register with the value of a variable."""
        if variable.cell:
            return self.give(ins.GetField(self.fresh(), variable.register, CELL_FIELD, span=self.span(node)))
        return variable.register

    def write(self, variable: LocalName, value: ins.Reg, node: ast.AST) -> None:
        """Assign a variable."""
        if variable.cell:
            self.emit(ins.SetField(variable.register, CELL_FIELD, value, span=self.span(node)))
        else:
            self.emit(ins.Move(variable.register, value, span=self.span(node)))

    def new_cell(self, name: str, node: ast.AST) -> LocalName:
        """A variable that lives in a cell of its own."""
        register = self.builder.register(name)
        self.emit(ins.NewObject(register, CELL, span=self.span(node)))
        return LocalName(register, cell=True)

    def variable(self, name: str) -> LocalName | None:
        """The variable of this name, if the function has one."""
        for scope in reversed(self.overrides):
            if name in scope:
                return scope[name]
        return self.locals.get(name)

    def lookup(self, name: str) -> Denotation:
        """What a name denotes here."""
        # The order is that of Python's scopes, from the inside out; what is known statically counts before the variable
        # that holds it.
        if name in self.local_classes:
            return self.local_classes[name]
        if (variable := self.variable(name)) is not None:
            return variable
        if name in self.functions:
            return self.functions[name]
        if name in self.imports:
            return self.linker.imported(self.imports[name])
        if name == self.defining or name in self.defined_with:
            return self.linker.enclosing_name(self.module, name, inside_class=self.class_scope)
        if self.owner is not None and name in self.owner.enclosing:
            return self.owner.enclosing[name]
        if self.class_scope and self.owner is not None and name == "__doc__" and name not in self.owner.statics:
            return ConstantName(ast.get_docstring(self.owner.node, clean=False))
        if self.class_scope and self.owner is not None:
            # The body may still use what it deletes at its end, which is kept under another name.
            hidden = deleted(name)
            kept = hidden if hidden in self.owner.functions or hidden in self.owner.statics else name
            function = self.owner.functions.get(kept)
            if function is not None and function.kind != "property" and function.node.lineno < self.defined_by:
                return FunctionName(self.owner.name, kept)
            return self.linker.expression(self.module, ast.Name(kept), self.owner)
        return self.linker.global_name(self.module, name)

    def denotation(self, node: ast.expr) -> Denotation | None:
        """What a name or attribute chain denotes if that is known statically, else None."""
        match node:
            case ast.Name(id=name):
                return self.lookup(name)
            case ast.Attribute(value=value, attr=name):
                base = self.denotation(value)
                if base is None or isinstance(base, LocalName):
                    return None
                found = self.linker.attribute(base, self.mangle(name))
                if isinstance(found, UndefinedName):
                    return UndefinedName(dotted(node) or name)
                return found
            case _:
                return None


ExpressionLowering = Callable[[FunctionContext, ast.expr], ins.Reg]
StatementLowering = Callable[[FunctionContext, ast.stmt], None]


@dataclass(frozen=True, slots=True)
class Tables:
    """How each kind of node is lowered."""

    expressions: Mapping[type[ast.expr], ExpressionLowering]
    statements: Mapping[type[ast.stmt], StatementLowering]
    test: Callable[[FunctionContext, ast.expr, ins.Label, ins.Label], None]
    assign: Callable[[FunctionContext, ast.expr, ins.Reg], None]
    function_value: Callable[[FunctionContext, ast.Lambda | ast.FunctionDef], ins.Reg]

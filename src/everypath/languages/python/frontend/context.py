"""The state of lowering one function: its builder, its scopes and the statements it is inside of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from everypath.errors import Span
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    Binary,
    Branch,
    CallNative,
    CallVirtual,
    Compare,
    ConstValue,
    EnterLoop,
    GetField,
    GetItem,
    Instruction,
    Iterate,
    Jump,
    Keywords,
    Label,
    Move,
    NewCollection,
    NewObject,
    Reg,
    SetField,
    Unary,
)
from everypath.ir.names import CELL, deleted
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
from everypath.languages.python.frontend.private_names import mangled
from everypath.languages.python.frontend.userclass import UserClass
from everypath.records import dataclass, field


@dataclass(slots=True)
class LoopFrame:
    """An enclosing loop."""

    on_break: Label
    on_continue: Label
    broken: bool = False
    endless: int | None = None
    """the number of a loop whose condition never fails"""
    iterator: Reg | None = None
    """what a `for` runs over when nothing else refers to it, so that leaving the loop early gives it up"""


@dataclass(slots=True)
class TryFrame:
    """An enclosing `try`; `excluded` are blocks inside it that its handlers must not cover."""

    final: list[ast.stmt]
    excluded: set[Label] = field(default_factory=set)


Frame = LoopFrame | TryFrame


class FunctionContext:
    """Everything that lowering a statement or expression needs to know about its surroundings."""

    def __init__(
        self,
        linker: Linker,
        module: ModuleSource,
        owner: UserClass | None,
        builder: MethodBuilder,
        tables: Tables,
        locals_: Mapping[str, LocalName],
    ) -> None:
        self.linker = linker
        self.module = module
        self.owner = owner
        self.builder = builder
        self.tables = tables
        self.locals = dict(locals_)
        self.imports: dict[str, ImportBinding] = {}
        self.functions: dict[str, FunctionName] = {}
        """nested functions that are known statically"""
        self.overrides: list[dict[str, LocalName]] = []
        """scopes of comprehensions and exception names, innermost last"""
        self.frames: list[Frame] = []
        self.handling: list[Reg] = []
        """exceptions being handled, for a bare `raise`"""
        self.booleans: set[Reg] = set()
        """temporaries known to hold a boolean"""
        self.class_scope = False
        """names of the class body are visible, as in the body itself"""
        self.defined_with: frozenset[str] = frozenset()
        """names that the same assignment binds, which have their earlier meaning in its value"""
        self.defined_by = builder.span.line
        """the last line of the class body that the code here belongs to"""
        self.first: str | None = None
        """the parameter that receives the object or class, in a method"""
        self.copy_names = False
        """a walrus may rebind a variable between its evaluation and its use"""
        self.once: set[str] = set()
        """variables bound by exactly one statement"""
        self.stable: set[str] = set()
        """variables that never change once they have a value"""
        self.local_classes: dict[str, ClassName] = {}
        """classes defined in this function, by the names that only they have"""
        self.plain_stores = False
        """attributes are stored as `object.__setattr__` does, as the constructor of a frozen dataclass must"""
        self.activation: Reg | None = None
        """the generator or coroutine whose body this is"""
        self.statements: Sequence[ast.AST] = ()
        """the whole body"""
        self.supers: dict[str, ast.Call] = {}
        """variables that only ever hold this `super()`"""
        self.defining = ""
        """the static whose initialiser this is; inside it the name means what it meant before"""

    def span(self, node: ast.AST) -> Span:
        """Where a node is."""
        return self.module.span(node)

    def value(self, node: ast.expr) -> Reg:
        """Lower an expression; the register that holds its value."""
        lower = self.tables.expressions.get(type(node))
        return lower(self, node) if lower else self.unsupported(node, missing(node))

    def into(self, node: ast.expr, register: Reg) -> None:
        """Lower an expression and leave its value in the given register."""
        self.emit(Move(register, self.value(node), span=self.span(node)))

    def test(self, node: ast.expr, yes: Label, no: Label) -> None:
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

    def assign(self, target: ast.expr, value: Reg) -> None:
        """Store a value in an assignment target."""
        self.tables.assign(self, target, value)

    def emit(self, instruction: Instruction) -> None:
        """Append an instruction."""
        self.builder.emit(instruction)

    def fresh(self) -> Reg:
        """A new temporary."""
        return self.builder.register()

    def constant(self, value: ConstValue, node: ast.AST) -> Reg:
        """A new temporary that holds a constant."""
        register = self.builder.constant(value, self.span(node))
        if isinstance(value, bool):
            self.booleans.add(register)
        return register

    def native(self, name: str, args: tuple[Reg, ...], node: ast.AST, keywords: Keywords = ()) -> Reg:
        """Call an operation of the engine."""
        register = self.fresh()
        self.emit(CallNative(register, name, args, keywords, span=self.span(node)))
        return register

    def virtual(self, receiver: Reg, name: str, args: tuple[Reg, ...], node: ast.AST) -> Reg:
        """Call a method by name."""
        register = self.fresh()
        self.emit(CallVirtual(register, receiver, name, args, span=self.span(node)))
        return register

    def item(self, obj: Reg, index: int, node: ast.AST) -> Reg:
        """Read the item at a constant position."""
        register = self.fresh()
        self.emit(GetItem(register, obj, self.constant(index, node), span=self.span(node)))
        return register

    def collection(self, kind: str, items: tuple[Reg, ...], node: ast.AST) -> Reg:
        """Make a collection."""
        register = self.fresh()
        self.emit(NewCollection(register, kind, items, span=self.span(node)))
        return register

    def compare(self, op: str, left: Reg, right: Reg, node: ast.AST) -> Reg:
        """Compare two values."""
        register = self.fresh()
        self.emit(Compare(register, op, left, right, span=self.span(node)))
        self.booleans.add(register)
        return register

    def binary(self, op: str, left: Reg, right: Reg, node: ast.AST, inplace: bool = False) -> Reg:
        """Apply a binary operator."""
        register = self.fresh()
        self.emit(Binary(register, op, left, right, inplace, span=self.span(node)))
        return register

    def truth(self, register: Reg, node: ast.AST) -> Reg:
        """The truth value of a register."""
        # Asking for the truth value of a boolean would be one more instruction on every branch.
        if register in self.booleans:
            return register
        result = self.fresh()
        self.emit(Unary(result, "truth", register, span=self.span(node)))
        self.booleans.add(result)
        return result

    def branch(self, condition: Reg, yes: Label, no: Label, node: ast.AST) -> None:
        """End the block with a branch on a truth value."""
        self.builder.end(Branch(self.truth(condition, node), yes, no, span=self.span(node)))

    def jump(self, label: Label, node: ast.AST) -> None:
        """End the block, if it is still open, with a jump."""
        if self.builder.open:
            self.builder.end(Jump(label, span=self.span(node)))

    def loop_over(self, iterator: Reg, node: ast.AST, *hints: str) -> list[Label]:
        """Begin a loop over an iterator; what is emitted next is its body.

        The hints name the labels of its head, which asks whether there is more, of its body, of where it goes on when
        there is nothing more, and of any others; all of them but the body's are given back.
        """
        loop, span = self.builder.loop(), self.span(node)
        header, body, *others = (self.builder.label(hint) for hint in hints)
        self.emit(EnterLoop(loop, span=span))
        self.builder.start(header)
        more = self.native("has_next", (iterator,), node)
        self.builder.end(Branch(more, body, others[0], span=span))
        self.builder.start(body)
        self.emit(Iterate(loop, counted=True, span=span))
        return [header, *others]

    def unsupported(self, node: ast.AST, message: str) -> Reg:
        """Record a construct that is not handled, and end the paths that reach it there."""
        self.linker.problem(self.module, self.span(node), message)
        # Translation goes on: only the paths that get here end, and one run reports every problem.
        return self.native("unsupported", (self.constant(message, node),), node)

    def mangle(self, name: str) -> str:
        """An attribute name as Python stores it."""
        return mangled(name, self.owner.mangle_prefix) if self.owner else name

    @contextmanager
    def scope(self, names: dict[str, LocalName]) -> Iterator[None]:
        """Names that mean something else inside a comprehension or handler."""
        self.overrides.append(names)
        try:
            yield
        finally:
            self.overrides.pop()

    def read(self, variable: LocalName, node: ast.AST) -> Reg:
        """A register with the value of a variable."""
        if variable.cell:
            register = self.fresh()
            self.emit(GetField(register, variable.register, CELL_FIELD, span=self.span(node)))
            return register
        return variable.register

    def write(self, variable: LocalName, value: Reg, node: ast.AST) -> None:
        """Assign a variable."""
        if variable.cell:
            self.emit(SetField(variable.register, CELL_FIELD, value, span=self.span(node)))
        else:
            self.emit(Move(variable.register, value, span=self.span(node)))

    def new_cell(self, name: str, node: ast.AST) -> LocalName:
        """A variable that lives in a cell of its own."""
        register = self.builder.register(name)
        self.emit(NewObject(register, CELL, span=self.span(node)))
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
        variable = self.variable(name)
        if variable is not None:
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


ExpressionLowering = Callable[[FunctionContext, ast.expr], Reg]
StatementLowering = Callable[[FunctionContext, ast.stmt], None]


@dataclass(frozen=True, slots=True)
class Tables:
    """How each kind of node is lowered."""

    expressions: Mapping[type[ast.expr], ExpressionLowering]
    statements: Mapping[type[ast.stmt], StatementLowering]
    test: Callable[[FunctionContext, ast.expr, Label, Label], None]
    assign: Callable[[FunctionContext, ast.expr, Reg], None]
    function_value: Callable[[FunctionContext, ast.Lambda | ast.FunctionDef], Reg]

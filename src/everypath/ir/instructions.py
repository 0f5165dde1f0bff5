"""The closed instruction set: straight-line instructions and block terminators over numbered registers.

Each basic block corresponds to one rule of the CLP-translated program in section 3.2 of "Test Case
Generation by Symbolic Execution"; the heap operations of its Figure 8 are the field and item
instructions here. Runtime errors are not instructions: an instruction that can fail raises the error
that the program's language profile names, as an explicit branch of the exploration.
"""

from __future__ import annotations

from everypath.errors import NOWHERE, Span
from everypath.ir.types import Type
from everypath.records import dataclass

Reg = int
Label = str


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class used as a value."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A static method used as a value."""

    cls: str
    name: str


@dataclass(frozen=True, slots=True)
class NativeRef:
    """A native operation or builtin class used as a value, such as `len` or `int`."""

    name: str


ConstValue = None | bool | int | float | str | bytes | ClassRef | FunctionRef | NativeRef

UNARY_OPS = ("-", "+", "~", "not", "truth")
BINARY_OPS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@")
COMPARE_OPS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in")
COLLECTIONS = ("list", "tuple", "dict", "set", "slice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Everything that came from a place in the source."""

    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Const(Located):
    """dst = value"""

    dst: Reg
    value: ConstValue


@dataclass(frozen=True, slots=True)
class Move(Located):
    """dst = src"""

    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class Unary(Located):
    """dst = op operand; `truth` is the truth value of anything, `not` its negation."""

    dst: Reg
    op: str
    operand: Reg


@dataclass(frozen=True, slots=True)
class Binary(Located):
    """dst = left op right; `inplace` lets a mutable left operand change itself (`xs += ys`)."""

    dst: Reg
    op: str
    left: Reg
    right: Reg
    inplace: bool = False


@dataclass(frozen=True, slots=True)
class Compare(Located):
    """dst = left op right, including identity and membership."""

    dst: Reg
    op: str
    left: Reg
    right: Reg


@dataclass(frozen=True, slots=True)
class NewObject(Located):
    """dst = a new object of the class, no field set, no constructor run."""

    dst: Reg
    cls: str


@dataclass(frozen=True, slots=True)
class NewArray(Located):
    """dst = an array of the given length filled with the element type's default."""

    dst: Reg
    element: Type
    length: Reg


@dataclass(frozen=True, slots=True)
class NewCollection(Located):
    """dst = a list, tuple, dict (keys and values alternate), set or slice (start, stop, step) of the items."""

    dst: Reg
    kind: str
    items: tuple[Reg, ...]


@dataclass(frozen=True, slots=True)
class GetField(Located):
    """dst = obj.name (instance field, property, class attribute or bound method)."""

    dst: Reg
    obj: Reg
    name: str


@dataclass(frozen=True, slots=True)
class SetField(Located):
    """obj.name = value"""

    obj: Reg
    name: str
    value: Reg


@dataclass(frozen=True, slots=True)
class DelField(Located):
    """del obj.name"""

    obj: Reg
    name: str


@dataclass(frozen=True, slots=True)
class GetStatic(Located):
    """dst = cls.name; the static's initialiser runs on first use."""

    dst: Reg
    cls: str
    name: str


@dataclass(frozen=True, slots=True)
class SetStatic(Located):
    """cls.name = value"""

    cls: str
    name: str
    value: Reg


@dataclass(frozen=True, slots=True)
class GetItem(Located):
    """dst = obj[index]; the index may be a slice."""

    dst: Reg
    obj: Reg
    index: Reg


@dataclass(frozen=True, slots=True)
class SetItem(Located):
    """obj[index] = value"""

    obj: Reg
    index: Reg
    value: Reg


@dataclass(frozen=True, slots=True)
class DelItem(Located):
    """del obj[index]"""

    obj: Reg
    index: Reg


@dataclass(frozen=True, slots=True)
class Length(Located):
    """dst = the length of obj"""

    dst: Reg
    obj: Reg


@dataclass(frozen=True, slots=True)
class TypeTest(Located):
    """dst = obj is an instance of one of the types."""

    dst: Reg
    obj: Reg
    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Cast(Located):
    """dst = obj, or the profile's cast error when it is not of the type."""

    dst: Reg
    obj: Reg
    type: Type


Keywords = tuple[tuple[str, Reg], ...]


@dataclass(frozen=True, slots=True)
class CallStatic(Located):
    """dst = cls.name(args): the method is known; for an instance method the first argument is the receiver."""

    dst: Reg
    cls: str
    name: str
    args: tuple[Reg, ...]
    keywords: Keywords = ()


@dataclass(frozen=True, slots=True)
class CallVirtual(Located):
    """dst = receiver.name(args): resolved by the receiver's class."""

    dst: Reg
    receiver: Reg
    name: str
    args: tuple[Reg, ...]
    keywords: Keywords = ()


@dataclass(frozen=True, slots=True)
class CallNative(Located):
    """dst = a builtin operation, given by a native of the engine or a model in the source language."""

    dst: Reg
    name: str
    args: tuple[Reg, ...]
    keywords: Keywords = ()


@dataclass(frozen=True, slots=True)
class CallValue(Located):
    """dst = function(args) where the function, class or bound method is a value."""

    dst: Reg
    function: Reg
    args: tuple[Reg, ...]
    keywords: Keywords = ()


@dataclass(frozen=True, slots=True)
class Spawn(Located):
    """dst = a future for receiver!name(args), an asynchronous call."""

    dst: Reg
    receiver: Reg
    name: str
    args: tuple[Reg, ...]


@dataclass(frozen=True, slots=True)
class NewActor(Located):
    """dst = a new object of the class, no field set, on a processor of its own or on that of another object."""

    dst: Reg
    cls: str
    beside: Reg | None = None


@dataclass(frozen=True, slots=True)
class Construct(Located):
    """dst = a value of an algebraic data type, immutable and without identity."""

    dst: Reg
    constructor: str
    args: tuple[Reg, ...]


@dataclass(frozen=True, slots=True)
class Matches(Located):
    """dst = whether the value was made by the constructor.

    `among` are all constructors for which the surrounding case has a branch, empty when it has one for everything:
    with inputs that make operations fail left out, an input has one of them.
    """

    dst: Reg
    value: Reg
    constructor: str
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument(Located):
    """dst = an argument of a value that is known to be made by the constructor."""

    dst: Reg
    value: Reg
    constructor: str
    index: int


@dataclass(frozen=True, slots=True)
class EnterLoop(Located):
    """A loop is entered from outside: its iteration count starts at zero."""

    loop: int


@dataclass(frozen=True, slots=True)
class Iterate(Located):
    """An iteration of the loop begins.

    A `counted` loop (a `for` over something) counts the iteration against the loop bound when its own
    exit test was symbolic; any other loop when anything was decided symbolically since the last one.
    """

    loop: int
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Jump(Located):
    """Go to the target block."""

    target: Label


@dataclass(frozen=True, slots=True)
class Branch(Located):
    """Go to one of two blocks; the condition register holds a boolean."""

    cond: Reg
    if_true: Label
    if_false: Label


@dataclass(frozen=True, slots=True)
class Switch(Located):
    """Go to the block of the integer case, else to the default."""

    value: Reg
    cases: tuple[tuple[int, Label], ...]
    default: Label


@dataclass(frozen=True, slots=True)
class Return(Located):
    """Leave the method with a value."""

    value: Reg


@dataclass(frozen=True, slots=True)
class Throw(Located):
    """Raise the exception object (or an instance of the exception class) in the register."""

    exception: Reg


@dataclass(frozen=True, slots=True)
class Await(Located):
    """Go to the target once every guard holds: a boolean is true, a future has its result.

    When one does not hold, the task releases its processor. Whenever a field that the condition looks at changes, the
    blocks from `again` on, which compute the guards and lead to this instruction, are executed anew.
    """

    guards: tuple[Reg, ...]
    target: Label
    again: Label


@dataclass(frozen=True, slots=True)
class Get(Located):
    """Block on a future; its value lands in dst, then go to the target."""

    dst: Reg
    future: Reg
    target: Label


@dataclass(frozen=True, slots=True)
class Suspend(Located):
    """Release the processor, then go to the target."""

    target: Label


Giving = (
    Const
    | Move
    | Unary
    | Binary
    | Compare
    | NewObject
    | NewArray
    | NewCollection
    | GetField
    | GetStatic
    | GetItem
    | Length
    | TypeTest
    | Cast
    | CallStatic
    | CallVirtual
    | CallNative
    | CallValue
    | Spawn
    | NewActor
    | Construct
    | Matches
    | Argument
)
"""Instructions whose result lands in the register `dst`."""
Instruction = Giving | SetField | DelField | SetStatic | SetItem | DelItem | EnterLoop | Iterate
Terminator = Jump | Branch | Switch | Return | Throw | Await | Get | Suspend


@dataclass(frozen=True, slots=True)
class Block:
    """A straight line of instructions with one way in and one terminator."""

    label: Label
    instructions: tuple[Instruction, ...]
    terminator: Terminator


@dataclass(frozen=True, slots=True)
class Handler:
    """An exception raised in one of the blocks goes to the target, the exception object in the register.

    Handlers are tried in order, so inner ones come first; a handler catches everything, and code in
    its target tests the class and throws again what it does not want.
    """

    blocks: frozenset[Label]
    target: Label
    exception: Reg


@dataclass(frozen=True, slots=True)
class StaticDefault:
    """The default value is evaluated once and kept as the static of this name."""

    cls: str
    name: str


@dataclass(frozen=True, slots=True)
class NoDefault:
    """The parameter must be given."""


NO_DEFAULT = NoDefault()


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; its default is a constant, or refers to a static of the class that holds the method."""

    name: str
    type: Type
    kind: str = "normal"
    """normal, positional, keyword, star or doublestar"""
    default: ConstValue | StaticDefault | NoDefault = NO_DEFAULT
    guessed: bool = False
    """whether the type is only what the code hints at, and not declared"""
    wide: bool = False
    """whether more is declared than values can be made of: a type variable, an iterator"""
    keyed: bool = False
    """whether the declared type is a collection that leaves its keys open, and the code hints at these"""

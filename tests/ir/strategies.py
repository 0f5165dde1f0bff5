"""Random programs that the checker accepts: well-typed in names, registers, labels and loop markers."""

from __future__ import annotations

from hypothesis import strategies as st

from everypath.errors import NOWHERE, Span
from everypath.ir import instructions as ins
from everypath.ir.program import Class, Constructor, Data, Field, Method, Profile, Program
from everypath.ir.types import (
    ANY,
    SCALARS,
    ArrayType,
    ClassType,
    DataType,
    DictType,
    FunctionType,
    FutureType,
    ListType,
    MemberType,
    RecordType,
    SetType,
    TupleType,
    TypeParameter,
    UnionType,
)
from everypath.records import replace

PYTHON_LIKE = Profile(
    name="python",
    floor_division=True,
    integer_bits=None,
    null_error="AttributeError",
    attribute_error="AttributeError",
    index_error="IndexError",
    key_error="KeyError",
    division_error="ZeroDivisionError",
    type_error="TypeError",
    value_error="ValueError",
    cast_error="TypeError",
    name_error="NameError",
    assertion_error="AssertionError",
    negative_indices=True,
)

ELEMENT = TypeParameter("A")
DATA = {
    "data": Data("data", ("A",), {"Nil": (), "m.Cons": (ELEMENT, DataType("data", (ELEMENT,)))}),
    "a pair": Data("a pair", ("A", "parameter"), {"construct": (ELEMENT, FutureType(TypeParameter("parameter")))}),
    "Colour": Data("Colour", (), {'"red"': (), "argument": (), "among": (ClassType("future"),)}),
}
CONSTRUCTORS = [name for data in DATA.values() for name in data.constructors]

AWKWARD = [
    "int",
    "data",
    "any",
    "class",
    "method",
    "static",
    "default",
    "a b",
    "<lambda>",
    "%1",
    "r1",
    "é",
    '"',
    "\n",
    "#",
    "@f:1:2",
]
names = st.sampled_from(["x", "y", "next", "Tree.Node", *AWKWARD]) | st.text(max_size=4)
spans = st.just(NOWHERE) | st.builds(
    Span,
    st.sampled_from(["a.py", "src/pkg/mod.py", "with space.py", "C:\\x.py", ""]),
    st.integers(0, 999),
    st.integers(0, 99),
)
atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.binary(max_size=4)
    | st.builds(ins.NativeRef, names)
)


def types(classes: list[str]) -> st.SearchStrategy:
    """Types over the given classes."""
    leaves = st.sampled_from(
        [*SCALARS.values(), ANY, *map(ClassType, classes), *map(MemberType, classes), *map(RecordType, classes)]
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(ListType, inner)
            | st.builds(ArrayType, inner)
            | st.builds(SetType, inner, st.booleans())
            | st.builds(DictType, inner, inner)
            | st.builds(TupleType, st.lists(inner, max_size=2).map(tuple), st.none() | inner)
            | st.builds(UnionType, st.lists(inner, min_size=2, max_size=3).map(tuple))
            | st.builds(FutureType, inner)
            | st.builds(FunctionType, inner, st.lists(inner, max_size=2).map(lambda taken: TupleType(tuple(taken))))
            | st.builds(ClassType, st.sampled_from(classes), st.tuples(inner))
            | st.builds(lambda inner, only: DataType("data", (inner,), only), inner, st.sampled_from([(), ("m.Cons",)]))
            | st.builds(lambda *inner: DataType("a pair", inner), inner, inner)
            | st.just(DataType("Colour", (), ('"red"', "argument")))
        ),
        max_leaves=4,
    )


@st.composite
def params(draw: st.DrawFn, classes: list[str], statics: list[tuple[str, str]], *, receiver: bool) -> tuple:
    """Parameters with distinct names."""
    found = []
    for name in draw(st.lists(names, min_size=1 if receiver else 0, max_size=3, unique=True)):
        default = st.just(ins.NO_DEFAULT) | atoms
        if statics:
            default |= st.sampled_from(statics).map(lambda pair: ins.StaticDefault(*pair))
        kind = draw(st.sampled_from(["normal", "normal", "positional", "keyword", "star", "doublestar"]))
        found.append(ins.Param(name, draw(types(classes)), kind, draw(default), draw(st.booleans())))
    return tuple(found)


class _Body:
    """Draws instructions over a fixed set of registers, classes and labels."""

    def __init__(self, draw: st.DrawFn, classes: list[str], statics: list[tuple[str, str]], registers: int) -> None:
        self.draw = draw
        self.classes = classes
        self.statics = statics
        self.register = st.integers(0, registers - 1)

    def reg(self) -> int:
        return self.draw(self.register)

    def regs(self, low: int = 0, high: int = 3) -> tuple[int, ...]:
        return tuple(self.draw(st.lists(self.register, min_size=low, max_size=high)))

    def keywords(self) -> tuple[tuple[str, int], ...]:
        return tuple((name, self.reg()) for name in self.draw(st.lists(names, max_size=2, unique=True)))

    def instruction(self) -> ins.Instruction:
        draw, reg, cls = self.draw, self.reg, st.sampled_from(self.classes)
        span = draw(spans)
        constant = draw(atoms | cls.map(ins.ClassRef))
        makers = [
            lambda: ins.Const(reg(), constant, span=span),
            lambda: ins.Move(reg(), reg(), span=span),
            lambda: ins.Unary(reg(), draw(st.sampled_from(ins.UNARY_OPS)), reg(), span=span),
            lambda: ins.Binary(
                reg(), draw(st.sampled_from(ins.BINARY_OPS)), reg(), reg(), draw(st.booleans()), span=span
            ),
            lambda: ins.Compare(reg(), draw(st.sampled_from(ins.COMPARE_OPS)), reg(), reg(), span=span),
            lambda: ins.NewObject(reg(), draw(cls), span=span),
            lambda: ins.NewArray(reg(), draw(types(self.classes)), reg(), span=span),
            lambda: ins.NewCollection(reg(), draw(st.sampled_from(["list", "tuple", "set"])), self.regs(), span=span),
            lambda: ins.NewCollection(reg(), "dict", self.regs(2, 2), span=span),
            lambda: ins.NewCollection(reg(), "slice", self.regs(3, 3), span=span),
            lambda: ins.GetField(reg(), reg(), draw(names), span=span),
            lambda: ins.SetField(reg(), draw(names), reg(), span=span),
            lambda: ins.DelField(reg(), draw(names), span=span),
            lambda: ins.SetStatic(draw(cls), draw(names), reg(), span=span),
            lambda: ins.GetItem(reg(), reg(), reg(), span=span),
            lambda: ins.SetItem(reg(), reg(), reg(), span=span),
            lambda: ins.DelItem(reg(), reg(), span=span),
            lambda: ins.Length(reg(), reg(), span=span),
            lambda: ins.TypeTest(reg(), reg(), tuple(draw(st.lists(types(self.classes), max_size=2))), span=span),
            lambda: ins.Cast(reg(), reg(), draw(types(self.classes)), span=span),
            lambda: ins.CallVirtual(reg(), reg(), draw(names), self.regs(), self.keywords(), span=span),
            lambda: ins.CallNative(reg(), draw(names), self.regs(), self.keywords(), span=span),
            lambda: ins.CallValue(reg(), reg(), self.regs(), self.keywords(), span=span),
            lambda: ins.Spawn(reg(), reg(), draw(names), self.regs(), span=span),
            lambda: ins.NewActor(reg(), draw(cls), draw(st.none() | self.register), span=span),
            lambda: ins.Construct(reg(), "m.Cons", self.regs(2, 2), span=span),
            lambda: ins.Construct(reg(), '"red"', (), span=span),
            lambda: ins.Matches(reg(), reg(), draw(st.sampled_from(CONSTRUCTORS)), span=span),
            lambda: ins.Matches(reg(), reg(), "among", ("argument", "among"), span=span),
            lambda: ins.Argument(reg(), reg(), "m.Cons", draw(st.integers(0, 1)), span=span),
        ]
        if self.statics:
            cls_name, name = draw(st.sampled_from(self.statics))
            makers.append(lambda: ins.GetStatic(reg(), cls_name, name, span=span))
            makers.append(lambda: ins.CallStatic(reg(), cls_name, f"init {name}", (), span=span))
            makers.append(lambda: ins.Const(reg(), ins.FunctionRef(cls_name, f"init {name}"), span=span))
        return draw(st.sampled_from(makers))()

    def terminator(self, here: str, later: list[str]) -> ins.Terminator:
        draw, reg = self.draw, self.reg
        span = draw(spans)
        makers = [lambda: ins.Return(reg(), span=span), lambda: ins.Throw(reg(), span=span)]
        if later:
            label = st.sampled_from(later)
            cases = st.dictionaries(st.integers(), label, max_size=2)
            makers += [
                lambda: ins.Jump(draw(label), span=span),
                lambda: ins.Branch(reg(), draw(label), draw(label), span=span),
                lambda: ins.Switch(reg(), tuple(draw(cases).items()), draw(label), span=span),
                lambda: ins.Await(self.regs(), draw(label), here, span=span),
                lambda: ins.Get(reg(), reg(), draw(label), span=span),
                lambda: ins.Suspend(draw(label), span=span),
            ]
        return draw(st.sampled_from(makers))()


@st.composite
def methods(draw: st.DrawFn, cls: str, name: str, classes: list[str], statics: list[tuple[str, str]]) -> Method:
    """A method whose blocks go forward, except for one marked loop back to a header."""
    kind = draw(st.sampled_from(["instance", "static", "class", "property"]))
    parameters = draw(params(classes, statics, receiver=kind != "static"))
    registers = len(parameters) + draw(st.integers(1, 3))
    body = _Body(draw, classes, statics, registers)
    labels = draw(st.lists(names, min_size=4, max_size=6, unique=True))
    entry, header, latch = labels[:3]
    # Every register is written in the entry block, so that any later read is of a written one.
    start = [ins.Const(number, None) for number in range(registers)] + [ins.EnterLoop(7)]
    blocks = {entry: ins.Block(entry, tuple(start), ins.Jump(header, span=draw(spans)))}
    for place, label in enumerate(labels[1:], start=1):
        instructions = tuple(body.instruction() for _ in range(draw(st.integers(0, 3))))
        terminator = body.terminator(label, labels[place + 1 :])
        if label == latch:
            instructions += (ins.Iterate(7, draw(st.booleans())),)
            terminator = ins.Branch(body.reg(), header, labels[3])
        blocks[label] = ins.Block(label, instructions, terminator)
    handlers = ()
    if draw(st.booleans()):
        handlers = (ins.Handler(frozenset(labels[:3]), labels[-1], body.reg()),)
    named = draw(st.dictionaries(st.integers(0, registers - 1), names, max_size=3))
    return Method(
        cls=cls,
        name=name,
        params=parameters,
        blocks=blocks,
        entry=entry,
        registers=registers,
        returns=draw(types(classes)),
        handlers=handlers,
        kind=kind,
        model=draw(st.booleans()),
        register_names=named,
        span=draw(spans),
    )


def initialiser(cls: str, name: str) -> Method:
    """A static method without parameters."""
    block = ins.Block("entry", (ins.Const(0, 1),), ins.Return(0))
    return Method(cls, f"init {name}", (), {"entry": block}, "entry", 1, kind="static")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program without faults."""
    classes = draw(st.lists(names.filter(lambda name: name != "future"), min_size=1, max_size=3, unique=True))
    held = {cls: draw(st.lists(names, max_size=2, unique=True)) for cls in classes}
    statics = [(cls, name) for cls, found in held.items() for name in found]
    profile = PYTHON_LIKE if draw(st.booleans()) else replace(PYTHON_LIKE, methods_are_attributes=False)
    program = Program(profile, data=dict(DATA))
    program.classes["future"] = Class("future")
    for place, name in enumerate(classes):
        fields = {
            f: Field(f, draw(types(classes)), draw(spans), draw(st.booleans()))
            for f in draw(st.lists(names, max_size=2, unique=True))
        }
        cls = Class(name, fields=fields, module=draw(names), span=draw(spans))
        cls.bases = tuple(draw(st.lists(st.sampled_from(classes[:place]), max_size=1))) if place else ()
        cls.abstract, cls.external, cls.model = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
        cls.methods = {f"init {static}": initialiser(name, static) for static in held[name]}
        cls.statics = {static: f"init {static}" for static in held[name]}
        for method in draw(st.lists(names, max_size=2, unique=True)):
            cls.methods.setdefault(method, draw(methods(name, method, classes, statics)))
            cls.setters[method] = method
        if draw(st.booleans()):
            cls.members, cls.flags = tuple(held[name]), {static: draw(st.integers()) for static in held[name]}
            cls.keys = draw(params(classes, statics, receiver=False))
        if draw(st.booleans()):
            given = draw(params(classes, statics, receiver=False))
            sets = {p.name: f for p, f in zip(given, fields)}
            cls.constructor = Constructor(given, sets, {f: draw(atoms) for f in fields})
        program.classes[name] = cls
    return program

"""Programs, and cases over them written by hand, that the tests of emitting and validating share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from everypath.cases.model import (
    BuildPlan,
    CallCase,
    CallSuite,
    Entry,
    Expected,
    Finding,
    Heap,
    Inputs,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Pointer,
    Raised,
    Returned,
    SequenceState,
    TupleValue,
    Value,
)

PROGRAM = """\
from dataclasses import dataclass, field


class OutOfStock(Exception):
    pass


class Node:
    def __init__(self, data, next=None):
        self.data = data
        self.next = next


class SLList:
    def __init__(self):
        self.first = None
        self.size = 0

    def push(self, data):
        self.first = Node(data, self.first)
        self.size += 1

    def rem_all(self, other):
        node = other.first
        while node is not None:
            if self.first is node:
                self.first = None
            node = node.next


class Even:
    def __init__(self, value):
        if value % 2:
            raise ValueError("odd")
        self.value = value

    def half(self):
        return self.value / 2


class Clamped:
    def __init__(self, value):
        self.value = max(0, value)

    def negative(self):
        return self.value < 0

    @property
    def doubled(self):
        return self.value * 2

    @staticmethod
    def zero():
        return 0

    def __secret(self):
        return self.value + 1


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def moved(self, dx):
        return Point(self.x + dx, self.y)


@dataclass
class Cart:
    owner: str
    lines: list = field(default_factory=list)

    def add(self, name, price):
        if price < 0:
            raise ValueError(f"negative price: {price} (why?)")
        self.lines.append((name, price))
        return len(self.lines)


def sign(n):
    if n < 0:
        return -1
    return 1 if n else 0


def swap(a, b):
    a.next, b.next = b.next, a.next
    return a


def same(a, b):
    return a is b


def take(xs, stock, pair, *rest, limit=3, **options):
    first = xs.pop()
    stock["seen"] = [first]
    if pair[0] not in stock:
        raise OutOfStock(pair[0])
    return (first, rest, limit, options)


def loop(node):
    node.next = node
    return [node, Node(2, node)]


def quotient(a, b):
    return a / b


def tell(text):
    return text * 40


def first(xs):
    return xs[0]


def kind(flag):
    return Point if flag else quotient
"""


def program(folder: Path, name: str = "shapes", source: str = PROGRAM) -> Path:
    """Write a program into a folder."""
    file = folder / f"{name}.py"
    file.write_text(source)
    return file


def lit(value: None | bool | int | float | str | bytes) -> Literal:
    """A literal value."""
    return Literal(value)


def obj(cls: str, module: str = "shapes", **fields: Value) -> ObjectState:
    """An object by its fields."""
    return ObjectState(cls, module, tuple(fields.items()))


def items(*values: Value, kind: str = "list") -> SequenceState:
    """A list or set."""
    return SequenceState(kind, values)


def node(data: int, next_id: str | None = None) -> ObjectState:
    """A node of the sample's linked list."""
    return obj("Node", data=lit(data), next=lit(None) if next_id is None else Pointer(next_id))


PLANS = {
    ("shapes", cls): BuildPlan(cls, "shapes", params, constants)
    for cls, params, constants in (
        ("Node", (("data", "data", False, lit(None)), ("next", "next", True, lit(None))), ()),
        ("SLList", (), (("first", lit(None)), ("size", lit(0)))),
        ("Even", (("value", "value", False, lit(0)),), ()),
        ("Clamped", (("value", "value", False, lit(0)),), ()),
        ("Point", (("x", "x", False, lit(0)), ("y", "y", True, lit(0))), ()),
        ("Cart", (("owner", "owner", False, lit("")), ("lines", "lines", True, lit(None))), ()),
    )
}


def case(
    name: str,
    path: str,
    *arguments: tuple[str, Value] | tuple[str, Value, str],
    outcome: Returned | Raised,
    receiver: Value | None = None,
    heap: Heap | None = None,
    after: Heap | None = None,
    kind: str | None = None,
    finding: Finding | None = None,
    module: str = "shapes",
) -> CallCase:
    """A case; `name` is `function` or `Class.method`, `path` becomes the name of its path."""
    cls, _, method = name.rpartition(".")
    default_kind = "method" if cls else "function"
    entry = Entry(module, f"{module}.py", cls or None, method, kind or default_kind)
    given = tuple((a[0], a[1], a[2] if len(a) > 2 else "normal") for a in arguments)
    before = heap or {}
    return CallCase(
        id=f"{name}/{path}",
        entry=entry,
        inputs=Inputs(receiver, given, before),
        expected=Expected(outcome, {**before, **(after or {})}),
        condition=(),
        trace=(),
        choices=(),
        finding=finding,
        name=path,
    )


def raised(cls: str, message: str | None = None, module: str = "builtins", implicit: bool = False) -> Raised:
    """An exceptional outcome."""
    return Raised(cls, module, implicit, message, 0)


def returned(value: Value | None | bool | int | float | str | bytes) -> Returned:
    """A normal outcome; plain values are literals."""
    if isinstance(value, Literal | TupleValue | Pointer | Named):
        return Returned(value)
    return Returned(Literal(value))


def linked_cases() -> list[CallCase]:
    """Aliasing, cycles and new objects."""
    l1, l2 = Pointer("l1"), Pointer("l2")
    return [
        case(
            "SLList.rem_all",
            "when_l_is_none_raises_attribute_error",
            ("other", lit(None)),
            receiver=l1,
            heap={"l1": obj("SLList", first=lit(None), size=lit(0))},
            outcome=raised("AttributeError", "'NoneType' object has no attribute 'first'", implicit=True),
            finding=Finding(
                "runtime-error", "AttributeError: 'NoneType' object has no attribute 'first'", "shapes.py", 23
            ),
        ),
        case(
            "SLList.rem_all",
            "same_list_loop_once",
            ("other", l1),
            receiver=l1,
            heap={"l1": obj("SLList", first=Pointer("n1"), size=lit(1)), "n1": node(5)},
            after={"l1": obj("SLList", first=lit(None), size=lit(1))},
            outcome=returned(None),
        ),
        case(
            "SLList.rem_all",
            "shared_node",
            ("other", l2),
            receiver=l1,
            heap={
                "l1": obj("SLList", first=Pointer("n1"), size=lit(1)),
                "l2": obj("SLList", first=Pointer("n2"), size=lit(2)),
                "n2": node(0, "n1"),
                "n1": node(5),
            },
            after={"l1": obj("SLList", first=lit(None), size=lit(1))},
            outcome=returned(None),
        ),
        case(
            "SLList.push",
            "non_empty_list",
            ("data", lit("x")),
            receiver=l1,
            heap={"l1": obj("SLList", first=Pointer("n1"), size=lit(1)), "n1": node(5)},
            after={
                "l1": obj("SLList", first=Pointer("new1"), size=lit(2)),
                "new1": obj("Node", data=lit("x"), next=Pointer("n1")),
            },
            outcome=returned(None),
        ),
        case(
            "swap",
            "cyclic",
            ("a", Pointer("n1")),
            ("b", Pointer("n2")),
            heap={"n1": node(1, "n2"), "n2": node(2, "n1")},
            after={"n1": node(1, "n1"), "n2": node(2, "n2")},
            outcome=returned(Pointer("n1")),
        ),
        case(
            "same",
            "same_node",
            ("a", Pointer("n1")),
            ("b", Pointer("n1")),
            heap={"n1": node(1)},
            outcome=returned(True),
        ),
        case(
            "loop",
            "returns_list",
            ("node", Pointer("n1")),
            heap={"n1": node(1)},
            after={
                "n1": node(1, "n1"),
                "r": items(Pointer("n1"), Pointer("new")),
                "new": node(2, "n1"),
            },
            outcome=returned(Pointer("r")),
        ),
    ]


def construction_cases() -> list[CallCase]:
    """Classes whose constructors refuse, normalise, are generated or are the target."""
    return [
        case(
            "Even.half",
            "odd_value",
            receiver=Pointer("e"),
            heap={"e": obj("Even", value=lit(3))},
            outcome=returned(1.5),
        ),
        case(
            "Clamped.negative",
            "value_negative",
            receiver=Pointer("c"),
            heap={"c": obj("Clamped", value=lit(-1))},
            outcome=returned(True),
        ),
        case(
            "Clamped.doubled",
            "returns_4",
            receiver=Pointer("c"),
            kind="property",
            heap={"c": obj("Clamped", value=lit(2))},
            outcome=returned(4),
        ),
        case(
            "Clamped.__secret",
            "returns_3",
            receiver=Pointer("c"),
            heap={"c": obj("Clamped", value=lit(2))},
            outcome=returned(3),
        ),
        case("Clamped.zero", "returns_0", kind="static", outcome=returned(0)),
        case(
            "Point.moved",
            "returns_point",
            ("dx", lit(2)),
            receiver=Pointer("p"),
            heap={"p": obj("Point", x=lit(1), y=lit(7))},
            after={"q": obj("Point", x=lit(3), y=lit(7))},
            outcome=returned(Pointer("q")),
        ),
        case(
            "Even.__init__",
            "even",
            ("value", lit(4)),
            kind="constructor",
            after={"e": obj("Even", value=lit(4))},
            outcome=returned(Pointer("e")),
        ),
        case(
            "Even.__init__",
            "odd_raises_value_error",
            ("value", lit(3)),
            kind="constructor",
            outcome=raised("ValueError", "odd"),
        ),
        case(
            "Cart.add",
            "price_negative_raises_value_error",
            ("name", lit("pen")),
            ("price", lit(-1)),
            receiver=Pointer("c"),
            heap={
                "c": obj("Cart", owner=lit("Ann"), lines=Pointer("ls")),
                "ls": items(TupleValue((lit("a"), lit(1)))),
            },
            outcome=raised("ValueError", "negative price: -1 (why?)"),
        ),
        case(
            "Cart.add",
            "returns_2",
            ("name", lit("pen")),
            ("price", lit(0)),
            receiver=Pointer("c"),
            heap={
                "c": obj("Cart", owner=lit("Ann"), lines=Pointer("ls")),
                "ls": items(TupleValue((lit("a"), lit(1)))),
            },
            after={"ls": items(TupleValue((lit("a"), lit(1))), TupleValue((lit("pen"), lit(0))))},
            outcome=returned(2),
        ),
    ]


def literal_cases() -> list[CallCase]:
    """Plain data: tables, containers, strings, special floats, classes as values."""
    return [
        *(
            case("sign", path, ("n", lit(n)), outcome=returned(out))
            for path, n, out in (("n_negative", -1, -1), ("n_zero", 0, 0), ("n_positive", 1, 1))
        ),
        case(
            "quotient",
            "b_zero_raises_zero_division_error",
            ("a", lit(1)),
            ("b", lit(0)),
            outcome=raised("ZeroDivisionError", implicit=True),
            finding=Finding("runtime-error", "ZeroDivisionError: division by zero", "shapes.py", 111),
        ),
        case("quotient", "returns_infinity", ("a", lit(float("inf"))), ("b", lit(1)), outcome=returned(float("inf"))),
        case("quotient", "returns_nan", ("a", lit(float("nan"))), ("b", lit(1)), outcome=returned(float("nan"))),
        case("tell", "long", ("text", lit("it's")), outcome=returned("it's" * 40)),
        case("kind", "class", ("flag", lit(True)), outcome=returned(Named("shapes", "Point"))),
        case(
            "first",
            "nested",
            ("xs", Pointer("xs")),
            heap={"xs": items(Pointer("inner"), lit(2)), "inner": items(lit(1), kind="set")},
            outcome=returned(Pointer("inner")),
        ),
        case(
            "first",
            "of_an_empty_list_raises_index_error",
            ("xs", Pointer("xs")),
            heap={"xs": items()},
            outcome=raised("IndexError", "list index out of range", implicit=True),
        ),
        case(
            "take",
            "everything",
            ("xs", Pointer("xs")),
            ("stock", Pointer("d")),
            ("pair", TupleValue((lit("k"), Pointer("n")))),
            ("rest", TupleValue((lit(8), lit(9))), "star"),
            ("limit", lit(4), "keyword"),
            ("options", Pointer("o"), "doublestar"),
            heap={
                "xs": items(lit(1), lit(2)),
                "d": MappingState(((lit("k"), lit(1)),)),
                "n": node(3),
                "o": MappingState(((lit("mode"), lit("fast")),)),
            },
            after={
                "xs": items(lit(1)),
                "d": MappingState(((lit("k"), lit(1)), (lit("seen"), Pointer("seen")))),
                "seen": items(lit(2)),
            },
            outcome=returned(TupleValue((lit(2), TupleValue((lit(8), lit(9))), lit(4), Pointer("o")))),
        ),
        case(
            "take",
            "missing_raises_out_of_stock",
            ("xs", Pointer("xs")),
            ("stock", Pointer("d")),
            ("pair", TupleValue((lit("k"),))),
            heap={"xs": items(lit(1)), "d": MappingState(())},
            after={
                "xs": items(),
                "d": MappingState(((lit("seen"), Pointer("seen")),)),
                "seen": items(lit(1)),
            },
            outcome=raised("OutOfStock", "k", module="shapes"),
        ),
    ]


def all_cases() -> list[CallCase]:
    """Every hand-made case over the sample program."""
    return [*linked_cases(), *construction_cases(), *literal_cases()]


def suite(cases: list[CallCase], target: str = "shapes.py") -> CallSuite:
    """A suite of the cases with the sample's plans."""
    return CallSuite(target, {"loops": 1}, cases, dict(PLANS))


def within(cases: list[CallCase], folder: Path) -> list[CallCase]:
    """The cases with their files in a folder."""
    return [replace(c, entry=replace(c.entry, file=str(folder / c.entry.file))) for c in cases]

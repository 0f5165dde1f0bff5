"""Random typed programs, put together from small pieces: the same seed gives the same program.

A program is a module with a few classes, helper functions and the function `f`, whose parameters have declared types.
Each piece asks the `Maker` for expressions of the types that it needs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.fuzz.used import only_used

INDENT = "    "
WHOLE = 10
"""One program in so many keeps the functions and classes that it does not use."""
PARAMETERS = {
    "int": ("a", "b"),
    "bool": ("flag",),
    "float": ("x", "y"),
    "str": ("s", "t"),
    "list[int]": ("xs", "ys"),
    "Base": ("p", "q"),
    "Base | None": ("o",),
    "Point": ("pt",),
    "Color": ("color",),
    "tuple[int, int]": ("pair",),
    "dict[str, int]": ("d",),
    "set[int]": ("members",),
}
"""type -> the names that its parameters have"""
TEXTS = ("", "a", "b", "ab", "ß", "İ", "é", "e\u0301", "\U0001f600", "A", " ", "1", "²")
FLOATS = ("0.0", "-0.0", "1.5", "-2.5", "float('inf')", "-float('inf')", "float('nan')", "1e308")


@dataclass(frozen=True)
class Program:
    """A module as text, and the types of the parameters of its function `f`."""

    seed: int
    source: str
    parameters: tuple[tuple[str, str], ...]
    admits: tuple[str, ...] = ()
    """kinds of problems that the result may name, because the program has what brings them about"""


@dataclass(frozen=True)
class Vocabulary:
    """What programs are put together from."""

    parameters: dict[str, tuple[str, ...]]
    """type -> the names that its parameters have"""
    leaves: dict[str, Callable[[Maker], str]]
    """type -> its smallest expressions"""
    forms: dict[str, list[Form]]
    """type -> the forms that an expression of it may have"""
    module: Callable[[Maker], list[str]]
    """the lines before the function `f`"""
    plain: list[Statement]
    compound: list[Statement]
    most_types: int = 3
    """of parameters, beside the integers"""
    tries: int = 1
    """how often an expression is drawn again that no variable stands in"""
    admits: tuple[str, ...] = ()
    """kinds of problems that the result may name: state in closures is put back by no test, fields have no types"""


@dataclass
class Maker:
    """Draws the pieces of one program; knows which variables have which type at this place."""

    draw: random.Random
    words: Vocabulary
    variables: dict[str, list[str]] = field(default_factory=dict)
    fresh: int = 0
    in_loop: bool = False

    def one(self, *choices: str) -> str:
        """Any of these texts."""
        return self.draw.choice(choices)

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.draw.randrange(100) < percent

    def name(self, type: str) -> str:
        """A new variable of this type, known from now on."""
        self.fresh += 1
        name = f"v{self.fresh}"
        self.variables.setdefault(type, []).append(name)
        return name

    def variable(self, type: str) -> str | None:
        """Some variable of this type, if there is one."""
        known = self.variables.get(type)
        return self.draw.choice(known) if known else None

    def expression(self, type: str, depth: int = 2) -> str:
        """An expression of this type."""
        known = self.variable(type)
        if known is not None and self.chance(45 if depth else 85):
            return known
        forms = self.words.forms[type]
        if depth <= 0:
            return self.words.leaves[type](self)
        tries, made = self.words.tries, None
        for _ in range(6):
            made = self.draw.choice(forms)(self, depth - 1) or made
            tries -= made is not None
            if made is not None and (tries <= 0 or self._varies(made)):
                return made
        return made or self.words.leaves[type](self)

    def _varies(self, expression: str) -> bool:
        known = {name for names in self.variables.values() for name in names}
        return not known.isdisjoint(re.findall(r"\w+", expression))


Form = Callable[[Maker, int], str | None]
"""(maker, depth) -> an expression, None where a variable that it needs is missing"""
Statement = Callable[[Maker, int], list[str]]
"""(maker, depth) -> the lines of a statement"""


def _templated(template: str, hole: re.Pattern[str]) -> Form:
    def make(maker: Maker, depth: int) -> str | None:
        if any(mark and maker.variable(type) is None for mark, type in hole.findall(template)):
            return None

        def fill(found: re.Match[str]) -> str:
            known = maker.variable(found[2]) if found[1] else None
            return known or maker.expression(found[2], depth)

        return hole.sub(fill, template)

    return make


LEAVES: dict[str, Callable[[Maker], str]] = {
    "int": lambda m: str(m.draw.randint(-3, 5)),
    "bool": lambda m: m.one("True", "False"),
    "float": lambda m: m.one(*FLOATS),
    "str": lambda m: repr(m.one(*TEXTS)),
    "list[int]": lambda m: m.one("[]", "[1]", "[2, 0]", "[3, -1, 2]"),
    "Base": lambda m: m.one("Base(1)", "Left(2)", "Right(0)", "Leaf(3)"),
    "Base | None": lambda m: m.one("None", "Base(2)"),
    "Point": lambda m: m.one("Point(1)", "Point(0, 2)"),
    "Color": lambda m: m.one("Color.RED", "Color.BLUE"),
    "tuple[int, int]": lambda m: m.one("(0, 1)", "(2, -1)"),
    "dict[str, int]": lambda m: m.one("{}", "{'a': 1}", "{'a': 0, 'ß': 2}"),
    "set[int]": lambda m: m.one("set()", "{1, 2}", "{0}"),
}


def read_forms(*files: str) -> dict[str, list[Form]]:
    """The expressions that these files list, by type."""
    forms: dict[str, list[str]] = {}
    for file in files:
        for section in Path(__file__).with_name(file).read_text(encoding="utf-8").split("### ")[1:]:
            type, *lines = section.splitlines()
            forms.setdefault(type, []).extend(filter(None, lines))
    hole = re.compile(r"\{(:?)(" + "|".join(map(re.escape, sorted(forms, key=len, reverse=True))) + r")\}")
    return {type: [_templated(line, hole) for line in lines] for type, lines in forms.items()}


def program(seed: int, words: Vocabulary) -> Program:
    """The program of a seed: the first one drawn that the compiler accepts."""
    draw = random.Random(seed)
    while True:
        made = _drawn(seed, Maker(draw, words))
        try:
            compile(made.source, "drawn", "exec")
        except SyntaxError:  # such as `nonlocal` of a name that only a comprehension has
            continue
        return made if seed % WHOLE == 0 else replace(made, source=only_used(made.source))


def _drawn(seed: int, maker: Maker) -> Program:
    words = maker.words
    types = sorted({"int", *maker.draw.sample(sorted(words.parameters), maker.draw.randint(1, words.most_types))})
    parameters = []
    for type in types:
        for name in words.parameters[type][: 2 if maker.chance(30) else 1]:
            parameters.append((name, type))
            maker.variables.setdefault(type, []).append(name)
    module = words.module(maker)
    body = [f"{name}: {type}" for name, type in parameters]
    lines = [
        *module,
        "",
        "",
        f"def f({', '.join(body)}) -> object:",
        *indented(block(maker, 6, 2)),
        f"{INDENT}return {result(maker)}",
    ]
    return Program(seed, "\n".join(lines) + "\n", tuple(parameters), words.admits)


def block(maker: Maker, size: int, depth: int) -> list[str]:
    """Some statements; what they define is not known behind them."""
    known = {type: list(names) for type, names in maker.variables.items()}
    words = maker.words
    lines: list[str] = []
    for _ in range(maker.draw.randint(1, size)):
        choices = [*words.plain * 2, *words.compound] if depth else words.plain
        lines += maker.draw.choice(choices)(maker, depth)
    maker.variables = known
    return lines


def result(maker: Maker) -> str:
    """What a path returns: something of each of a few types."""
    types = ("int", "bool", "str", "list[int]", "tuple[int, int]", "float")
    return maker.expression(maker.one(*(type for type in types if type in maker.words.forms)), 1)


def indented(lines: list[str]) -> list[str]:
    """The lines, one level deeper."""
    return [INDENT + line if line else line for line in lines]


def classes(maker: Maker) -> list[str]:
    """The classes and helpers of a program; which subclass overrides what is drawn."""
    text = [*_HEADER]
    for cls in ("Left", "Right", "Leaf"):
        base = "Left" if cls == "Leaf" and maker.chance(70) else "Base"
        members = [f"limit = {maker.draw.randint(-1, 4)}"] if maker.chance(50) else []
        members += ["kind = 'k'"] if maker.chance(30) else []
        if maker.chance(50):
            members += ["def size(self) -> int:", f"{INDENT}return self.n {maker.one('+', '-', '*')} self.limit"]
        if maker.chance(30):
            members += [
                "@property",
                "def double(self) -> int:",
                f"{INDENT}return {maker.one('0', 'self.n', 'self.limit')}",
            ]
        if maker.chance(20):
            members += ["def grow(self, by: int) -> int:", f"{INDENT}return super().grow(by) + 1"]
        if maker.chance(15):
            members += ["def __bool__(self) -> bool:", f"{INDENT}return self.n > 1"]
        if maker.chance(15):
            members += [
                "def __eq__(self, other: object) -> bool:",
                f"{INDENT}return isinstance(other, Base) and self.n == other.n",
            ]
        text += [f"class {cls}({base}):", *indented(members or ["pass"]), "", ""]
    return [*text, *_HELPERS]


_HEADER = """\
from __future__ import annotations

import enum
import math
from dataclasses import dataclass

COUNT = 0


class Base:
    limit = 1
    kind = "base"

    def __init__(self, n: int, other: Base | None = None) -> None:
        self.n = n
        self.other = other

    def size(self) -> int:
        return self.n if self.n > self.limit else self.limit

    @property
    def double(self) -> int:
        return self.n * 2

    def grow(self, by: int) -> int:
        self.n += by
        return self.n

    def me(self) -> Base:
        return self


""".splitlines()
_HELPERS = """\
class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def rank(self) -> int:
        return 5 if self is Color.BLUE else 0


@dataclass
class Point:
    x: int
    y: int = 3

    def total(self) -> int:
        return self.x + self.y


class Box:
    def __init__(self, n: int) -> None:
        self.items = [n, n + 1]

    def __len__(self) -> int:
        return 2 if self.items[0] > 0 else 0

    def __iter__(self):
        yield from self.items


def twice(n: int, by: int = 2) -> int:
    return n * by if n > 0 else n


def many(*args: int, key: int = 0) -> int:
    return len(args) + key if args else -1


def upto(n: int):
    i = 0
    while i < n:
        yield i
        i += 1


def evens(items: list[int]):
    for item in items:
        if item % 2 == 0:
            yield item


def down(n: int) -> int:
    return 0 if n <= 0 else 1 + down(n - 1)


def counted() -> int:
    global COUNT
    COUNT += 1
    return COUNT
""".splitlines()

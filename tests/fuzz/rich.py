"""Programs with more of the language: `with`, descriptors, operators, diamonds, patterns, generators sent to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.programs import LEAVES, PARAMETERS, Maker, Statement, Vocabulary, classes, indented, read_forms, result
from tests.fuzz.statements import ORDINARY, assign, body

_PARAMETERS = PARAMETERS | {
    "Money": ("m", "w"),
    "Gauge": ("gauge",),
    "Version": ("version",),
    "Key": ("key",),
    "Level": ("level",),
    "Root": ("r",),
    "list[str]": ("names",),
    "int | str": ("u",),
}
_LEAVES: dict[str, Callable[[Maker], str]] = LEAVES | {
    "Money": lambda m: m.one("Money(1)", "Coin(2)", "Money(0)"),
    "Coin": lambda m: m.one("Coin(1)", "Coin(0)"),
    "Gauge": lambda m: m.one("Gauge(1)", "Gauge(0)"),
    "Version": lambda m: m.one("Version(1)", "Version(1, 2)", "Version(0, 1, [1])"),
    "Key": lambda m: m.one("Key('a')", "Key('', 2)"),
    "Level": lambda m: m.one("Level.LOW", "Level.HIGH"),
    "Root": lambda m: m.one("Root(1)", "North()", "South()", "Pole(2)"),
    "list[str]": lambda m: m.one("[]", "['a']", "['b', 'ab']"),
    "int | str": lambda m: m.one("0", "'a'", "2"),
}
_DRAWN = re.compile(r"<<(.*?)>>", re.S)
_MODULE = Path(__file__).with_name("rich_module.txt").read_text(encoding="utf-8")


def _module(maker: Maker) -> list[str]:
    """The classes and helpers; where the text offers several ways, one of them is drawn."""
    text = _DRAWN.sub(lambda found: maker.draw.choice(found[1].split("||")), _MODULE)
    lines = [*classes(maker), "", "", *text.splitlines()]
    wanted = {"from dataclasses import dataclass": "from dataclasses import dataclass, field, replace"}
    lines = [wanted.get(line, line) for line in lines]
    at = lines.index("import math")
    return [
        *lines[:at],
        "import functools",
        "import itertools",
        "import math",
        "from contextlib import contextmanager, nullcontext, suppress",
        *lines[at + 1 :],
    ]


def _with(maker: Maker, depth: int) -> list[str]:
    known = {type: list(names) for type, names in maker.variables.items()}
    manager = maker.one(
        f"Guard({maker.expression('int', 1)})",
        f"opened({maker.expression('int', 1)})",
        "suppress(IndexError, ValueError)",
        f"nullcontext({maker.expression('int', 1)})",
    )
    lines = [f"with {manager}:"]
    if manager.startswith(("opened", "nullcontext")) and maker.chance(60):
        lines = [f"with {manager} as {maker.name('int')}:"]
    if maker.chance(20):
        lines = [f"{lines[0][:-1]}, opened({maker.expression('int', 1)}) as {maker.name('int')}:"]
    lines += body(maker, depth)
    maker.variables = known
    return lines


def _match(maker: Maker, depth: int) -> list[str]:
    known = {type: list(names) for type, names in maker.variables.items()}
    subject = maker.one(*_PATTERNS)
    lines = [f"match {maker.expression(subject, 1)}:"]
    for _ in range(maker.draw.randint(1, 3)):
        pattern = maker.one(*_PATTERNS[subject])
        for type in re.findall(r"\{(int|str|list\[int\]|dict\[str, int\])\}", pattern):
            pattern = pattern.replace(f"{{{type}}}", maker.name(type), 1)
        guard = f" if {maker.expression('bool', 1)}" if maker.chance(30) or pattern.isidentifier() else ""
        lines += [f"    case {pattern}{guard}:", *indented(body(maker, depth))]
        maker.variables = {type: list(names) for type, names in known.items()}
    if maker.chance(40):
        lines += ["    case _:", *indented(body(maker, depth))]
    return lines


_PATTERNS = {
    "list[int]": (
        "[{int}, *{list[int]}]",
        "[*{list[int]}, 0]",
        "[{int}, *_, {int}]",
        "[1 | 2, *_]",
        "[] | [_]",
        "[_, _]",
    ),
    "list[str]": ("['a', *_]", "[{str}, {str}]", "[]", "['', {str}]"),
    "dict[str, int]": ("{'a': {int}, **{dict[str, int]}}", "{'a': 1 | 2}", "{'b': {int}, 'a': {int}}", "{}"),
    "Version": (
        "Version({int}, 0)",
        "Version(major=1, minor={int})",
        "Version(0)",
        "Version(tags=[{int}])",
        "Version(_, 1 | 2)",
    ),
    "Key": ("Key('a', {int})", "Key(name='' | 'b')", "Key(n={int}, name={str})"),
    "Level": ("Level.LOW", "Level.HIGH", "1"),
    "Money": ("Coin(n={int})", "Money(n=0)", "Coin() | Money(n=1)", "Money(rate=2, n={int})"),
    "Root": ("Pole(n={int})", "North()", "South(n=0 | 1)", "Root(n={int})"),
    "int | str": ("int({int})", "str({str})", "0 | 'a'", "int() | str()", "bool()"),
    "tuple[int, int]": ("({int}, *{list[int]})", "(0, _) | (_, 0)", "[{int}, 1]"),
    "Gauge": ("Gauge(level=0)", "Gauge(half={int})", "Gauge(missing={int})"),
}


def _store(maker: Maker, depth: int) -> list[str]:
    made = [
        form
        for form in (
            (
                maker.variable("list[int]"),
                f"[{maker.expression('int', 1)}] {maker.one('+=', '-=', '*=', '//=')} {maker.expression('int')}",
            ),
            (
                maker.variable("dict[str, int]"),
                f"[{maker.expression('str', 1)}] {maker.one('+=', '%=')} {maker.expression('int')}",
            ),
            (maker.variable("Gauge"), f".level {maker.one('=', '-=')} {maker.expression('int')}"),
            (maker.variable("Gauge"), f".half = {maker.expression('int')}"),
            (maker.variable("Version"), f".minor += {maker.expression('int')}"),
            (maker.variable("Version"), f".tags.append({maker.expression('int')})"),
            (maker.variable("Key"), f".n = {maker.expression('int')}"),
            (maker.variable("Money"), f" += {maker.expression('Money', 1)}"),
            (maker.variable("Money"), f".n *= {maker.expression('int')}"),
            (maker.variable("list[str]"), f".extend({maker.expression('list[str]')})"),
            (maker.variable("list[str]"), f"[{maker.expression('int', 1)}] += {maker.expression('str')}"),
            (maker.variable("set[int]"), f" {maker.one('|=', '-=', '&=')} {maker.expression('set[int]')}"),
            (maker.variable("dict[str, int]"), f" |= {maker.expression('dict[str, int]')}"),
            (maker.variable("dict[str, int]"), f".update(a={maker.expression('int')})"),
        )
        if form[0] is not None
    ]
    if not made:
        return assign(maker, depth)
    target, change = maker.draw.choice(made)
    return [f"{target}{change}"]


def _global(maker: Maker, depth: int) -> list[str]:
    """Reads and writes of module state, through a function of the module and through a class attribute."""
    if maker.chance(50):
        return [f"{maker.name('int')} = counted() + COUNT"]
    return [f"if counted() {maker.one('<', '>', '==')} {maker.expression('int', 1)}:", *body(maker, max(depth, 1))]


def _generator(maker: Maker, depth: int) -> list[str]:
    maker.fresh += 1
    made = f"gen{maker.fresh}"
    source = maker.one(
        "adding()", f"guarded({maker.expression('int', 1)})", f"delegating({maker.expression('int', 1)})"
    )
    lines = [f"{made} = {source}", f"{maker.name('int')} = next({made})"]
    for _ in range(maker.draw.randint(1, 2)):
        step = maker.one(
            f"{maker.name('int')} = {made}.send({maker.expression('int', 1)})",
            f"{maker.name('int')} = {made}.throw({maker.one('ValueError', 'KeyError')}({maker.expression('int', 1)}))",
            f"{made}.close()",
            f"{maker.name('list[int]')} = [*itertools.islice({made}, 2)]",
            f"{maker.name('int')} = next({made}, {maker.expression('int', 1)})",
        )
        lines.append(step)
    return lines


def _function(maker: Maker, depth: int) -> list[str]:
    """A function in a function that counts in the variables of both others."""
    maker.fresh += 1
    function, state = f"outer{maker.fresh}", f"n{maker.fresh}"
    condition = maker.expression("bool", 1)
    if ":=" in condition:
        condition = "True"
    first = maker.one("2", "*args[:1]", "kwargs.get('k', 1)")
    lines = [
        f"def {function}(*args: int, **kwargs: int) -> int:",
        f"    {state} = len(args)",
        f"    def step(by: int = {maker.draw.randint(0, 2)}) -> int:",
        f"        nonlocal {state}",
        f"        {state} {maker.one('+=', '-=', '*=')} by",
        f"        return {state} if {condition} else by",
        f"    return step({first}) + {maker.one('step()', state, 'len(kwargs)')}",
    ]
    call = maker.one(
        f"{maker.expression('int', 1)}", f"*{maker.expression('list[int]', 1)}", f"k={maker.expression('int', 1)}"
    )
    return [*lines, f"{maker.name('int')} = {function}({call})"]


def _overriding(maker: Maker, depth: int) -> list[str]:
    """A `finally` that may leave instead of what was on its way."""
    leave = f"return {result(maker)}" if not maker.in_loop or maker.chance(50) else maker.one("break", "return -7")
    lines = ["try:", *body(maker, depth)]
    if maker.chance(60):
        lines += [f"except {maker.one('LookupError', 'Exception', '(TypeError, ValueError)')}:", *body(maker, depth)]
        lines += ["else:", *body(maker, depth)] if maker.chance(50) else []
        if maker.chance(30):
            lines[lines.index("else:") if "else:" in lines else len(lines) :] = ["    raise RuntimeError('again')"]
    return [*lines, "finally:", f"    if {maker.expression('bool', 1)}:", f"        {leave}"]


_PLAIN: list[Statement] = [*ORDINARY.plain, _store, _store, _store]
_COMPOUND: list[Statement] = [
    *ORDINARY.compound,
    _with,
    _with,
    _match,
    _match,
    _generator,
    _function,
    _overriding,
    _global,
]
RICH = Vocabulary(
    _PARAMETERS, _LEAVES, read_forms("expressions.txt", "rich_expressions.txt"), _module, _PLAIN, _COMPOUND
)
"""More of what the language has."""

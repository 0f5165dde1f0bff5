"""The inputs that brute force tries: a few expressions for each type, evaluated anew for every run."""

from __future__ import annotations

import random
from itertools import product

from tests.fuzz.programs import FLOATS, TEXTS

MOST = 120
"""Inputs of one program."""
_OBJECTS = tuple(f"{cls}({n})" for cls in ("Base", "Left", "Right", "Leaf") for n in (-1, 0, 2))
VALUES: dict[str, tuple[str, ...]] = {
    "int": ("-4", "-1", "0", "1", "2", "3", "6"),
    "bool": ("False", "True"),
    "float": FLOATS,
    "str": tuple(map(repr, TEXTS)),
    "list[int]": ("[]", "[0]", "[3]", "[1, 2]", "[2, -1]", "[0, 0]"),
    "Base": (*_OBJECTS, "Base(1, Left(2))"),
    "Base | None": ("None", "Base(1)", "Left(2)", "Leaf(0)"),
    "Point": ("Point(0, 0)", "Point(1, 3)", "Point(-2, 5)"),
    "Color": ("Color.RED", "Color.BLUE"),
    "tuple[int, int]": ("(0, 0)", "(1, 2)", "(3, -1)"),
    "dict[str, int]": ("{}", "{'a': 1}", "{'b': 0, 'a': 4}", "{'ß': 2}"),
    "set[int]": ("set()", "{0}", "{1, 2}", "{-1, 3}"),
    "Money": ("Money(0)", "Money(2)", "Money(-1)", "Coin(0)", "Coin(1)", "Coin(3)"),
    "Gauge": ("Gauge(0)", "Gauge(1)", "Gauge(4)", "Gauge.of(-2)"),
    "Version": ("Version(0)", "Version(1, 0)", "Version(1, 2, [3])", "Version(-1, 1)"),
    "Key": ("Key('a')", "Key('', 0)", "Key('b', 4)"),
    "Level": ("Level.LOW", "Level.HIGH"),
    "Root": ("Root(0)", "Root(2)", "North(1)", "South(0)", "Pole(-1)", "Pole(3)"),
    "list[str]": ("[]", "['']", "['a']", "['b', 'a']", "['ß', 'ab']"),
    "int | str": ("0", "2", "-1", "''", "'a'", "'ß'"),
    "bytes": ("b''", "b'a'", "b'\\xff'", "b'ab'"),
    "int | None": ("None", "0", "1", "-2", "4"),
    "list[float]": ("[]", "[1.5]", "[-0.0, 0.0]", "[float('nan')]", "[2.5, -1.0]"),
    "list[list[int]]": ("[]", "[[]]", "[[1]]", "[[2, 0], []]", "[[0], [3]]"),
    "tuple[int, ...]": ("()", "(0,)", "(1, 2)", "(3, -1)"),
    "dict[str, list[int]]": ("{}", "{'a': []}", "{'a': [1, 2]}", "{'b': [0], 'a': [3]}"),
    "frozenset[int]": ("frozenset()", "frozenset({0})", "frozenset({1, 2})", "frozenset({-1, 3})"),
    "Shape": ("Shape('a')", "Shape('', 0)", "Shape('b', 3)", "Square('a', 2)", "Square('ß', 0, [1])"),
    "Pos": ("Pos(0)", "Pos(1, 2)", "Pos(-1, 3)"),
    "Node": ("Node(0)", "Node(2)", "Node(1, Node(0))", "Node(-1, Node(2))"),
    "Grade": ("Grade(0)", "Grade(2)", "Grade(3)", "Honours(1)", "Honours(0)"),
    "Stack": ("Stack()", "Stack(1)", "Stack(0, 2)", "Stack(limit=0)", "Loud(3, limit=1)"),
    "Base3": ("Cheap()", "Dear()", "Dear(3)"),
    "Pair": ("Pair(0)", "Pair(1, 2)", "Pair(3, -1)"),
    "Mode": ("Mode.READ", "Mode.WRITE", "Mode.BOTH", "Mode(0)"),
    "Suit": ("Suit.HEART", "Suit.SPADE"),
    "Step": ("Step.ONE", "Step.TWO"),
}


def inputs(parameters: tuple[tuple[str, str], ...], seed: int) -> list[str]:
    """Calls of `f` as text, some with the same object for two parameters."""
    draw = random.Random(seed)
    choices = [VALUES[type] for _, type in parameters]
    total = 1
    for each in choices:
        total *= len(each)
    if total <= MOST:
        chosen = list(product(*choices))
    else:
        chosen = [tuple(draw.choice(each) for each in choices) for _ in range(MOST)]
    calls = [f"f({', '.join(values)})" for values in chosen]
    kinds = [type.partition(" |")[0] for _, type in parameters]
    for kind in {kind for kind in kinds if kinds.count(kind) > 1 and kind in ("Base", "list[int]")}:
        shared = [["same" if mine == kind else value for mine, value in zip(kinds, values)] for values in chosen[::8]]
        calls += [f"(lambda same: f({', '.join(each)}))({draw.choice(VALUES[kind])})" for each in shared]
    return list(dict.fromkeys(calls))

"""Programs as people write them every day: state that is kept, records that inherit, handlers in handlers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.programs import FLOATS, Maker, Statement, Vocabulary, indented, read_forms, result
from tests.fuzz.statements import again, assign, augmented, body, branch, loop, looped, tried

_ODD = "ß İ ǅ e\u0301 \U0001f600 ﬁ ² ٣ ½".split(" ")
TEXTS = ("", "a", "b", "ab", "aXb", *_ODD, "\u2028", "\x1c", " a ", "1", "-7", "a\tb")
_PARAMETERS = {
    "int": ("a", "b"),
    "bool": ("flag",),
    "float": ("x", "y"),
    "str": ("s", "t"),
    "bytes": ("raw",),
    "int | None": ("maybe",),
    "list[int]": ("xs", "ys"),
    "list[str]": ("names",),
    "list[float]": ("weights",),
    "list[list[int]]": ("rows",),
    "tuple[int, ...]": ("many",),
    "dict[str, int]": ("d",),
    "dict[str, list[int]]": ("groups",),
    "frozenset[int]": ("ids",),
    "Shape": ("shape", "other"),
    "Pos": ("pos",),
    "Node": ("node",),
    "Grade": ("grade",),
    "Stack": ("stack",),
    "Base3": ("plan",),
    "Pair": ("pair",),
    "Mode": ("mode",),
    "Suit": ("suit",),
    "Step": ("step",),
}
_LEAVES: dict[str, Callable[[Maker], str]] = {
    "int": lambda m: str(m.draw.randint(-3, 5)),
    "bool": lambda m: m.one("True", "False"),
    "float": lambda m: m.one(*FLOATS),
    "str": lambda m: repr(m.one("", "a", "b", "ab") if m.chance(50) else m.one(*TEXTS)),
    "bytes": lambda m: m.one("b''", "b'a'", "b'\\xff'"),
    "int | None": lambda m: m.one("None", "0", "3"),
    "list[int]": lambda m: m.one("[]", "[1]", "[2, 0]", "[3, -1, 2]"),
    "list[str]": lambda m: m.one("[]", "['a']", "['b', 'ab']"),
    "list[float]": lambda m: m.one("[]", "[0.5]", "[-0.0, 2.0]"),
    "list[list[int]]": lambda m: m.one("[]", "[[]]", "[[1], [0, 2]]"),
    "tuple[int, ...]": lambda m: m.one("()", "(1,)", "(0, 2)"),
    "dict[str, int]": lambda m: m.one("{}", "{'a': 1}", "{'b': 0, 'ß': 2}"),
    "dict[str, list[int]]": lambda m: m.one("{}", "{'a': [1]}"),
    "frozenset[int]": lambda m: m.one("frozenset()", "frozenset({1, 2})"),
    "Shape": lambda m: m.one("Shape('a')", "Square('b', 2)", "Shape('', 0)"),
    "Pos": lambda m: m.one("Pos(1)", "Pos(0, 2)"),
    "Node": lambda m: m.one("Node(1)", "Node(0, Node(2))"),
    "Grade": lambda m: m.one("Grade(1)", "Honours(2)", "Grade(0)"),
    "Stack": lambda m: m.one("Stack(1)", "Stack()", "Loud(limit=1)"),
    "Base3": lambda m: m.one("Cheap()", "Dear()"),
    "Pair": lambda m: m.one("Pair(1)", "Pair(0, 2)"),
    "Mode": lambda m: m.one("Mode.READ", "Mode.BOTH", "Mode(0)"),
    "Suit": lambda m: m.one("Suit.HEART", "Suit.SPADE"),
    "Step": lambda m: m.one("Step.ONE", "Step.TWO"),
}
_DRAWN = re.compile(r"<<(.*?)>>(?!>)", re.S)
_MODULE = Path(__file__).with_name("everyday_module.txt").read_text(encoding="utf-8")
_RAISED = ("Refused({})", "Late({})", "ValueError({})", "KeyError({})", "ZeroDivisionError({})", "StopIteration({})")
_CAUGHT = ("Refused", "Late", "(ValueError, KeyError)", "LookupError", "ArithmeticError", "Exception", "TypeError")


def _module(maker: Maker) -> list[str]:
    """The classes and helpers; where the text offers several ways, one of them is drawn."""
    return _DRAWN.sub(lambda found: maker.draw.choice(found[1].split("||")), _MODULE).splitlines()


def _kept(maker: Maker) -> dict[str, list[str]]:
    return {type: list(names) for type, names in maker.variables.items()}


def _changes(maker: Maker) -> list[tuple[str, str]]:
    """(type of the target, what is done to it)"""
    number, small, text = maker.expression("int"), maker.expression("int", 1), maker.expression("str", 1)
    numbers = maker.expression("list[int]", 1)
    return [
        ("list[int]", f".append({number})"),
        ("list[int]", f"[{small}] {maker.one('=', '+=', '%=')} {number}"),
        ("list[int]", f"[::{maker.one('2', '-1', small)}] = {numbers}"),
        ("list[int]", f"[{small}:{small}] = {numbers}"),
        ("list[int]", f".extend({maker.one('{}', 'z for z in {} if z', 'reversed({})').format(numbers)})"),
        ("list[int]", f".sort({maker.one('', 'reverse=True', 'key=lambda z: -z')})"),
        ("list[int]", f".remove({small})"),
        ("list[int]", ".reverse()"),
        ("list[str]", f".insert({small}, {text})"),
        ("list[list[int]]", f"[{small}].append({number})"),
        ("list[list[int]]", f".append({numbers})"),
        ("dict[str, int]", f"[{text}] {maker.one('=', '-=', '//=')} {number}"),
        ("dict[str, int]", f".update({maker.expression('dict[str, int]', 1)})"),
        ("dict[str, int]", f".pop({text})"),
        ("dict[str, list[int]]", f".setdefault({text}, []).append({number})"),
        ("Shape", f".size {maker.one('=', '+=', '**=')} {number}"),
        ("Shape", f".name += {text}"),
        ("Shape", f".made = {number}"),
        ("Pos", f".x = {number}"),
        ("Node", f".value -= {number}"),
        ("Node", f".next = {maker.expression('Node', 1)}"),
        ("Node", f".extra = {number}"),
        ("Grade", f".points = {number}"),
        ("Grade", f".best = {small}"),
        ("Stack", f".top {maker.one('=', '+=')} {number}"),
        ("Stack", f"[{small}] = {number}"),
        ("Stack", f".push({number})"),
        ("Stack", f".limit = {maker.expression('int | None', 1)}"),
        ("Pair", f" += ({number},)"),
        ("Mode", f" |= {maker.expression('Mode', 1)}"),
    ]


def _change(maker: Maker, depth: int) -> list[str]:
    made = [(target, change) for type, change in _changes(maker) if (target := maker.variable(type)) is not None]
    if not made:
        return assign(maker, depth)
    return ["".join(maker.draw.choice(made))]


def _state(maker: Maker, depth: int) -> list[str]:
    """Module and class state that outlives the call."""
    number, text = maker.expression("int", 1), maker.expression("str", 1)
    return [
        maker.one(
            f"LOG.append({number})",
            f"TABLE[{text}] = {number}",
            f"TABLE.pop({text}, None)",
            f"SEEN.add({text})",
            f"Stack.created += {number}",
            f"Shape.made = {number}",
            f"Grade.best = {number}",
            f"Base3.registry['Cheap'] = {number}",
            "LOG.clear()",
        )
    ]


def _delete(maker: Maker, depth: int) -> list[str]:
    small = maker.expression("int", 1)
    choices = [
        ("list[int]", f"[{small}]"),
        ("list[int]", f"[{small}::{maker.one('2', '-1')}]"),
        ("list[int]", f"[:{small}]"),
        ("dict[str, int]", f"[{maker.expression('str', 1)}]"),
        ("Stack", ".top"),
        ("Stack", f"[{small}]"),
        ("Node", ".next"),
    ]
    made = [(target, what) for type, what in choices if (target := maker.variable(type)) is not None]
    return [f"del {''.join(maker.draw.choice(made))}"] if made else assign(maker, depth)


def _unpack(maker: Maker, depth: int) -> list[str]:
    kind = maker.draw.randrange(7)
    numbers = maker.expression("list[int]", 1)
    first, second = maker.expression("int", 1), maker.expression("int", 1)
    if kind == 0:
        known = maker.variables.get("int", [])
        one, two = maker.draw.choice(known), maker.draw.choice(known)
        return [f"{one}, {two} = {two}, {one}"]
    if kind == 1:
        return [f"{maker.name('int')}, *{maker.name('list[int]')}, {maker.name('int')} = {numbers}"]
    if kind == 2:
        value = f"{first}, ({second}, *{numbers})"
        return [f"{maker.name('int')}, ({maker.name('int')}, *{maker.name('list[int]')}) = {value}"]
    if kind == 3:
        return [f"{maker.name('list[int]')} = {maker.name('list[int]')} = {numbers}"]
    if kind == 4:
        pair = maker.expression("Pair", 1)
        return [f"{maker.name('int')}, {maker.name('int')} = {pair}"]
    if kind == 5:
        text = maker.expression("str", 1)
        return [f"{maker.name('str')}, _, {maker.name('str')} = {text}.partition({maker.expression('str', 1)})"]
    held = maker.name("tuple[int, ...]")
    maker.variables["tuple[int, ...]"].remove(held)
    return [f"{held} = ({numbers}, {first})", f"{held}[{maker.one('0', '1')}] += [{second}]"]


def _leave(maker: Maker, depth: int) -> list[str]:
    if depth == 2:
        return assign(maker, depth)
    if maker.in_loop and maker.chance(50):
        return [f"if {maker.expression('bool')}:", f"    {maker.one('break', 'continue')}"]
    if maker.chance(50):
        raised = f"raise {maker.one(*_RAISED).format(maker.expression('int', 1))}"
        return [raised] if maker.chance(30) else [f"if {maker.expression('bool')}:", f"    {raised}"]
    return [f"return {result(maker)}"]


def _for(maker: Maker, depth: int) -> list[str]:
    known = _kept(maker)
    numbers, small = maker.expression("list[int]", 1), maker.expression("int", 1)
    kind = maker.draw.randrange(9)
    if kind == 0:
        head = f"{maker.name('int')} in range({small}, {maker.expression('int', 1)}, {maker.one('1', '-1', '2')})"
    elif kind == 1:
        head = f"{maker.name('int')}, {maker.name('int')} in enumerate({numbers}, start={small})"
    elif kind == 2:
        other = maker.expression("list[int]", 1)
        strict = maker.one("", ", strict=True")
        head = f"{maker.name('int')}, {maker.name('int')} in zip({numbers}, {other}{strict})"
    elif kind == 3:
        mapping = maker.expression("dict[str, int]", 1)
        listed = maker.one("{}.items()", "sorted({}.items())", "list({}.items())").format(mapping)
        head = f"{maker.name('str')}, {maker.name('int')} in {listed}"
    elif kind == 4:
        head = f"{maker.name('str')} in {maker.expression(maker.one('str', 'list[str]', 'dict[str, int]'), 1)}"
    elif kind == 5:
        head = f"{maker.name('int')} in {maker.expression(maker.one('Stack', 'Node', 'Pair', 'tuple[int, ...]'), 1)}"
    elif kind == 6:
        head = f"{maker.name('list[int]')} in {maker.expression('list[list[int]]', 1)}"
    elif kind == 7:
        source = maker.one(f"Countdown({small})", "relay(2)", f"flat([{small}, {numbers}])", "running()")
        head = f"{maker.name('int')} in {source}"
    else:
        head = f"{maker.name('int')} in {maker.one('{}', '{}[:]', 'reversed({})', '{}[::-1]').format(numbers)}"
    lines = [f"for {head}:", *looped(maker, depth)]
    if maker.chance(30):
        lines += ["else:", *body(maker, depth)]
    maker.variables = known
    return lines


def _nested_try(maker: Maker, depth: int) -> list[str]:
    """Handlers one after the other, with `else` and `finally`, that raise again, something else, or nothing."""
    known = _kept(maker)
    lines = ["try:", *body(maker, depth)]
    if maker.chance(50):
        raised = maker.one(*_RAISED).format(maker.expression("int", 1))
        lines += [f"    if {maker.expression('bool', 1)}:", f"        raise {raised}"]
    for caught in maker.draw.sample(_CAUGHT, maker.draw.randint(1, 2)):
        named = maker.chance(50)
        lines += [f"except {caught}{' as error' if named else ''}:", *body(maker, depth)]
        if named:
            told = maker.one(
                "LOG.append(len(error.args))",
                "{} = str(error)",
                "raise RuntimeError(str(error)) from error",
                "LOG.append(getattr(error, 'code', -1))",
                "if isinstance(error, Refused) and error.code: raise",
            )
            lines.append("    " + (told.format(maker.name("str")) if "{}" in told else told))
        maker.variables = {type: list(names) for type, names in known.items()}
    if maker.chance(40):
        lines += ["else:", *body(maker, depth)]
    if maker.chance(40):
        lines += ["finally:", *body(maker, depth)]
    maker.variables = known
    return lines


def _with(maker: Maker, depth: int) -> list[str]:
    known = _kept(maker)
    small = maker.expression("int", 1)
    kind = maker.draw.randrange(5)
    if kind == 0:
        lines = [f"with {maker.expression('Stack', 1)} as {maker.name('Stack')}:"]
    elif kind == 1:
        lines = [f"with logged({small}) as shown:", "    LOG.append(shown is None)"]
    elif kind == 2:
        lines = [f"with suppress({maker.one('LookupError', 'Refused, ValueError', 'Exception')}), logged({small}):"]
    elif kind == 3:
        kept = maker.one("logged(1)", f"suppress({maker.one('KeyError', 'Late')})", "Stack(limit=2)")
        lines = [
            "with ExitStack() as exits:",
            f"    exits.enter_context({kept})",
            f"    exits.callback(LOG.append, {small})",
        ]
    else:
        lines = [
            f"with closing(relay({small})) as relayed:",
            f"    {maker.name('int')} = next(relayed, {small})",
        ]
    lines += body(maker, depth)
    maker.variables = known
    return lines


_PATTERNS = {
    "list[int]": (
        "[{int}, *{list[int]}]",
        "[*{list[int]}, {int}]",
        "[{int}, _, *_]",
        "[0 | 1, *{list[int]}, -1]",
        "[]",
    ),
    "list[list[int]]": ("[[{int}], *_]", "[[], *_]", "[{list[int]}, {list[int]}]", "[[*_, {int}]]"),
    "list[str]": ("['a' | 'b', *{list[str]}]", "[{str}]", "['', *_, {str}]"),
    "tuple[int, ...]": ("()", "({int},)", "({int}, *_, {int})"),
    "dict[str, int]": ("{'a': {int}, 'b': 0}", "{'a': {int}, **{dict[str, int]}}", "{'ß': _}", "{}"),
    "dict[str, list[int]]": ("{'a': [{int}, *_]}", "{'a': []}", "{'b': {list[int]}}"),
    "int | None": ("None", "0", "int({int})", "{int}"),
    "int": ("0 | 1", "True", "-1", "{int}"),
    "str": ("'a' | 'ß'", "''", "str({str})"),
    "float": ("0.0", "1.5", "float({float})"),
    "Shape": ("Square(size={int})", "Shape('a', {int})", "Shape(name='' | 'b')", "Square(corners=[{int}, *_])"),
    "Pos": ("Pos(0, {int})", "Pos({int}, 0)", "Pos(x=1)", "Pos(x={int}, y={int})"),
    "Node": ("Node(value={int}, next=None)", "Node(next=Node(value=0))", "Node(value=1 | 2)"),
    "Grade": ("Honours(points={int})", "Grade(points=0)", "Grade(best=3)"),
    "Pair": ("Pair(0, {int})", "({int}, 2)", "Pair(left={int})", "[{int}, *_]"),
    "Mode": ("Mode.READ", "Mode.BOTH", "0"),
    "Suit": ("Suit.HEART", "'s'", "str({str})"),
    "Step": ("Step.ONE", "Step(number=2)"),
}


def _match(maker: Maker, depth: int) -> list[str]:
    known = _kept(maker)
    subject = maker.one(*_PATTERNS)
    lines = [f"match {maker.expression(subject, 1)}:"]
    for _ in range(maker.draw.randint(1, 3)):
        pattern = maker.one(*_PATTERNS[subject])
        for type in re.findall(r"\{(int|str|float|list\[int\]|list\[str\]|dict\[str, int\])\}", pattern):
            pattern = pattern.replace(f"{{{type}}}", maker.name(type), 1)
        guard = f" if {maker.expression('bool', 1)}" if maker.chance(30) or pattern.isidentifier() else ""
        lines += [f"    case {pattern}{guard}:", *indented(body(maker, depth))]
        maker.variables = {type: list(names) for type, names in known.items()}
    if maker.chance(40):
        lines += ["    case _:", *indented(body(maker, depth))]
    maker.variables = known
    return lines


def _nested_function(maker: Maker, depth: int) -> list[str]:
    """A function that changes a variable of this one, called where its answer may not be needed."""
    maker.fresh += 1
    begins, condition = maker.expression("int", 1), maker.expression("bool", 1)
    function, count = f"inner{maker.fresh}", maker.name("int")
    if ":=" in condition:
        condition = f"{count} > 1"
    lines = [
        f"{count} = {begins}",
        f"def {function}(n: int, *more: int, keep: bool = {maker.one('True', 'False')}, **rest: int) -> int:",
        f"    nonlocal {count}",
        f"    if {maker.one('keep', 'more', 'rest', 'n > 0')}:",
        f"        {count} {maker.one('+=', '-=', '*=')} n",
        f"    return {maker.one(count, 'n', 'sum(more)', 'len(rest)')} if {condition} else {count}",
    ]
    one = f"{function}({maker.expression('int', 1)})"
    call = maker.one(
        f"{function}({maker.expression('int', 1)}, keep={maker.expression('bool', 1)})",
        f"{function}(*{maker.expression('list[int]', 1)})",
        f"{function}(1, z={maker.expression('int', 1)})",
    )
    used = maker.one(f"{one} + {call}", f"{one} and {call}", f"({one} or {call}) - {count}", f"max({one}, {call})")
    return [*lines, f"{maker.name('int')} = {used}"]


def _sent(maker: Maker, depth: int) -> list[str]:
    """A generator that is driven step by step, and whose answer is what ends it."""
    maker.fresh += 1
    made, small = f"gen{maker.fresh}", maker.expression("int", 1)
    lines = [f"{made} = {maker.one('running()', f'relay({small})')}", f"{maker.name('int')} = next({made})"]
    steps = {
        f"{made}.send({maker.one('None', small)})": "int",
        f"{made}.throw(ValueError({small}))": "int",
        f"{made}.close()": "",
        f"list({made})": "list[int]",
    }
    for step in maker.draw.sample(list(steps), maker.draw.randint(1, 2)):
        lines.append(f"{maker.name(steps[step])} = {step}" if steps[step] else step)
    if maker.chance(50):
        value = maker.name("int")
        caught = ["try:", f"    {value} = {made}.send({small})", "except StopIteration as stop:"]
        lines += [*caught, f"    {value} = {maker.one('stop.value', 'len(stop.args)')} or 0"]
    return lines


_PLAIN: list[Statement] = [assign, again, augmented, _change, _change, _state, _delete, _unpack, _leave, _leave]
_COMPOUND: list[Statement] = [
    branch,
    branch,
    branch,
    _for,
    _for,
    loop,
    tried,
    _nested_try,
    _nested_try,
    _with,
    _match,
    _match,
    _nested_function,
    _sent,
]
EVERYDAY = Vocabulary(
    _PARAMETERS,
    _LEAVES,
    read_forms("everyday_expressions.txt"),
    _module,
    _PLAIN,
    _COMPOUND,
    most_types=5,
    tries=4,
    admits=("unstable", "types"),
)
"""What people write every day."""

"""The statements of random programs."""

from __future__ import annotations

from tests.fuzz.programs import (
    LEAVES,
    PARAMETERS,
    Maker,
    Statement,
    Vocabulary,
    block,
    classes,
    indented,
    read_forms,
    result,
)

_ERRORS = ("ValueError", "IndexError", "ZeroDivisionError", "KeyError", "TypeError", "AttributeError", "Exception")


def body(maker: Maker, depth: int) -> list[str]:
    return indented(block(maker, 2, depth - 1))


def assign(maker: Maker, depth: int) -> list[str]:
    type = maker.draw.choice(sorted(maker.variables if maker.chance(70) else maker.words.parameters))
    value = maker.expression(type)
    return [f"{maker.name(type)} = {value}"]


def again(maker: Maker, depth: int) -> list[str]:
    type = maker.draw.choice(sorted(maker.variables))
    known = maker.variable(type)
    return [f"{known} = {maker.expression(type)}"] if known else assign(maker, depth)


def augmented(maker: Maker, depth: int) -> list[str]:
    type, operators = maker.draw.choice(
        [("int", ("+", "-", "*", "//", "%")), ("str", ("+",)), ("list[int]", ("+",)), ("float", ("+", "*"))]
    )
    known = maker.variable(type)
    return [f"{known} {maker.one(*operators)}= {maker.expression(type)}"] if known else assign(maker, depth)


def _change(maker: Maker, depth: int) -> list[str]:
    made = [
        form
        for form in (
            (maker.variable("Base"), f".n = {maker.expression('int')}"),
            (maker.variable("Base"), f".limit = {maker.expression('int')}"),
            (maker.variable("Base"), f".other = {maker.expression('Base | None')}"),
            (maker.variable("list[int]"), f".append({maker.expression('int')})"),
            (maker.variable("list[int]"), f"[{maker.expression('int')}] = {maker.expression('int')}"),
            (maker.variable("list[int]"), f"[{maker.expression('int', 1)}:] = {maker.expression('list[int]')}"),
            (maker.variable("list[int]"), f".insert({maker.expression('int')}, 1)"),
            (maker.variable("dict[str, int]"), f"[{maker.expression('str')}] = {maker.expression('int')}"),
            (maker.variable("set[int]"), f".add({maker.expression('int')})"),
            (maker.variable("set[int]"), f".discard({maker.expression('int')})"),
            (maker.variable("Point"), f".x += {maker.expression('int')}"),
        )
        if form[0] is not None
    ]
    if not made:
        return assign(maker, depth)
    target, change = maker.draw.choice(made)
    return [f"{target}{change}"]


def _delete(maker: Maker, depth: int) -> list[str]:
    items = maker.variable("list[int]")
    if items is not None and maker.chance(60):
        return [f"del {items}[{maker.expression('int', 1)}]"]
    local = [name for name in maker.variables.get("int", ()) if name.startswith("v")]
    if not local or not maker.chance(40):
        return assign(maker, depth)
    return [f"if {maker.expression('bool')}:", f"    del {maker.draw.choice(local)}"]


def _unpack(maker: Maker, depth: int) -> list[str]:
    if maker.chance(50):
        value = maker.expression("tuple[int, int]")
        return [f"{maker.name('int')}, {maker.name('int')} = {value}"]
    value = maker.expression("list[int]")
    return [f"{maker.name('int')}, *{maker.name('list[int]')} = {value}"]


def _leave(maker: Maker, depth: int) -> list[str]:
    if depth == 2:
        return assign(maker, depth)
    if maker.in_loop and maker.chance(50):
        return [f"if {maker.expression('bool')}:", f"    {maker.one('break', 'continue')}"]
    if maker.chance(30):
        raised = f"raise {maker.one(*_ERRORS)}({maker.expression('int', 1)})"
        return [raised] if maker.chance(40) else [f"if {maker.expression('bool')}:", f"    {raised}"]
    if maker.chance(20):
        return [f"assert {maker.expression('bool')}, {maker.expression('int', 1)}"]
    return [f"return {result(maker)}"]


def branch(maker: Maker, depth: int) -> list[str]:
    lines = [f"if {maker.expression('bool')}:", *body(maker, depth)]
    if maker.chance(30):
        lines += [f"elif {maker.expression('bool')}:", *body(maker, depth)]
    if maker.chance(50):
        lines += ["else:", *body(maker, depth)]
    return lines


def looped(maker: Maker, depth: int) -> list[str]:
    before, maker.in_loop = maker.in_loop, True
    lines = body(maker, depth)
    maker.in_loop = before
    return lines


def _for(maker: Maker, depth: int) -> list[str]:
    known = {type: list(names) for type, names in maker.variables.items()}
    kind = maker.draw.randrange(6)
    if kind == 0:
        over = f"range({maker.expression('int', 1)})"
    elif kind == 1:
        over = f"upto({maker.expression('int', 1)})"
    elif kind == 2:
        over = f"sorted({maker.expression('set[int]', 1)})"
    else:
        over = maker.expression("list[int]", 1)
    target = maker.name("int")
    if kind == 4:
        target, over = f"{target}, {maker.name('int')}", f"enumerate({over})"
    elif kind == 5:
        target, over = maker.name("str"), maker.expression("str", 1)
    lines = [f"for {target} in {over}:", *looped(maker, depth)]
    if maker.chance(25):
        lines += ["else:", *body(maker, depth)]
    maker.variables = known
    return lines


def loop(maker: Maker, depth: int) -> list[str]:
    counter = maker.name("int")
    condition = f"{counter} < {maker.expression('int', 1)}"
    if maker.chance(40):
        condition += f" {maker.one('and', 'or')} {maker.expression('bool', 1)} and {counter} < 3"
    again = looped(maker, depth)
    lines = [f"{counter} = 0", f"while {condition}:", f"    {counter} += 1", *again]
    return [*lines, "else:", *body(maker, depth)] if maker.chance(25) else lines


def tried(maker: Maker, depth: int) -> list[str]:
    lines = ["try:", *body(maker, depth)]
    caught = maker.chance(80)
    if caught:
        classes = maker.one("Exception", "(ValueError, IndexError)", "ZeroDivisionError", "LookupError")
        named = maker.chance(30)
        lines += [f"except {classes}{' as error' if named else ''}:", *body(maker, depth)]
        lines += ["    str(error)"] if named else []
        if maker.chance(30):
            lines += ["else:", *body(maker, depth)]
    if not caught or maker.chance(35):
        lines += ["finally:", *body(maker, depth)]
    return lines


def _match(maker: Maker, depth: int) -> list[str]:
    known = {type: list(names) for type, names in maker.variables.items()}
    type = maker.one("int", "list[int]", "tuple[int, int]", "str", "Base", "Color", "Point", "dict[str, int]")
    lines = [f"match {maker.expression(type, 1)}:"]
    for _ in range(maker.draw.randint(1, 3)):
        case = _pattern(maker, type)
        guard = f" if {maker.expression('bool', 1)}" if maker.chance(30) or case.isidentifier() else ""
        lines += [f"    case {case}{guard}:", *indented(body(maker, depth))]
        maker.variables = {type: list(names) for type, names in known.items()}
    if maker.chance(50):
        lines += ["    case _:", *indented(body(maker, depth))]
    return lines


def _pattern(maker: Maker, type: str) -> str:
    name = maker.name("int")
    simple = {
        "int": ("0", "1 | 2", "-1", f"{name} if {name} > 2", "int()"),
        "list[int]": ("[]", f"[{name}]", f"[{name}, *_]", f"[_, {name}]", f"[1, {name}, *_]", "[*_, 0]"),
        "tuple[int, int]": (f"(0, {name})", f"({name}, 1 | 2)", "(1, _)"),
        "str": ("'a'", "'' | 'ß'", "str()"),
        "Base": (f"Left(n={name})", "Right()", f"Base(n={name}, other=None)", "Leaf(n=0) | Right(n=1)"),
        "Color": ("Color.RED", "Color.BLUE"),
        "Point": (f"Point(0, {name})", f"Point(x={name})", "Point(y=3)"),
        "dict[str, int]": (f"{{'a': {name}}}", f"{{'a': {name}, **_rest}}", "{'b': 0}"),
    }[type]
    chosen = maker.one(*simple)
    if name not in chosen:
        maker.variables["int"].remove(name)
    if " if " in chosen:
        chosen = name
    return chosen


def _closure(maker: Maker, depth: int) -> list[str]:
    known = maker.variable("int")
    if known is None:
        return assign(maker, depth)
    maker.fresh += 1
    function = f"inner{maker.fresh}"
    head = [f"def {function}(z: int = {maker.draw.randint(0, 2)}) -> int:"]
    inner = [f"nonlocal {known}", f"{known} {maker.one('+', '-', '*')}= z"] if maker.chance(60) else []
    condition = maker.expression("bool", 1)
    inner += [f"return {known} if {condition} else z"]
    if ":=" in condition:
        inner = [f"return {known} + z"]
    return [*head, *indented(inner), f"{maker.name('int')} = {function}({maker.expression('int', 1)}) + {function}()"]


_PLAIN: list[Statement] = [assign, again, augmented, _change, _unpack, _delete, _leave, _leave]
_COMPOUND: list[Statement] = [branch, branch, branch, _for, loop, tried, tried, _match, _match, _closure]
ORDINARY = Vocabulary(PARAMETERS, LEAVES, read_forms("expressions.txt"), classes, _PLAIN, _COMPOUND)
"""What most programs have."""

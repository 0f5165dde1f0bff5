"""The statements of random programs."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.programs import PARAMETERS, Maker, indented, result

_ERRORS = ("ValueError", "IndexError", "ZeroDivisionError", "KeyError", "TypeError", "AttributeError", "Exception")


def block(maker: Maker, size: int, depth: int) -> list[str]:
    """Some statements; what they define is not known behind them."""
    known = {type: list(names) for type, names in maker.variables.items()}
    lines: list[str] = []
    for _ in range(maker.draw.randint(1, size)):
        choices = [*_PLAIN * 2, *_COMPOUND] if depth else _PLAIN
        lines += maker.draw.choice(choices)(maker, depth)
    maker.variables = known
    return lines


def _body(maker: Maker, depth: int) -> list[str]:
    return indented(block(maker, 2, depth - 1))


def _assign(maker: Maker, depth: int) -> list[str]:
    type = maker.draw.choice(sorted(maker.variables if maker.chance(70) else PARAMETERS))
    value = maker.expression(type)
    return [f"{maker.name(type)} = {value}"]


def _again(maker: Maker, depth: int) -> list[str]:
    type = maker.draw.choice(sorted(maker.variables))
    known = maker.variable(type)
    return [f"{known} = {maker.expression(type)}"] if known else _assign(maker, depth)


def _augmented(maker: Maker, depth: int) -> list[str]:
    type, operators = maker.draw.choice(
        [("int", ("+", "-", "*", "//", "%")), ("str", ("+",)), ("list[int]", ("+",)), ("float", ("+", "*"))]
    )
    known = maker.variable(type)
    return [f"{known} {maker.one(*operators)}= {maker.expression(type)}"] if known else _assign(maker, depth)


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
        return _assign(maker, depth)
    target, change = maker.draw.choice(made)
    return [f"{target}{change}"]


def _delete(maker: Maker, depth: int) -> list[str]:
    items = maker.variable("list[int]")
    if items is not None and maker.chance(60):
        return [f"del {items}[{maker.expression('int', 1)}]"]
    local = [name for name in maker.variables.get("int", ()) if name.startswith("v")]
    if not local or not maker.chance(40):
        return _assign(maker, depth)
    return [f"if {maker.expression('bool')}:", f"    del {maker.draw.choice(local)}"]


def _unpack(maker: Maker, depth: int) -> list[str]:
    if maker.chance(50):
        value = maker.expression("tuple[int, int]")
        return [f"{maker.name('int')}, {maker.name('int')} = {value}"]
    value = maker.expression("list[int]")
    return [f"{maker.name('int')}, *{maker.name('list[int]')} = {value}"]


def _leave(maker: Maker, depth: int) -> list[str]:
    if depth == 2:
        return _assign(maker, depth)
    if maker.in_loop and maker.chance(50):
        return [f"if {maker.expression('bool')}:", f"    {maker.one('break', 'continue')}"]
    if maker.chance(30):
        raised = f"raise {maker.one(*_ERRORS)}({maker.expression('int', 1)})"
        return [raised] if maker.chance(40) else [f"if {maker.expression('bool')}:", f"    {raised}"]
    if maker.chance(20):
        return [f"assert {maker.expression('bool')}, {maker.expression('str', 1)}"]
    return [f"return {result(maker)}"]


def _if(maker: Maker, depth: int) -> list[str]:
    lines = [f"if {maker.expression('bool')}:", *_body(maker, depth)]
    if maker.chance(30):
        lines += [f"elif {maker.expression('bool')}:", *_body(maker, depth)]
    if maker.chance(50):
        lines += ["else:", *_body(maker, depth)]
    return lines


def _looped(maker: Maker, depth: int) -> list[str]:
    before, maker.in_loop = maker.in_loop, True
    body = _body(maker, depth)
    maker.in_loop = before
    return body


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
    lines = [f"for {target} in {over}:", *_looped(maker, depth)]
    if maker.chance(25):
        lines += ["else:", *_body(maker, depth)]
    maker.variables = known
    return lines


def _while(maker: Maker, depth: int) -> list[str]:
    counter = maker.name("int")
    condition = f"{counter} < {maker.expression('int', 1)}"
    if maker.chance(40):
        condition += f" {maker.one('and', 'or')} {maker.expression('bool', 1)} and {counter} < 3"
    body = _looped(maker, depth)
    lines = [f"{counter} = 0", f"while {condition}:", f"    {counter} += 1", *body]
    return [*lines, "else:", *_body(maker, depth)] if maker.chance(25) else lines


def _try(maker: Maker, depth: int) -> list[str]:
    lines = ["try:", *_body(maker, depth)]
    caught = maker.chance(80)
    if caught:
        classes = maker.one("Exception", "(ValueError, IndexError)", "ZeroDivisionError", "LookupError")
        named = maker.chance(30)
        lines += [f"except {classes}{' as error' if named else ''}:", *_body(maker, depth)]
        lines += ["    str(error)"] if named else []
        if maker.chance(30):
            lines += ["else:", *_body(maker, depth)]
    if not caught or maker.chance(35):
        lines += ["finally:", *_body(maker, depth)]
    return lines


def _match(maker: Maker, depth: int) -> list[str]:
    known = {type: list(names) for type, names in maker.variables.items()}
    type = maker.one("int", "list[int]", "tuple[int, int]", "str", "Base", "Color", "Point", "dict[str, int]")
    lines = [f"match {maker.expression(type, 1)}:"]
    for _ in range(maker.draw.randint(1, 3)):
        case = _pattern(maker, type)
        guard = f" if {maker.expression('bool', 1)}" if maker.chance(30) or case.isidentifier() else ""
        lines += [f"    case {case}{guard}:", *indented(_body(maker, depth))]
        maker.variables = {type: list(names) for type, names in known.items()}
    if maker.chance(50):
        lines += ["    case _:", *indented(_body(maker, depth))]
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
        return _assign(maker, depth)
    maker.fresh += 1
    function = f"inner{maker.fresh}"
    head = [f"def {function}(z: int = {maker.draw.randint(0, 2)}) -> int:"]
    body = [f"nonlocal {known}", f"{known} {maker.one('+', '-', '*')}= z"] if maker.chance(60) else []
    condition = maker.expression("bool", 1)
    body += [f"return {known} if {condition} else z"]
    if ":=" in condition:
        body = [f"return {known} + z"]
    return [*head, *indented(body), f"{maker.name('int')} = {function}({maker.expression('int', 1)}) + {function}()"]


Statement = Callable[[Maker, int], list[str]]
_PLAIN: list[Statement] = [_assign, _again, _augmented, _change, _unpack, _delete, _leave, _leave]
_COMPOUND: list[Statement] = [_if, _if, _if, _for, _while, _try, _try, _match, _match, _closure]

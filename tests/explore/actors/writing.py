"""Random small ABS programs: objects behind one interface that call, wait, create, decide and fail.

Methods call only methods that come after them, so that every execution over small inputs ends without a bound.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from everypath.records import dataclass, field

HEADER = """module M;
export *;
data Shape = Dot | Box(Int) | Both(Shape, Int);
exception Broken(Int);
"""
TYPES = ("Int", "Bool", "List<Int>", "Shape", "I", "Maybe<Int>")
FIELD_TYPES = ("Int", "Int", "Bool", "List<Int>", "Shape", "I", "I", "Maybe<Int>")
PARAMETER_TYPES = ("Int", "Int", "Bool", "I", "I", "List<Int>", "Shape", "Fut<Int>")
RESULT_TYPES = ("Int", "Int", "Unit", "Bool", "I")
DEFAULTS = {"Int": "0", "Bool": "False", "List<Int>": "Nil", "Shape": "Dot", "I": "null", "Maybe<Int>": "Nothing"}


@dataclass(frozen=True, slots=True)
class Signature:
    """A method of the interface."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """(type, name)"""
    result: str


@dataclass(frozen=True, slots=True)
class Written:
    """A program, and what its inputs are made of."""

    text: str
    classes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """class -> (type, name) of its parameters and fields"""
    signatures: tuple[Signature, ...]


@dataclass(slots=True)
class _Scope:
    """What a statement may name."""

    variables: list[tuple[str, str]]
    fields: list[tuple[str, str]]
    index: int
    """of the method: those behind it may be called"""
    depth: int = 0
    pure: bool = False
    names: list[int] = field(default_factory=lambda: [0])

    def inner(self) -> _Scope:
        """For a block inside."""
        return _Scope(list(self.variables), self.fields, self.index, self.depth + 1, self.pure, self.names)

    def fresh(self, letter: str) -> str:
        """A name that is not used yet."""
        self.names[0] += 1
        return f"{letter}{self.names[0]}"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int, waiting: bool = True) -> None:
        self.choose = random.Random(seed)
        self.waiting = waiting
        choose = self.choose
        self.signatures = tuple(
            Signature(
                f"m{number}",
                tuple((choose.choice(PARAMETER_TYPES), f"a{number}{n}") for n in range(choose.randint(0, 2))),
                choose.choice(RESULT_TYPES),
            )
            for number in range(choose.randint(2, 4))
        )
        self.classes: list[tuple[str, list[tuple[str, str]], list[tuple[str, str]]]] = []
        for name in ("C", "D")[: choose.randint(1, 2)]:
            parameters = [(choose.choice(FIELD_TYPES), f"p{n}") for n in range(choose.randint(0, 2))]
            fields = [(choose.choice(FIELD_TYPES), f"f{n}") for n in range(choose.randint(1, 3))]
            self.classes.append((name, parameters, fields))
        self.runs = choose.random() < 0.1

    def written(self) -> Written:
        """The program."""
        methods = "".join(f"  {self._header(signature)};\n" for signature in self.signatures)
        text = HEADER + "interface I {\n" + methods + "}\n"
        for name, parameters, fields in self.classes:
            text += self._class(name, parameters, fields)
        shapes = tuple((f"M.{name}", (*parameters, *fields)) for name, parameters, fields in self.classes)
        return Written(text, shapes, self.signatures)

    def _header(self, signature: Signature) -> str:
        parameters = ", ".join(f"{type} {name}" for type, name in signature.parameters)
        return f"{signature.result} {signature.name}({parameters})"

    def _class(self, name: str, parameters: list[tuple[str, str]], fields: list[tuple[str, str]]) -> str:
        given = ", ".join(f"{type} {parameter}" for type, parameter in parameters)
        text = f"class {name}({given}) implements I {{\n"
        for type, own in fields:
            text += f"  {type} {own} = {DEFAULTS[type]};\n"
        everything = [*parameters, *fields]
        for index, signature in enumerate(self.signatures):
            scope = _Scope(list(signature.parameters), everything, index)
            body = self._block(scope, self.choose.randint(1, 4))
            if index == 0:
                # The orders of messages are what matters most.
                body += "".join(self._send(scope) for _ in range(self.choose.randint(1, 3)))
                body += self._block(scope, self.choose.randint(0, 2))
            if signature.result != "Unit":
                body += f"return {self.value(signature.result, scope)};\n"
            text += f"  {self._header(signature)} {{\n{_indented(body)}  }}\n"
        if self.runs:
            body = self._block(_Scope([], everything, len(self.signatures)), 1)
            text += f"  Unit run() {{\n{_indented(body)}  }}\n"
        return text + "}\n"

    def _block(self, scope: _Scope, count: int) -> str:
        return "".join(self._statement(scope) for _ in range(count))

    def _statement(self, scope: _Scope) -> str:
        kinds: list[tuple[int, Callable[[_Scope], str]]] = [(10, self._assign), (2, self._declare)]
        if scope.depth < 2:
            kinds += [(3, self._if), (1, self._switch), (1, self._while), (1, self._foreach), (1, self._try)]
        kinds += [(1, self._print), (1, self._raise)]
        if self.waiting:
            kinds += [(2, self._suspend), (2, self._await_condition)]
        if any(type == "Fut<Int>" for type, _ in scope.variables):
            kinds += [(3, self._use_future)]
        if scope.index + 1 < len(self.signatures):
            kinds += [(6, self._send), (2, self._call), (2, self._await_call), (3, self._create)]
        return self._pick(kinds)(scope)

    def _pick(self, kinds: list[tuple[int, Callable[[_Scope], str]]]) -> Callable[[_Scope], str]:
        return self.choose.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]

    # Expressions.

    def value(self, type: str, scope: _Scope, depth: int = 0) -> str:
        """An expression of a type."""
        known = [name for known, name in scope.variables if known == type]
        known += [f"this.{name}" for known, name in scope.fields if known == type]
        if known and (depth > 1 or self.choose.random() < 0.5):
            return self.choose.choice(known)
        return getattr(self, f"_{type.partition('<')[0].lower()}")(scope, depth + 1)  # type: ignore[no-any-return]

    def _int(self, scope: _Scope, depth: int) -> str:
        choose = self.choose
        if depth > 2 or choose.random() < 0.4:
            return str(choose.randint(-1, 2))
        kind = choose.randint(0, 7)
        left, right = self.value("Int", scope, depth), self.value("Int", scope, depth)
        if kind < 4:
            return f"({left} {choose.choice('+-*')} {right})"
        if kind == 4:
            return f"({left} % {right})"
        if kind == 5:
            return f"length({self.value('List<Int>', scope, depth)})"
        if kind == 6:
            shape, name = self.value("Shape", scope, depth), scope.fresh("w")
            return f"case {shape} {{ Box({name}) => {name}; Both(_, {name}) => {left}; _ => {right}; }}"
        return f"(when {self.value('Bool', scope, depth)} then {left} else {right})"

    def _bool(self, scope: _Scope, depth: int) -> str:
        choose = self.choose
        if depth > 2 or choose.random() < 0.1:
            return choose.choice(("True", "False"))
        kind = choose.randint(0, 7)
        if kind < 3:
            operator = choose.choice(("<", "<=", ">", "==", "!="))
            return f"({self.value('Int', scope, depth)} {operator} {self.value('Int', scope, depth)})"
        if kind == 3:
            operator = choose.choice(("&&", "||"))
            return f"({self.value('Bool', scope, depth)} {operator} {self.value('Bool', scope, depth)})"
        if kind == 4:
            return f"({self.value('I', scope, depth)} {choose.choice(('==', '!='))} {self.value('I', scope, depth)})"
        if kind == 5:
            type = choose.choice(("List<Int>", "Shape", "Maybe<Int>"))
            return f"({self.value(type, scope, depth)} == {self.value(type, scope, depth)})"
        if kind == 6:
            return f"!({self.value('Bool', scope, depth)})"
        return f"isEmpty({self.value('List<Int>', scope, depth)})"

    def _list(self, scope: _Scope, depth: int) -> str:
        kind = self.choose.randint(0, 3) if depth <= 2 else 0
        if kind == 0:
            return self.choose.choice(("Nil", "list[1]", "list[0, 2]"))
        if kind == 1:
            return f"Cons({self.value('Int', scope, depth)}, {self.value('List<Int>', scope, depth)})"
        if kind == 2:
            return f"tail({self.value('List<Int>', scope, depth)})"
        return f"appendright({self.value('List<Int>', scope, depth)}, {self.value('Int', scope, depth)})"

    def _shape(self, scope: _Scope, depth: int) -> str:
        kind = self.choose.randint(0, 2) if depth <= 2 else 0
        if kind == 0:
            return "Dot"
        if kind == 1:
            return f"Box({self.value('Int', scope, depth)})"
        return f"Both({self.value('Shape', scope, depth)}, {self.value('Int', scope, depth)})"

    def _maybe(self, scope: _Scope, depth: int) -> str:
        return "Nothing" if self.choose.random() < 0.4 else f"Just({self.value('Int', scope, depth)})"

    def _i(self, scope: _Scope, depth: int) -> str:
        return "this" if self.choose.random() < 0.85 else "null"

    def _fut(self, scope: _Scope, depth: int) -> str:
        return "null"

    # Statements.

    def _place(self, scope: _Scope, type: str | None = None) -> tuple[str, str] | None:
        places = [(t, f"this.{name}") for t, name in scope.fields if type in (None, t)]
        places += [(t, name) for t, name in scope.variables if type in (None, t) and t != "Fut<Int>"]
        return self.choose.choice(places) if places else None

    def _assign(self, scope: _Scope) -> str:
        place = self._place(scope)
        if place is None:
            return "skip;\n"
        return f"{place[1]} = {self.value(place[0], scope)};\n"

    def _declare(self, scope: _Scope) -> str:
        type, name = self.choose.choice(TYPES), scope.fresh("v")
        text = f"{type} {name} = {self.value(type, scope)};\n"
        scope.variables.append((type, name))
        return text

    def _if(self, scope: _Scope) -> str:
        text = (
            f"if ({self.value('Bool', scope)}) {{\n{_indented(self._block(scope.inner(), self.choose.randint(1, 2)))}}}"
        )
        if self.choose.random() < 0.5:
            text += f" else {{\n{_indented(self._block(scope.inner(), 1))}}}"
        return text + "\n"

    def _switch(self, scope: _Scope) -> str:
        if self.choose.random() < 0.5:
            inner, name = scope.inner(), scope.fresh("w")
            inner.variables.append(("Int", name))
            text = f"switch ({self.value('Shape', scope)}) {{\n"
            text += f"  Dot => {{\n{_indented(self._block(scope.inner(), 1))}}}\n"
            text += f"  Box({name}) => {{\n{_indented(self._block(inner, 1))}}}\n"
            return text + ("  _ => skip;\n}\n" if self.choose.random() < 0.7 else "}\n")
        inner, head, tail = scope.inner(), scope.fresh("h"), scope.fresh("t")
        inner.variables += [("Int", head), ("List<Int>", tail)]
        text = (
            f"switch ({self.value('List<Int>', scope)}) {{\n  Nil => {{\n{_indented(self._block(scope.inner(), 1))}}}\n"
        )
        return text + f"  Cons({head}, {tail}) => {{\n{_indented(self._block(inner, 1))}}}\n}}\n"

    def _while(self, scope: _Scope) -> str:
        name = scope.fresh("k")
        start = self._place(scope, "Int")
        inner = scope.inner()
        text = f"Int {name} = {start[1] if start is not None else 2};\n"
        body = self._block(inner, 1)
        return text + f"while ({name} > 0) {{\n{_indented(body + f'{name} = {name} - 1;')}\n}}\n"

    def _foreach(self, scope: _Scope) -> str:
        name, inner = scope.fresh("e"), scope.inner()
        inner.variables.append(("Int", name))
        return f"foreach ({name} in {self.value('List<Int>', scope)}) {{\n{_indented(self._block(inner, 1))}}}\n"

    def _try(self, scope: _Scope) -> str:
        text = f"try {{\n{_indented(self._block(scope.inner(), 2))}}} catch {{\n"
        inner, name = scope.inner(), scope.fresh("x")
        inner.variables.append(("Int", name))
        kind = self.choose.randint(0, 2)
        if kind == 0:
            text += f"  Broken({name}) => {{\n{_indented(self._block(inner, 1))}}}\n}}"
        elif kind == 1:
            text += f"  _ => {{\n{_indented(self._block(scope.inner(), 1))}}}\n}}"
        else:
            text += f"  NullPointerException => skip;\n  Broken({name}) => skip;\n}}"
        if self.choose.random() < 0.3:
            finals = scope.inner()
            text += f" finally {{\n{_indented(self._assign(finals))}}}"
        return text + "\n"

    def _print(self, scope: _Scope) -> str:
        return f"println(toString({self.value(self.choose.choice(('Int', 'Bool', 'Shape')), scope)}));\n"

    def _raise(self, scope: _Scope) -> str:
        if self.choose.random() < 0.5:
            return f"assert {self.value('Bool', scope)};\n"
        return f"if ({self.value('Bool', scope)}) {{ throw Broken({self.value('Int', scope)}); }}\n"

    def _suspend(self, scope: _Scope) -> str:
        return "suspend;\n"

    def _await_condition(self, scope: _Scope) -> str:
        futures = [name for type, name in scope.variables if type == "Fut<Int>"]
        condition = self.value("Bool", scope)
        if futures and self.choose.random() < 0.3:
            return f"await {self.choose.choice(futures)}? & {condition};\n"
        return f"await {condition};\n"

    def _use_future(self, scope: _Scope) -> str:
        future = self.choose.choice([name for type, name in scope.variables if type == "Fut<Int>"])
        name = scope.fresh("g")
        text = f"Int {name} = {future}.get;\n"
        scope.variables.append(("Int", name))
        return f"await {future}?;\n{text}" if self.waiting and self.choose.random() < 0.6 else text

    def _called(self, scope: _Scope) -> tuple[str, Signature]:
        signature = self.choose.choice(self.signatures[scope.index + 1 :])
        arguments = ", ".join(self.value(type, scope, 1) for type, _ in signature.parameters)
        return f"{signature.name}({arguments})", signature

    def _target(self, scope: _Scope) -> str:
        known = [name for type, name in scope.variables if type == "I"]
        known += [f"this.{name}" for type, name in scope.fields if type == "I"]
        return self.choose.choice(known) if known and self.choose.random() < 0.7 else "this"

    def _kept(self, type: str, scope: _Scope, letter: str) -> str:
        name = scope.fresh(letter)
        scope.variables.append((type, name))
        return f"{type} {name} = "

    def _send(self, scope: _Scope) -> str:
        call, signature = self._called(scope)
        target = self._target(scope)
        if signature.result == "Int" and self.choose.random() < 0.6:
            return f"{self._kept('Fut<Int>', scope, 'r')}{target}!{call};\n"
        return f"{target}!{call};\n"

    def _call(self, scope: _Scope) -> str:
        call, signature = self._called(scope)
        target = self._target(scope)
        kept = "" if signature.result == "Unit" else self._kept(signature.result, scope, "s")
        return f"{kept}{target}.{call};\n"

    def _await_call(self, scope: _Scope) -> str:
        if not self.waiting:
            return self._send(scope)
        call, signature = self._called(scope)
        target = self._target(scope)
        kept = "" if signature.result == "Unit" else self._kept(signature.result, scope, "s")
        return f"{kept}await {target}!{call};\n"

    def _create(self, scope: _Scope) -> str:
        name, parameters, _ = self.choose.choice(self.classes)
        arguments = ", ".join(self.value(type, scope, 1) for type, _ in parameters)
        local = "local " if self.choose.random() < 0.4 else ""
        return f"{self._kept('I', scope, 'o')}new {local}{name}({arguments});\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())

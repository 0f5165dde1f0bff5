"""Reads the text that `ir.text` prints; a mistake is reported with its line and column.

The grammar has two halves: the rules for whole programs stand below, and every form of `ir.forms` becomes a rule of
its own, made of the form's words and the kinds of its holes.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import MISSING, fields
from functools import cache, partial
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args
from lark.exceptions import VisitError
from lark.tree import Meta

from everypath.errors import NOWHERE, BadInput, Span
from everypath.ir import instructions as ins
from everypath.ir.forms import FORMS, Form, Hole
from everypath.ir.program import METHOD_KINDS, Class, Data, Field, Method, Profile, Program
from everypath.ir.types import SCALARS, Type, UnionType
from everypath.records import dataclass

_GRAMMAR = r"""
start: profile data* class_*
profile: "profile" name _NL setting*
setting: SETTING constant _NL
data: form_data _NL variant*
variant: "constructor" name "(" types ")" _NL
class_: form_class [SPAN] _NL (field | static | setter | members | flags | keys | constructor | method)*
field: form_field [SPAN] _NL
static: "static" name "=" name _NL
setter: "setter" name "=" name _NL
members: "members" "(" names ")" _NL
flags: "flags" "{" settings "}" _NL
keys: "keys" "(" params ")" _NL
constructor: form_constructor _NL
method: form_method [SPAN] _NL "registers" integer ["(" register_names ")"] _NL "entry" name _NL handlers block*
handlers: (form_handler _NL)*
block: LABEL _NL line* last
line: instruction [SPAN] _NL
last: terminator [SPAN] _NL -> line

?register: REGISTER
registers: (register ("," register)*)?
arguments: (argument ("," argument)*)?
argument: register | name "=" register
register_names: (register_name ("," register_name)*)?
register_name: INT name
?name: NAME | STRING
?quoted: STRING
names: (name ("," name)*)?
labels: (name ("," name)*)?
?integer: INT
cases: (case ",")*
case: integer ":" name
params: (form_param ("," form_param)*)?
renamings: (renaming ("," renaming)*)?
renaming: name ":" name
settings: (given ("," given)*)?
given: name ":" constant
type: single_type ("|" single_type)*
?single_type: "(" type ")" | SCALAR | described_type
types: (type ("," type)*)?
elements: (element ("," element)*)?
?element: type | "*" type -> rest
?constant: WORD | INT | STRING | "float" NUMBER | "bytes" HEX | reference
default: constant | form_staticdefault
?unary: UNARY
?binary: BINARY
?compare: COMPARE
?collection: COLLECTION
?set_word: SET
?method_kind: METHOD_KIND
?param_kind: PARAM_KIND

INT: /-?(0x[0-9a-f]+|\d+)/
NUMBER: /-?(inf|nan|\d+(\.\d+)?(e[+-]?\d+)?)/
HEX: /"([0-9a-f]{2})*"/
STRING: /"([^"\\\n]|\\.)*"/
NAME: /[^\W\d]\w*(\.[^\W\d]\w*)*/
SETTING: /[a-z_]+/
PARAM_KIND.2: /\w+(?=[ \t]+[^:])/
REGISTER.2: /([^\W\d]\w*)?%-?\d+/
LABEL.3: /([^\W\d]\w*(\.[^\W\d]\w*)*|"([^"\\\n]|\\.)*"):(?=[ \t]*(#.*)?\n)/
SPAN.4: /@([\w.\/+-]+|"([^"\\\n]|\\.)*"):-?\d+:-?\d+(?=[ \t]*\n)/
_NL: /(\n[ \t]*(#[^\n]*)?)+/
%ignore /[ \t]+/
%ignore /#[^\n]*/
"""
_ALTERNATIVES: dict[str, tuple[type, ...]] = {
    "instruction": ins.Instruction.__args__,
    "terminator": ins.Terminator.__args__,
    "described_type": Type.__args__,
    "reference": (ins.ClassRef, ins.FunctionRef, ins.NativeRef),
}
_WORDS = {
    "UNARY": ins.UNARY_OPS,
    "BINARY": ins.BINARY_OPS,
    "COMPARE": ins.COMPARE_OPS,
    "COLLECTION": ins.COLLECTIONS,
    "METHOD_KIND": METHOD_KINDS,
    "SCALAR": tuple(SCALARS),
    "SET": ("set", "frozenset"),
    "WORD": ("none", "true", "false"),
}
_SAME = {"class": "name", "variant": "name", "class_name": "name"}
"""Kinds of holes that differ only for the printer or the checker -> how they are read."""
_UNFINISHED = (ins.Located, Class, Data, Field, Method)
"""What is complete only with its place in the source, or with the lines below it."""
_WHOLES = {"_JUMP": "an instruction or a terminator", "_CONST": "a value", "WORD": "a constant", "SCALAR": "a type"}
"""A terminal with which only such a thing can begin -> what to call all that can stand there."""
_CALLED = {
    "NAME": "a name",
    "STRING": "a quoted string",
    "INT": "an integer",
    "NUMBER": "a number",
    "HEX": "quoted bytes in hexadecimal",
    "REGISTER": "a register",
    "LABEL": "a label",
    "BINARY": "an operator",
    "COMPARE": "a comparison",
    "_NL": "the end of the line",
    "$END": "the end of the text",
}
_PROFILE_TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int | None": (int, type(None))}


def parse_program(text: str, file: str = "<text>") -> Program:
    """The program that `print_program` printed as this text; `BadInput` names the place of a mistake."""
    text += "\n"
    try:
        program = _Reader(file).transform(_parser().parse(text))
    except VisitError as error:
        raise error.orig_exc from None
    except UnexpectedToken as error:
        place = (text.count("\n"), 1) if error.token.type == "$END" else (error.line, error.column)
        raise BadInput(_explanation(error), Span(file, *place)) from None
    except UnexpectedCharacters as error:
        rest = text[error.pos_in_stream :].partition("\n")[0]
        raise BadInput(f"cannot read {rest.strip()[:20]!r}", Span(file, error.line, error.column)) from None
    assert isinstance(program, Program)
    return program


@cache
def _parser() -> Lark:
    rules = [_GRAMMAR, *(f"{rule}: {' '.join(map(_symbol, FORMS[cls]))}" for rule, cls in _RULES.items())]
    rules += [f"?{rule}: {' | '.join(map(_rule, classes))}" for rule, classes in _ALTERNATIVES.items()]
    words = set(re.findall(r'"(\w+)"', "\n".join(rules)))
    terminals = {f"_{word.upper()}": (word,) for word in words} | _WORDS
    terminals |= {flag.upper(): (flag,) for form in FORMS.values() for flag in _flags(form)}
    for terminal, options in terminals.items():
        # A word ends where no letter follows; `>>` is tried before `>`, and all of them before names.
        patterns = [re.escape(w) + r"(?![\w.])" * w.isalpha() for w in sorted(options, key=len, reverse=True)]
        priority = 3 if terminal == "BINARY" else 2
        rules.append(f"{terminal}.{priority}: /{'|'.join(patterns).replace('/', chr(92) + '/')}/")
    grammar = re.sub(r'"(\w+)"', lambda word: f"_{word[1].upper()}", "\n".join(rules))
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def _rule(cls: type) -> str:
    return f"form_{cls.__name__.lower()}"


def _symbol(part: str | Hole) -> str:
    """A part of a form, as a part of a grammar rule."""
    if isinstance(part, str):
        return " ".join(f'"{sign}"' for sign in re.findall(r"\w+|::|->|[^\w\s]", part))
    inside = part.names[0].upper() if part.kind == "flag" else _SAME.get(part.kind, part.kind)
    return f"[{_symbol(part.before)} {inside} {_symbol(part.after)}]" if part.optional else inside


def _flags(form: Form) -> Iterable[str]:
    return (part.names[0] for part in form if isinstance(part, Hole) and part.kind == "flag")


def _explanation(error: UnexpectedToken) -> str:
    expected = error.accepts or error.expected
    wholes = [text for terminal, text in _WHOLES.items() if terminal in expected]
    shown = {_CALLED.get(terminal) or repr(_spelling(terminal)) for terminal in expected - {"SPAN"}}
    if "NAME" in expected:
        shown.discard(_CALLED["STRING"])
    *others, last = wholes[:1] or sorted(shown)
    found = _CALLED[error.token.type] if error.token.type in ("_NL", "$END") else repr(str(error.token))
    return f"expected {', '.join(others)}{' or ' if others else ''}{last}, found {found}"


def _spelling(terminal: str) -> str:
    return terminal.strip("_").lower() if terminal[0] == "_" else str(_parser().get_terminal(terminal).pattern.value)


_RULES = {_rule(cls): cls for cls in FORMS}


@dataclass(frozen=True, slots=True)
class _Member:
    """A named part of something, such as a field of a class."""

    section: str
    name: str
    value: Any
    place: Meta


def _named(section: str) -> Any:
    """The method for a rule that has a value, and a name where there may be several."""

    def method(self: _Reader, place: Meta, children: list[Any]) -> _Member:
        *name, value = children
        return _Member(section, "".join(name), value, place)

    return v_args(meta=True)(method)


class _Reader(Transformer[Token, Any]):
    """Makes programs of parse trees; a method has the name of the rule whose tree it takes."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def error(self, message: str, place: Meta | Token) -> BadInput:
        return BadInput(message, Span(self.file, place.line or 0, place.column or 0))

    def collect(self, members: Iterable[_Member]) -> defaultdict[str, dict[str, Any]]:
        """The members of each section by name; a second one of the same name is a mistake."""
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for member in members:
            if member.name in found[member.section]:
                raise self.error(f"second {member.section} {member.name}", member.place)
            found[member.section][member.name] = member.value
        return found

    def __default__(self, rule: str, children: list[Any], _: Meta) -> Any:
        """What a form describes; most of it is complete, the rest still takes keyword arguments."""
        cls = _RULES[str(rule)]
        given: dict[str, Any] = {}
        for hole, value in zip((part for part in FORMS[cls] if isinstance(part, Hole)), children):
            if hole.kind == "flag":
                given[hole.names[0]] = value is not None
            elif hole.kind == "default" and value is not None:
                [given["default"]] = value
            elif not hole.optional or value is not None:
                given.update(zip(hole.names, value if len(hole.names) > 1 else (value,)))
        return partial(cls, **given) if issubclass(cls, _UNFINISHED) else cls(**given)

    def start(self, children: list[Any]) -> Program:
        profile, *members = children
        found = self.collect(members)
        return Program(profile, found["class"], found["data type"])

    @v_args(meta=True)
    def profile(self, place: Meta, children: list[Any]) -> Profile:
        name, *settings = children
        given = self.collect(settings)["setting"]
        missing = [f.name for f in fields(Profile) if f.default is MISSING and f.name not in {"name", *given}]
        if missing:
            raise self.error(f"the profile lacks {', '.join(missing)}", place)
        return Profile(name, **given)

    @v_args(meta=True)
    def setting(self, place: Meta, children: list[Any]) -> _Member:
        name, value = children
        allowed = {f.name: _PROFILE_TYPES[str(f.type)] for f in fields(Profile) if f.name != "name"}
        if name not in allowed:
            raise self.error(f"{name} is not part of a profile", place)
        if type(value) not in allowed[name]:
            raise self.error(f"wrong kind of value for {name}", place)
        return _Member("setting", name, value, place)

    @v_args(meta=True)
    def data(self, place: Meta, children: list[Any]) -> _Member:
        head, *variants = children
        data = head(constructors=self.collect(variants)["constructor"])
        return _Member("data type", data.name, data, place)

    @v_args(meta=True)
    def class_(self, place: Meta, children: list[Any]) -> _Member:
        head, span, *members = children
        found = self.collect(members)
        cls = head(
            fields=found["field"],
            methods=found["method"],
            statics=found["static"],
            setters=found["setter"],
            members=found["members"].get("", ()),
            flags=found["flags"].get("", {}),
            keys=found["keys"].get(""),
            constructor=found["constructor"].get(""),
            span=span or NOWHERE,
        )
        return _Member("class", cls.name, cls, place)

    @v_args(meta=True)
    def field(self, place: Meta, children: list[Any]) -> _Member:
        head, span = children
        made = head(span=span or NOWHERE)
        return _Member("field", made.name, made, place)

    members = _named("members")
    flags = _named("flags")
    keys = _named("keys")
    constructor = _named("constructor")
    static = _named("static")
    setter = _named("setter")
    variant = _named("constructor")

    @v_args(meta=True)
    def method(self, place: Meta, children: list[Any]) -> _Member:
        head, span, registers, names, entry, handlers, *blocks = children
        method = head(
            blocks=self.collect(blocks)["block"],
            entry=entry,
            registers=registers,
            handlers=handlers,
            register_names=dict(names or ()),
            span=span or NOWHERE,
        )
        return _Member("method", method.name, method, place)

    @v_args(meta=True)
    def block(self, place: Meta, children: list[Any]) -> _Member:
        label, *instructions, terminator = children
        return _Member("block", label, ins.Block(label, tuple(instructions), terminator), place)

    def line(self, children: list[Any]) -> Any:
        head, span = children
        return head(span=span or NOWHERE)

    def arguments(self, children: list[list[Any]]) -> tuple[Any, ...]:
        return tuple(c[0] for c in children if len(c) == 1), tuple((c[0], c[1]) for c in children if len(c) == 2)

    def type(self, options: list[Type]) -> Type:
        return options[0] if len(options) == 1 else UnionType(tuple(options))

    def elements(self, children: list[Any]) -> tuple[tuple[Type, ...], Type | None]:
        rest = children.pop()[0] if children and isinstance(children[-1], tuple) else None
        return tuple(children), rest

    def _tuple(self, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)

    registers = register_name = register_names = names = case = cases = params = types = handlers = _tuple
    argument = renaming = given = default = rest = _tuple

    def labels(self, children: list[str]) -> frozenset[str]:
        return frozenset(children)

    def _dict(self, children: list[Any]) -> dict[str, Any]:
        return dict(children)

    renamings = settings = _dict

    def STRING(self, token: Token) -> str:
        try:
            return str(json.loads(token))
        except ValueError:
            raise self.error(f"bad quoted string {token}", token) from None

    def LABEL(self, token: Token) -> str:
        return self._name(token.update(value=token[:-1]))

    def SPAN(self, token: Token) -> Span:
        file, line, column = token[1:].rsplit(":", 2)
        return Span(self._name(token.update(value=file)), int(line), int(column))

    def _name(self, token: Token) -> str:
        return self.STRING(token) if token.startswith('"') else str(token)

    NAME = SETTING = METHOD_KIND = PARAM_KIND = UNARY = BINARY = COMPARE = COLLECTION = _name

    def INT(self, token: Token) -> int:
        return int(token, 0)

    def REGISTER(self, token: Token) -> int:
        # A name before the number is only for people.
        return int(token.partition("%")[2])

    def NUMBER(self, token: Token) -> float:
        return float(token)

    def HEX(self, token: Token) -> bytes:
        return bytes.fromhex(token[1:-1])

    def WORD(self, token: Token) -> bool | None:
        return {"none": None, "true": True, "false": False}[token]

    def SCALAR(self, token: Token) -> Type:
        return SCALARS[token]

    def SET(self, token: Token) -> bool:
        return str(token) == "frozenset"

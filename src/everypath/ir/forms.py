"""How each part of a program is written down, said once: printer, reader and checker follow this table.

A form is the text of one instruction, type or heading with holes for its fields:

    `<name>`            the field `name`, written the way its declared type asks for (`_KINDS`)
    `<name:kind>`       the field, with a kind of its own
    `< beside name?>`   only where the field differs from its default; the text around the name comes and goes with it
    `<a+b>`             two fields that are written together

Both sides only have to know how to write and read each kind of hole; the checker knows what may stand in it.
"""

from __future__ import annotations

import re

from everypath.ir import instructions as ins
from everypath.ir import types as t
from everypath.ir.program import Class, Constructor, Data, Field, Method
from everypath.records import dataclass, fields

_FORMS: dict[type, str] = {
    # instructions
    ins.Const: "<dst> = const <value>",
    ins.Move: "<dst> = <src>",
    ins.Unary: "<dst> = <op:unary> <operand>",
    ins.Binary: "<dst> = <left> <op:binary> <right>< inplace?>",
    ins.Compare: "<dst> = <left> <op:compare> <right>",
    ins.NewObject: "<dst> = new <cls:class>",
    ins.NewArray: "<dst> = array <element> of <length>",
    ins.NewCollection: "<dst> = <kind:collection> [<items>]",
    ins.GetField: "<dst> = <obj>.<name>",
    ins.SetField: "<obj>.<name> = <value>",
    ins.DelField: "del <obj>.<name>",
    ins.GetStatic: "<dst> = static <cls:class>::<name>",
    ins.SetStatic: "static <cls:class>::<name> = <value>",
    ins.GetItem: "<dst> = <obj>[<index>]",
    ins.SetItem: "<obj>[<index>] = <value>",
    ins.DelItem: "del <obj>[<index>]",
    ins.Length: "<dst> = length <obj>",
    ins.TypeTest: "<dst> = <obj> isa [<types>]",
    ins.Cast: "<dst> = cast <obj> to <type>",
    ins.CallStatic: "<dst> = call <cls:class>::<name>(<args+keywords>)",
    ins.CallVirtual: "<dst> = <receiver>.<name>(<args+keywords>)",
    ins.CallNative: "<dst> = native <name>(<args+keywords>)",
    ins.CallValue: "<dst> = <function>(<args+keywords>)",
    ins.Spawn: "<dst> = <receiver>!<name>(<args>)",
    ins.NewActor: "<dst> = actor <cls:class>< beside beside?>",
    ins.Construct: "<dst> = construct <constructor:variant>(<args>)",
    ins.Matches: "<dst> = <value> matches <constructor:variant>< among {among?}>",
    ins.Argument: "<dst> = argument <index> of <constructor:variant> in <value>",
    ins.EnterLoop: "enter <loop>",
    ins.Iterate: "iterate <loop>< counted?>",
    # terminators
    ins.Jump: "jump <target>",
    ins.Branch: "branch <cond> ? <if_true> : <if_false>",
    ins.Switch: "switch <value> {<cases>default: <default>}",
    ins.Return: "return <value>",
    ins.Throw: "throw <exception>",
    ins.Await: "await (<guards>) then <target> again <again>",
    ins.Get: "<dst> = get <future> then <target>",
    ins.Suspend: "suspend then <target>",
    # constants and defaults that are more than a literal
    ins.ClassRef: "class <name:class>",
    ins.FunctionRef: "function <cls:class>::<name>",
    ins.NativeRef: "native <name>",
    ins.StaticDefault: "static <cls:class>::<name>",
    # types
    t.Scalar: "scalar[<name:quoted>]",
    t.AnyType: "any",
    t.ClassType: "<name:class_name><[arguments?]>",
    t.MemberType: "member <name:class>",
    t.RecordType: "record <name:class>",
    t.UnionType: "union[<options>]",
    t.ListType: "list[<element>]",
    t.ArrayType: "array[<element>]",
    t.SetType: "<frozen:set_word>[<element>]",
    t.DictType: "dict[<key>, <value>]",
    t.TupleType: "tuple[<elements+rest>]",
    t.DataType: "data <name><[arguments?]><{only?}>",
    t.TypeParameter: "parameter <name>",
    t.FunctionType: "function[<parameters>, <result>]",
    t.FutureType: "future[<result>]",
    # headings
    Data: "data <name><(parameters?)>",
    Class: "class <name><(bases?)>< module module?>< abstract?>< external?>< model?>< library?>",
    Field: "field <name>: <type>< guessed?>< wide?>",
    Constructor: "constructor (<params>) sets {<sets>} constants {<constants>}",
    Method: "method <cls>::<name>(<params>) -> <returns> <kind:method_kind>< model?>",
    ins.Handler: "handler {<blocks>} -> <target> catching <exception>",
    ins.Param: "<kind:param_kind? ><name>: <type>< guessed?>< wide?>< keyed?>< = default?>",
}
_KINDS = {
    "Reg": "register",
    "Reg | None": "register",
    "tuple[Reg, ...]": "registers",
    "tuple[Reg, ...] + Keywords": "arguments",
    "str": "name",
    "Label": "name",
    "tuple[str, ...]": "names",
    "frozenset[Label]": "labels",
    "bool": "flag",
    "int": "integer",
    "Type": "type",
    "tuple[Type, ...]": "types",
    "tuple[Type, ...] + Type | None": "elements",
    "ConstValue": "constant",
    "ConstValue | StaticDefault | NoDefault": "default",
    "tuple[tuple[int, Label], ...]": "cases",
    "tuple[Param, ...]": "params",
    "dict[str, str]": "renamings",
    "dict[str, ConstValue]": "settings",
}
"""The declared type of a field (of two that are written together) -> how such a value is written."""

_HOLE = re.compile(r"<([^<>]*?)(\w+(?:\+\w+)?)(?::(\w+))?(\?)?([^\w<>]*)>")


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a form that one field fills, or two fields together."""

    names: tuple[str, ...]
    kind: str
    optional: bool
    default: object
    before: str
    """text that appears only together with the value"""
    after: str


Form = tuple[str | Hole, ...]
"""Text and holes in the order in which they are written."""


def _form(cls: type, text: str) -> Form:
    declared = {f.name: f for f in fields(cls)}
    parts: list[str | Hole] = []
    place = 0
    for match in _HOLE.finditer(text):
        before, names, kind, optional, after = match.groups()
        found = [declared[name] for name in names.split("+")]
        kind = kind or _KINDS[" + ".join(str(f.type) for f in found)]
        default = found[0].default if optional else None
        hole = Hole(tuple(names.split("+")), kind, bool(optional), default, before, after)
        parts += [text[place : match.start()], hole]
        place = match.end()
    return tuple(part for part in [*parts, text[place:]] if part != "")


FORMS: dict[type, Form] = {cls: _form(cls, text) for cls, text in _FORMS.items()}
TYPE_WORDS = frozenset(
    {
        *t.SCALARS,
        *"set frozenset".split(),
        *(word for cls in t.Type.__args__ for word in re.findall(r"^\w+", _FORMS[cls])),
    }
)
"""Words that begin a type; a class of such a name is quoted."""

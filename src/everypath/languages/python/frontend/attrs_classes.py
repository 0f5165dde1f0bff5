"""What `@define`, `@frozen` and `@attr.s` say about a class, in the words of dataclasses.

Classes of attrs differ from dataclasses in a few points only: the parameter of a private field has no underscore,
fields may be made without annotation, values may be converted, and what runs after the constructor has another name.
A constructor that runs validators is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import place_at
from everypath.languages.python.frontend.names import Denotation, ExternalName, FunctionName, StaticName
from everypath.languages.python.frontend.userclass import DataField, UserClass

_PACKAGES = frozenset(("attr", "attrs"))
_MODERN = {"slots": True}
_OLD = {"order": True}
_DECORATORS: Mapping[str, Mapping[str, bool]] = {
    "define": _MODERN,
    "mutable": _MODERN,
    "frozen": {**_MODERN, "frozen": True},
    "dataclass": {**_OLD, "auto_attribs": True},
    **dict.fromkeys(("s", "attrs", "attributes"), _OLD),
}
"""The decorators of attrs with the options that are not as in dataclasses."""
_FIELDS = frozenset(("field", "ib", "attrib", "attr"))
_NAMES = {"hash": "unsafe_hash", "eq": "compare", "alias": "parameter"}
"""Options that dataclasses spell otherwise, of classes and of fields."""
_OF_CLASSES = frozenset("init repr eq order unsafe_hash frozen kw_only slots auto_attribs".split())
_MEANINGLESS = frozenset("metadata type order weakref_slot str auto_detect collect_by_mro".split())
"""Options that change nothing that is followed, or that are read elsewhere."""


def name_in_attrs(denoted: Denotation | None) -> str:
    """The name of something of the package attrs; nothing for anything else."""
    match denoted:
        case ExternalName(name):
            module, _, own = name.rpartition(".")
        case FunctionName(module, own) | StaticName(module, own):
            pass
        case _:
            return ""
    return own if module.partition(".")[0] in _PACKAGES else ""


def class_options(name: str, call: ast.Call | None) -> dict[str, bool] | None:
    """The options that a decorator of attrs gives to the class; None for any other decorator."""
    if name not in _DECORATORS:
        return None
    options = dict(_DECORATORS[name])
    for keyword in call.keywords if call else ():
        option = _NAMES.get(keyword.arg or "", keyword.arg or "") if keyword.arg == "hash" else keyword.arg
        if option in _OF_CLASSES and isinstance(keyword.value, ast.Constant) and keyword.value.value is not None:
            options[option] = bool(keyword.value.value)
    if name in ("define", "mutable", "frozen"):
        options.setdefault("auto_attribs", True)
    return options


class AttrsFields:
    """Reads the fields of one class of attrs."""

    def __init__(self, linker: Linker, info: UserClass, auto: bool, kw_only: bool) -> None:
        self.linker, self.info = linker, info
        self.kw_only = kw_only
        self.refused: list[str] = []
        """what the constructor does that is not followed"""
        made = {name: call for name, call in self._calls() if name_in_attrs(self._maker(call)) in _FIELDS}
        # A single field that is made without an annotation says that annotations alone make none.
        self._makers = made
        self._auto = auto and made.keys() <= info.annotated.keys()

    def read(self) -> dict[str, DataField]:
        """The fields of the class itself, in the order of its body."""
        names = [name for name in self._order() if name in self._makers or self._auto]
        fields = {name: self._field(name) for name in names}
        self._decorated(fields)
        return fields

    def _order(self) -> Iterator[str]:
        for statement in self.info.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    if "ClassVar" not in ast.unparse(annotation):
                        yield self.info.mangle(name)
                case ast.Assign(targets=[ast.Name(id=name)]) if self.info.mangle(name) in self._makers:
                    yield self.info.mangle(name)

    def _calls(self) -> Iterator[tuple[str, ast.Call]]:
        for name, writers in self.info.statics.items():
            value = getattr(writers[0], "value", None)
            if len(writers) == 1 and isinstance(value, ast.Call):
                yield name, value

    def _maker(self, call: ast.Call) -> Denotation | None:
        return self.linker.expression(self.info.module, call.func)

    def _field(self, name: str) -> DataField:
        statement = self.info.annotated.get(name)
        made = DataField(name, statement.annotation if statement else None, kw_only=self.kw_only)
        made.parameter = name.lstrip("_") or name
        # The class itself has no attribute of that name, its objects do.
        self.info.statics.pop(name, None)
        call = self._makers.get(name)
        if call is not None:
            for keyword in call.keywords:
                self._option(made, keyword.arg or "", keyword.value)
        elif statement is not None and statement.value is not None:
            self._default(made, statement.value)
        return made

    def _option(self, made: DataField, option: str, value: ast.expr) -> None:
        constant = value.value if isinstance(value, ast.Constant) else None
        match _NAMES.get(option, option) if option != "hash" else option:
            case "default":
                self._default(made, value)
            case "factory":
                made.factory = value
            case "converter" if constant is None:
                made.converter = value
            case "parameter" if isinstance(constant, str):
                made.parameter = constant
            case "hash" if isinstance(constant, bool):
                made.hash = constant
            case "init" | "repr" | "compare" | "kw_only" as known if isinstance(constant, bool):
                setattr(made, known, constant)
            case "type":
                made.annotation = made.annotation or value
                declared = ast.AnnAssign(ast.Name(made.name, ast.Store()), value, None, 1)
                self.info.annotated.setdefault(made.name, place_at(declared, value))
            case _ if constant is None and isinstance(value, ast.Constant):
                pass  # None is the default of all others
            case other if other not in _MEANINGLESS:
                self.refused.append(f"{option} of field {made.name}")

    def _default(self, made: DataField, value: ast.expr) -> None:
        """A default, which may be a factory in disguise."""
        if isinstance(value, ast.Call) and name_in_attrs(self._maker(value)) == "Factory":
            options = {keyword.arg: keyword.value for keyword in value.keywords}
            made.factory = options.pop("factory", value.args[0] if value.args else None)
            takes_self = options.pop("takes_self", value.args[1] if len(value.args) == 2 else ast.Constant(False))
            if made.factory is None or options or not isinstance(takes_self, ast.Constant):
                self.refused.append(f"factory of field {made.name}")
            else:
                made.factory_takes_self = bool(takes_self.value)
        elif name_in_attrs(self.linker.expression(self.info.module, value)) != "NOTHING":
            made.default = value

    def _decorated(self, fields: Mapping[str, DataField]) -> None:
        """Methods under `@field.default` and `@field.validator`."""
        for statement in self.info.node.body:
            for decorator in getattr(statement, "decorator_list", ()):
                match decorator:
                    case ast.Attribute(ast.Name(id=name), "default" | "validator" as what) if name in fields:
                        self.refused.append(f"{what} of field {name}")

"""What a model of pydantic is: its fields, and the checks of its constructor, in the words of dataclasses.

Every field is a parameter that is given by its name. The constructor tests types and constraints; what pydantic would
convert is not followed. A class with validators of its own, or with settings that change what fields are, is a class
whose base is not known, as before.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from everypath.ir.instructions import ClassRef, NativeRef
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import dotted, place_at
from everypath.languages.python.frontend.names import ClassName
from everypath.languages.python.frontend.types_said import (
    EACH,
    constraints,
    element_of,
    for_each,
    option_of,
    or_none,
    said_by,
    unquoted,
)
from everypath.languages.python.frontend.userclass import DataField, UserClass

_VALIDATING = frozenset(
    "validator root_validator field_validator model_validator field_serializer model_serializer computed_field".split()
)
_HARMLESS_SETTINGS = frozenset("frozen title json_schema_extra arbitrary_types_allowed from_attributes".split())
_WORDS = frozenset(
    "description title examples repr exclude json_schema_extra deprecated default default_factory".split()
)
"""What a field says that changes nothing, or that is read elsewhere."""
_CONSTRAINTS = frozenset("gt ge lt le multiple_of min_length max_length".split())
_PLAIN = frozenset("int str bool float bytes".split())


def obstacle(info: UserClass) -> str:
    """What a model does besides having fields, which keeps it from being followed."""
    for function in info.functions.values():
        for decorator in function.node.decorator_list:
            name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
            if name in _VALIDATING:
                return f"@{name}"
    if "model_post_init" in info.functions or "__init__" in info.functions:
        return "a constructor of its own"
    if "Config" in info.nested or info.node.keywords:
        return "settings of its own"
    for statement in info.statics.get("model_config", ()):
        value = getattr(statement, "value", None)
        given = {k.arg for k in value.keywords} if isinstance(value, ast.Call) else {None}
        if not given <= _HARMLESS_SETTINGS:
            return "settings of its own"
    return next((f"the field {name}" for name in _names(info) if _is_special(info.annotated[name])), "")


def is_frozen(info: UserClass) -> bool:
    """Whether the settings say that objects do not change."""
    values = [getattr(each, "value", None) for each in info.statics.get("model_config", ())]
    calls = [value for value in values if isinstance(value, ast.Call)]
    return any(k.arg == "frozen" and getattr(k.value, "value", False) is True for call in calls for k in call.keywords)


def fields_of(info: UserClass) -> dict[str, DataField]:
    """The fields of the class itself, in their order."""
    found = {}
    for name in _names(info):
        statement = info.annotated[name]
        made = found[name] = DataField(name, statement.annotation, statement.value, kw_only=True)
        made.copied = element_of(statement.annotation) is not None
        info.statics.pop(name, None)
        if isinstance(statement.value, ast.Call) and _is_field(statement.value):
            made.default, made.factory = _defaults(statement.value)
            made.said = statement.value
        if isinstance(made.default, (ast.List, ast.Dict, ast.Set)):
            # Each object gets a copy.
            nothing = ast.arguments([], [], None, [], [], None, [])
            made.factory = place_at(ast.Lambda(nothing, made.default), statement)
            made.default = None
    return found


def conditions_on(made: DataField, value: ast.expr) -> Iterator[ast.expr]:
    """What the declaration of a field says about its value."""
    if made.annotation is not None:
        yield from said_by(made.annotation, value)
    said = made.said
    if isinstance(said, ast.Call):
        for condition in constraints(said, value):
            yield condition if option_of(made.annotation) is None else or_none(value, condition)


def check_arguments(linker: Linker, info: UserClass, own: dict[str, DataField]) -> list[ast.stmt]:
    """What the constructor does before it stores its arguments."""
    checks: list[ast.stmt] = []
    error = linker.module_attribute("pydantic", "ValidationError")
    assert isinstance(error, ClassName)
    refused = ast.Raise(ast.Constant(ClassRef(error.name)), None)
    for made in own.values():
        value = ast.Name(made.given_as, ast.Load())
        type_ = _type_test(linker, info, made.annotation, value)
        conditions = [ast.UnaryOp(ast.Not(), each) for each in conditions_on(made, value)]
        converted = f"a value for field {made.name} that pydantic converts or refuses"
        told = ast.Expr(ast.Call(ast.Constant(NativeRef("unsupported")), [ast.Constant(converted)], []))
        tests: list[ast.stmt] = [ast.If(ast.UnaryOp(ast.Not(), type_), [told], [])]
        tests += [ast.If(each, [copy.deepcopy(refused)], []) for each in conditions]
        if made.factory is not None:
            given = ast.Compare(value, [ast.IsNot()], [ast.Constant(NativeRef("default_factory"))])
            tests = [ast.If(given, tests, [])]
        place = info.annotated.get(made.name, info.node)
        checks += [place_at(each, place) for each in tests]
    return checks


def _names(info: UserClass) -> list[str]:
    def is_field(name: str, statement: ast.AnnAssign) -> bool:
        return (
            not name.startswith("_") and name != "model_config" and "ClassVar" not in ast.unparse(statement.annotation)
        )

    return [name for name, statement in info.annotated.items() if is_field(name, statement)]


def _is_field(call: ast.Call) -> bool:
    return dotted(call.func).rpartition(".")[2] == "Field"


def _is_special(statement: ast.AnnAssign) -> bool:
    """Whether a field is more than a type, constraints and a default."""
    value = statement.value
    if not (isinstance(value, ast.Call) and _is_field(value)):
        return False
    return not {k.arg for k in value.keywords} <= _WORDS | _CONSTRAINTS or len(value.args) > 1


def _defaults(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    given = {k.arg: k.value for k in call.keywords}
    default = call.args[0] if call.args else given.get("default")
    if isinstance(default, ast.Constant) and default.value is Ellipsis:
        default = None
    return default, given.get("default_factory")


def _type_test(linker: Linker, info: UserClass, annotation: ast.expr | None, value: ast.expr) -> ast.expr:
    """Whether a value is of the type that a field declares, so that it is kept as it is."""
    annotation = unquoted(annotation)
    option = option_of(annotation)
    if option is not None:
        return or_none(value, _type_test(linker, info, option, value))
    if isinstance(annotation, ast.Subscript) and dotted(annotation.value).rpartition(".")[2] == "Annotated":
        inner = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
        return _type_test(linker, info, inner, value)
    if isinstance(annotation, ast.Name) and annotation.id in _PLAIN:
        kind = ast.Call(ast.Name("type", ast.Load()), [copy.deepcopy(value)], [])
        return ast.Compare(kind, [ast.Is()], [ast.Name(annotation.id, ast.Load())])
    element = element_of(annotation)
    if element is not None:
        every = for_each(value, [_type_test(linker, info, element, ast.Name(EACH, ast.Load()))])
        return ast.BoolOp(ast.And(), [_is_instance(value, ast.Name("list", ast.Load())), *every])
    if isinstance(annotation, (ast.Name, ast.Attribute)):
        denoted = linker.expression(info.module, annotation, info)
        if isinstance(denoted, ClassName):
            return _is_instance(value, ast.Constant(ClassRef(denoted.name)))
    return ast.Constant(False)


def _is_instance(value: ast.expr, cls: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("isinstance", ast.Load()), [copy.deepcopy(value), cls], [])

"""Class decorators: the methods that `@dataclass`, attrs and `@total_ordering` write, as ordinary definitions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from everypath.ir.instructions import NativeRef
from everypath.languages.python.frontend.attrs_classes import AttrsFields, class_options, name_in_attrs
from everypath.languages.python.frontend.bases import SIMPLE_ENUM
from everypath.languages.python.frontend.descriptors import read_decorated, read_descriptors, read_operators
from everypath.languages.python.frontend.effects import (
    announce_subclass,
    call_on_import,
    calls_of,
    decorate_class,
    sets_attributes,
)
from everypath.languages.python.frontend.enums import add_methods, read_members
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionBinding, place_at
from everypath.languages.python.frontend.names import ExternalName, FunctionName
from everypath.languages.python.frontend.userclass import DataField, UserClass, user_function, written_method
from everypath.records import dataclass, replace

_HARMLESS = frozenset(
    "typing.final typing.runtime_checkable typing_extensions.final typing_extensions.runtime_checkable".split()
)
_ORDERINGS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_FROM_ONE = {
    "__lt__": {"__gt__": "not (self < other) and self != other", "__le__": "self < other or self == other",
               "__ge__": "not self < other"},
    "__le__": {"__ge__": "not self <= other or self == other", "__lt__": "self <= other and self != other",
               "__gt__": "not self <= other"},
    "__gt__": {"__lt__": "not (self > other) and self != other", "__ge__": "self > other or self == other",
               "__le__": "not self > other"},
    "__ge__": {"__le__": "not self >= other or self == other", "__gt__": "self >= other and self != other",
               "__lt__": "not self >= other"},
}  # fmt: skip
_MISSING = NativeRef("default_factory")
"""The default of a parameter whose field has a factory: nothing was given."""
_SAME_CLASS = "if type(other) is type(self):\n  return {}\n return NotImplemented"
"""The body of a method that compares two objects of the same class, given the result."""


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of `@dataclass`, with its defaults."""

    init: bool = True
    repr: bool = True
    eq: bool = True
    order: bool = False
    unsafe_hash: bool = False
    frozen: bool = False
    kw_only: bool = False
    slots: bool = False


class ClassDecorators:
    """Applies the decorators of a class when the class enters the program."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def prepare(self, info: UserClass) -> None:
        """Work out which methods the decorators add."""
        self._function_attributes(info)
        # The last decorator is applied first, as in the running program.
        for decorator in reversed(info.node.decorator_list):
            self._apply(info, decorator)
        if info.by_pydantic:
            self._model(info)
        if info.named_tuple:
            self._named_tuple(info)
        else:
            read_decorated(self.linker, info)
            read_descriptors(self.linker, info)
            read_operators(info)
        if info.enum:
            read_members(self.linker, info)
            add_methods(self.linker, info)
        announced = announce_subclass(self.linker, info)
        self._note_calls(info)
        for keyword in info.node.keywords:
            if keyword.arg not in (None, "metaclass") and (announced or info.typed_dict):
                continue
            if keyword.arg == "metaclass" and ast.unparse(keyword.value).rpartition(".")[2] == "ABCMeta":
                info.abc = True
                continue
            self._problem(info, keyword.value, f"class keyword {keyword.arg or '**'} is not supported")

    def _apply(self, info: UserClass, decorator: ast.expr) -> None:
        """One decorator of the class."""
        call = decorator if isinstance(decorator, ast.Call) else None
        denoted = self.linker.expression(info.module, call.func if call else decorator)
        name = denoted.name if isinstance(denoted, ExternalName) else ""
        if name in ("enum.unique", "enum.verify", SIMPLE_ENUM.name) and info.enum:
            return
        attrs = class_options(name_in_attrs(denoted), call)
        if name == "dataclasses.dataclass":
            self._dataclass(info, _Options(**_given(call)))
        elif attrs is not None:
            self._attrs(info, attrs.pop("auto_attribs", False), _Options(**attrs))
        elif name == "functools.total_ordering" or ast.unparse(decorator).endswith("total_ordering"):
            self._total_ordering(info)
        elif isinstance(denoted, FunctionName) and self._is_user(denoted.cls):
            decorate_class(self.linker, info, decorator)
        elif name not in _HARMLESS:
            self._problem(info, decorator, f"class decorator @{ast.unparse(decorator)} is not supported")

    def _note_calls(self, info: UserClass) -> None:
        """Note the calls on import that change the class: of its own methods, or of functions that set attributes."""
        for statement, called in calls_of(info.module):
            own = isinstance(called, ast.Attribute) and called.attr in info.functions
            given = isinstance(called, ast.Name) and sets_attributes(info, called.id)
            if given or (own and ast.unparse(called).rpartition(".")[0] == info.qualname):
                call_on_import(self.linker, info.module, statement)

    def _function_attributes(self, info: UserClass) -> None:
        """Make methods of the module's functions that the class body assigns to a name."""
        for name, writers in list(info.statics.items()):
            match writers:
                case [ast.Assign(targets=[ast.Name()], value=ast.Name() as value)]:
                    kind = "instance"
                case [
                    ast.Assign(
                        targets=[ast.Name()],
                        value=ast.Call(
                            func=ast.Name(id="staticmethod" | "classmethod" as maker), args=[ast.Name() as value]
                        ),
                    )
                ]:
                    kind = "static" if maker == "staticmethod" else "class"
                case _:
                    continue
            if value.id in info.functions:
                info.functions[name] = replace(info.functions[value.id], kind=kind)
                del info.statics[name]
                continue
            if value.id in info.statics or value.id in info.enclosing or value.id in info.nested:
                continue
            denoted = self.linker.global_name(info.module, value.id)
            if isinstance(denoted, FunctionName) and denoted.cls not in self.linker.classes:
                source = self.linker.finder.module(denoted.cls)
                binding = source.bindings.get(denoted.name) if source is info.module else None
                if isinstance(binding, FunctionBinding) and not binding.node.decorator_list:
                    info.functions[name] = replace(user_function(binding.node), kind=kind)
                    del info.statics[name]

    def _is_user(self, module: str) -> bool:
        source = self.linker.finder.module(module)
        return source is not None and source.user

    def _problem(self, info: UserClass, node: ast.AST, message: str) -> None:
        self.linker.problem(info.module, info.module.span(node), message)

    def _dataclass(self, info: UserClass, options: _Options) -> None:
        """The methods that `@dataclass` writes, in its order."""
        fields = info.data_fields = self._fields(info, options.kw_only)
        stored = [made for made in fields.values() if not made.init_only]
        self._written(info, stored, options)
        # What `dataclasses.fields` and `dataclasses.replace` need to know.
        info.statics["__dataclass_fields__"] = [_names(info, (f.name for f in stored))]
        self._replace(info, fields, "__replace__")

    def _attrs(self, info: UserClass, auto: bool, options: _Options) -> None:
        """The methods that attrs writes."""
        info.by_attrs = True
        reader = AttrsFields(self.linker, info, auto, options.kw_only)
        own = reader.read()
        info.data_fields = self._inherited(info)
        # A field that is declared again comes with those of the class itself.
        for name in own:
            info.data_fields.pop(name, None)
        info.data_fields.update(own)
        self._written(info, list(info.data_fields.values()), options)
        if reader.refused and "__init__" in info.generated:
            told = f"the {reader.refused[0]} of {info.qualname}, which attrs runs"
            info.generated["__init__"].body[:0] = place_at(
                written_method("f()", f"native_unsupported({told!r})"), info.node
            ).body

    def _model(self, info: UserClass) -> None:
        """The methods of a model of pydantic."""
        # Few programs have models.
        from everypath.languages.python.frontend.pydantic_models import check_arguments, fields_of, is_frozen

        own = fields_of(info)
        fields = info.data_fields = self._inherited(info)
        fields.update(own)
        self._written(info, list(fields.values()), _Options(frozen=is_frozen(info), repr=False))
        if "__init__" in info.generated:
            info.generated["__init__"].body[:0] = check_arguments(self.linker, info, fields)

    def _written(self, info: UserClass, stored: list[DataField], options: _Options) -> None:
        """The constructor, and the methods that show, compare and order the objects."""
        assert info.data_fields is not None
        info.frozen = options.frozen
        if options.slots:
            info.slots, info.slotted = tuple(made.name for made in stored), True
        if options.init:
            self._init(info, info.data_fields)
        self._compared(info, stored, options)
        compared = [made.name for made in stored if made.compare]
        for method, op in _ORDERINGS.items() if options.order else ():
            result = f"{_tuple_of('self', compared)} {op} {_tuple_of('other', compared)}"
            info.generate(f"{method}(self, other)", _SAME_CLASS.format(result))

    def _compared(self, info: UserClass, stored: list[DataField], options: _Options) -> None:
        """The methods that show, compare and hash the fields of a dataclass."""
        if options.repr:
            info.generate("__repr__(self)", f"return {_shown(info, [f.name for f in stored if f.repr])}")
        if options.eq:
            test = " and ".join(f"self.{f.name} == other.{f.name}" for f in stored if f.compare) or "True"
            info.generate("__eq__(self, other)", _SAME_CLASS.format(test))
        if options.unsafe_hash or (options.eq and options.frozen):
            counted = [f.name for f in stored if (f.compare if f.hash is None else f.hash)]
            info.generate("__hash__(self)", f"return hash({_tuple_of('self', counted)})")

    def _fields(self, info: UserClass, kw_only: bool) -> dict[str, DataField]:
        """The fields of a dataclass, inherited ones first."""
        fields = self._inherited(info)
        for name, statement in info.annotated.items():
            kind = self._annotation_kind(statement.annotation)
            if kind == "KW_ONLY":
                # `_: KW_ONLY` is no field, but makes keywords of those that follow.
                kw_only = True
            elif kind != "ClassVar":
                fields[name] = self._field(info, name, statement, kw_only, kind == "InitVar")
        return fields

    def _inherited(self, info: UserClass) -> dict[str, DataField]:
        fields: dict[str, DataField] = {}
        for base in reversed(self.linker.line(info.name)[1:]):
            fields.update(base.data_fields or {})
        return fields

    def _named_tuple(self, info: UserClass) -> None:
        """The methods of a `typing.NamedTuple`, which is an immutable object that also acts as a tuple."""
        fields = {name: DataField(name, node.annotation, node.value) for name, node in info.annotated.items()}
        info.data_fields = fields
        info.frozen = True
        self._init(info, fields)
        mine = _tuple_of("self", fields)
        pairs = ", ".join(f"{name!r}: self.{name}" for name in fields)
        info.generate_results(
            {
                "__iter__(self)": f"iter({mine})",
                "__len__(self)": str(len(fields)),
                "__getitem__(self, index)": f"{mine}[index]",
                "__contains__(self, value)": f"value in {mine}",
                "__add__(self, other)": f"{mine} + tuple(other)",
                "__hash__(self)": f"hash({mine})",
                "__repr__(self)": _shown(info, fields),
                "index(self, value)": f"{mine}.index(value)",
                "count(self, value)": f"{mine}.count(value)",
                "_asdict(self)": f"{{{pairs}}}",
            }
        )
        for method, op in {"__eq__": "==", **_ORDERINGS}.items():
            test = "if type(other) is type(self) or isinstance(other, tuple)"
            info.generate(
                f"{method}(self, other)", f"{test}:\n  return {mine} {op} tuple(other)\n return NotImplemented"
            )
        told = f"f'Expected {len(fields)} arguments, got {{len(values)}}'"
        checked = f"values = tuple(iterable)\n if len(values) != {len(fields)}:\n  raise TypeError({told})"
        info.generate("_make(cls, iterable)", f"{checked}\n return cls(*values)", "class")
        info.statics.setdefault("_fields", [_names(info, fields)])
        self._replace(info, fields, "_replace")

    def _replace(self, info: UserClass, fields: dict[str, DataField], name: str) -> None:
        """A method that copies an object with other values for some fields."""
        if name in info.functions:
            return
        node = written_method(f"{name}(self)", "return type(self)()")
        result = node.body[-1]
        assert isinstance(result, ast.Return) and isinstance(result.value, ast.Call)
        for field, made in fields.items():
            marker = ast.Constant(_MISSING)
            node.args.kwonlyargs.append(ast.arg(field, made.annotation))
            node.args.kw_defaults.append(marker)
            node.body[-1:-1] = _refusal(made)
            if not made.init:
                continue
            kept = ast.Attribute(ast.Name("self", ast.Load()), field, ast.Load())
            given = ast.Name(field, ast.Load())
            chosen = ast.IfExp(ast.Compare(given, [ast.Is()], [marker]), kept, given)
            if made.kw_only:
                result.value.keywords.append(ast.keyword(field, chosen))
            else:
                result.value.args.append(chosen)
        info.generated[name] = place_at(node, info.node)

    def _annotation_kind(self, annotation: ast.expr) -> str:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return ""
        head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        if not isinstance(head, (ast.Name, ast.Attribute)):
            return ""
        name = ast.unparse(head).rpartition(".")[2]
        return name if name in ("ClassVar", "InitVar", "KW_ONLY") else ""

    def _field(self, info: UserClass, name: str, node: ast.AnnAssign, kw_only: bool, init_only: bool) -> DataField:
        made = DataField(name, node.annotation, node.value, kw_only=kw_only, init_only=init_only)
        call = node.value
        denoted = self.linker.expression(info.module, call.func) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or denoted != ExternalName("dataclasses.field"):
            return made
        made.default = None
        info.statics.pop(name, None)
        for option, value in ((keyword.arg, keyword.value) for keyword in call.keywords):
            if option == "default":
                made.default = value
                info.statics[name] = [ast.copy_location(ast.Assign([], value), node)]
            elif option == "default_factory":
                made.factory = value
            elif option == "hash" and isinstance(value, ast.Constant):
                made.hash = value.value if isinstance(value.value, bool) else None
            elif option in ("init", "repr", "compare", "kw_only"):
                if isinstance(value, ast.Constant):
                    setattr(made, option, bool(value.value))
                else:
                    self._problem(info, value, f"field option {option} must be a constant")
        return made

    def _init(self, info: UserClass, fields: dict[str, DataField]) -> None:
        if "__init__" in info.functions:
            return
        node = written_method("__init__(self)", "pass")
        given = [made for made in fields.values() if made.init]
        for made in given:
            _add_parameter(node.args, made)
        body = [store for made in fields.values() if (store := _store(made)) is not None]
        after = "__attrs_post_init__" if info.by_attrs else "__post_init__"
        if self.linker.defines(info.name, after):
            passed = ", ".join(made.name for made in given if made.init_only)
            body += written_method("f()", f"self.{after}({passed})").body
        node.body = body or [ast.Pass()]
        info.generated["__init__"] = place_at(node, info.node)

    def _total_ordering(self, info: UserClass) -> None:
        given = next((m for m in _ORDERINGS if self.linker.has_method(info, m)), None)
        if given is None:
            self._problem(info, info.node, "@total_ordering needs one of __lt__, __le__, __gt__, __ge__")
            return
        info.generate_results({f"{method}(self, other)": result for method, result in _FROM_ONE[given].items()})


_REFUSED = "TypeError" if sys.version_info >= (3, 13) else "ValueError"
"""What `dataclasses.replace` raises for a field that it does not take."""


def _refusal(made: DataField) -> list[ast.stmt]:
    """The statement that refuses a field which `dataclasses.replace` does not take, or takes only when it is given."""
    if not made.init:
        words = f"field {made.name} is declared with init=False, it cannot be specified with replace()"
        test = f"{made.name} is not native_default_factory"
    elif made.init_only and made.default is None:
        test = f"{made.name} is native_default_factory"
        words = f"InitVar {made.name!r} must be specified with replace()"
    else:
        return []
    return written_method("f()", f"if {test}:\n  raise {_REFUSED}({words!r})").body


def _tuple_of(receiver: str, fields: Iterable[str]) -> str:
    return "(" + "".join(f"{receiver}.{name}, " for name in fields) + ")"


def _shown(info: UserClass, fields: Iterable[str]) -> str:
    """The f-string that shows an object as the call that makes it."""
    text = ", ".join(f"{name}={{self.{name}!r}}" for name in fields)
    return f"f'{info.qualname}({text})'"


def _names(info: UserClass, fields: Iterable[str]) -> ast.Assign:
    """The assignment of a tuple of names, as if it stood in the class body."""
    return place_at(ast.Assign([], ast.Tuple([ast.Constant(name) for name in fields], ast.Load())), info.node)


def _add_parameter(args: ast.arguments, made: DataField) -> None:
    """The parameter of a generated constructor for one field."""
    default = ast.Constant(_MISSING) if made.factory is not None else made.default
    # What is converted may be of any type; that of the field is the type of the result.
    parameter = ast.arg(made.given_as, None if made.converter else made.annotation)
    if made.kw_only:
        args.kwonlyargs.append(parameter)
        args.kw_defaults.append(default)
    else:
        args.args.append(parameter)
        args.defaults += [default] if default is not None else []


def _store(made: DataField) -> ast.stmt | None:
    """What a generated constructor stores in a field; None where it stores nothing."""
    if made.init_only or not (made.init or made.factory or (made.parameter and made.default)):
        return None
    value: ast.expr = ast.Name(made.given_as, ast.Load())
    given = value
    if made.copied:
        value = ast.Call(ast.Name("list", ast.Load()), [value], [])
    if made.factory is not None:
        fresh = ast.Call(made.factory, [ast.Name("self", ast.Load())] if made.factory_takes_self else [], [])
        # The factory runs for each object, so that the default is a marker that says that nothing was given.
        missing = ast.Compare(given, [ast.Is()], [ast.Constant(_MISSING)])
        value = ast.IfExp(missing, fresh, value) if made.init else fresh
    elif not made.init and made.default is not None:
        value = made.default
    if made.converter is not None:
        value = ast.Call(made.converter, [value], [])
    return ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), made.name, ast.Store())], value)


def _given(call: ast.Call | None) -> dict[str, bool]:
    """The options of `@dataclass(...)` that are understood and constants."""
    keywords = call.keywords if call else []
    constants = {k.arg: k.value.value for k in keywords if k.arg is not None and isinstance(k.value, ast.Constant)}
    return {name: bool(value) for name, value in constants.items() if name in _Options.__annotations__}

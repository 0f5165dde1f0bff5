"""Class decorators: the methods that `@dataclass` and `@total_ordering` write, as ordinary definitions."""

from __future__ import annotations

import ast
import sys

from everypath.ir.instructions import NativeRef
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
from everypath.languages.python.frontend.modules import FunctionBinding
from everypath.languages.python.frontend.names import ExternalName, FunctionName
from everypath.languages.python.frontend.userclass import DataField, UserClass, user_function
from everypath.records import replace

_HARMLESS = frozenset(
    "typing.final typing.runtime_checkable typing_extensions.final typing_extensions.runtime_checkable".split()
)
_ORDERINGS = ("__lt__", "__le__", "__gt__", "__ge__")
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


class ClassDecorators:
    """Applies the decorators of a class when the class enters the program."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def prepare(self, info: UserClass) -> None:
        """Work out which methods the decorators add."""
        self._function_attributes(info)
        for decorator in reversed(info.node.decorator_list):
            call = decorator if isinstance(decorator, ast.Call) else None
            denoted = self.linker.expression(info.module, call.func if call else decorator)
            name = denoted.name if isinstance(denoted, ExternalName) else ""
            if name in ("enum.unique", "enum.verify", SIMPLE_ENUM.name) and info.enum:
                continue
            if name == "dataclasses.dataclass":
                self._dataclass(info, _flags(call))
            elif name == "functools.total_ordering" or ast.unparse(decorator).endswith("total_ordering"):
                self._total_ordering(info)
            elif isinstance(denoted, FunctionName) and self._is_user(denoted.cls):
                decorate_class(self.linker, info, decorator)
            elif name not in _HARMLESS:
                self._problem(info, decorator, f"class decorator @{ast.unparse(decorator)} is not supported")
        if info.named_tuple:
            self._named_tuple(info)
        else:
            read_decorated(self.linker, info)
            read_descriptors(self.linker, info, self._generate, lambda text: self._placed(info, text))
            read_operators(info, self._generate)
        if info.enum:
            read_members(self.linker, info)
            add_methods(info, self._generate)
        announced = announce_subclass(self.linker, info)
        for statement, called in calls_of(info.module):
            own = isinstance(called, ast.Attribute) and called.attr in info.functions
            given = isinstance(called, ast.Name) and sets_attributes(info, called.id)
            if given or (own and ast.unparse(called).rpartition(".")[0] == info.qualname):
                call_on_import(self.linker, info.module, statement)
        for keyword in info.node.keywords:
            if keyword.arg != "metaclass" and keyword.arg is not None and (announced or info.typed_dict):
                continue
            if keyword.arg == "metaclass" and ast.unparse(keyword.value).rpartition(".")[2] == "ABCMeta":
                info.abc = True
                continue
            self._problem(info, keyword.value, f"class keyword {keyword.arg or '**'} is not supported")

    def _function_attributes(self, info: UserClass) -> None:
        """Functions of a module that a class body assigns to a name are methods of the class."""
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

    def _placed(self, info: UserClass, text: str) -> ast.FunctionDef:
        node = _parse(text)
        _place(node, info.node)
        return node

    def _problem(self, info: UserClass, node: ast.AST, message: str) -> None:
        self.linker.problem(info.module, info.module.span(node), message)

    def _dataclass(self, info: UserClass, flags: dict[str, bool]) -> None:
        fields: dict[str, DataField] = {}
        for base in reversed(self.linker.program.mro(info.name)[1:]):
            known = self.linker.classes.get(base)
            if known is not None and known.data_fields is not None:
                fields.update(known.data_fields)
        kw_only = flags.get("kw_only", False)
        for name, statement in info.annotated.items():
            kind = self._annotation_kind(info, statement.annotation)
            if kind == "KW_ONLY":
                kw_only = True
            elif kind != "ClassVar":
                fields[name] = self._field(info, name, statement, kw_only, kind == "InitVar")
        info.data_fields = fields
        info.frozen = flags.get("frozen", False)
        if flags.get("slots", False):
            info.slots, info.slotted = tuple(f.name for f in fields.values() if not f.init_only), True
        if flags.get("init", True):
            self._generate(info, "__init__", self._init(info, fields))
        shown = [f.name for f in fields.values() if f.repr and not f.init_only]
        if flags.get("repr", True):
            text = ", ".join(f"{name}={{self.{name}!r}}" for name in shown)
            self._generate(info, "__repr__", f"def __repr__(self):\n return f'{info.qualname}({text})'")
        compared = [f.name for f in fields.values() if f.compare and not f.init_only]
        same = "def {0}(self, other):\n if type(other) is type(self):\n  return {1}\n return NotImplemented"
        if flags.get("eq", True):
            test = " and ".join(f"self.{n} == other.{n}" for n in compared) or "True"
            self._generate(info, "__eq__", same.format("__eq__", test))
        if flags.get("unsafe_hash", False) or (flags.get("eq", True) and flags.get("frozen", False)):
            counted = [f for f in fields.values() if (f.compare if f.hash is None else f.hash) and not f.init_only]
            values = "".join(f"self.{f.name}, " for f in counted)
            self._generate(info, "__hash__", f"def __hash__(self):\n return hash(({values}))")
        self._reflection(info, fields)
        if flags.get("order", False):
            mine, theirs = ("(" + "".join(f"{who}.{n}, " for n in compared) + ")" for who in ("self", "other"))
            for method, op in zip(_ORDERINGS, ("<", "<=", ">", ">=")):
                self._generate(info, method, same.format(method, f"{mine} {op} {theirs}"))

    def _reflection(self, info: UserClass, fields: dict[str, DataField]) -> None:
        """What `dataclasses.fields` and `dataclasses.replace` need to know."""
        names = ast.Tuple([ast.Constant(f.name) for f in fields.values() if not f.init_only], ast.Load())
        value = ast.Assign([], names)
        for part in ast.walk(value):
            ast.copy_location(part, info.node)
        info.statics["__dataclass_fields__"] = [value]
        if "__replace__" not in info.functions:
            info.generated["__replace__"] = self._replace(info, fields, "__replace__")

    def _named_tuple(self, info: UserClass) -> None:
        """The methods of a `typing.NamedTuple`, which is an immutable object that also acts as a tuple."""
        fields = {name: DataField(name, node.annotation, node.value) for name, node in info.annotated.items()}
        info.data_fields = fields
        info.frozen = True
        self._generate(info, "__init__", self._init(info, fields))
        mine = "(" + "".join(f"self.{name}, " for name in fields) + ")"
        shown = ", ".join(f"{name}={{self.{name}!r}}" for name in fields)
        pairs = ", ".join(f"{name!r}: self.{name}" for name in fields)
        bodies = {
            "__iter__(self)": f"iter({mine})",
            "__len__(self)": str(len(fields)),
            "__getitem__(self, index)": f"{mine}[index]",
            "__contains__(self, value)": f"value in {mine}",
            "__add__(self, other)": f"{mine} + tuple(other)",
            "__hash__(self)": f"hash({mine})",
            "__repr__(self)": f"f'{info.qualname}({shown})'",
            "index(self, value)": f"{mine}.index(value)",
            "count(self, value)": f"{mine}.count(value)",
            "_asdict(self)": f"{{{pairs}}}",
        }
        for signature, result in bodies.items():
            self._generate(info, signature.partition("(")[0], f"def {signature}:\n return {result}")
        for method, op in zip(("__eq__", *_ORDERINGS), ("==", "<", "<=", ">", ">=")):
            text = (
                f"def {method}(self, other):\n if type(other) is type(self) or isinstance(other, tuple):\n"
                f"  return {mine} {op} tuple(other)\n return NotImplemented"
            )
            self._generate(info, method, text)
        self._generate(info, "_make", "def _make(cls, iterable):\n return cls(*iterable)")
        info.generated_kinds["_make"] = "class"
        names = ast.Assign([], ast.Tuple([ast.Constant(name) for name in fields], ast.Load()))
        for part in ast.walk(names):
            ast.copy_location(part, info.node)
        info.statics.setdefault("_fields", [names])
        if "_replace" not in info.functions:
            info.generated["_replace"] = self._replace(info, fields, "_replace")

    def _replace(self, info: UserClass, fields: dict[str, DataField], name: str) -> ast.FunctionDef:
        node = _parse(f"def {name}(self): return type(self)()")
        result = node.body[-1]
        assert isinstance(result, ast.Return) and isinstance(result.value, ast.Call)
        for name, made in fields.items():
            marker = ast.Constant(NativeRef("default_factory"))
            node.args.kwonlyargs.append(ast.arg(name, made.annotation))
            node.args.kw_defaults.append(marker)
            refusal = _refusal(made)
            if refusal is not None:
                node.body[-1:-1] = _parse(f"def f():\n if {refusal[0]}:\n  raise {_REFUSED}({refusal[1]!r})").body
            if not made.init:
                continue
            kept = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
            given = ast.Name(name, ast.Load())
            chosen = ast.IfExp(ast.Compare(given, [ast.Is()], [marker]), kept, given)
            if made.kw_only:
                result.value.keywords.append(ast.keyword(made.name, chosen))
            else:
                result.value.args.append(chosen)
        _place(node, info.node)
        return node

    def _annotation_kind(self, info: UserClass, annotation: ast.expr) -> str:
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
        value = node.value
        if isinstance(value, ast.Call):
            denoted = self.linker.expression(info.module, value.func)
            if isinstance(denoted, ExternalName) and denoted.name == "dataclasses.field":
                made.default = None
                info.statics.pop(name, None)
                for keyword in value.keywords:
                    if keyword.arg == "default":
                        made.default = keyword.value
                        info.statics[name] = [ast.copy_location(ast.Assign([], keyword.value), node)]
                    elif keyword.arg == "default_factory":
                        made.factory = keyword.value
                    elif keyword.arg == "hash" and isinstance(keyword.value, ast.Constant):
                        made.hash = keyword.value.value if isinstance(keyword.value.value, bool) else None
                    elif keyword.arg in ("init", "repr", "compare", "kw_only"):
                        if isinstance(keyword.value, ast.Constant):
                            setattr(made, keyword.arg, bool(keyword.value.value))
                        else:
                            self._problem(info, keyword.value, f"field option {keyword.arg} must be a constant")
        return made

    def _init(self, info: UserClass, fields: dict[str, DataField]) -> ast.FunctionDef:
        node = _parse("def __init__(self):\n pass")
        body: list[ast.stmt] = []
        given = [f for f in fields.values() if f.init]
        for made in [*(f for f in given if not f.kw_only), *(f for f in given if f.kw_only)]:
            arg = ast.arg(made.name, made.annotation)
            default = ast.Constant(NativeRef("default_factory")) if made.factory is not None else made.default
            if made.kw_only:
                node.args.kwonlyargs.append(arg)
                node.args.kw_defaults.append(default)
            else:
                node.args.args.append(arg)
                if default is not None:
                    node.args.defaults.append(default)
        for made in fields.values():
            if made.init_only:
                continue
            value: ast.expr = ast.Name(made.name, ast.Load())
            if made.factory is not None:
                fresh = ast.Call(made.factory, [], [])
                missing = ast.Compare(value, [ast.Is()], [ast.Constant(NativeRef("default_factory"))])
                value = ast.IfExp(missing, fresh, value) if made.init else fresh
            elif not made.init:
                continue
            target = ast.Attribute(ast.Name("self", ast.Load()), made.name, ast.Store())
            body.append(ast.Assign([target], value))
        if any(
            base in self.linker.classes and "__post_init__" in self.linker.classes[base].functions
            for base in self.linker.program.mro(info.name)
        ):
            passed = ", ".join(f.name for f in given if f.init_only)
            body += _parse(f"def f():\n self.__post_init__({passed})").body
        node.body = body or [ast.Pass()]
        return node

    def _total_ordering(self, info: UserClass) -> None:
        given = next((m for m in ("__lt__", "__le__", "__gt__", "__ge__") if self.linker.has_method(info, m)), None)
        if given is None:
            self._problem(info, info.node, "@total_ordering needs one of __lt__, __le__, __gt__, __ge__")
            return
        for method, expression in _FROM_ONE[given].items():
            self._generate(info, method, f"def {method}(self, other):\n return {expression}")

    def _generate(self, info: UserClass, name: str, definition: str | ast.FunctionDef) -> None:
        if name in info.functions:
            return
        node = _parse(definition) if isinstance(definition, str) else definition
        _place(node, info.node)
        info.generated[name] = node


_REFUSED = "TypeError" if sys.version_info >= (3, 13) else "ValueError"
"""What `dataclasses.replace` raises for a field that it does not take."""


def _refusal(made: DataField) -> tuple[str, str] | None:
    """When `dataclasses.replace` refuses a field, and with which words."""
    if not made.init:
        words = f"field {made.name} is declared with init=False, it cannot be specified with replace()"
        return f"{made.name} is not native_default_factory", words
    if made.init_only and made.default is None:
        return f"{made.name} is native_default_factory", f"InitVar {made.name!r} must be specified with replace()"
    return None


def _place(node: ast.FunctionDef, where: ast.ClassDef) -> None:
    """Give generated nodes the place of their class; nodes taken from the source keep theirs."""
    for part in ast.walk(node):
        if not getattr(part, "lineno", 0):
            part.lineno, part.col_offset = where.lineno, where.col_offset  # type: ignore[attr-defined]


def _parse(text: str) -> ast.FunctionDef:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    node = _Natives().visit(node)
    assert isinstance(node, ast.FunctionDef)
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part.lineno = 0
    return node


class _Natives(ast.NodeTransformer):
    """In the text of generated methods, `native_x` is the operation `x` of the engine."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id.startswith("native_"):
            return ast.copy_location(ast.Constant(NativeRef(node.id.removeprefix("native_"))), node)
        return node


def _flags(call: ast.Call | None) -> dict[str, bool]:
    keywords = call.keywords if call else []
    return {k.arg: bool(k.value.value) for k in keywords if k.arg is not None and isinstance(k.value, ast.Constant)}

"""Resolves names across modules and brings into the program exactly what is referenced.

Linking is driven by demand. Translation starts from the functions under test; whenever it meets a name, it asks the
linker what the name denotes (`names.py`). The answer queues whatever is not in the program yet: a function, a class,
the initialiser of a variable. `run` works the queue off until it is empty. So a program contains the part of the
modules, and of the libraries behind them, that some path can reach, and nothing is translated for being imported.

Bases, decorators and bodies are translated by modules that need the linker themselves; `lowering.connect` hands their
functions to it.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from everypath.errors import Span
from everypath.ir.names import static_initialiser
from everypath.ir.program import Class, Program
from everypath.ir.types import ANY, ClassType, Type
from everypath.languages.python.frontend.annotations import AnnotationReader
from everypath.languages.python.frontend.constructs import Problems
from everypath.languages.python.frontend.finder import Finder, Replacements
from everypath.languages.python.frontend.hierarchy import (
    BUILTIN_NAMES,
    EXCEPTION_NAMES,
    PYTHON,
    builtin_value,
    exception_classes,
    exports,
    is_library_data,
    is_method,
    library_constant,
    library_exception,
)
from everypath.languages.python.frontend.modules import (
    Binding,
    ClassBinding,
    FunctionBinding,
    ImportBinding,
    ModuleSource,
    ValueBinding,
    dotted,
    named_base,
    root_name,
)
from everypath.languages.python.frontend.names import (
    BuiltinName,
    ClassName,
    ConstantName,
    Denotation,
    ExternalName,
    FunctionName,
    ModuleName,
    StaticName,
    UndefinedName,
)
from everypath.languages.python.frontend.noted import Effect, Effects, SuperUse
from everypath.languages.python.frontend.userclass import UserClass
from everypath.languages.python.semantics.externals import declare_exception

_PACKAGES = frozenset("os importlib collections concurrent xml email urllib unittest".split())


class Typing(Protocol):
    """What type parameters and protocols need to know of the whole program."""

    def filled_in(self, cls: str, types: tuple[Type, ...]) -> Type | None:
        """The type of objects of an interface with types for its parameters; None for other classes."""

    def type_arguments(self, info: UserClass) -> Mapping[str, Type]:
        """What the type parameters of a class stand for."""

    def may_fit(self, node: ast.ClassDef, interface: UserClass) -> bool:
        """Whether a class may take the place of an interface without inheriting from it."""

    def note_implementations(self) -> None:
        """Tell the program which classes do."""


class Linker:
    """The program under construction; naming something that is not there yet queues its translation."""

    def __init__(self, finder: Finder, problems: Problems) -> None:
        self.finder = finder
        self.problems = problems
        self.program = Program(PYTHON, dict(exception_classes()))
        self.classes: dict[str, UserClass] = {}
        self.opaque: set[str] = set()
        """classes with bases whose behaviour is not modelled, so that no objects of them can be made up"""
        self.lower_function: Callable[[ModuleSource, UserClass | None, str], None]
        self.lower_static: Callable[[ModuleSource, UserClass | None, str], None]
        self.find_bases: Callable[[UserClass], list[str]]
        self.prepare_class: Callable[[UserClass], None]
        self.complete_class: Callable[[UserClass], None]
        self.library_interface: Callable[[str], Type | None]
        """the type of objects of a library class that only stand-ins can be; None for other classes"""
        self.typing: Typing
        self._meanings: dict[str, Mapping[str, Type]] = {}
        self.is_decorated: Callable[[str, str], bool]
        """whether a function of a module is what decorators of the program make of it"""
        self.super_uses: list[SuperUse] = []
        self.replacements = Replacements()
        self.effects: list[Effect] = []
        self.unmakeable: set[str] = set()
        """classes that extend a collection of the language: objects of them can be made, but not made up"""
        self.build_effects: Callable[[ModuleSource], Effects | None]
        self._queue: deque[Callable[[], None]] = deque()
        self._seen: set[tuple[str, str]] = set()
        """class and method of everything that was ever queued"""
        self._resolving: set[tuple[str, str]] = set()
        """module and name of what is being looked up now: a definition may lead back to itself"""

    def run(self) -> None:
        """Translate until nothing is missing, subclasses in the modules under test included."""
        while True:
            while self._queue:
                self._queue.popleft()()
            if not self._add_subclasses():
                if any(info.is_written_protocol for info in self.classes.values()):
                    self.typing.note_implementations()
                return

    def problem(self, module: ModuleSource, span: Span, message: str) -> None:
        """Record an unsupported construct; library code is reported only when a path reaches it."""
        if module.user:
            self.problems.add("unsupported", span, message)

    def module_class(self, module: ModuleSource) -> Class:
        """The class that holds a module's functions and variables."""
        name, classes = module.name, self.program.classes
        if name not in classes:
            classes[name] = Class(name, module=name, model=module.model, library=module.library, span=Span(module.file))
        return classes[name]

    def user_class(
        self, module: ModuleSource, qualname: str, node: ast.ClassDef, enclosing: Mapping[str, Denotation] | None = None
    ) -> UserClass:
        """The class of this definition, brought into the program."""
        name = f"{module.name}.{qualname}"
        if name in self.classes:
            return self.classes[name]
        info = UserClass(name, qualname, module, node, enclosing=enclosing or {})
        info.add_outside(module)
        # Known before its bases and decorators are looked at, because these may name the class itself.
        self.classes[name] = info
        span, model, library = module.span(node), module.model, module.library
        cls = self.program.classes[name] = Class(name, module=module.name, span=span, model=model, library=library)
        self.program.set_bases(cls, tuple(self.find_bases(info)))
        self.prepare_class(info)
        self._queue.append(lambda: self.complete_class(info))
        return info

    def need_function(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Queue the translation of a function or method."""
        self._need(module, owner, name, lambda: self.lower_function(module, owner, name))

    def need_static(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Queue the translation of a module variable or class attribute."""
        self._need(module, owner, static_initialiser(name), lambda: self.lower_static(module, owner, name))

    def _need(self, module: ModuleSource, owner: UserClass | None, method: str, work: Callable[[], None]) -> None:
        key = (owner.name if owner else module.name, method)
        if key not in self._seen:
            self._seen.add(key)
            self.module_class(module)
            self._queue.append(work)

    def defer(self, work: Callable[[], None]) -> None:
        """Queue any other piece of translation."""
        self._queue.append(work)

    def global_name(self, module: ModuleSource, name: str) -> Denotation:
        """What a name denotes at module level; using it queues its translation."""
        match module.bindings.get(name):
            case FunctionBinding():
                self.need_function(module, None, name)
                return FunctionName(module.name, name)
            case ClassBinding(node):
                return ClassName(self.user_class(module, name, node).name)
            case ImportBinding() as binding:
                if (instead := self._instead(module, name, binding)) is not None:
                    module.bindings[name] = instead
                    return self.global_name(module, name)
                return self.imported(binding)
            case ValueBinding():
                return self._variable(module, name)
        # What the module binds itself comes first, wherever its star imports stand.
        for star in module.stars:
            source = self.finder.module(star)
            if source is not None and not name.startswith("_") and source is not module and name in source.bindings:
                return self.global_name(source, name)
            if source is None and exports(star, name):
                return self.module_attribute(star, name)
        if name in module.rebound:
            # Only functions assign it, by way of `global`: there is nothing until one of them has run.
            self.need_static(module, None, name)
            return StaticName(module.name, name)
        # Models call operations of the engine by name.
        return BuiltinName(name) if module.model and name not in BUILTIN_NAMES else self._predefined(module, name)

    def _instead(self, module: ModuleSource, name: str, binding: ImportBinding) -> Binding | None:
        """What a module defines in place of a failing import, if that is the better choice.

        It is where nothing of that name can be imported, and where it stands in for compiled code.
        """
        other = module.alternatives.pop(name, None)
        if other is None or other is binding or self.finder.module(binding.module) is not None:
            return None
        if isinstance(other, (FunctionBinding, ClassBinding)) or not self.finder.exists(binding.module):
            return other
        return None

    def enclosing_name(self, module: ModuleSource, name: str, *, inside_class: bool) -> Denotation:
        """What a name means where it is being defined: `len = len` reads the name of the scope around."""
        if inside_class and name in module.bindings:
            return self.global_name(module, name)
        match module.shadowed.get(name):
            case FunctionBinding():
                return FunctionName(module.name, name)
            case ClassBinding(node):
                return ClassName(self.user_class(module, name, node).name)
            case ImportBinding() as earlier:
                return self.imported(earlier)
        return self._predefined(module, name)

    def _predefined(self, module: ModuleSource, name: str) -> Denotation:
        match name:
            case "__name__":
                return ConstantName(module.name)
            case "__file__":
                return ConstantName(str(module.path))
            case "__doc__":
                return ConstantName(ast.get_docstring(module.tree, clean=False))
            case "__debug__":
                return ConstantName(True)
            case "NotImplemented" | "Ellipsis":
                return ConstantName(builtin_value(name))
        if name in EXCEPTION_NAMES:
            return ClassName(EXCEPTION_NAMES[name])
        return BuiltinName(name) if name in BUILTIN_NAMES else UndefinedName(name)

    def _variable(self, module: ModuleSource, name: str) -> Denotation:
        # A variable that always equals a function, class or module is just another name for that: calls through it are
        # resolved now, and a class in it can be extended.
        alias = self.alias(module, name)
        key = (module.name, name)
        if isinstance(alias, ast.Call) and key not in self._resolving:
            with self._looking_up(key):
                made = self.made_class(module, name, alias)
            if made is not None:
                # From here on as if the module had a class statement instead of the call.
                module.bindings[name] = ClassBinding(made)
                return self.global_name(module, name)
        if isinstance(alias, (ast.Name, ast.Attribute)) and key not in self._resolving:
            with self._looking_up(key):
                denoted = self.expression(module, alias)
            if isinstance(denoted, (FunctionName, ClassName, BuiltinName, ModuleName)):
                return denoted
        self.need_static(module, None, name)
        return StaticName(module.name, name)

    @contextmanager
    def _looking_up(self, key: tuple[str, str]) -> Iterator[None]:
        self._resolving.add(key)
        try:
            yield
        finally:
            self._resolving.discard(key)

    def made_class(self, module: ModuleSource, name: str, call: ast.Call) -> ast.ClassDef | None:
        """The class that a call such as `namedtuple(...)` makes in a module."""
        from everypath.languages.python.frontend.functional import made_class

        return made_class(
            name,
            call,
            lambda node: self.expression(module, node),
            lambda node: found[1] if (found := self._alias_named(module, node)) else None,
        )

    def alias(self, module: ModuleSource, name: str) -> ast.expr | None:
        """The expression that a module variable always equals, if it is assigned once and never again."""
        binding = module.bindings.get(name)
        if not isinstance(binding, ValueBinding) or name in module.rebound or len(binding.writers) != 1:
            return None
        match binding.writers[0]:
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=value):
                return value
            case statement if type(statement).__name__ == "TypeAlias":
                return statement.value  # type: ignore[attr-defined, no-any-return]
        return None

    def imported(self, binding: ImportBinding) -> Denotation:
        """What an import binds a name to."""
        module, name = binding.module, binding.attribute
        return ModuleName(module) if name is None else self.module_attribute(module, name)

    def module_attribute(self, module: str, name: str) -> Denotation:
        """What `module.name` denotes."""
        if (ours := self.replacements.defines(module, name)) is not None:
            return self.global_name(ours, name)
        # Our version of a library module counts before its source, and that before what the running Python tells.
        source = self.finder.part(module, name)
        dotted_name = f"{module}.{name}"
        if source is not None:
            if name in source.bindings or source.stars:
                key = (module, name)
                if key in self._resolving:
                    # A package imports a module of its own, `from . import parts`, under that module's name.
                    found = self.finder.exists(dotted_name)
                    return ModuleName(dotted_name) if found else UndefinedName(dotted_name)
                with self._looking_up(key):
                    denoted = self.global_name(source, name)
                if not isinstance(denoted, (UndefinedName, BuiltinName)) or name in source.bindings:
                    return denoted
            return ModuleName(dotted_name) if self.finder.exists(dotted_name) else self._external(module, name)
        if (constant := library_constant(module, name)) is not None:
            return ConstantName(constant)
        if module == "builtins":
            return ClassName(EXCEPTION_NAMES[name]) if name in EXCEPTION_NAMES else BuiltinName(name)
        if module in _PACKAGES and self.finder.exists(dotted_name):
            return ModuleName(dotted_name)
        return self._external(module, name)

    def _external(self, module: str, name: str) -> Denotation:
        """Something of the library that has no source."""
        exception = library_exception(module, name)
        declared = declare_exception(self.program, exception) if exception is not None else None
        return ExternalName(f"{module}.{name}") if declared is None else ClassName(declared)

    def attribute(self, base: Denotation, name: str) -> Denotation | None:
        """What `base.name` denotes, or None when that is only known at run time."""
        match base:
            case ModuleName(module):
                return self.module_attribute(module, name)
            case ExternalName(dotted_name):
                constant = library_constant(dotted_name, name)
                if constant is None and is_library_data(dotted_name):
                    return None
                return ExternalName(f"{dotted_name}.{name}") if constant is None else ConstantName(constant)
            case ClassName(cls):
                if name == "__init__" and cls not in self.classes and self.program.is_subclass(cls, "BaseException"):
                    return BuiltinName("init_exception")
                return self.class_attribute(cls, name)
            case BuiltinName(cls) if is_method(cls, name):
                return BuiltinName(f"{cls}.{name}")
            case _:
                return None

    def line(self, cls: str) -> list[UserClass]:
        """The class and what it inherits from, as far as the program has their source, most specific first."""
        return [self.classes[base] for base in self.program.mro(cls) if base in self.classes]

    def is_translated(self, cls: str) -> bool:
        """Whether the program has the source of the class and of everything that it inherits from."""
        return all(base in self.classes for base in self.program.mro(cls))

    def defines(self, cls: str, method: str) -> bool:
        """Whether the source of the class or of one of its bases has the method."""
        return any(method in info.functions for info in self.line(cls))

    def class_attribute(self, cls: str, name: str) -> Denotation | None:
        """What `Class.name` denotes, looked up along the bases."""
        for info in self.line(cls):
            if name in info.functions:
                # What a property gives is asked of the class at run time.
                return None if info.functions[name].kind == "property" else FunctionName(info.name, name)
            if name in info.nested:
                qualname = f"{info.qualname}.{name}"
                return ClassName(self.user_class(info.module, qualname, info.nested[name]).name)
            if name in info.statics:
                self.need_static(info.module, info, name)
                return StaticName(info.name, name)
        return None

    def is_abstract(self, cls: str) -> bool:
        """Whether the class has abstract methods that forbid making objects of it."""
        return any(info.abc for info in self.line(cls)) and self.has_abstract_methods(cls)

    def has_abstract_methods(self, cls: str) -> bool:
        """Whether some method of the class is only declared, and no class before that one defines it."""
        seen: set[str] = set()
        for info in self.line(cls):
            for method, function in info.functions.items():
                if method not in seen and function.abstract:
                    return True
                seen.add(method)
            seen.update(info.statics, info.generated)
        return False

    def has_method(self, info: UserClass, name: str) -> bool:
        """Whether the class itself has the method, written or generated by a decorator."""
        return name in info.functions or name in info.generated

    def kind_of(self, function: FunctionName) -> str:
        """instance, static, class or property; a module function is static."""
        owner = self.classes.get(function.cls)
        if owner is not None and function.name in owner.generated and function.name not in owner.functions:
            return owner.generated_kinds.get(function.name, "instance")
        if owner is None or function.name not in owner.functions:
            return "static"
        return owner.functions[function.name].kind

    def expression(self, module: ModuleSource, node: ast.expr, owner: UserClass | None = None) -> Denotation:
        """What a name or attribute chain denotes outside functions."""
        match node:
            case ast.Name(id=name):
                if owner is not None:
                    found = self.class_attribute(owner.name, name)
                    if found is not None and not isinstance(found, FunctionName):
                        return found
                    if name in owner.enclosing:
                        return owner.enclosing[name]
                return self.global_name(module, name)
            case ast.Attribute(value=value, attr=name):
                base = self.expression(module, value, owner)
                return self.attribute(base, name) or UndefinedName(dotted(node) or name)
            case ast.Subscript(value=value):
                return self.expression(module, value, owner)
            case _:
                return UndefinedName("")

    def annotations(
        self, module: ModuleSource, owner: UserClass | None = None, function: ast.AST | None = None
    ) -> AnnotationReader:
        """A reader of annotations written in this scope."""
        scopes = (owner.node if owner else None, function)
        generic = frozenset(param.name for node in scopes for param in getattr(node, "type_params", ()))

        def alias(node: ast.expr) -> tuple[ast.expr, AnnotationReader] | None:
            if (found := self._alias_named(module, node)) is None:
                return None
            home, definition = found
            same = home is module or home is module.stub
            return definition, self.annotations(module, owner, function) if same else self.annotations(home)

        self_type: Type = ClassType(owner.name) if owner else ANY

        def resolve(node: ast.expr) -> Denotation:
            denoted = self.expression(module, node, owner)
            # Classes that only a stub declares do not exist when the program runs.
            declared = module.stub.bindings.get(root_name(node)) if module.stub is not None else None
            if isinstance(denoted, UndefinedName) and module.stub is not None and isinstance(declared, ImportBinding):
                denoted = self.expression(module.stub, node)
            if isinstance(denoted, ClassName) and any(
                base in self.opaque or base in self.unmakeable for base in self.program.mro(denoted.name)
            ):
                return UndefinedName(denoted.name)
            return denoted

        reader = AnnotationReader(resolve, alias, self.module_attribute, self_type, generic, self.library_interface)
        reader.filled_in = self.typing.filled_in
        reader.bound = self._meaning(owner) if owner is not None and owner.module.user and owner.is_generic else {}
        return reader

    def _meaning(self, owner: UserClass) -> Mapping[str, Type]:
        if owner.name not in self._meanings:
            # To find it annotations are read, perhaps of the class itself.
            self._meanings[owner.name] = {}
            self._meanings[owner.name] = self.typing.type_arguments(owner)
        return self._meanings[owner.name]

    def _alias_named(self, module: ModuleSource, node: ast.expr) -> tuple[ModuleSource, ast.expr] | None:
        """The definition that a name or `module.name` stands for, and the module that it stands in."""
        home: ModuleSource | None
        match node:
            case ast.Name(id=name):
                home = module.stub if module.stub is not None and name not in module.bindings else module
            case ast.Attribute(value=value, attr=name):
                base = self.expression(module, value)
                home = self.finder.module(base.name) if isinstance(base, ModuleName) else None
            case _:
                return None
        for _ in range(20):  # a package may import the name from its modules, and these from each other
            binding = home.bindings.get(name) if home is not None else None
            if not isinstance(binding, ImportBinding) or not binding.attribute:
                break
            home, name = self.finder.module(binding.module), binding.attribute
        definition = self.alias(home, name) if home is not None else None
        return (home, definition) if home is not None and definition is not None else None

    def _add_subclasses(self) -> bool:
        # An argument of a class may be an object of a class below it. Classes below the ones in the program count where
        # they stand in a module under test; to know them all would mean to read every module there is.
        before = len(self.classes)
        modules = {info.module.name: info.module for info in self.classes.values() if info.module.user}
        for module in modules.values():
            for name, binding in list(module.bindings.items()):
                if not isinstance(binding, ClassBinding) or f"{module.name}.{name}" in self.classes:
                    continue
                below = any(named_base(module, base) in self.classes for base in binding.node.bases)
                protocols = [info for info in self.classes.values() if info.is_written_protocol]
                if below or any(self.typing.may_fit(binding.node, info) for info in protocols):
                    self.user_class(module, name, binding.node)
        return len(self.classes) > before or bool(self._queue)

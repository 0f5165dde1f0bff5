"""Which declaration a name means in a module: own names, imports, exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend.problems import NAME, UNSUPPORTED, Problems, did_you_mean
from everypath.languages.abs.frontend.types import STDLIB
from everypath.records import dataclass, field

TYPE, CLASS, FUNCTION, CONSTRUCTOR, TRAIT = "type", "class", "function", "constructor", "trait"
PARTIAL = "partial"
"""a partially defined function, which may have the name of another function"""
_SHOWN = {
    TYPE: "type or interface",
    CLASS: "class",
    FUNCTION: "function",
    PARTIAL: "partially defined function",
    CONSTRUCTOR: "constructor",
    TRAIT: "trait",
}
_NOT_SUPPORTED = {
    "ABS.DC": "deployment components and resources (module `ABS.DC`)",
    "ABS.Scheduler": "user-defined schedulers (module `ABS.Scheduler`)",
    "ABS.FLI": "foreign classes (module `ABS.FLI`)",
    "ABS.Meta": "meta-programming (module `ABS.Meta`)",
    "ABS.Productline": "product lines at run time (module `ABS.Productline`)",
    "ABS.SmartDeploy": "deployment (module `ABS.SmartDeploy`)",
}


@dataclass(frozen=True, slots=True)
class Entity:
    """A declaration by its qualified name; an accessor is declared by its constructor's argument."""

    kind: str
    module: str
    simple: str
    span: Span
    node: s.Declaration | s.Constructor | s.ConstructorArgument

    @property
    def name(self) -> str:
        """The qualified name."""
        return f"{self.module}.{self.simple}"


Key = tuple[str, str]
"""kind and name"""


@dataclass(slots=True)
class Scope:
    """What the names in one module mean."""

    module: s.Module
    own: dict[Key, Entity] = field(default_factory=dict)
    exported: dict[Key, Entity] | None = None
    visible: dict[Key, tuple[Entity, ...]] = field(default_factory=dict)
    missing: set[str] | None = field(default_factory=set)
    """names that a missing module should have given, None for any: they are not reported once more"""
    unsupported: list[str] = field(default_factory=list)
    """what the modules are about from which everything is imported and nothing is known"""

    def hushed(self, name: str) -> bool:
        """Whether an unknown name is explained by a missing module."""
        return self.missing is None or name.rpartition(".")[2] in self.missing


class Names:
    """The scopes of all modules of a program."""

    def __init__(self, modules: Iterable[s.Module], problems: Problems) -> None:
        self.problems = problems
        self.scopes: dict[str, Scope] = {}
        for module in modules:
            if module.name in self.scopes:
                first = self.scopes[module.name].module.span
                problems.add(NAME, module.span, f"module `{module.name}` is already declared at {first}")
                continue
            self.scopes[module.name] = scope = Scope(module)
            for entity in _entities(module):
                if "." in entity.simple:
                    problems.add(NAME, entity.span, f"`{entity.simple}`: a declaration has a name without a dot")
                else:
                    self._declare(scope, entity)
        for scope in self.scopes.values():
            self._link(scope)
        for scope in self.scopes.values():
            self._check_exports(scope)

    def _declare(self, scope: Scope, entity: Entity) -> None:
        key = entity.kind, entity.simple
        before = scope.own.get(key)
        if before is None:
            scope.own[key] = entity
        elif not isinstance(entity.node, s.ConstructorArgument) or not isinstance(before.node, s.ConstructorArgument):
            self.problems.add(
                NAME, entity.span, f"{_SHOWN[entity.kind]} `{entity.simple}` is already declared at {before.span}"
            )

    def exports(self, scope: Scope) -> dict[Key, Entity]:
        """What other modules can import from this one."""
        if scope.exported is None:
            scope.exported = {}
            found: dict[Key, Entity] = {}
            for export in scope.module.exports:
                names = None if export.names is None else {n.text.rpartition(".")[2] for n in export.names}
                source = scope.own if not export.module else self._importable(scope, export.module)
                found.update({k: e for k, e in source.items() if names is None or k[1] in names})
                if names is not None and not export.module:
                    for imported in scope.module.imports:
                        reached = self._importable(scope, imported.module)
                        found.update({k: e for k, e in reached.items() if k[1] in names and k not in found})
            scope.exported = found
        return scope.exported

    def _importable(self, scope: Scope, module: str) -> dict[Key, Entity]:
        """The names of another module that this one imports."""
        other = self.scopes.get(module)
        if other is None:
            return {}
        if other is scope:
            return scope.own
        wanted: set[str] = set()
        exports = self.exports(other)
        for clause in scope.module.imports:
            for source, names in _wanted(clause):
                if source == module:
                    wanted |= {simple for _, simple in exports} if names is None else names
        return {k: e for k, e in exports.items() if k[1] in wanted}

    def _link(self, scope: Scope) -> None:
        visible: dict[Key, dict[str, Entity]] = {}
        explicit = any(clause.module == STDLIB for clause in scope.module.imports)
        if not explicit and scope.module.name != STDLIB and STDLIB in self.scopes:
            visible = {key: {entity.name: entity} for key, entity in self.exports(self.scopes[STDLIB]).items()}
        imported: dict[Key, dict[str, Entity]] = {}
        for clause in scope.module.imports:
            for key, entity in self._imported(scope, clause):
                imported.setdefault(key, {})[entity.name] = entity
        visible.update(imported)
        for (kind, simple), entity in scope.own.items():
            visible[kind, simple] = visible[kind, f"{scope.module.name}.{simple}"] = {entity.name: entity}
        scope.visible = {key: tuple(found.values()) for key, found in visible.items()}

    def _imported(self, scope: Scope, clause: s.Exchange) -> Iterator[tuple[Key, Entity]]:
        for module, names in _wanted(clause):
            other = self.scopes.get(module)
            if other is None:
                self._missing_module(scope, clause, module)
                continue
            exports = scope.own if other is scope else self.exports(other)
            for name in names or ():
                if not any(simple == name for _, simple in exports):
                    declared = any(k[1] == name for k in other.own)
                    reason = _not_exported(name, module) if declared else f"module `{module}` does not declare it"
                    self.problems.add(NAME, clause.span, f"cannot import `{name}`: {reason}")
            for (kind, simple), entity in exports.items():
                if names is None or simple in names:
                    if clause.module:
                        yield (kind, simple), entity
                    yield (kind, f"{module}.{simple}"), entity

    def _missing_module(self, scope: Scope, clause: s.Exchange, module: str) -> None:
        if module in _NOT_SUPPORTED and self._needless(scope, clause, module):
            return
        if clause.names is None:
            scope.missing = None
        elif scope.missing is not None:
            scope.missing |= {name.text.rpartition(".")[2] for name in clause.names}
        if module in _NOT_SUPPORTED:
            self.problems.add(UNSUPPORTED, clause.span, f"{_NOT_SUPPORTED[module]} are not supported")
            return
        if not module:
            names = ", ".join(name.text for name in clause.names or ())
            self.problems.add(NAME, clause.span, f"`import {names};` does not say from where: add `from Module`")
            return
        hint = did_you_mean(module, self.scopes) or "; give its file as well"
        self.problems.add(NAME, clause.span, f"there is no module `{module}`{hint}")

    def _needless(self, scope: Scope, clause: s.Exchange, module: str) -> bool:
        """Whether a program can do without a module: names that it lacks are told where they are used.

        Functions of older ABS have moved to the standard library (`println` was in ABS.Meta).
        """
        if clause.names is None:
            scope.unsupported.append(_NOT_SUPPORTED[module])
            return True
        standard = {simple for _, simple in self.exports(self.scopes[STDLIB])}
        return all(name.text.rpartition(".")[2] in standard for name in clause.names)

    def _check_exports(self, scope: Scope) -> None:
        for export in scope.module.exports:
            if export.module and export.module not in self.scopes:
                self._missing_module(scope, export, export.module)
                continue
            exports = self.exports(scope)
            for name in export.names or ():
                exported = any(simple == name.text.rpartition(".")[2] for _, simple in exports)
                if not exported and not scope.hushed(name.text):
                    self.problems.add(NAME, name.span, f"cannot export `{name.text}`: it is not declared here")

    def importing_first(self) -> list[Scope]:
        """The modules, each before those that it needs, else the last one given first.

        So the tests of a model run instead of the model's own main block, in whatever order their files are named.
        """
        ordered: dict[str, Scope] = {}

        def add(name: str, open_: frozenset[str] = frozenset()) -> None:
            scope = self.scopes.get(name)
            if scope is None or name in ordered or name in open_:
                return
            for clause in scope.module.imports:
                for module, _ in _wanted(clause):
                    add(module, open_ | {name})
            ordered[name] = scope

        for name in self.scopes:
            add(name)
        return list(reversed(ordered.values()))

    def find(self, scope: Scope, kind: str, text: str, span: Span, hint: str = "") -> Entity | None:
        """The declaration that a name means; what is wrong with it is reported."""
        found = scope.visible.get((kind, text), ())
        if not found and "." in text:
            module, _, simple = text.rpartition(".")
            other = self.scopes.get(module)
            if other is not None and (kind, simple) in self.exports(other):
                return self.exports(other)[kind, simple]
        if len(found) == 1:
            return found[0]
        if found:
            places = " or ".join(f"`{e.name}`" for e in found)
            self.problems.add(NAME, span, f"`{text}` is ambiguous here: write {places}")
            return found[0]
        if scope.unsupported:
            lacking = " and ".join(scope.unsupported)
            self.problems.add(
                UNSUPPORTED, span, f"there is no {_SHOWN[kind]} `{text}` here: {lacking} are not supported"
            )
        elif not scope.hushed(text):
            hint = hint or self._hint(scope, kind, text)
            self.problems.add(NAME, span, f"there is no {_SHOWN[kind]} `{text}` here{hint}")
        return None

    def known(self, scope: Scope, kind: str, text: str) -> bool:
        """Whether a name means something."""
        return (kind, text) in scope.visible

    def _hint(self, scope: Scope, kind: str, text: str) -> str:
        for name, other in self.scopes.items():
            if (kind, text) in other.own:
                if (kind, text) in self.exports(other):
                    return f"; add `import {text} from {name};`"
                return f"; {_not_exported(text, name)}"
        return did_you_mean(text, [name for k, name in scope.visible if k == kind], 0.75)


def _not_exported(name: str, module: str) -> str:
    return f"module `{module}` declares it but does not export it: add `export {name};` there, or `export *;`"


def _wanted(clause: s.Exchange) -> list[tuple[str, set[str] | None]]:
    """Module and names of an import; `import M.x;` names its module itself."""
    if clause.module:
        return [(clause.module, None if clause.names is None else {n.text for n in clause.names})]
    wanted: dict[str, set[str]] = {}
    for name in clause.names or ():
        module, _, simple = name.text.rpartition(".")
        wanted.setdefault(module, set()).add(simple)
    return [*wanted.items()]


_KINDS: dict[type, str] = {
    s.Data: TYPE,
    s.Exception_: TYPE,
    s.Synonym: TYPE,
    s.Interface: TYPE,
    s.Class: CLASS,
    s.Trait: TRAIT,
}


def _entities(module: s.Module) -> Iterator[Entity]:
    for node in module.declarations:
        kind = _KINDS.get(type(node)) or FUNCTION
        if isinstance(node, s.Function) and node.functions is not None:
            kind = PARTIAL
        yield Entity(kind, module.name, node.name, node.span, node)
        if isinstance(node, s.Data):
            for constructor in node.constructors:
                yield from _constructor(module.name, constructor)
        elif isinstance(node, s.Exception_):
            yield from _constructor(module.name, node.constructor)


def _constructor(module: str, node: s.Constructor) -> Iterator[Entity]:
    yield Entity(CONSTRUCTOR, module, node.name, node.span, node)
    for argument in node.arguments:
        if argument.accessor:
            yield Entity(FUNCTION, module, argument.accessor, argument.span, argument)

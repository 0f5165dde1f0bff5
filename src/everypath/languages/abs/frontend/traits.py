"""Puts the methods of traits into the classes that use them, before anything is checked."""

from __future__ import annotations

from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend.names import TRAIT, Names, Scope
from everypath.languages.abs.frontend.problems import NAME, Problems


def methods_of(node: s.Class, scope: Scope, names: Names, problems: Problems) -> tuple[s.Method, ...]:
    """The methods of a class, its own first, then those of its traits."""
    methods = list(node.methods)
    for expression in node.uses:
        methods += _evaluated(expression, scope, names, problems, ()).values()
    return tuple(methods)


def _evaluated(
    expression: s.TraitExpression, scope: Scope, names: Names, problems: Problems, inside: tuple[str, ...]
) -> dict[str, s.Method]:
    found: dict[str, s.Method] = {}
    for operation in expression.operations:
        if operation.kind == "removes":
            for signature in operation.signatures:
                if found.pop(signature.name, None) is None:
                    problems.add(NAME, signature.span, f"there is no method `{signature.name}` to remove")
            continue
        methods = {m.signature.name: m for m in operation.methods}
        if operation.trait is not None:
            entity = names.find(scope, TRAIT, operation.trait.text, operation.trait.span)
            if entity is None:
                continue
            if entity.name in inside:
                problems.add(NAME, operation.span, f"trait `{operation.trait.text}` uses itself")
                continue
            assert isinstance(entity.node, s.Trait)
            other = names.scopes[entity.module]
            methods = _evaluated(entity.node.value, other, names, problems, (*inside, entity.name))
        for name, method in methods.items():
            if operation.kind == "adds" and name in found:
                problems.add(NAME, method.signature.span, f"method `{name}` is already in the trait; use `modifies`")
            found[name] = method
    return found

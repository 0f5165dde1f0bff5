"""Checks patterns: which values they match and which variables they bind."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.bodies import Body
from everypath.languages.abs.frontend.headers import instantiated
from everypath.languages.abs.frontend.names import CONSTRUCTOR
from everypath.languages.abs.frontend.problems import TYPE
from everypath.languages.abs.frontend.subtyping import settled
from everypath.languages.abs.frontend.types import INT, STRING, WRONG, DataType, Meta, Type, TypeParameter, Wrong


class Patterns(Body):
    """Adds patterns to a body."""

    def pattern(self, node: s.Pattern, subject: Type) -> t.Pattern:
        """A pattern for values of a type; the variables it binds are added to the scope."""
        match node:
            case s.AnyPattern(span):
                return t.AnyPattern(span, subject)
            case s.LiteralPattern(span, literal):
                own = INT if isinstance(literal, int) else STRING
                if not isinstance(subject, TypeParameter) and not self.world.subtyping.comparable(own, subject):
                    self._mismatch(span, f"`{literal}`", own, subject)
                return t.EqualPattern(span, subject, t.Literal(span, own, literal))
            case s.NamePattern(span, name):
                value = self.bound(span, name)
                if value is None:
                    return t.BindPattern(span, subject, self.declare(span, name, subject).name)
                if not self.world.subtyping.comparable(value.type, subject):
                    self._mismatch(span, f"`{name}` is already a variable here, so it", value.type, subject)
                return t.EqualPattern(span, subject, value)
            case s.ConstructorPattern():
                return self._constructor(node, subject)
        raise AssertionError(node)

    def _mismatch(self, span: Span, what: str, own: Type, subject: Type) -> None:
        self.problem(TYPE, span, f"{what} has type `{own}` and never matches a value of type `{settled(subject)}`")

    def _constructor(self, node: s.ConstructorPattern, subject: Type) -> t.Pattern:
        name = node.constructor
        entity = self.world.names.find(self.scope, CONSTRUCTOR, name.text, name.span)
        found = self.world.headers.constructors.get(entity.name) if entity else None
        if found is None:
            arguments = tuple(self.pattern(a, WRONG) for a in node.arguments)
            return t.ConstructorPattern(node.span, subject, name.text, arguments)
        data = self.world.headers.data.get(found.data)
        metas = {q: Meta() for q in (data.parameters if data else ())}
        own = DataType(found.data, tuple(metas.values()))
        wanted = settled(subject) if isinstance(subject, Meta) else subject
        types = instantiated(found.arguments, dict(metas))
        if isinstance(wanted, DataType) and wanted.name == own.name:
            types = instantiated(found.arguments, dict(zip(metas, wanted.arguments)))
        elif not isinstance(wanted, (Wrong, TypeParameter)) and not self.world.subtyping.fits(subject, own):
            shown = f"`{found.name.rpartition('.')[2]}` of `{found.data.rpartition('.')[2]}`"
            self.problem(TYPE, node.span, f"constructor {shown} never matches a value of type `{wanted}`")
        if len(types) != len(node.arguments):
            count = f"{len(types)} argument{'s'[: len(types) != 1]}"
            self.problem(TYPE, node.span, f"constructor `{name.text}` has {count}, not {len(node.arguments)}")
            types = (WRONG,) * len(node.arguments)
        return t.ConstructorPattern(
            node.span, subject, found.name, tuple(self.pattern(a, q) for a, q in zip(node.arguments, types))
        )

"""What is known while one body is checked: the program around it and the variables in scope."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.headers import ClassHeader, FunctionHeader, Headers
from everypath.languages.abs.frontend.names import FUNCTION, Names, Scope
from everypath.languages.abs.frontend.problems import NAME, TYPE, UNSUPPORTED, Problems, did_you_mean
from everypath.languages.abs.frontend.rewrite import retyped
from everypath.languages.abs.frontend.subtyping import Subtyping, settled
from everypath.languages.abs.frontend.types import INT, RAT, WRONG, Meta, Type, Wrong
from everypath.records import dataclass, field

N = TypeVar("N")


@dataclass(slots=True)
class FunctionParameter:
    """A function parameter of a partially defined function; its types are found out from how it is called."""

    name: str
    parameters: list[Type] | None = None
    result: Type = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class PartialFunction:
    """A partially defined function after its body was checked."""

    header: FunctionHeader
    functions: tuple[FunctionParameter, ...]
    body: t.Expression


class World:
    """The program that is checked."""

    def __init__(self, modules: Sequence[s.Module], problems: Problems) -> None:
        self.problems = problems
        self.names = Names(modules, problems)
        self.headers = Headers(self.names, problems)
        self.subtyping = Subtyping(self.headers)
        places = frozenset[str]().union(*(module.places for module in modules))
        self.older = "cog" in places and "local" not in places
        """the older language, with `new cog` for a new cog, so that `new` alone stays in the cog"""
        self.partials: dict[str, PartialFunction] = {}
        self.open_partials: dict[str, tuple[FunctionParameter, ...]] = {}
        """partially defined functions whose bodies are being checked"""


@dataclass(frozen=True, slots=True)
class LocalVariable:
    """A variable in scope; `name` is the one it has in the tree."""

    name: str
    type: Type
    span: Span
    final: bool = False


class Body(ABC):
    """The body of a function, method, block or initialiser."""

    def __init__(
        self,
        world: World,
        scope: Scope,
        owner: ClassHeader | None = None,
        type_parameters: tuple[str, ...] = (),
        functions: tuple[FunctionParameter, ...] = (),
    ) -> None:
        self.world = world
        self.scope = scope
        self.owner = owner
        self.type_parameters = type_parameters
        self.functions = {f.name: f for f in functions}
        self.partial = ""
        """qualified name of the partially defined function whose body this is"""
        self.frames: list[dict[str, LocalVariable]] = [{}]
        self.taken: dict[str, int] = {}
        self.late: frozenset[str] = frozenset()
        """fields that have no value yet"""

    @contextmanager
    def block(self) -> Iterator[None]:
        """A scope for variables."""
        self.frames.append({})
        yield
        self.frames.pop()

    def declare(self, span: Span, name: str, type: Type, shadow: bool = False, final: bool = False) -> t.Variable:
        """A new variable; unless it may shadow, its name must be free."""
        before = self.local(name)
        if before is not None and not shadow:
            self.problem(NAME, span, f"variable `{name}` is already declared at {before.span}")
        count = self.taken[name] = self.taken.get(name, 0) + 1
        unique = name if count == 1 else f"{name}~{count}"
        self.frames[-1][name] = LocalVariable(unique, type, span, final)
        return t.Variable(span, unique, type)

    def local(self, name: str) -> LocalVariable | None:
        """The local variable of that name."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return None

    def bound(self, span: Span, name: str) -> t.Local | t.Field | None:
        """The variable or field of that name, if any."""
        local = self.local(name)
        if local is not None:
            return t.Local(span, local.type, local.name)
        if self.owner is not None and name in self.owner.fields:
            return t.Field(span, self.owner.fields[name].type, name)
        return None

    def variable(self, span: Span, name: str) -> t.Local | t.Field:
        """The variable or field of that name; it must exist."""
        found = self.bound(span, name)
        if found is None:
            self.problem(NAME, span, f"there is no variable `{name}` here{self._hint(name)}")
            return t.Local(span, WRONG, name)
        if isinstance(found, t.Field):
            self.check_late(span, name)
        return found

    def own_field(self, span: Span, name: str) -> t.Field:
        """`this.name`"""
        if self.owner is None:
            self.problem(NAME, span, "there is no `this` here: only methods and blocks of a class have one")
        elif name not in self.owner.fields:
            hint = did_you_mean(name, self.owner.fields)
            self.problem(NAME, span, f"class `{self.owner.node.name}` has no field `{name}`{hint}")
        else:
            self.check_late(span, name)
            return t.Field(span, self.owner.fields[name].type, name)
        return t.Field(span, WRONG, name)

    def check_late(self, span: Span, name: str) -> None:
        """A field's first value may only use the fields before it."""
        if name in self.late:
            self.problem(NAME, span, f"field `{name}` has no value yet: it is declared further down")

    def _hint(self, name: str) -> str:
        if self.world.names.known(self.scope, FUNCTION, name):
            return f"; `{name}` is a function: call it with `{name}(...)`"
        known = {n for frame in self.frames for n in frame} | set(self.owner.fields if self.owner else ())
        return did_you_mean(name, known)

    def type_of(self, use: s.TypeUse) -> Type:
        """A type as written here."""
        return self.world.headers.type(self.scope, use, self.type_parameters)

    def problem(self, kind: str, span: Span, message: str) -> None:
        """Report one thing; names from unsupported modules make no further noise."""
        self.world.problems.add(kind, span, message)

    def unsupported(self, span: Span, what: str) -> None:
        """Report a construct that is not supported."""
        self.problem(UNSUPPORTED, span, f"{what} not supported")

    def require(self, value: t.Expression, place: Type, what: str) -> None:
        """Report a value that does not fit; `what` names the place, as in `the condition`."""
        if not self.world.subtyping.fits(value.type, place):
            found = settled(value.type)
            if not isinstance(found, Wrong):
                hint = "; `truncate(...)` makes an Int of it" if (found, settled(place)) == (RAT, INT) else ""
                self.problem(TYPE, value.span, f"{what} must have type `{settled(place)}`, not `{found}`{hint}")

    def settle(self, node: N) -> N:
        """The checked node with every type that was unknown replaced by what it turned out to be."""
        return retyped(node, settled)

    @abstractmethod
    def expression(self, node: t.Expression) -> t.Expression:
        """An expression without side effects."""

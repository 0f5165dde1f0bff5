"""What Theorem 1 of "Test Case Generation of Actor Systems" asks about the actors of a state."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.concurrency.names import Name
from everypath.concurrency.stability import Actor, Method, Statics
from everypath.explore.actors.operations import Actors
from everypath.explore.actors.world import Failure, World, world_of
from everypath.explore.state import State
from everypath.heap.values import Data, Future, Ref, Unknown, Value
from everypath.ir.program import Program
from everypath.ir.types import ClassType, DataType, FutureType, Type, UnionType


class ActorsOfState:
    """Describes states; with `bound_only`, by the references in fields that are bound already, as the paper does."""

    def __init__(self, program: Program, actors: Actors, statics: Statics, bound_only: bool) -> None:
        self._program = program
        self._actors = actors
        self._statics = statics
        self._bound_only = bound_only
        self._methods: dict[tuple[str, str], Method] = {}
        self._mentioned: dict[Type, frozenset[str]] = {}

    @property
    def statics(self) -> Statics:
        """About the program."""
        return self._statics

    def actors(self, state: State) -> list[Actor]:
        """All actors, the oldest first."""
        world = world_of(state)
        groups: dict[Name, list[Ref]] = {}
        for ref in world.met:
            groups.setdefault(self._actors.name(ref).cog, []).append(ref)
        tasks: dict[Name, list[tuple[str, Method]]] = {}
        for name, task in world.tasks.items():
            cls = task.this.cls if task.this is not None and not task.this.open else self._class(state, task.this)
            tasks.setdefault(name.cog, []).append((str(name), self._method(cls, name.label)))
        return [
            Actor(
                str(cog),
                frozenset(self._class(state, ref) for ref in refs),
                tuple(tasks.get(cog, ())),
                *self._knows(state, world, cog, refs),
            )
            for cog, refs in groups.items()
        ]

    def _method(self, cls: str, name: str) -> Method:
        found = self._methods.get((cls, name))
        if found is None:
            found = self._methods[cls, name] = Method(cls, name)
        return found

    def _class(self, state: State, ref: Ref | None) -> str:
        if ref is None:
            return ""
        return state.heap.class_bound(ref).bound if ref.open else ref.cls

    def _knows(self, state: State, world: World, cog: Name, refs: list[Ref]) -> tuple[frozenset[str], frozenset[str]]:
        """The processors that the actor may refer to, and the unresolved futures that it may come to look at."""
        actors: set[str] = set()
        futures: set[str] = set()
        fields = state.heap.fields
        for ref in refs:
            self._add(state, world, actors, futures, fields(ref).values())
        if self._bound_only:
            return frozenset(actors), frozenset()
        for ref in refs:
            for name, field in self._program.all_fields(self._class(state, ref)).items():
                if name not in fields(ref) and ref.input:
                    self._add_possible(state, world, actors, self._mentions(field.type))
        for task in world.tasks.values():
            if task.name.cog is cog:
                self._add(state, world, actors, futures, task.regs)
                frame = task.frame
                while frame.parent is not None:
                    self._add(state, world, actors, futures, frame.saved)
                    frame = frame.parent
        return frozenset(actors), frozenset(futures)

    def _add(
        self, state: State, world: World, actors: set[str], futures: set[str], values: Iterable[Value | Failure]
    ) -> None:
        for value in values:
            if type(value) is Unknown:
                bound = state.heap.bind.get(value, value)
                if bound is value:
                    if not self._bound_only:
                        for option in value.options:
                            self._add_possible(state, world, actors, self._mentions(option))
                    continue
                value = bound
            if type(value) is Ref:
                actors.add(str(self._actors.name(value).cog))
            elif type(value) is Data:
                self._add(state, world, actors, futures, value.arguments)
            elif type(value) is Future and not self._bound_only:
                if value.task in world.results:
                    self._add(state, world, actors, futures, (world.results[value.task],))
                else:
                    futures.add(str(value.task))

    def _add_possible(self, state: State, world: World, actors: set[str], classes: frozenset[str]) -> None:
        """An unknown reference may be any actor of its type that was there from the start."""
        if not self._actors.aliasing:
            return
        for ref in world.met:
            if ref.input and any(self._program.is_subclass(self._class(state, ref), wanted) for wanted in classes):
                actors.add(str(self._actors.name(ref).cog))

    def _mentions(self, type: Type) -> frozenset[str]:
        """The classes of the references that a value of the type may hold."""
        found = self._mentioned.get(type)
        if found is None:
            classes: set[str] = set()
            self._gather(type, classes, set())
            found = self._mentioned[type] = frozenset(classes)
        return found

    def _gather(self, type: Type, classes: set[str], seen: set[str]) -> None:
        match type:
            case ClassType(name=name):
                classes.add(name)
            case UnionType(options=parts):
                for part in parts:
                    self._gather(part, classes, seen)
            case FutureType(result=result):
                self._gather(result, classes, seen)
            case DataType(name=name, arguments=parts):
                for part in parts:
                    self._gather(part, classes, seen)
                if name not in seen and name in self._program.data:
                    seen.add(name)
                    for arguments in self._program.data[name].constructors.values():
                        for part in arguments:
                            self._gather(part, classes, seen)

"""The dicts of `collections`: `OrderedDict`, `Counter` and `defaultdict`."""

from __future__ import annotations

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, MappingState
from everypath.cases.model import Value as CaseValue
from everypath.errors import Unsupported
from everypath.heap.values import UNBOUND, DictCell, InitialDict, Ref, Value
from everypath.ir.instructions import NativeRef
from everypath.ir.types import BOOL, FLOAT, INT, STR, ClassType, DictType, ListType, SetType, Type
from everypath.languages.python.cards.card import CollectionCard

_FACTORIES: dict[Type | type[Type], str] = {
    INT: "int",
    BOOL: "bool",
    STR: "str",
    FLOAT: "float",
    ListType: "list",
    DictType: "dict",
    SetType: "set",
}
"""What makes the missing values of a `defaultdict`, by the type of its values."""


class _Mapping(CollectionCard):
    def unread(self, declared: ClassType) -> HeapState:
        return self._with(declared, ())

    def before(self, walk: WalkBefore, declared: ClassType, fields: dict[str, Value]) -> HeapState:
        known = self.first_content(walk, fields)
        entries = known.entries if isinstance(known, InitialDict) else ()
        return self._with(declared, tuple((walk.first(k), walk.first(v)) for k, v in entries))

    def after(self, walk: Walk, fields: dict[str, Value], name: str) -> HeapState:
        if self.content not in fields:
            return walk.before.get(name, MappingState((), self.short))
        content = walk.chosen(fields[self.content])
        if not isinstance(content, Ref) or not isinstance(walk.heap.cells[content], DictCell):
            raise Unsupported(f"a {self.name} in a test's result")
        # It is equal to the dict of its content, which is easier to read.
        return walk.final_state(content, name)

    def first_value(self, field: str, declared: ClassType) -> Value:
        if not self.makes_missing or field != "default_factory":
            return UNBOUND
        maker = _maker_of_missing(declared)
        if maker is None:
            raise Unsupported(f"an input of class {self.name}, since nothing tells what its missing values are")
        return maker

    def _with(self, declared: ClassType, entries: tuple[tuple[CaseValue, CaseValue], ...]) -> MappingState:
        factory = ""
        if self.makes_missing:
            maker = _maker_of_missing(declared)
            factory = maker.name if maker is not None else "None" if entries else ""
        return MappingState(entries, self.short, factory)


def _maker_of_missing(declared: ClassType) -> NativeRef | None:
    """What makes the values of missing keys, where the type of the values tells."""
    if len(declared.arguments) != 2:
        return None
    value = declared.arguments[1]
    name = _FACTORIES.get(value) or _FACTORIES.get(value.__class__)
    return None if name is None else NativeRef(name)


CARDS = (
    _Mapping("collections.OrderedDict", keyed=True, aliases=("typing.OrderedDict",)),
    _Mapping("collections.Counter", keyed=True, values=INT, aliases=("typing.Counter",)),
    _Mapping("collections.defaultdict", keyed=True, makes_missing=True, aliases=("typing.DefaultDict",)),
)

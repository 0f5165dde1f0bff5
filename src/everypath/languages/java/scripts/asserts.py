"""The last part of a test: what must be observed, one assertion per observable.

Objects that the test built are compared by identity, so that aliasing shows; new ones are looked into, field by field.
"""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import Heap, HeapState, Literal, Named, ObjectState, Pointer, SequenceState, Value
from everypath.languages.java.classfile.descriptors import ArrayOf, Generic, Parameterised, Primitive
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaField, dotted
from everypath.languages.java.scripts.arrange import is_default
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.changes import ELEMENTS
from everypath.languages.java.scripts.fields import Fields
from everypath.languages.java.scripts.generics import OBJECT, class_name
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.library import BUILDERS, MAPS, SETS, WITHOUT_EQUALS, is_collection
from everypath.languages.java.scripts.reflection import Reflection
from everypath.languages.java.scripts.scope import Scope
from everypath.languages.java.scripts.subject import binary, box_of, constant_of, find_class, is_library
from everypath.languages.java.scripts.values import Values
from everypath.records import dataclass

_MOST_OF = 20
"""So many arguments `Map.of` takes."""


@dataclass(frozen=True, slots=True)
class Place:
    """An expression, and its static type; None where reflection gives any object."""

    text: str
    type: Generic | None


class Observer:
    """Writes assertions about a heap, given the variables that hold objects already.

    With `exact`, classes of new objects are compared, too: too pedantic to read, right for checking predictions.
    """

    def __init__(
        self,
        heap: Heap,
        names: Mapping[str, str],
        types: CaseTypes,
        imports: Imports,
        reflection: Reflection,
        scope: Scope,
        *,
        exact: bool = False,
        lenient: bool = False,
    ) -> None:
        self._lenient = lenient
        """whether empty fields of inputs that stay as they are may be anything"""
        self._heap = heap
        self._bound = dict(names)
        self._types = types
        self._imports = imports
        self._reflection = reflection
        self._scope = scope
        self._exact = exact
        self._fields = Fields(imports, reflection)
        self.values = Values(heap, self._bound, types, imports, reflection)
        self.lines: list[str] = []

    def value(self, place: Place, value: Value, declared: Generic) -> None:
        """Assert what is found at a place that is declared with a type."""
        match value:
            case Literal(value=None):
                self._assert("assertNull", place.text)
            case Literal(value=atom) if _is_boolean(place.type) and isinstance(atom, (bool, int)):
                self._assert("assertTrue" if atom else "assertFalse", place.text)
            case Literal() | Named():
                self._assert("assertEquals", self.values.value(value, declared), place.text)
            case Pointer(id=target):
                self._reference(place, target, value)

    def input(self, target: str, before: HeapState | None, looked_at: frozenset[str] | None) -> None:
        """Assert about an object that the test built: what a call has changed in it, and these fields; None for all."""
        state = self._heap.get(target)
        if state is None or (looked_at is not None and not looked_at and state == before):
            return
        place = Place(self._bound[target], self._types.of(target))
        if isinstance(state, ObjectState) and isinstance(before, ObjectState):
            self._input_object(place, target, state, dict(before.fields), looked_at)
        elif isinstance(state, SequenceState) and (looked_at is None or state != before or ELEMENTS in looked_at):
            self._array(place, target, state)

    def _input_object(
        self, place: Place, target: str, state: ObjectState, was: dict[str, Value], looked_at: frozenset[str] | None
    ) -> None:
        cls = find_class(self._imports.hierarchy, state.module, state.cls)
        if is_collection(state):
            self._collection(place, state)
            return
        if cls.name in BUILDERS:
            self._builder(place, state)
            return
        if is_library(cls) and not self._exact:
            return
        for name, value in state.fields:
            same = was.get(name) == value
            if self._lenient and same and is_default(value):
                continue
            if looked_at is None or not same or name.partition("@")[0] in looked_at:
                self._field(place, target, cls, name, value)

    def _reference(self, place: Place, target: str, value: Pointer) -> None:
        if target in self._bound:
            if self._bound[target] != place.text:
                self._assert("assertSame", self._bound[target], place.text)
            return
        if self._is_constant(value):
            self._assert("assertEquals", self.values.value(value, OBJECT), place.text)
            return
        state = self._heap.get(target)
        if isinstance(state, SequenceState):
            self._array(place, target, state)
        elif isinstance(state, ObjectState):
            self._object(place, target, state)
        else:
            self._assert("assertNotNull", place.text)

    def _object(self, place: Place, target: str, state: ObjectState) -> None:
        """A new object: looked into, under a name of its own where it is far away or of another type than declared."""
        if is_collection(state):
            self._collection(place, state)
            return
        cls = find_class(self._imports.hierarchy, state.module, state.cls)
        if cls.name in BUILDERS:
            self._bound[target] = place.text
            self._builder(place, state)
            return
        if is_library(cls) or not state.fields:
            # An object of the JDK, or one without fields: its class is all that a test sees.
            self._bound[target] = place.text
            self._class_of(place, cls)
            return
        if self._exact:
            self._class_of(place, cls)
        place = self._named(place, cls, state)
        self._bound[target] = place.text
        for name, value in state.fields:
            self._field(place, target, cls, name, value)

    def _builder(self, place: Place, state: ObjectState) -> None:
        """A text that changes, by what it holds."""
        text = dict(state.fields).get("text")
        if isinstance(text, Literal) and isinstance(text.value, str):
            self._assert("assertEquals", self.values.value(text, OBJECT), f"{place.text}.toString()")

    def _class_of(self, place: Place, cls: JavaClass) -> None:
        if cls.name == "java.lang.Object" or (not self._imports.accessible(cls) and not self._exact):
            self._assert("assertNotNull", place.text)
        else:
            self._assert("assertEquals", self.values.class_literal(cls), f"{place.text}.getClass()")

    def _named(self, place: Place, cls: JavaClass, state: ObjectState) -> Place:
        """A variable for an object unless its place is short and of its class."""
        accessible = self._imports.accessible(cls)
        same = place.type is not None and class_name(place.type) == cls.name
        if (same or not accessible) and "(" not in place.text and place.text.count(".") < 2:
            return place
        variable = self._scope.claim(cls.simple)
        if not accessible:
            self.lines.append(f"Object {variable} = {place.text};")
            return Place(variable, None)
        type_ = self._imports.cls(cls.name) + (f"<{', '.join('?' * len(cls.formals))}>" if cls.formals else "")
        if same and isinstance(place.type, Parameterised):
            type_ = self._imports.type(place.type)
        cast = "" if same else f"({type_}) "
        self.lines.append(f"{type_} {variable} = {cast}{place.text};")
        return Place(variable, place.type if same else Parameterised(cls.name.replace(".", "/")))

    def _field(self, place: Place, target: str, cls: JavaClass, name: str, value: Value) -> None:
        field = cls.all_fields.get(name)
        if field is None or field.synthetic or self._is_inside_library(field):
            return
        text, typed = self._read(place, cls, field)
        declared = self._types.field(target, field)
        self.value(Place(text, declared if typed else None), value, declared)

    def _is_inside_library(self, field: JavaField) -> bool:
        """Whether a field belongs to a superclass in the JDK, such as those of exceptions: no test looks there."""
        owner = self._imports.hierarchy.find(field.owner)
        return owner is not None and is_library(owner)

    def _read(self, place: Place, cls: JavaClass, field: JavaField) -> tuple[str, bool]:
        if place.type is None:
            text = self._reflection.get(place.text, self._fields.label(cls, field))
            return text, False
        return self._fields.read(cls, field, place.text)

    def _array(self, place: Place, target: str, state: SequenceState) -> None:
        type_ = self._types.of(target)
        element = type_.element if isinstance(type_, ArrayOf) else OBJECT
        if target not in self._bound:
            self._bound[target] = place.text
        if all(self._is_plain(item) for item in state.items):
            expected = self.values.array(target, state)
            seen = isinstance(place.type, ArrayOf)
            actual = place.text if seen else f"({self._array_type(element)}) {place.text}"
            if expected.startswith("array("):
                expected = f"(Object[]) {expected}"
            self._assert("assertArrayEquals", expected, actual)
            return
        text = place.text
        typed = isinstance(place.type, ArrayOf)
        if not typed or "(" in text:
            text = self._scope.claim("items")
            written = self._array_type(element)
            self.lines.append(f"{written} {text} = {'' if typed else f'({written}) '}{place.text};")
        self._assert("assertEquals", str(len(state.items)), f"{text}.length")
        for i, item in enumerate(state.items):
            self.value(Place(f"{text}[{i}]", element if self._is_named(element) else None), item, element)

    def _array_type(self, element: Generic) -> str:
        if not self._is_named(element):
            return "Object[]"
        if isinstance(element, Parameterised) and element.arguments:
            return f"{self._imports.type(element, raw=True)}<{', '.join('?' * len(element.arguments))}>[]"
        return f"{self._imports.type(element)}[]"

    def _is_named(self, element: Generic) -> bool:
        return not isinstance(element, Parameterised) or self._imports.accessible(
            self._imports.hierarchy.find(dotted(element.name))
        )

    def _is_plain(self, value: Value) -> bool:
        """Whether equality with an expression says all about a value."""
        if not isinstance(value, Pointer):
            return True
        if self._is_constant(value):
            return True
        state = self._heap.get(value.id)
        if isinstance(state, SequenceState) and value.id not in self._bound:
            return all(map(self._is_plain, state.items))
        return False

    def _is_constant(self, value: Pointer) -> bool:
        """Whether an object is written as a literal or by its name."""
        return (
            box_of(value, self._heap) is not None or constant_of(value, self._heap, self._imports.hierarchy) is not None
        )

    def _collection(self, place: Place, state: ObjectState) -> None:
        """A collection of the JDK by its elements, or of a map by its entries."""
        name = binary(state.module, state.cls)
        flat = [value for _, value in state.fields]
        typed = isinstance(place.type, Parameterised)
        seen = place.text if typed else f"({self._imports.cls(name)}<{'?, ?' if name in MAPS else '?'}>) {place.text}"
        if not all(self._is_known(value) for value in flat):
            size = place.text if typed else f"({seen})"
            self._assert("assertEquals", str(len(flat) // (2 if name in MAPS else 1)), f"{size}.size()")
            return
        arguments = place.type.arguments if isinstance(place.type, Parameterised) else ()
        kinds = arguments or (OBJECT, OBJECT)
        written = [self.values.value(value, kinds[at % len(kinds)]) for at, value in enumerate(flat)]
        if name in WITHOUT_EQUALS:
            seen = f"new {self._imports.cls('java.util.ArrayList')}<>({seen})"
        if name in MAPS and ("null" in written or len(written) > _MOST_OF):
            whole = place.text if typed else f"({seen})"
            self._assert("assertEquals", str(len(written) // 2), f"{whole}.size()")
            for key, value in zip(written[::2], written[1::2]):
                self._assert("assertEquals", value, f"{whole}.get({key})")
            return
        self._assert("assertEquals", self._equal_to(name, written), seen if name in WITHOUT_EQUALS else place.text)

    def _is_known(self, value: Value) -> bool:
        return self._is_plain(value) or (isinstance(value, Pointer) and value.id in self._bound)

    def _equal_to(self, name: str, written: list[str]) -> str:
        """What a collection with these elements, or keys and values in turn, is equal to."""
        if written == ["null"]:
            # A lone null would be taken for the array of all arguments.
            as_list = f"{self._imports.cls('java.util.Collections')}.singletonList(null)"
        else:
            as_list = f"{self._imports.cls('java.util.Arrays')}.asList({', '.join(written)})"
        if name in MAPS:
            return f"{self._imports.cls('java.util.Map')}.of({', '.join(written)})"
        if name in SETS:
            kind = self._imports.cls("java.util.HashSet" if "null" in written else "java.util.Set")
            return f"new {kind}<>({as_list})" if "null" in written else f"{kind}.of({', '.join(written)})"
        return as_list if "null" in written else f"{self._imports.cls('java.util.List')}.of({', '.join(written)})"

    def _assert(self, name: str, *arguments: str) -> None:
        self.lines.append(f"{self._imports.assertion(name)}({', '.join(arguments)});")


def _is_boolean(type_: Generic | None) -> bool:
    return isinstance(type_, Primitive) and type_.letter == "Z"

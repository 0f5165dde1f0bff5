"""The first part of a test: building its inputs.

Children are made before the objects that hold them; where a cycle forbids that, the reference is set later. There are
several ways to make an object (`WAYS`): the first that leads to the intended state when it is run is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.cases.model import CallCase, HeapState, Literal, ObjectState, Pointer, SequenceState, StandInState, Value
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import Generic, Parameterised
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaField, JavaMethod
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.constructing import Choice, choose_constructor
from everypath.languages.java.scripts.fields import Fields
from everypath.languages.java.scripts.generics import from_descriptor
from everypath.languages.java.scripts.graph import children_first
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.library import library_object
from everypath.languages.java.scripts.literals import literal
from everypath.languages.java.scripts.reflection import Reflection
from everypath.languages.java.scripts.standins import anonymous_class
from everypath.languages.java.scripts.subject import BOXES, box_of, find_class, is_library
from everypath.languages.java.scripts.values import Values

TRUSTING, LENIENT, THOROUGH, RAW = range(4)
"""Ways to make objects: with constructors that are trusted to set what their parameters are called and nothing else;
with any constructor, where fields that would be empty may be what it makes of them; with any constructor, after which
every field is set that it is not known to set; without constructors."""
WAYS = (TRUSTING, LENIENT, THOROUGH, RAW)


class Arrangement:
    """Writes the statements that build the inputs of one case."""

    def __init__(
        self,
        case: CallCase,
        names: Mapping[str, str],
        types: CaseTypes,
        imports: Imports,
        reflection: Reflection,
        *,
        way: int = TRUSTING,
        raw: bool = False,
    ) -> None:
        self._heap = case.inputs.heap
        self._names = names
        self._types = types
        self._imports = imports
        self._reflection = reflection
        self._way = way
        self._raw = raw
        self._fields = Fields(imports, reflection)
        self.values = Values(self._heap, names, types, imports, reflection)
        self._done: set[str] = set()
        self._late: list[tuple[str, str, Value]] = []
        """object, field or index, value that has to exist first"""
        self._lines: list[str] = []
        self._unread = 0
        """how many boxes have any content"""

    def lines(self, roots: Sequence[Value]) -> list[str]:
        """The statements that make everything the roots reach."""
        for target in children_first(roots, self._heap):
            if target in self._names:
                self._make(target, self._heap[target])
                self._done.add(target)
                self._flush()
        return self._lines

    def declaration(self, target: str) -> str:
        """The type of the variable that holds an object."""
        return self._imports.type(self._types.of(target), raw=self._raw)

    def _make(self, target: str, state: HeapState) -> None:
        match state:
            case SequenceState(items=items):
                late = frozenset(i for i, item in enumerate(items) if self._missing(item))
                self._declare(target, self.values.array(target, state, late))
                self._late += [(target, str(i), items[i]) for i in sorted(late)]
            case StandInState():
                cls = find_class(self._imports.hierarchy, state.module, state.cls)
                written = anonymous_class(cls, state, self._types.of(target), self.values, self._imports)
                self._declare(target, written)
            case ObjectState():
                cls = find_class(self._imports.hierarchy, state.module, state.cls)
                if is_library(cls):
                    self._library(target, state, cls)
                else:
                    self._object(target, state, cls)
            case _:
                raise Unsupported(f"an input of kind {type(state).__name__} in a Java test")

    def _library(self, target: str, state: ObjectState, cls: JavaClass) -> None:
        """An object of the JDK is made by its public methods where that is known, else like any other."""
        if self._way in (TRUSTING, LENIENT) and cls.name in BOXES:
            # Boxes of the same small value are one object, here as on every path.
            letter, content = box_of(Pointer(target), self._heap) or (BOXES[cls.name], self._any_number(cls))
            self._declare(target, literal(content, letter))
            return
        made = library_object(target, state, self._heap, self.values, self._types.of(target), self._imports)
        if made is None:
            self._object(target, state, cls)
            return
        expression, more = made
        self._declare(target, expression)
        self._lines += [line.replace("$", self._names[target]) for line in more]

    def _any_number(self, cls: JavaClass) -> int:
        """What is in a box that nobody looks into: in each another number, because each is another object."""
        self._unread += 1
        return self._unread if cls.name != "java.lang.Character" else ord("a") + self._unread - 1

    def _object(self, target: str, state: ObjectState, cls: JavaClass) -> None:
        fields = dict(state.fields)
        choice = None
        if self._way != RAW or cls.kind == "record":
            choice = choose_constructor(cls, fields, self._imports, any_fits=self._way != TRUSTING)
        left = dict(fields)
        if choice is None:
            self._declare(target, self._bare(cls))
            left = {name: value for name, value in fields.items() if not is_default(value)}
        else:
            self._declare(target, self._constructed(target, cls, choice, fields))
            left = self._unsettled(choice, fields)
        all_fields = cls.all_fields
        for name, value in left.items():
            if name not in all_fields:
                raise Unsupported(f"{cls.name} has no field {name}")
            if self._missing(value):
                self._late.append((target, name, value))
            else:
                self._lines.append(self._store(target, cls, all_fields[name], value))

    def _unsettled(self, choice: Choice, fields: Mapping[str, Value]) -> dict[str, Value]:
        """The fields that still have to be set when the constructor has returned."""
        left: dict[str, Value] = {}
        for name, value in fields.items():
            if name in choice.given and not self._missing(value):
                continue
            if name in choice.constants:
                settled = value == Literal(choice.constants[name])
            else:
                # What a constructor is only trusted with, a run has to show.
                trusted = choice.known or self._way != THOROUGH
                settled = is_default(value) and name not in choice.given and trusted
            if not settled:
                left[name] = value
        return left

    def _constructed(self, target: str, cls: JavaClass, choice: Choice, fields: Mapping[str, Value]) -> str:
        written: list[str] = []
        all_fields = cls.all_fields
        for parameter, descriptor in zip(choice.fields, choice.constructor.parameters):
            value: Value = Literal(None)
            type_ = from_descriptor(descriptor)
            if parameter is not None and parameter in fields and not self._missing(fields[parameter]):
                value = fields[parameter]
                type_ = self._types.field(target, all_fields[parameter])
            if value == Literal(None):
                null = _empty(descriptor)
                written.append(
                    f"({self._imports.type(type_, raw=True)}) null"
                    if _ambiguous(cls, choice) and null == "null"
                    else null
                )
            else:
                written.append(self.values.value(value, type_))
        diamond = "<>" if cls.formals and not self._raw else ""
        if choice.outer is not None:
            outer = self.values.value(fields[choice.outer], from_descriptor("Ljava/lang/Object;"))
            return f"{outer}.new {cls.simple}{diamond}({', '.join(written[1:])})"
        return f"new {self._imports.cls(cls.name)}{diamond}({', '.join(written)})"

    def _bare(self, cls: JavaClass) -> str:
        if is_library(cls) and not self._imports.of_library:
            raise Unsupported(f"an object of {cls.name}, which a test cannot make")
        made = self._reflection.make(self.values.class_literal(cls))
        if cls.formals and self._imports.accessible(cls):
            self.values.unchecked = True
        return made

    def _declare(self, target: str, expression: str) -> None:
        declared = self.declaration(target)
        # An array needs its type only once.
        expression = expression.removeprefix(f"new {declared} ") if declared.endswith("[]") else expression
        self._lines.append(f"{declared} {self._names[target]} = {expression};")

    def _store(self, target: str, cls: JavaClass, field: JavaField, value: Value) -> str:
        cast = not self._fields.is_assignment(cls, field)
        written = self.values.value(value, self._types.field(target, field), cast=cast)
        return self._fields.write(cls, field, self._names[target], written)

    def _flush(self) -> None:
        """Set what waited only for objects that exist by now."""
        still: list[tuple[str, str, Value]] = []
        for owner, place, value in self._late:
            if self._missing(value) or owner not in self._done:
                still.append((owner, place, value))
                continue
            state = self._heap[owner]
            if isinstance(state, ObjectState):
                cls = find_class(self._imports.hierarchy, state.module, state.cls)
                self._lines.append(self._store(owner, cls, cls.all_fields[place], value))
            else:
                self._lines.append(f"{self._names[owner]}[{place}] = {self.values.value(value, _REFERENCE)};")
        self._late = still

    def _missing(self, value: Value) -> bool:
        """Whether a value mentions an object that does not exist yet."""
        if not isinstance(value, Pointer):
            return False
        if value.id in self._names:
            return value.id not in self._done
        state = self._heap.get(value.id)
        return isinstance(state, SequenceState) and any(map(self._missing, state.items))


_REFERENCE: Generic = Parameterised("java/lang/Object")


def is_default(value: Value) -> bool:
    """Whether a field has this value if nobody sets it."""
    return (
        isinstance(value, Literal)
        and not isinstance(value.value, str)
        and not value.value
        and str(value.value) != "-0.0"
    )


def _empty(descriptor: str) -> str:
    return {"Z": "false", "C": "'\\0'", "J": "0L", "F": "0.0f", "D": "0.0", "B": "(byte) 0", "S": "(short) 0"}.get(
        descriptor, "0" if descriptor == "I" else "null"
    )


def _ambiguous(cls: JavaClass, choice: Choice) -> bool:
    """Whether null could be the argument of another constructor."""
    wanted: JavaMethod = choice.constructor
    return any(each is not wanted and len(each.parameters) == len(wanted.parameters) for each in cls.constructors)

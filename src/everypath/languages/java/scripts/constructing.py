"""Which constructor makes an object with given fields."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import Literal, Value
from everypath.languages.java.frontend.assignments import Plain
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaField, JavaMethod
from everypath.languages.java.scripts.imports import Imports
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """A constructor, and the field that each of its parameters sets, None for one that sets none."""

    constructor: JavaMethod
    fields: tuple[str | None, ...]
    constants: Mapping[str, Plain]
    """fields that it sets to something known"""
    known: bool
    """whether its code says so, instead of the names of its parameters"""
    outer: str | None = None
    """the field with the outer object, which then is the first parameter"""

    @property
    def given(self) -> frozenset[str]:
        """The fields that parameters set."""
        return frozenset(name for name in self.fields if name is not None)


def choose_constructor(
    cls: JavaClass, fields: Mapping[str, Value], imports: Imports, *, any_fits: bool = False
) -> Choice | None:
    """The constructor after which the fewest fields are left to set; None if none can be used.

    One whose code is not understood is taken to set the fields that its parameters are called like; with
    `any_fits`, parameters may also be there for something else.
    """
    if cls.abstract or not imports.accessible(cls) or cls.kind == "enum":
        return None
    choices: list[tuple[int, int, Choice]] = []
    for constructor in cls.constructors:
        if not imports.member_accessible(constructor.access, cls.name) or constructor.synthetic:
            continue
        choice = _known(cls, constructor) or _guessed(cls, constructor, any_fits)
        if choice is not None:
            left = sum(_is_left(name, value, choice) for name, value in fields.items())
            unused = choice.fields.count(None)
            choices.append((left + unused, len(choice.fields), choice))
    return min(choices, key=lambda each: each[:2])[2] if choices else None


def _is_left(name: str, value: Value, choice: Choice) -> bool:
    if name in choice.given:
        return False
    if name in choice.constants:
        return value != Literal(choice.constants[name])
    return not (isinstance(value, Literal) and not value.value)


def _known(cls: JavaClass, constructor: JavaMethod) -> Choice | None:
    """What the code of a plain constructor says."""
    assigned = cls.assignments(constructor)
    if assigned is None:
        return None
    fields = tuple(assigned.parameters.get(number) for number in range(len(constructor.parameters)))
    constants = {name: _typed(value, cls.all_fields[name]) for name, value in assigned.constants.items()}
    return Choice(constructor, fields, constants, True, _outer(cls, fields))


def _typed(value: Plain, field: JavaField) -> Plain:
    return bool(value) if field.descriptor == "Z" else value


def _outer(cls: JavaClass, fields: tuple[str | None, ...]) -> str | None:
    first = fields[0] if fields else None
    return first if cls.inner and first is not None and first.startswith("this$") else None


def _guessed(cls: JavaClass, constructor: JavaMethod, any_fits: bool) -> Choice | None:
    """Parameters and fields of the same name and type belong together; every parameter must have one, or any fits."""
    all_fields = cls.all_fields
    found: list[str | None] = []
    for name, descriptor in zip(constructor.parameter_names, constructor.parameters):
        fitting = [key for key, field in all_fields.items() if field.descriptor == descriptor and key not in found]
        called = [key for key in fitting if _same_word(all_fields[key].name, name)]
        if not called and len(fitting) != 1:
            if not any_fits:
                return None
            found.append(None)
            continue
        found.append((called or fitting)[0])
    return Choice(constructor, tuple(found), {}, False, _outer(cls, tuple(found)))


def _same_word(field: str, parameter: str) -> bool:
    plain = field.lstrip("_").removeprefix("m_").lower()
    return plain == parameter.lstrip("_").lower()

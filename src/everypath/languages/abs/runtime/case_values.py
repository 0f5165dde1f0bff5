"""Values of running programs as values of test cases, and back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import Reference, TaskName
from everypath.languages.abs.runtime.library import whole
from everypath.languages.abs.runtime.values import CONSTANTS, Data


def to_case(value: Any) -> suite.Value:
    """The value as a test case has it: objects and futures by the text of their names."""
    if value.__class__ is Data:
        return _data_to_case(value)
    if isinstance(value, TaskName):
        return suite.FutureReference(str(value))
    if isinstance(value, Reference):
        return suite.ActorReference(str(value))
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return suite.Plain(value.numerator)
        return suite.Fraction(value.numerator, value.denominator)
    assert value is None or isinstance(value, (bool, int, float, str))
    return suite.Plain(value)


def _data_to_case(value: Data) -> suite.Value:
    """Along the last argument without recursion: lists may be long."""
    line = []
    at: Any = value
    while at.__class__ is Data and at.arguments:
        line.append(at)
        at = at.arguments[-1]
    made = suite.DataValue(at.name) if at.__class__ is Data else to_case(at)
    for data in reversed(line):
        made = suite.DataValue(data.name, (*map(to_case, data.arguments[:-1]), made))
    return made


def from_case(value: suite.Value, actor: Callable[[str], Reference], future: Callable[[str], TaskName]) -> Any:
    """The value as programs have it; objects and futures are found by their names."""
    line = []
    at = value
    while isinstance(at, suite.DataValue) and at.arguments:
        line.append(at)
        at = at.arguments[-1]
    made: Any
    match at:
        case suite.Plain(value=atom):
            made = atom
        case suite.Fraction(top=top, bottom=bottom):
            made = whole(Fraction(top, bottom))
        case suite.ActorReference(name=name):
            made = actor(name)
        case suite.FutureReference(task=task):
            made = future(task)
        case suite.DataValue(constructor=constructor):
            made = CONSTANTS.get(constructor) or Data(constructor)
    for data in reversed(line):
        made = Data(data.constructor, (*(from_case(a, actor, future) for a in data.arguments[:-1]), made))
    return made

"""Looks on the JVM for calls of a class that reach what no case reaches, and makes cases of what they show.

    search (in the JVM) --calls that two runs agree about--> cases

A case that comes out of it is run once more like any other before it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from everypath.cases.model import CallCase, Case, Expected, Inputs, Problem, Raised, Returned, Step
from everypath.errors import Unsupported
from everypath.languages.base import EntryPoint, Seen, Sought
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaMethod
from everypath.languages.java.frontend.load import JavaLoaded
from everypath.languages.java.observing.candidates import read_inputs
from everypath.languages.java.observing.constants import constants_of
from everypath.languages.java.observing.reached import Places
from everypath.languages.java.observing.values import Reading
from everypath.languages.java.runtime.runner import Setting, search
from everypath.options import Options
from everypath.paths import RealRun

_IMPLICIT = frozenset(
    f"java.lang.{name}"
    for name in (
        "NullPointerException ArithmeticException ClassCastException NegativeArraySizeException ArrayStoreException"
        " ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException IndexOutOfBoundsException"
    ).split()
)
_MOST_CLASSES = 150
"""Classes of the program, at most, of which a search makes objects."""
_MESSAGE = 200


def observe(
    loaded: JavaLoaded, sought: Sought, reached: frozenset[str], setting: Setting, options: Options, seconds: float
) -> Seen:
    """Search for calls that reach lines and branches which are not among those that were reached."""
    hierarchy, outer = loaded.hierarchy, loaded.running.find(loaded.module)
    assert outer is not None
    entries = dict(_callable(loaded, sought))
    nest = [cls for cls in (outer, *map(loaded.program.find_java, _nested(loaded))) if cls is not None]
    places = Places(nest, loaded.program.file_of)
    missing = places.missing(reached)
    if not entries or not missing:
        return Seen()
    constants = constants_of(nest)
    request = (
        repr(seconds),
        str(options.seed),
        "\n".join(map(str, constants.integers)),
        "\n".join(map(repr, constants.numbers)),
        "\n".join(sorted(reached)),
        "\n".join(missing),
        "\n".join(entries),
        "\n".join(_makeable(loaded)),
        *constants.texts,
    )
    cases: list[CallCase] = []
    problems: list[Problem] = []
    for told in search(request, setting, seconds):
        if told["status"] == "failed":
            what = f"no more calls of {outer.name} can be tried: {told['text']}"
            problems.append(Problem("unsupported", loaded.file, 1, what))
            continue
        entry = entries[told["method"]]
        try:
            cases.append(_case(loaded.module, entry, told["shown"], hierarchy, places, len(cases) + 1))
        except Unsupported as error:
            what = f"{entry.qualname}: some calls that reach more cannot be written in a test: {error.message}"
            problem = Problem("unsupported", entry.span.file, entry.span.line, what)
            if problem not in problems:
                problems.append(problem)
    return Seen(tuple(cases), tuple(problems))


def _callable(loaded: JavaLoaded, sought: Sought) -> Iterable[tuple[str, EntryPoint]]:
    """The methods that may be called, under the names that the JVM uses."""
    for entry in loaded.entries:
        outer = entry.qualname.partition("(")[0].rpartition(".")[0]
        cls = loaded.program.find_java(entry.cls)
        left_out = {entry.qualname, entry.qualname.partition("(")[0], outer} & sought.left_out
        access = cls.methods[entry.method].access if cls is not None else "private"
        if left_out or access == "private" or (loaded.of_jdk and access != "public"):
            continue
        yield f"{entry.cls}#{entry.method}", entry


def _nested(loaded: JavaLoaded) -> Iterable[str]:
    """The classes inside of the one under test; those of the JDK count for nothing."""
    return (name for name in loaded.program.own if name.startswith(f"{loaded.module}$"))


def _makeable(loaded: JavaLoaded) -> list[str]:
    """The classes of the program whose objects may be inputs: those of the package first."""
    if loaded.of_jdk:
        return [loaded.module]
    package = loaded.module.rpartition(".")[0]
    ranked = sorted(loaded.program.own, key=lambda name: (name.rpartition(".")[0] != package, name))
    return ranked[:_MOST_CLASSES]


def _case(
    module: str, entry: EntryPoint, shown: Mapping[str, Any], hierarchy: Hierarchy, places: Places, number: int
) -> CallCase:
    cls = hierarchy.find(entry.cls)
    assert cls is not None
    method = cls.methods[entry.method]
    inputs = read_inputs(shown["trial"], method, shown["before"], hierarchy)
    file = entry.span.file
    return Case(
        id=f"{module}::{entry.qualname}#observed{number}",
        entry=entry.case_entry(),
        inputs=inputs,
        expected=_expected(shown, cls, method, inputs, hierarchy),
        trace=tuple(Step(file, line) for line in places.lines(shown["reached"], file)),
        covers=tuple(places.branches(shown["reached"])),
        start=RealRun(),
        observed=True,
    )


def _expected(
    shown: Mapping[str, Any], cls: JavaClass, method: JavaMethod, inputs: Inputs, hierarchy: Hierarchy
) -> Expected:
    reading = Reading(hierarchy)
    heap = reading.objects(shown["after"])
    match shown["outcome"]:
        case ["returned", value]:
            descriptor = method.descriptor.rpartition(")")[2] if method.name != "<init>" else ""
            return Expected(Returned(reading.value(value, descriptor)), heap)
        case ["thrown", name, message, owner, line]:
            package, _, simple = name.rpartition(".")
            own = not owner.startswith(("java.", "jdk.", "sun."))
            told = message if message and own and "\n" not in message and len(message) < _MESSAGE else None
            implicit = name in _IMPLICIT
            return Expected(Raised(simple, package, implicit, None if implicit else told, line if own else 0), heap)
    raise Unsupported("a call whose end nobody knows")

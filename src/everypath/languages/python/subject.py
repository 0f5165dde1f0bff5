"""An entry of a Python program as the search for paths, and as test cases, see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from everypath.errors import BadInput
from everypath.explore.outcomes import NotSupported
from everypath.explore.search.exploration import Exploration
from everypath.explore.search.freedom import Offers
from everypath.explore.search.subject import Known, Subject
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, Return
from everypath.ir.names import static_initialiser
from everypath.ir.program import Method
from everypath.languages.base import EntryPoint, Loaded, Requirement
from everypath.languages.python.frontend.noted import Effects
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.options import Options


def subject_of(source: Loaded, entry: EntryPoint, effects: Effects | None = None) -> Subject:
    """The entry's body, after what importing its modules does, with the inputs that docstrings and the code suggest."""
    method = method_of(source, entry)

    def suggested(solutions: Iterable[Known]) -> Iterator[Known]:
        # Asked for when a search with open inputs has left branches out.
        from everypath.languages.python.semantics.seeds import seeds

        return seeds(source.program, method, entry.examples, solutions)

    return Subject(
        PythonSemantics(source.program),
        method,
        entry.cls,
        entry.kind == "constructor",
        entry.lazy,
        _loading(source, effects),
        suggested,
        entry.alternatives,
        tuple(_requirement(source, method, each) for each in entry.requires),
        offers=lambda: _offers(source.root),
    )


def _offers(root: Path) -> Offers:
    # Only errors raise the question what callers may use.
    from everypath.languages.python.frontend.offers import SourceOffers

    return SourceOffers(root)


def _loading(source: Loaded, effects: Effects | None) -> Method | None:
    """What importing the modules does, where it can be followed.

    An effect that is not followed would end every path at its start. Where it is known which variables such an effect
    may change, only paths that read one of these end there.
    """
    classes = source.program.classes
    if effects is not None and not effects.settled:
        effects.settled = True
        home = classes[effects.method.cls].methods
        for name, (module, changes) in effects.bounded.items():
            why = _obstacle(source, home[name])
            if why is None:
                continue
            home[name] = _replaced(home[name], None)
            holder = classes[module].methods
            for changed in changes:
                initialiser = static_initialiser(changed)
                if initialiser in holder:
                    message = f"{changed} may be changed on import, which is not followed: {why}"
                    holder[initialiser] = _replaced(holder[initialiser], message)
    return source.effects


def _replaced(method: Method, message: str | None) -> Method:
    """In the place of a method without parameters: does nothing, or ends every path with this message."""
    builder = MethodBuilder(method.cls, method.name, (), method.span)
    result = builder.constant(message)
    if message is not None:
        builder.emit(CallNative(builder.register(), "unsupported", (result,), span=method.span))
    builder.end(Return(result))
    return builder.finish(kind="static", model=True)


def _obstacle(source: Loaded, method: Method) -> str | None:
    """Why a method without parameters cannot be followed to its end, if so."""
    exploration = Exploration(PythonSemantics(source.program), Options())
    state = exploration.blank(method)
    exploration.machine.start(state, method, [])
    ends = [each.outcome for each in exploration.paths(state)]
    return next((each.message for each in ends if isinstance(each, NotSupported)), None)


def _requirement(source: Loaded, method: Method, requirement: Requirement) -> tuple[Method, tuple[int, ...]]:
    """The method that tells whether a precondition holds, and which of the parameters it takes."""
    places = {param.name: position for position, param in enumerate(method.params)}
    found = source.program.find_method(source.module, requirement.method)
    assert found is not None, requirement.method
    return found, tuple(places[name] for name in requirement.names)


def method_of(source: Loaded, entry: EntryPoint) -> Method:
    """The entry's body."""
    method = source.program.find_method(entry.cls, entry.method)
    if method is None:
        raise BadInput(f"{entry.qualname} has no body to explore", entry.span)
    return method

"""An entry of a Python program as the search for paths, and as test cases, see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from everypath.errors import BadInput
from everypath.explore.search.freedom import Offers
from everypath.explore.search.subject import Known, Subject
from everypath.ir.program import Method
from everypath.languages.base import EntryPoint, Loaded, Requirement
from everypath.languages.python.semantics.semantics import PythonSemantics


def subject_of(source: Loaded, entry: EntryPoint) -> Subject:
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
        source.effects,
        suggested,
        entry.alternatives,
        tuple(_requirement(source, method, each) for each in entry.requires),
        offers=lambda: _offers(source.root),
    )


def _offers(root: Path) -> Offers:
    # Only errors raise the question what callers may use.
    from everypath.languages.python.frontend.offers import SourceOffers

    return SourceOffers(root)


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

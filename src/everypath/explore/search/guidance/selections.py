"""The guide of each selection criterion that has a name."""

from __future__ import annotations

from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.guidance.coverage import Coverage
from everypath.explore.search.guidance.criterion import Criterion
from everypath.explore.search.guidance.guide import Guide
from everypath.explore.search.guidance.local_paths import LocalPaths
from everypath.explore.search.guidance.points import code_lines, points_in, same_file
from everypath.explore.search.subject import Subject
from everypath.explore.traces import Place
from everypath.options import Options


def call_graph(subject: Subject) -> CallGraph:
    """The call graph of the subject's program."""
    return CallGraph(subject.program, subject.semantics.runs_by_operation)


def make_guide(subject: Subject, options: Options) -> Guide:
    """What guides a search for the selection, which must not be for all paths."""
    # Errors are worth a test wherever the search comes by; only with points and local paths it is said what is wanted.
    return Guide(make_criterion(subject, options), probing=options.select in ("branches", "statements"))


def make_criterion(subject: Subject, options: Options) -> Criterion:
    """The criterion of a selection for one method."""
    calls = call_graph(subject)
    if options.select == "local-paths":
        return LocalPaths(subject, calls, options.limits.loops)
    if points_in(options.select):
        return Coverage(subject, calls, points=points_of(subject, options, calls))
    return Coverage(subject, calls, branches=options.select == "branches", statements=True)


def points_of(subject: Subject, options: Options, calls: CallGraph | None = None) -> list[Place]:
    """Those of the points to which calls may lead from the method."""
    calls = calls or call_graph(subject)
    lines = {place for method in calls.reachable(subject.method) for place in code_lines(method)}
    return [
        (file, line)
        for wanted, number in points_in(options.select)
        for file, line in sorted(lines)
        if line == number and same_file(wanted, file)
    ]

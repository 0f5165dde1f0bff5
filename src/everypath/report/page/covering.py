"""What the cases of a page cover of its sources, and what they leave out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everypath.cases.kinds import AnyCase
from everypath.cases.spelling import spelled
from everypath.cases.trees import CUT, INFEASIBLE, Node
from everypath.report.page.content import Content

_MOST_CASES = 30
"""Cases that are listed for one line."""


def alone(cases: Sequence[AnyCase]) -> dict[str, list[str]]:
    """Case id -> the branches that no other case takes, as `line->line` where all are in one file."""
    takers: dict[str, set[str]] = {}
    for case in cases:
        for taken in set(case.covers):
            takers.setdefault(taken, set()).add(case.id)
    found: dict[str, list[str]] = {}
    for case in cases:
        own = [taken for taken in dict.fromkeys(case.covers) if takers[taken] == {case.id}]
        if own:
            found[case.id] = [taken.rpartition(":")[2] for taken in own]
    return found


def coverage(content: Content, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """For every source its lines and branches with the cases that reach them; `numbers` are those of the rows."""
    lines: dict[tuple[str, int], dict[int, None]] = {}
    branches: dict[str, Counter[str]] = {}
    for shown in content.suites:
        for case in shown.suite.cases:
            for place in {(step.file, step.line) for step in case.trace}:
                lines.setdefault(place, {})[numbers[case.id]] = None
            for branch in set(case.covers):
                file, _, arrow = branch.rpartition(":")
                branches.setdefault(file, Counter())[arrow] += 1
    ends = list(_ends(content))
    # What is explored on an interpreter, as main blocks are, has no path of its own.
    untold = Counter(case.entry.file for shown in content.suites for case in shown.suite.cases if not case.trace)
    found = []
    for source in content.sources:
        executable = set(source.executable)
        reached = {line: list(cases) for (file, line), cases in lines.items() if file == source.name}
        every = {branch.rpartition(":")[2] for branch in source.branches}
        taken = branches.get(source.name, Counter())
        found.append(
            {
                "file": source.name,
                "lines": {line: [len(cases), cases[:_MOST_CASES]] for line, cases in sorted(reached.items())},
                "missed": sorted(executable - set(reached)),
                "untold": untold.get(source.name, 0),
                "branches": {arrow: taken.get(arrow, 0) for arrow in sorted({*every, *taken}, key=_place)},
                "cut": _counted(content, ends, source.name, CUT),
                "infeasible": _counted(content, ends, source.name, INFEASIBLE),
            }
        )
    return found


def _place(arrow: str) -> tuple[int, int]:
    first, _, second = arrow.partition("->")
    return (int(first) if first.isdecimal() else 0, int(second) if second.isdecimal() else 0)


def _ends(content: Content) -> Iterator[Node]:
    """The leaves of all trees."""
    agenda = [tree.root for shown in content.suites for tree in shown.trees]
    while agenda:
        node = agenda.pop()
        agenda += node.children
        if not node.children:
            yield node


def _counted(content: Content, ends: Sequence[Node], file: str, kind: str) -> dict[int, list[list[Any]]]:
    """Line -> what was cut, or cannot hold, there, and on how many paths."""
    found: dict[int, Counter[str]] = {}
    for node in ends:
        if node.kind == kind and node.file == file:
            what = node.bound if kind == CUT else _both(content, node)
            found.setdefault(node.line, Counter())[what or kind] += 1
    return {line: [[what, count] for what, count in counts.most_common(8)] for line, counts in sorted(found.items())}


def _both(content: Content, node: Node) -> str:
    return f" {content.spelling.conjunction} ".join(spelled(each, content.spelling) for each in node.decided)

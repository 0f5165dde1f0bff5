"""The page that lists the pages of many modules, with their totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import everypath
from everypath.records import asdict, dataclass
from everypath.report.page.document import FORMAT, Document


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of one module."""

    title: str
    address: str
    language: str
    functions: int
    cases: int
    findings: int
    cut: int
    problems: int
    lines: int = 0
    lines_reached: int = 0


def entry_of(made: Document, address: str) -> Entry:
    """What the index says about a page."""
    head = made.head
    coverage: list[dict[str, Any]] = made.pieces[head["coverage"]]
    # The first source is the module itself; others are only passed through.
    first = coverage[0] if coverage and not coverage[0]["untold"] else {"lines": {}, "missed": ()}
    reached, missed = len(first["lines"]), len(first["missed"])
    return Entry(
        head["title"],
        address,
        head["language"],
        len(head["functions"]),
        head["cases"],
        len(head["findings"]),
        sum(sum(each["cut"].values()) for each in head["functions"]),
        len(head["problems"]),
        reached + missed,
        reached,
    )


def index_document(title: str, entries: Sequence[Entry], unusable: Sequence[str]) -> Document:
    """The data of the index: those with findings first."""
    ordered = sorted(entries, key=lambda each: (-each.findings, each.title))
    head = {
        "format": FORMAT,
        "everypath": everypath.__version__,
        "title": title,
        "language": ", ".join(dict.fromkeys(each.language for each in entries)),
        "home": "",
        "index": [asdict(each) for each in ordered],
        "unusable": list(unusable),
    }
    return Document(head, [])

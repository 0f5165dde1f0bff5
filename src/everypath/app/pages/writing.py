"""Writes pages: one file for one module; for several, an index and a page for each in one folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from everypath.app.origins import LONGEST, read_text
from everypath.app.outputs import behind_links, check_writable, write_text
from everypath.app.pages.filling import content_of
from everypath.app.pages.gathering import Gathered
from everypath.cases.model import Problem
from everypath.errors import BadInput, Span
from everypath.records import replace
from everypath.report.page.document import document
from everypath.report.page.html import GENERATOR, render
from everypath.report.page.index import Entry, entry_of, index_document

_SUFFIXES = (".html", ".htm")
Told = Callable[[str], None]


def check_page(destination: str) -> None:
    """Refuse a place where no page can be written, before any time is spent."""
    path = Path(destination)
    if path.suffix.lower() not in _SUFFIXES:
        if path.is_file():
            raise BadInput("is a file; a page ends with .html, and several go to a folder", Span(destination))
        path = path / "index.html"
    check_writable(path)
    _refuse_foreign(path)


def _refuse_foreign(path: Path) -> None:
    text = read_text(path, LONGEST) if path.is_file() else ""
    if text.strip() and GENERATOR not in text:
        raise BadInput("is no page of Everypath and is not overwritten; name another file", Span(str(path)))


def write_pages(gathered: Gathered, destination: str, allow_io: bool = False, told: Told | None = None) -> Path:
    """Write what was gathered; the file to open."""
    path = Path(destination)
    single = path.suffix.lower() in _SUFFIXES
    if len(gathered.groups) == 1 and single:
        _write(path, gathered, 0, "", allow_io)
        return path
    index = path if single else path / "index.html"
    folder = path.with_name(f"{path.stem}_modules") if single else path
    entries: list[Entry] = []
    for number, group in enumerate(gathered.groups):
        page = folder / group.file_name
        if told is not None:
            told(f"{number + 1} of {len(gathered.groups)}: {group.title}")
        home = f"../{index.name}" if single else index.name
        entries.append(_write(page, gathered, number, home, allow_io))
    linked = [replace(each, address=f"{folder.name}/{each.address}") for each in entries] if single else entries
    text = render(index_document(gathered.title, linked, gathered.unusable))
    _refuse_foreign(index)
    write_text(behind_links(index), text)
    return index


def _write(path: Path, gathered: Gathered, number: int, home: str, allow_io: bool) -> Entry:
    group = gathered.groups[number]
    content = content_of(group.title, group.stored, allow_io=allow_io)
    notes: Sequence[Problem] = [Problem("unusable", "", 0, each) for each in gathered.unusable] if not home else ()
    content = replace(content, home=home, problems=(*notes, *content.problems))
    made = document(content)
    _refuse_foreign(path)
    write_text(behind_links(path), render(made))
    return entry_of(made, path.name)

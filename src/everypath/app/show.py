"""The command `show`: prints the intermediate representation of a target, or what may interfere with a method."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.app.exit_codes import DONE
from everypath.errors import BadInput, Span
from everypath.generate.surviving import problems_of
from everypath.ir.check import check
from everypath.ir.text import print_method
from everypath.ir.types import ClassType
from everypath.languages.base import Loaded
from everypath.languages.every import language_of
from everypath.options import Options
from everypath.report.lines import print_problems
from everypath.report.streams import say


def show_command(target: str, related: bool, options: Options, summary: bool = False) -> int:
    """Print the IR of every entry of the target, with `related` what may interfere with it, or its `summary`."""
    loaded = language_of(target).loader(options)(target)
    if summary:
        for text in _summaries(loaded, options):
            say(text)
        print_problems(problems_of(loaded))
        return DONE
    if related:
        say(_related(loaded))
        return DONE
    faults = check(loaded.program)
    for entry in loaded.entries:
        method = loaded.program.find_method(entry.cls, entry.method)
        if method is not None:
            say(print_method(method, faults=faults))
    print_problems(problems_of(loaded))
    return DONE


def _related(loaded: Loaded) -> str:
    """Which tasks may interfere with the methods of a target, and why."""
    from everypath.languages.abs.frontend.related import explained
    from everypath.languages.abs.targets import actors_in

    methods = [entry for entry in loaded.entries if entry.kind != "main"]
    if not methods:
        raise BadInput("--related is about a method of a class: FILE.abs::Class.method", Span(loaded.file))
    texts = [explained(actors_in(loaded).target(e.qualname).program, e.cls, e.method).text() for e in methods]
    return "\n".join(texts).removesuffix("\n")


def _summaries(loaded: Loaded, options: Options) -> Iterator[str]:
    """The summary of each entry for arguments of the declared types."""
    from everypath.explore.search.summaries.composing import summaries_for
    from everypath.explore.search.summaries.printing import summary_text

    if not hasattr(loaded, "subject"):
        raise BadInput("--summary is about functions and methods that are called, not about actors", Span(loaded.file))
    for entry in loaded.entries:
        if entry.problems:
            continue
        subject = loaded.subject(entry)
        types = [given or ClassType(subject.cls) for _, given in subject.inputs()]
        found = summaries_for(subject.semantics, options).summary(subject.method, tuple(types))
        if found is None:
            yield f"{entry.qualname}: no summary; it is executed where it is called"
        else:
            yield summary_text(found)

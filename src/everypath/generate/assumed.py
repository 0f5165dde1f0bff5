"""What callers guarantee, matched with the entries of a run before anything is explored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everypath.errors import BadInput
from everypath.generate.surviving import Ready
from everypath.heap.assumptions import Assumption, parse_all
from everypath.ir.instructions import NoDefault
from everypath.ir.program import Program
from everypath.languages.base import EntryPoint
from everypath.options import Options
from everypath.records import replace

Key = tuple[str, str]
"""Module and qualified name of an entry."""


def options_by_entry(ready: Iterable[Ready], options: Options) -> dict[Key, Options]:
    """The options of each entry, with only those assumptions that are about its inputs; each must be about some
    entry.
    """
    programs = list(ready)
    _check_invariant([each.loaded.program for each in programs], options.invariant)
    entries = {
        (e.loaded.module, entry.qualname): (e, entry) for e in programs for entry in e.entries if not entry.problems
    }
    assume: dict[Key, list[str]] = {key: [] for key in entries}
    for assumption in parse_all(options.assume):
        errors: dict[Key, BadInput] = {}
        for key, (each, entry) in entries.items():
            try:
                each.loaded.subject(entry).checked([assumption])
                assume[key].append(assumption.text)
            except BadInput as error:
                errors[key] = error
        if errors and len(errors) == len(entries):
            raise _fits_nowhere(assumption, errors, {key: entry for key, (_, entry) in entries.items()})
    return {key: replace(options, assume=tuple(texts)) for key, texts in assume.items()}


def check_requires(ready: Iterable[Ready], options: Options) -> None:
    """Refuse a precondition that is about no entry."""
    entries = [entry for each in ready for entry in each.entries]
    used = {requirement.said for entry in entries for requirement in entry.requires}
    for text in options.requires:
        if text not in used and entries:
            shown = [f"{entry.qualname}({', '.join(param.name for param in entry.params)})" for entry in entries]
            more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
            targets = ", ".join(shown[:5])
            raise BadInput(f"--requires {text!r} is no condition on parameters of a target; these are {targets}{more}")


def _fits_nowhere(assumption: Assumption, errors: dict[Key, BadInput], entries: dict[Key, EntryPoint]) -> BadInput:
    """What is wrong with an assumption, for the entry that it is most likely meant for: the first with such inputs."""
    roots = {name.partition(".")[0] for name in assumption.names}

    def inputs(entry: EntryPoint) -> set[str]:
        return {param.name for param in entry.params[entry.kind in ("constructor", "class") :]}

    error = errors[max(errors, key=lambda key: len(roots & inputs(entries[key])))]
    others = f" (and it is about no other of the {len(errors)} entries either)" if len(errors) > 1 else ""
    return BadInput(f"{error.message}{others}", error.span)


def _check_invariant(programs: Sequence[Program], invariant: str | None) -> None:
    """Make sure that an invariant is a method of some class that needs nothing but the object."""
    if invariant is None or not programs:
        return
    classes = [cls for program in programs for cls in program.classes.values() if not cls.model and not cls.external]
    methods = {name: method for cls in classes for name, method in cls.methods.items() if method.kind != "static"}
    if invariant not in methods:
        from difflib import get_close_matches

        close = get_close_matches(invariant, methods, 3)
        advice = (
            f"did you mean {' or '.join(close)}?" if close else "name a method that tells whether an object is valid"
        )
        raise BadInput(f"--invariant {invariant}: no class of the targets has such a method; {advice}")
    needed = [
        p.name for p in methods[invariant].params[1:] if isinstance(p.default, NoDefault) and "star" not in p.kind
    ]
    if needed:
        message = (
            f"--invariant {invariant}: it needs an argument for {needed[0]!r}, but an invariant is about one object"
        )
        raise BadInput(message, methods[invariant].span)

"""The command `show`: prints the intermediate representation of a target, or what may interfere with a method."""

from __future__ import annotations

from everypath.app.exit_codes import DONE
from everypath.app.problems import print_problems
from everypath.generate.pipeline import source_problems
from everypath.ir.check import check
from everypath.ir.text import print_method
from everypath.languages.python.frontend import load_target
from everypath.report.streams import say


def show_command(target: str, types: tuple[str, ...]) -> int:
    """Print the IR of every entry of the target."""
    loaded = load_target(target, types)
    faults = check(loaded.program)
    for entry in loaded.entries:
        method = loaded.program.find_method(entry.cls, entry.method)
        if method is not None:
            say(print_method(method, faults=faults))
    print_problems(source_problems(loaded))
    return DONE

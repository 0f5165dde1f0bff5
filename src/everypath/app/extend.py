"""The commands `extend` and `next`: they go on from where a suite stopped, and leave its tests as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from everypath.app.exit_codes import BAD_INPUT, DONE
from everypath.app.generate import generate_command
from everypath.app.growing import GROWING, MOST_ROUNDS, Recorded, Widening, may_have_more, recorded, stored_suites
from everypath.app.stored import folder_of
from everypath.cases.model import SomeSuite
from everypath.errors import BadInput, Span
from everypath.languages.base import Language
from everypath.options import Options
from everypath.records import replace
from everypath.report.streams import complain, say

MakeOptions = Callable[[Sequence[str], Mapping[str, Any], frozenset[str]], tuple[Options, Language]]
"""Gives options of targets, their settings, and which of these the command line names."""


def extend_command(name: str, changes: Mapping[str, Any], make: MakeOptions, report: str | None = None) -> int:
    """Add the tests that larger bounds, more time or another selection bring, and write a page if one is asked for."""
    before = recorded(name, folder_of(changes.get("store")))
    values = before.changed(changes)
    if not any(values[each] != before.values[each] for each in (*GROWING, "select", "seconds", "tests", "total_time")):
        bounds = "--loops, --lengths, --depth, --time, --select, or --switches and --actors"
        raise BadInput(f"nothing would be added: name something to extend by: {bounds}", Span(name))
    return _grow(before, *make(before.targets, values, frozenset(changes)), report=report)


def next_command(name: str, changes: Mapping[str, Any], make: MakeOptions) -> int:
    """Add one test: within the bounds as they are if they leave one, or else with larger ones, raised one by one."""
    before = recorded(name, folder_of(changes.get("store")))
    values = before.changed(changes)
    suites = stored_suites(complain, folder_of(values["store"]))
    asked = [before.suite] if before.suite is not None else []
    known = sum(len(each.cases) for each in asked)
    found, searched = asked, bool(asked) and not may_have_more(asked)
    widening = Widening()
    for _ in range(MOST_ROUNDS):
        if searched:
            larger = widening.next(found, values)
            if not larger:
                break
            values |= larger
        options, language = make(before.targets, values, frozenset(changes))
        code = _grow(before, options, language, enough=1)
        found = [suite for each in asked if (suite := suites(each.target)) is not None]
        if code == BAD_INPUT or not asked or sum(len(each.cases) for each in found) > known:
            return code
        searched = True
    say(f"{name}: there is no further path that larger bounds show")
    return DONE


def _grow(
    before: Recorded, options: Options, language: Language, enough: int | None = None, report: str | None = None
) -> int:
    suites = stored_suites(complain, folder_of(options.store))

    def earlier(target: str) -> SomeSuite | None:
        return before.suite if before.suite is not None and before.suite.target == target else suites(target)

    options = replace(options, check=False, diff=None)
    return generate_command(list(before.targets), options, language, report, earlier=earlier, enough=enough)

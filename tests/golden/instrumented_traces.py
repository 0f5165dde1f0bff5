"""A program that prints what the calls of some sequences do under the real instrumentation, one JSON list per call.

It runs in a process of its own, because observing replaces locks and clocks for good.
"""

from __future__ import annotations

import json
import os
import sys

from everypath.race.control.arena import RealArena
from everypath.race.control.environment import install
from everypath.race.events import KIND_NAMES, SITES
from everypath.race.observe.importing import REWRITTEN, load_class, observe
from everypath.race.search.call_runner import CallRunner
from everypath.race.state.surroundings import Surroundings

_KIND_BITS = 4


def main(folder: str, module: str, name: str, sequences: list[list[str]]) -> None:
    """For each sequence and call the events as (kind, function, line, text)."""
    sys.path.insert(0, folder)
    environment = install((), memory=2_048)
    observe(module, folder)
    cls = load_class(module, name)
    surroundings = Surroundings(environment, cls, REWRITTEN)
    names = vars(sys.modules[module])
    runner = CallRunner(RealArena(), surroundings, lambda: dict(names), f"{name}()", 20_000)
    found = []
    for calls in sequences:
        sources = [f"sut.{call}" for call in calls]
        solos = [runner.solo(tuple(sources[:number]), source) for number, source in enumerate(sources)]
        found.append([[_event(int(str(code))) for code in solo.trace] for solo in solos])
    os.write(1, json.dumps(found).encode())
    os._exit(0)


def _event(code: int) -> tuple[str, str, int, str]:
    site = SITES[code >> _KIND_BITS]
    return KIND_NAMES[code & (1 << _KIND_BITS) - 1], site.function, site.line, site.text


if __name__ == "__main__":
    main(*sys.argv[1:4], json.loads(sys.argv[4]))

"""How a process that runs cases is started; loads next to nothing, because a run begins with it."""

from __future__ import annotations

import os

from everypath.workers.process import Command, interpreter

FIRST_SEED = 0
OTHER_SEED = 20_117
"""Another order of sets than in the first run: a path that depends on it must not look reliable."""

_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
_START = f"""
import sys
from importlib.machinery import SourceFileLoader
loader = SourceFileLoader("_everypath_worker", {_WORKER!r})
worker = sys.modules[loader.name] = type(sys)(loader.name)
worker.__file__ = loader.path
exec(loader.get_code(loader.name), worker.__dict__)
worker.main()
"""
"""Unlike a script, a module is compiled only once; and none of the program's own modules has its name."""


def worker_command(hash_seed: int) -> Command:
    """The process that imports programs and runs cases, with this order of sets.

    One knows no terminal, the other one does, as it may be where a test runs: what depends on that must not look
    reliable, either.
    """
    terminal = {"TERM": "xterm"} if hash_seed == OTHER_SEED else {}
    return interpreter(_START, hash_seed, **terminal)

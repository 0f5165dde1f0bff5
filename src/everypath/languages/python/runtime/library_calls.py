"""Functions of the library that are run for real, on known values, in two fenced processes that must agree."""

from __future__ import annotations

import base64
import json
import os
import pickle
from typing import Any

import everypath
from everypath.languages.python.runtime.library_child import OTHER_WORLD, Operation
from everypath.languages.python.runtime.starting import FIRST_SEED, OTHER_SEED
from everypath.workers.process import interpreter
from everypath.workers.reserve import Worker, give_back, take

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(everypath.__file__)))
_START = f"""
import sys
sys.path.append({_HOME!r})
from everypath.languages.python.runtime.library_child import main
main()
"""
_WORLDS = (
    interpreter(_START, FIRST_SEED, TZ="UTC", COLUMNS="80"),
    interpreter(_START, OTHER_SEED, TZ="Asia/Kathmandu", COLUMNS="93", HOME="/nowhere", **{OTHER_WORLD: "1"}),
)
"""Processes between which everything differs that must not matter."""
_PROGRAM = b"the library"
_SECONDS = 2.0
_MEGABYTES = 512
_STARTING = 20.0
_MOST_KEPT = 5_000

Answer = tuple[Any, ...]
"""`("value", result)`, `("items", those of an iterator)`, `("argument", which one is the result)`, `("method",)`,
`("error", module, class, arguments, attributes)`, `("unfit", why)`, or `("unsteady",)` where two processes differ"""
_known: dict[bytes, Answer] = {}
"""Paths begin alike, so that the same calls come again and again."""


def called(operations: tuple[Operation, ...], known: frozenset[str], quiet: bool = False) -> Answer:
    """What the last of the calls gives, after those before it.

    `known` are the classes whose objects can be values. What a call does in silence is its own affair if it is `quiet`.
    """
    request = {
        "operations": operations,
        "known": known,
        "quiet": quiet,
        "seconds": _SECONDS,
        "memory": _MEGABYTES,
    }
    try:
        frame = pickle.dumps(request, 4)
    except Exception:
        return "unfit", "cannot be told what it is given"
    if frame not in _known:
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        _known[frame] = _asked(frame)
    return _known[frame]


def _asked(frame: bytes) -> Answer:
    """What both processes say, if they say the same."""
    workers: list[Worker] = []
    answers: list[Answer] = []
    try:
        for command in _WORLDS:
            workers.append(take(command, _PROGRAM))
            workers[-1].send(frame)
        for worker in workers:
            line = None if worker.loaded else worker.receive(_STARTING)
            worker.loaded = worker.loaded or line is not None
            line = worker.receive(_STARTING) if worker.loaded else None
            if line is None:
                return "unfit", "ends the process that runs it"
            answers.append(pickle.loads(base64.b64decode(json.loads(line)["answer"])))
        for worker in workers:
            give_back(worker)
        workers.clear()
    finally:
        # One that was not heard out would give this answer to the next question.
        for worker in workers:
            worker.close()
    unfit = next((answer for answer in answers if answer[0] == "unfit"), None)
    if unfit is not None:
        return unfit
    if not same(answers[0], answers[1]):
        return ("unsteady",)
    return answers[0]


def same(one: Any, other: Any) -> bool:
    """Whether two results are the same, down to types, signs of zeros and the order of keys."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, float):
        return repr(one) == repr(other)
    result: bool = one == other
    return result

"""Runs in the child: one search, inside the fence of the worker that it is a fork of."""

from __future__ import annotations

import _thread
import builtins
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from everypath.languages.python.probing import signatures
from everypath.languages.python.probing.running import TOO_LONG, Guard
from everypath.languages.python.probing.search import LEAVES_THREAD, Search
from everypath.languages.python.probing.world import World, asking_nodes
from everypath.workers import scratch

_SECONDS = 0.3
"""How long one call may take."""
_WAITING = 0.25
"""How long a call may wait for something that does not come."""
_IMPORT_SECONDS = 2.0
"""How long importing one more module may take."""
_OUTPUT = 10_000
_TO_END = 0.05
"""Seconds in which a thread that has nothing to do any more ends."""


def search(request: dict[str, Any], fence: Any, streams: Any, tell: Callable[[dict[str, Any]], None]) -> None:
    """Search the module that the request names, and tell what is found as it comes, at the end how it went.

    A request for the module's `state` names variables, and what they hold is told.
    """
    if "state" in request:
        # Few runs ask for it.
        from everypath.languages.python.probing.state import state_of

        tell({"state": state_of(sys.modules[request["module"]], request["state"], request["functions"])})
        return
    usual = sys.stdin, sys.stdout, sys.stderr
    module = sys.modules[request["module"]]
    folder = scratch.make(os.path.join(request["scratch"], "calls"))
    world = World(fence, folder).of(module.__file__ or "")
    # Known here, it need not be found out in every fork.
    asking_nodes(module.__name__)
    signatures.importing = partial(_importing, fence, folder, request["allow_io"])
    threads, shared = 0, dict[str, Any]()

    def enter() -> None:
        nonlocal threads
        # What the call before has left there, or a fork that came to a sudden end.
        world.tidy()
        threads = _thread._count()
        shared.clear()
        shared.update(vars(builtins))
        fence.refusal = fence.timed_out = None
        fence.denied.clear()
        sys.stdout = sys.stderr = streams.Output(_OUTPUT)
        sys.stdin = streams.Unasked(fence)
        world.enter()
        fence.limit_time(_SECONDS, _WAITING)
        if not request["allow_io"]:
            fence.arm()

    def leave() -> tuple[str, int, str]:
        fence.disarm()
        fence.limit_time(0)
        world.leave()
        sys.stdin, sys.stdout, sys.stderr = usual
        what, *place = fence.refusal or (TOO_LONG if fence.timed_out else "", *(fence.timed_out or ("", 0)))
        now = vars(builtins)
        # Values that are the same object are equal, so nothing of the program is asked as long as nothing has changed.
        if now != shared:
            # Every other test would find it changed.
            now.clear()
            now.update(shared)
            what = what or "change what is built in"
        left = LEAVES_THREAD if _still_running(threads) else ""
        return what, place[1] if place[0] == module.__file__ else 0, left

    try:
        tell({"finished": Search(request, module, Guard(enter, leave, lambda: list(world.asks))).run(tell)})
    except Exception as error:
        # What was found before counts; that the search came to a sudden end is told.
        tell({"failed": f"{type(error).__name__}: {error} ({_place(error)})"})


def _place(error: Exception) -> str:
    """The innermost place of an error, by the name of its file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"


@contextmanager
def _importing(fence: Any, folder: str, allow_io: bool) -> Iterator[None]:
    """Around an import that the module itself does not do: only the folder can be written, and not for ever."""
    if fence.armed or allow_io:
        yield
        return
    before = fence.folder, fence.gently
    fence.folder, fence.gently = folder, True
    fence.limit_time(_IMPORT_SECONDS)
    fence.arm()
    try:
        yield
    finally:
        fence.disarm()
        fence.limit_time(0)
        fence.folder, fence.gently = before


def _still_running(threads: int) -> bool:
    """Whether there are more threads than so many, and not only because they have had no time to end."""
    deadline = time.monotonic() + _TO_END
    while _thread._count() > threads:
        if time.monotonic() > deadline:
            return True
        time.sleep(0.001)
    return False

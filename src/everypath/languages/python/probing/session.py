"""Runs in the child: one search, inside the fence of the worker that it is a fork of."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from everypath.languages.python.probing.search import TOO_LONG, Guard, Search
from everypath.languages.python.probing.world import World
from everypath.workers import scratch

_SECONDS = 0.3
"""How long one call may take."""
_OUTPUT = 10_000


def search(request: dict[str, Any], fence: Any, output: Any, tell: Callable[[dict[str, Any]], None]) -> None:
    """Search the module that the request names, and tell what is found as it comes, at the end how it went.

    A request for the module's `state` names variables, and what they hold is told.
    """
    if "state" in request:
        # Few runs ask for it.
        from everypath.languages.python.probing.state import state_of

        tell({"state": state_of(sys.modules[request["module"]], request["state"])})
        return
    streams = sys.stdin, sys.stdout, sys.stderr
    module = sys.modules[request["module"]]
    folder = scratch.make(os.path.join(request["scratch"], "calls"))
    world = World(fence, folder).of(module.__file__ or "")

    def enter() -> None:
        # What the call before has left there, or a fork that came to a sudden end.
        world.tidy()
        fence.refusal = fence.timed_out = None
        fence.denied.clear()
        sys.stdout = sys.stderr = output(_OUTPUT)
        sys.stdin = Unasked(fence)
        world.enter()
        fence.limit_time(_SECONDS)
        if not request["allow_io"]:
            fence.arm()

    def leave() -> str:
        fence.disarm()
        fence.limit_time(0)
        world.leave()
        sys.stdin, sys.stdout, sys.stderr = streams
        if fence.refusal is not None:
            return str(fence.refusal[0])
        return TOO_LONG if fence.timed_out is not None else ""

    tell({"finished": Search(request, module, Guard(enter, leave, lambda: list(world.asks))).run(tell)})


class Unasked:
    """A standard input at which nobody types."""

    encoding = "utf-8"

    def __init__(self, fence: Any) -> None:
        self._fence = fence

    def isatty(self) -> bool:
        """Nobody sits there."""
        return False

    def __getattr__(self, name: str) -> Any:
        if not self._fence.armed:
            raise AttributeError(name)
        return self._fence.refuse("read what is typed")

    def __iter__(self) -> Any:
        return self._fence.refuse("read what is typed")

"""Runs in the child: one search, inside the fence of the worker that it is a fork of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from everypath.languages.python.probing.search import TOO_LONG, Guard, Search

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
    streams = sys.stdout, sys.stderr

    def enter() -> None:
        fence.refusal = fence.timed_out = None
        sys.stdout = sys.stderr = output(_OUTPUT)
        fence.limit_time(_SECONDS)
        if not request["allow_io"]:
            fence.arm()

    def leave() -> str:
        fence.disarm()
        fence.limit_time(0)
        sys.stdout, sys.stderr = streams
        if fence.refusal is not None:
            return str(fence.refusal[0])
        return TOO_LONG if fence.timed_out is not None else ""

    module = sys.modules[request["module"]]
    tell({"finished": Search(request, module, Guard(enter, leave)).run(tell)})

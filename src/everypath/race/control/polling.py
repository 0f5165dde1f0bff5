"""Waiting for files and sockets to become ready: in virtual time, or not at all."""

from __future__ import annotations

import select
import selectors
from collections.abc import Callable
from typing import Any

from everypath.race.control.clocks import CLOCK
from everypath.race.control.monitor import MONITOR
from everypath.race.control.refusal import refuse

_FOREVER = "waits for input or output"


def polling_replacements() -> list[tuple[Any, str, Any]]:
    """(owner, name, replacement) of what waits for files: event loops then run in virtual time as well."""
    found: list[tuple[Any, str, Any]] = [(select, "select", _select(select.select))]
    for name in ("SelectSelector", "PollSelector", "EpollSelector", "KqueueSelector", "DevpollSelector"):
        selector = getattr(selectors, name, None)
        if selector is not None:
            found.append((selector, "select", _selector_method(selector.select)))
    return found


def _selector_method(native: Callable[..., Any]) -> Callable[..., Any]:
    def wait(self: Any, timeout: float | None = None) -> Any:
        if MONITOR.current is None:
            return native(self, timeout)
        ready = native(self, 0)
        if not ready and (timeout is None or timeout > 0):
            _pass_time(timeout)
        return ready

    return wait


def _select(native: Callable[..., Any]) -> Callable[..., Any]:
    def wait(read: Any, write: Any, other: Any, timeout: float | None = None, /) -> Any:
        if MONITOR.current is None:
            return native(read, write, other, timeout)
        ready = native(read, write, other, 0)
        if not any(ready) and (timeout is None or timeout > 0):
            _pass_time(timeout)
        return ready

    return wait


def _pass_time(timeout: float | None) -> None:
    if timeout is None:
        refuse(_FOREVER)
    CLOCK.advance(timeout)
    MONITOR.iteration()

"""How the program is asked to end, by Ctrl-C or a polite signal, at whatever moment that comes.

A request raises KeyboardInterrupt where the program stands, unless it stands where half of the work is worth nothing
(`postponed`): then it is raised at the next place that allows it (`interruptible`). One request is enough. What was
found is still run for a moment, and when that is over a second KeyboardInterrupt comes by itself.

The first thing that the program does is to `listen`, so this module needs next to nothing.
"""

from __future__ import annotations

import _signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

MOMENT = 1.0
"""Seconds between a request to end and the second interrupt."""
_AGAIN = 0.01
_REQUESTS = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP)

_raising = True
"""whether a request is raised at once, wherever the program is"""
_waiting = False
"""whether there is a request that was not raised yet"""
_begun = False
"""whether a first request was raised"""


def listen() -> None:
    """Handle requests here from now on, except for those that the caller of the program wants ignored."""
    for number in _REQUESTS:
        if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
            _signal.signal(number, _request)
    _signal.signal(_signal.SIGALRM, _request)
    sys.unraisablehook = _unraisable


def end() -> None:
    """Let requests have no effect from now on: the program is about to end anyway."""
    global _raising
    _raising = False
    _signal.setitimer(_signal.ITIMER_REAL, 0)


def _request(_: int, frame: FrameType | None) -> None:
    global _waiting
    _waiting = True
    if _raising:
        _raise()


def _raise() -> None:
    global _waiting, _begun
    _waiting = False
    if not _begun:
        _begun = True
        _signal.setitimer(_signal.ITIMER_REAL, MOMENT)
    raise KeyboardInterrupt


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Interrupt once more, a little later: the first one may have come where nothing can be raised, in a destructor."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _signal.setitimer(_signal.ITIMER_REAL, _AGAIN)
    else:
        sys.__unraisablehook__(lost)


class postponed:
    """Within the block requests are kept for the next `interruptible` block; if there is none, all is done anyway."""

    _allowed = False

    def __enter__(self) -> None:
        global _raising
        self._before, _raising = _raising, self._allowed
        if _waiting and _raising:
            _raise()

    def __exit__(self, *_: object) -> None:
        global _raising
        _raising = self._before


class interruptible(postponed):
    """Within the block, even inside a `postponed` one, requests are raised at once."""

    _allowed = True

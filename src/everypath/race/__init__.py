"""Thread safety of Python classes on real threads, after "Coverage-Driven Test Code Generation for Concurrent Classes".

`replay` is what generated tests call.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def replay(
    target: str,
    *,
    setup: str,
    before: Sequence[str] = (),
    threads: tuple[Sequence[str], Sequence[str]],
    schedule: Sequence[str],
    path: str = ".",
) -> None:
    """Run calls on one shared object in two threads that switch where the schedule says, in a fresh process.

    `target` is `module::Class`, looked for in `path` (relative to the folder of the calling file), then where
    the caller finds modules. `setup` is the expression that makes the object; every call is an expression or
    statement that names it `sut`: first those of `before`, then each thread its own. A leg of the schedule is
    `A` or `B`, which runs that thread to its end, or `A until Class.method: write self.name`, which stops it just
    before it does that for the first time (`#2`: for the second time) and lets the other one go on.

    Raises AssertionError when what the threads return, raise and leave behind is not what they do one after the
    other, in either order.
    """
    # pytest then shows the line of the test.
    __tracebackhide__ = True
    # Loaded when a test runs: those who import a module of this package do not need it.
    from everypath.race.session import failure_text, follow, thread_test

    file = sys._getframe(1).f_globals.get("__file__")
    folder = os.path.dirname(os.path.abspath(file)) if file else os.getcwd()
    test = thread_test(target, setup, before, threads, schedule)
    result = follow(test, os.path.normpath(os.path.join(folder, path)))
    if result.failed:
        raise AssertionError(failure_text(test, result))

"""Where the program starts: gets the processes for running tests under way, reads the command line, ends quickly."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from everypath.app.exit_codes import INTERRUPTED
from everypath.languages.every import LANGUAGES
from everypath.report.streams import STARTING, clear, draws, show
from everypath.workers.interrupts import end
from everypath.workers.reserve import kept_workers


def run() -> None:
    """Do what the command line asks and end the process."""
    # What the caller has closed swallows everything, and no file of ours gets its number.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Messages quote the user's code, whatever the terminal can show.
        sys.stdout.reconfigure(errors="backslashreplace")
    code: object = 0
    with kept_workers():
        try:
            if sys.argv[1:2] and sys.argv[1] in _SHOWING and not _HELP & set(sys.argv):
                _show_beginning()
            start_early(sys.argv[1:])
            # Loading the commands takes a while, in which those processes come up.
            from everypath.app.guard import guard
            from everypath.app.plain import plain_work

            work = guard(lambda: plain_work(sys.argv[1:]))
            if work is not None:
                sys.exit(guard(work))
            from everypath.app.arguments import main

            clear()
            main(prog_name="everypath")
        except SystemExit as ended:
            code = ended.code
        except KeyboardInterrupt:
            # The commands are not even loaded.
            code = INTERRUPTED
        end()
    _leave(code if isinstance(code, int) else int(code is not None))


_SHOWING = ("generate", "extend", "next", "race")
"""The commands that show how far they have come."""
_HELP = {"-h", "--help"}


def _show_beginning() -> None:
    """Say at once that something goes on: loading what does it takes longer than a person waits without a sign."""
    if draws(sys.stderr):
        show(STARTING, sys.stderr)


def start_early(arguments: Sequence[str]) -> None:
    """Begin what will run the tests if the arguments look as if there will be any; click decides what they mean."""
    if arguments[:1] != ["generate"] or {"--no-validate", "-h", "--help"} & set(arguments):
        return
    words = [argument for argument in arguments[1:] if not argument.startswith("-")]
    if words:
        *others, last = LANGUAGES
        next((each for each in others if any(map(each.claims, words))), last).start_early()


def _leave(code: int) -> None:
    """End at once: taking down the interpreter in order frees every object, one by one."""
    import atexit

    clear()

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)

"""Where a run starts: guards the work, reads plain command lines itself and leaves all others to click.

Loading click and letting it read the arguments takes as long as exploring a small function, so the most
common command, `generate` with targets and nothing but `-o` or `--format`, does without.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from everypath.app.config import read_config
from everypath.errors import EverypathError, Internal
from everypath.options import ASSUMED_BOUNDS, FORMATS, ActorOptions, Options
from everypath.report.streams import complain
from everypath.workers.process import FIRST_SEED, OTHER_SEED, discard, prepare

DONE, FINDINGS, BAD_INPUT, NOTHING_USEFUL, INTERRUPTED = 0, 1, 2, 3, 130


def run() -> None:
    """Do what the command line asks and end the process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Messages quote the user's code, whatever the terminal can show.
        sys.stdout.reconfigure(errors="backslashreplace")
    plain = guard(lambda: _plain(sys.argv[1:]))
    if plain is None:
        from everypath.app.arguments import main as read_all

        read_all(prog_name="everypath")
    else:
        _leave(generate_tests(*plain))


def _plain(arguments: list[str]) -> tuple[list[str], Options] | None:
    """The targets and options of a plain command line; None for any other, and where settings or errors are around."""
    if arguments[:1] != ["generate"] or "_EVERYPATH_COMPLETE" in os.environ:
        return None
    targets: list[str] = []
    given: dict[str, str | None] = {"-o": None, "--format": None}
    rest = iter(arguments[1:])
    for argument in rest:
        if not argument.startswith("-"):
            targets.append(argument)
            continue
        value = next(rest, "-")
        if argument not in given or value.startswith("-"):
            return None
        given[argument] = value
    if not targets or not _unconfigured():
        return None
    format = given["--format"] or default_format(targets)
    if format not in (default_format(targets), "json"):
        return None
    actors = ASSUMED_BOUNDS if any(map(is_abs, targets)) else ActorOptions()
    return targets, Options(format=format, output=given["-o"], actors=actors)


def is_abs(target: str) -> bool:
    """Whether a target names an ABS file."""
    return target.partition("::")[0].endswith(".abs")


def default_format(targets: list[str]) -> str:
    """What is written for these targets unless something else is asked for."""
    return "abs" if any(map(is_abs, targets)) else FORMATS[0]


def _unconfigured() -> bool:
    try:
        return not read_config(Path.cwd(), {})
    except (EverypathError, OSError):
        return False


def generate_tests(targets: list[str], options: Options) -> int:
    """The command `generate`; its exit code."""

    def work() -> int:
        if any(map(is_abs, targets)):
            from everypath.app.actors import generate_actors_command

            return generate_actors_command(targets, options)
        if options.validate:
            # They start while this process still loads the rest of itself.
            prepare(FIRST_SEED)
            prepare(OTHER_SEED)
        from everypath.app.commands import generate_command

        # What was loaded stays, so looking for garbage need not look there.
        gc.freeze()
        return generate_command(targets, options)

    try:
        code: int = guard(work)
        return code
    finally:
        discard()


def _leave(code: int) -> None:
    """End at once: taking down the interpreter in order frees every object, one by one."""
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


def guard(work: Callable[[], Any]) -> Any:
    """Run the work; an error becomes one readable paragraph and the right exit code, never a traceback."""
    try:
        with _ended_like_an_interrupt():
            result = work()
            sys.stdout.flush()
            return result
    except KeyboardInterrupt:
        _complain("interrupted; no results were written")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _abandon_output()
        sys.exit(DONE)
    except EverypathError as error:
        _complain(f"{'internal error' if isinstance(error, Internal) else 'error'}: {error}")
        sys.exit(BAD_INPUT)
    except OSError as error:
        if os.environ.get("EVERYPATH_DEBUG"):
            raise
        _abandon_output()
        place = f"{error.filename}: " if error.filename else ""
        _complain(f"error: {place}{error.strerror or error}; check that there is space and that it may be accessed")
        sys.exit(BAD_INPUT)
    except RecursionError:
        if os.environ.get("EVERYPATH_DEBUG"):
            raise
        _complain("error: the code is nested too deeply to be translated; split long chains of elif or operators")
        sys.exit(BAD_INPUT)
    except Exception as error:
        if os.environ.get("EVERYPATH_DEBUG"):
            raise
        _complain(
            f"internal error: {type(error).__name__}: {error} - "
            "This is a defect of Everypath; please report it with the target. "
            "EVERYPATH_DEBUG=1 shows where it happened."
        )
        sys.exit(BAD_INPUT)


def _complain(text: str) -> None:
    """One paragraph on the error stream, whatever line breaks the message carries."""
    with contextlib.suppress(OSError):
        complain(" ".join(text.split()))


def _abandon_output() -> None:
    """What is still buffered cannot be delivered; without this, ending would try again and fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """A polite request to end is handled as Ctrl-C is: processes are ended and results are kept."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    previous = {number: signal.signal(number, end) for number in ours}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

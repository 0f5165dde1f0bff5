"""The command line: arguments to options, results to files and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from everypath import __version__
from everypath.config import read_config
from everypath.errors import BadInput, EverypathError, Internal
from everypath.options import FORMATS, HEAPS, STRATEGIES, FenceOptions, Limits, Options, SolverOptions

DONE, FINDINGS, BAD_INPUT, NOTHING_USEFUL, INTERRUPTED = 0, 1, 2, 3, 130
_F = TypeVar("_F", bound=Callable[..., Any])


def _parse_range(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """`LO:HI` as two integers."""
    if value is None:
        return None
    low, colon, high = str(value).partition(":")
    try:
        limits = (int(low), int(high))
    except ValueError:
        limits = (1, 0)
    if not colon or limits[0] > limits[1]:
        raise click.BadParameter(f"{value!r} is not a range such as -10:10", context, parameter)
    return limits


def _exploration_options(command: _F) -> _F:
    """The options that decide which paths are explored, shared by the commands that explore."""
    defaults = Limits()
    solver = SolverOptions()
    fence = FenceOptions()
    for option in reversed(
        [
            click.option("--loops", type=click.IntRange(0), default=defaults.loops, show_default=True,
                         help="Iterations per loop entry, and re-entries of a recursive method."),
            click.option("--depth", type=click.IntRange(1), default=defaults.depth, show_default=True,
                         help="Blocks executed on one path."),
            click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), default=defaults.time,
                         show_default=True, help="Seconds of exploration for each function."),
            click.option("--paths", type=click.IntRange(1), default=defaults.paths, show_default=True,
                         help="Finished paths for each function."),
            click.option("--lengths", type=click.IntRange(0), default=None,
                         help="Largest input collection where an exact length is needed.  [default: loops + 2]"),
            click.option("--heap", type=click.Choice(HEAPS), default="lazy", show_default=True,
                         help="How references to input objects may alias."),
            click.option("--strategy", type=click.Choice(STRATEGIES), default="depth-first", show_default=True,
                         help="Which path goes first."),
            click.option("--seed", type=int, default=0, show_default=True, help="For --strategy random."),
            click.option("--int-range", callback=_parse_range, default=None, metavar="LO:HI",
                         help="Integer inputs lie in this range."),
            click.option("--types", multiple=True, metavar="'a: list[int], x: int'",
                         help="Types of parameters that have no annotation."),
            click.option("--solver-timeout", type=click.IntRange(1), default=solver.timeout_ms, show_default=True,
                         help="Milliseconds for one question to the SMT solver."),
            click.option("--allow-io", is_flag=True,
                         help="Let tested code write files, open sockets and start processes."),
            click.option("--case-seconds", type=click.FloatRange(0, min_open=True), default=fence.case_seconds,
                         show_default=True, help="Seconds for running one test."),
            click.option("--memory", type=click.IntRange(64), default=fence.memory_mb, show_default=True,
                         help="Megabytes for running tests."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def _options(settings: dict[str, Any]) -> Options:
    return Options(
        limits=Limits(
            settings["loops"], settings["depth"], settings["seconds"], settings["paths"], settings["lengths"]
        ),
        solver=SolverOptions(timeout_ms=settings["solver_timeout"], int_range=settings["int_range"]),
        fence=FenceOptions(settings["allow_io"], settings["case_seconds"], settings["memory"]),
        heap=settings["heap"],
        strategy=settings["strategy"],
        seed=settings["seed"],
        types=tuple(settings["types"]),
        format=settings.get("format", "pytest"),
        output=settings.get("output"),
        validate=not settings.get("no_validate", False),
    )


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="everypath")
@click.pass_context
def main(context: click.Context) -> None:
    """Generate the tests that cover every path through your code, up to bounds you choose."""
    name = context.invoked_subcommand or ""
    command = main.commands.get(name)
    if command is not None:
        known = {p.name for p in command.params if p.name} - {"targets", "suite", "target", "ir"}
        renamed = {"time": "seconds"}
        config = _guard(lambda: read_config(Path.cwd(), known | set(renamed)))
        context.default_map = {name: {renamed.get(k, k): v for k, v in config.items()}}


@main.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_exploration_options
@click.option("--format", type=click.Choice(FORMATS), default="pytest", show_default=True, help="What to write.")
@click.option(
    "-o",
    "--output",
    default=None,
    metavar="PATH",
    help="Where to write; a folder or a file.  [default: test_<module>_generated.py; JSON to the terminal]",
)
@click.option("--no-validate", is_flag=True, help="Do not run the tests; they are then marked as not validated.")
def generate(targets: tuple[str, ...], **settings: Any) -> None:  # fmt: skip
    """Write tests for every path of TARGET: FILE_OR_MODULE[::Class[.method] | ::function]."""
    from everypath.commands import generate_command

    sys.exit(_guard(lambda: generate_command(list(targets), _options(settings))))


@main.command()
@click.argument("suite", metavar="SUITE[::CASE]")
@click.option("--steps", is_flag=True, help="Print the source lines of each path.")
def replay(suite: str, steps: bool) -> None:
    """Follow the recorded paths of a stored suite again and run its tests again."""
    from everypath.commands import replay_command

    sys.exit(_guard(lambda: replay_command(suite, steps)))


@main.command()
@click.argument("target")
@click.option("--ir", is_flag=True, help="The intermediate representation of the target.")
@click.option("--types", multiple=True, help="Types of parameters that have no annotation.")
def show(target: str, ir: bool, types: tuple[str, ...]) -> None:
    """Print what Everypath makes of TARGET."""
    from everypath.commands import show_command

    if not ir:
        raise click.UsageError("say what to show: --ir")
    sys.exit(_guard(lambda: show_command(target, types)))


def _guard(work: Callable[[], Any]) -> Any:
    """Run the work; an error becomes one readable paragraph and the right exit code, never a traceback."""
    try:
        return work()
    except BadInput as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        click.echo("interrupted before anything was found", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except EverypathError as error:
        kind = "internal error" if isinstance(error, Internal) else "error"
        click.echo(f"{kind}: {error}", err=True)
        sys.exit(BAD_INPUT)
    except Exception as error:
        if os.environ.get("EVERYPATH_DEBUG"):
            raise
        click.echo(
            f"internal error: {type(error).__name__}: {error}\n"
            "This is a defect of Everypath; please report it with the target. "
            "EVERYPATH_DEBUG=1 shows where it happened.",
            err=True,
        )
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()

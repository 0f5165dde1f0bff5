"""The command lines of `race`, `replay`, `show` and `run`, as click reads them; most runs need none of them."""

from __future__ import annotations

import sys
from typing import Any

import click

from everypath.app.guard import guard
from everypath.languages.every import language_of
from everypath.options import RaceOptions

_RACE_FORMATS = ("pytest", "json")


def _parse_values(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> list[tuple[str, str]]:
    """`NAME=EXPR`, each as a pair."""
    pairs = []
    for text in value:
        name, equals, source = text.partition("=")
        if not (name.strip().isidentifier() and equals and source.strip()):
            raise click.BadParameter(f"{text!r} is not NAME=EXPR, such as maxsize=2", context, parameter)
        pairs.append((name.strip(), source.strip()))
    return pairs


def _parse_expression(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Python source of an expression."""
    if value is not None:
        try:
            compile(value.strip(), "<setup>", "eval")
        except (SyntaxError, ValueError) as error:
            raise click.BadParameter(f"{value!r} is no expression: {error}", context, parameter) from None
    return value.strip() if value is not None else None


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "--setup",
    default=None,
    callback=_parse_expression,
    metavar="EXPR",
    help="How to make the shared object, such as 'TTLCache(2, 60)'.  [default: found by trying]",
)
@click.option(
    "--arg",
    "args",
    multiple=True,
    callback=_parse_values,
    metavar="NAME=EXPR",
    help="A value for the parameters of that name, besides those that are found.",
)
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method.  [default: all public ones]"
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=RaceOptions().time,
    show_default=True,
    help="Seconds for each class.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="For the choice of calls and interleavings.")
@click.option("--exhaustive", is_flag=True, help="Run every interleaving with one preemption.")
@click.option("--random", is_flag=True, help="Run random interleavings, for comparison.")
@click.option("--format", type=click.Choice(_RACE_FORMATS), default="pytest", show_default=True, help="What to write.")
@click.option(
    "-o",
    "--output",
    default=None,
    metavar="PATH",
    help="Where to write; a folder or a file.  [default: test_<module>_threads.py; JSON to the terminal]",
)
@click.option("--no-confirm/--confirm", default=False, help="Do not run the found tests again in fresh processes.")
def race(targets: tuple[str, ...], **settings: Any) -> None:
    """Find thread-safety faults of a class: FILE_OR_MODULE[::Class]; no test is needed."""
    if settings["exhaustive"] and settings["random"]:
        raise click.UsageError("--exhaustive and --random exclude each other")
    defaults = RaceOptions()
    options = RaceOptions(
        setup=settings["setup"],
        args=tuple(settings["args"]),
        methods=tuple(settings["methods"]),
        time=settings["seconds"],
        seed=settings["seed"],
        mode="exhaustive" if settings["exhaustive"] else "random" if settings["random"] else defaults.mode,
        format=settings["format"],
        output=settings["output"],
        confirmations=0 if settings["no_confirm"] else defaults.confirmations,
    )

    def work() -> int:
        from everypath.app.race import race_command

        return race_command(list(targets), options)

    sys.exit(guard(work))


@click.command()
@click.argument("suite", metavar="SUITE[::CASE]")
@click.option("--steps", is_flag=True, help="Print the source lines of each path.")
def replay(suite: str, steps: bool) -> None:
    """Follow the recorded paths of a stored suite again and run its tests again."""

    def work() -> int:
        from everypath.app.replay import replay_command

        return replay_command(suite, steps)

    sys.exit(guard(work))


@click.command()
@click.argument("target")
@click.option("--ir", is_flag=True, help="The intermediate representation of the target.")
@click.option("--related", is_flag=True, help="For a method of an ABS class: which other tasks may interfere.")
@click.option("--types", multiple=True, help="Types of parameters that have no annotation.")
def show(target: str, ir: bool, related: bool, types: tuple[str, ...]) -> None:
    """Print what Everypath makes of TARGET."""
    if ir == related:
        raise click.UsageError("say what to show: --ir or --related")
    if related and not language_of(target).concurrent:
        raise click.UsageError("--related is about a method of an ABS class: FILE.abs::Class.method")

    def work() -> int:
        from everypath.app.show import show_command

        return show_command(target, related, types)

    sys.exit(guard(work))


@click.command("run")
@click.argument("files", nargs=-1, required=True, metavar="FILE.abs...")
@click.option("--seed", type=int, default=None, help="Choose tasks at random.  [default: the oldest task goes on]")
@click.option(
    "--policy",
    multiple=True,
    metavar="CLASS=fifo",
    help="How actors of a class choose among their tasks: any, fifo or lifo.  [default: any]",
)
@click.option("--steps", type=click.IntRange(1), default=None, help="Stop after so many steps of tasks.")
def run_program(files: tuple[str, ...], seed: int | None, policy: tuple[str, ...], steps: int | None) -> None:
    """Execute the main block of an ABS program, in one order of its messages."""

    def work() -> int:
        from everypath.app.run import run_command

        return run_command(files, seed, policy, steps)

    sys.exit(guard(work))


COMMANDS: dict[str, click.Command] = {each.name or "": each for each in (race, replay, show, run_program)}

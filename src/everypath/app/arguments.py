"""The whole command line, as click reads it: every command, option and setting of the configuration file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from everypath import __version__
from everypath.app.actor_arguments import actor_options, actor_settings, with_preset
from everypath.app.config import Check, read_config
from everypath.app.garbage import collect_rarely
from everypath.app.guard import guard
from everypath.languages.base import Language
from everypath.languages.every import LANGUAGES, one_language
from everypath.options import (
    FORMATS,
    HEAPS,
    SELECTIONS,
    STRATEGIES,
    ActorOptions,
    FenceOptions,
    Limits,
    Options,
    SolverOptions,
)

_F = TypeVar("_F", bound=Callable[..., Any])
_NO_SETTINGS = ("ir", "related", "steps", "check", "diff")
"""Options that say what one command is to do, so that a configuration file cannot set them."""


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
            click.option("--heap", type=click.Choice(HEAPS), default="solver", show_default=True,
                         help="How references to input objects may alias."),
            click.option("--assume", multiple=True, metavar="'acyclic(a)'",
                         help="What callers guarantee: noalias(a, b), nosharing(a, b) or acyclic(self.head)."),
            click.option("--strategy", type=click.Choice(STRATEGIES), default="depth-first", show_default=True,
                         help="Which path goes first."),
            click.option("--seed", type=int, default=0, show_default=True, help="For --strategy random."),
            click.option("--int-range", callback=_parse_range, default=None, metavar="LO:HI",
                         help="Integer inputs lie in this range."),
            click.option("--types", multiple=True, metavar="'a: list[int], x: int'",
                         help="Types of parameters that have no annotation."),
            click.option("--solver-timeout", type=click.IntRange(1), default=solver.timeout_ms, show_default=True,
                         help="Milliseconds for one question to the SMT solver."),
            click.option("--allow-io/--no-allow-io", default=fence.allow_io,
                         help="Let tested code write files, open sockets and start processes."),
            click.option("--case-seconds", type=click.FloatRange(0, min_open=True), default=fence.case_seconds,
                         show_default=True, help="Seconds for running one test."),
            click.option("--memory", type=click.IntRange(64), default=fence.memory_mb, show_default=True,
                         help="Megabytes for running tests."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def _options(settings: dict[str, Any], language: Language) -> Options:
    return Options(
        limits=Limits(
            settings["loops"], settings["depth"], settings["seconds"], settings["paths"], settings["lengths"]
        ),
        solver=SolverOptions(timeout_ms=settings["solver_timeout"], int_range=settings["int_range"]),
        fence=FenceOptions(settings["allow_io"], settings["case_seconds"], settings["memory"]),
        actors=actor_settings(settings) if "actors" in language.settings else ActorOptions(),
        heap=settings["heap"],
        assume=tuple(settings["assume"]),
        strategy=settings["strategy"],
        seed=settings["seed"],
        types=tuple(settings["types"]),
        format=settings["format"],
        output=settings.get("output"),
        validate=not settings.get("no_validate", False),
        select=settings["select"],
        tests=settings["tests"],
        file_tests=settings["file_tests"],
        paths_per_test=settings["paths_per_test"],
        exclude=tuple(settings["exclude"]),
        total_time=settings["total_time"],
        check=settings["check"],
        diff=settings["diff"],
        reachable=settings["reachable"],
        invariant=settings["invariant"],
    )


class _Commands(click.Group):
    """All commands; those other than `generate` are described when one of them is asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.commands.get(cmd_name) or _others().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*self.commands, *_others()))


def _others() -> dict[str, click.Command]:
    from everypath.app.other_arguments import COMMANDS

    return COMMANDS


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="everypath")
@click.pass_context
def main(context: click.Context) -> None:
    """Generate the tests that cover every path through your code, up to bounds you choose."""
    name = context.invoked_subcommand or ""
    command = main.get_command(context, name)
    config = guard(lambda: read_config(Path.cwd(), lambda: _checks(context))) if command is not None else {}
    if command is not None and config:
        own = _settings(command)
        fitting = {own[key].name: value for key, value in config.items() if key in own and _fits(own[key], value)}
        context.default_map = {name: fitting}


def _checks(context: click.Context) -> dict[str, Check]:
    """For each setting that some command takes, what its value must be; of two commands, `generate` decides."""
    commands = [*reversed(_others().values()), *main.commands.values()]
    every = {key: option for each in commands for key, option in _settings(each).items()}
    return {key: partial(_checked, option, context) for key, option in every.items()}


def _settings(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by the name that the configuration file gives them."""
    options = [p for p in command.params if isinstance(p, click.Option) and p.name not in _NO_SETTINGS]
    return {max(option.opts, key=len).lstrip("-").replace("-", "_"): option for option in options}


def _fits(option: click.Option, value: object) -> bool:
    """Whether a setting that some command takes is one that this command's option takes, too."""
    return not isinstance(option.type, click.Choice) or value in option.type.choices


def _checked(option: click.Option, context: click.Context, value: object) -> object:
    """A value of the configuration file as the option takes it: of the right type, and within its range."""
    if option.multiple and isinstance(value, str):
        value = [value]
    if option.name == "int_range" and isinstance(value, list):
        value = ":".join(map(str, value))
    fits, words = _expectation(option)
    if not fits(value):
        raise ValueError(f"must be {words}, not {value!r}")
    try:
        option.process_value(context, value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    return value


def _expectation(option: click.Option) -> tuple[Callable[[object], bool], str]:
    """What TOML value an option takes; click alone would take almost anything, 1.5 or true for an integer."""
    if option.is_flag:
        return lambda value: isinstance(value, bool), "true or false"
    if option.multiple:
        return lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value), "a list of texts"
    if isinstance(option.type, click.types.IntParamType):
        return lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"
    if isinstance(option.type, click.types.FloatParamType):
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool), "a number"
    return lambda value: isinstance(value, str), "a text"


def _run_options(command: _F) -> _F:
    """The options of `generate` about a whole run over Python code: what it covers, and what it is compared with."""
    for option in reversed(
        [
            click.option("--select", type=click.Choice(SELECTIONS), default="all", show_default=True,
                         help="A test for each path, or as few as take every branch or statement that these take."),
            click.option("--tests", type=click.IntRange(1), default=None, metavar="N",
                         help="At most so many tests for a function: those that differ most.  [default: no limit]"),
            click.option("--file-tests", type=click.IntRange(1), default=None, metavar="N",
                         help="At most so many tests in a file, chosen likewise.  [default: no limit]"),
            click.option("--paths-per-test", type=click.IntRange(1), default=1, show_default=True, metavar="N",
                         help="Up to so many paths of a function, one after the other, in one test."),
            click.option("--exclude", multiple=True, metavar="PATTERN",
                         help="Leave out files, modules, classes or functions, such as 'shop/old/*' or 'Cart._*'."),
            click.option("--total-time", type=click.FloatRange(0, min_open=True), default=None, metavar="SECONDS",
                         help="Seconds of exploration for all functions, shared out among them."),
            click.option("--diff", default=None, metavar="REV",
                         help="Only functions that changed since this git revision."),
            click.option("--check", is_flag=True,
                         help="Write nothing; exit with 1 when the files on disk are out of date."),
            click.option("--reachable/--any-state", default=False,
                         help="Input objects as constructors and public methods make them.  [default: in any state]"),
            click.option("--invariant", default=None, metavar="NAME",
                         help="A method that is true of every input object whose class has it."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


@main.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_exploration_options
@_run_options
@actor_options
@click.option(
    "--format", type=click.Choice(FORMATS), default=None, help="What to write.  [default: pytest; abs for .abs targets]"
)
@click.option(
    "-o",
    "--output",
    default=None,
    metavar="PATH",
    help="Where to write; a folder or a file.  [default: test_<module>_generated.py or .abs; JSON to the terminal]",
)
@click.option(
    "--no-validate/--validate", default=False, help="Do not run the tests; they are then marked as not validated."
)
def generate(targets: tuple[str, ...], **settings: Any) -> None:  # fmt: skip
    """Write tests for every path of TARGET: FILE_OR_MODULE[::Class[.method] | ::function].

    A folder or a package is all the modules in it; each gets a file of its own.
    For an ABS program, FILE.abs[::Class[.method] | ::main], also for every order of messages.
    """
    if settings["check"] and settings["diff"] is not None:
        raise click.UsageError("--check is about whole files and --diff about some functions; leave one of them out")
    language = guard(lambda: one_language(targets))
    options = _options(_suited(language, targets[0], settings), language)

    def work() -> int:
        from everypath.app.generate import generate_command

        collect_rarely()
        return generate_command(list(targets), options, language)

    sys.exit(guard(work))


def _suited(language: Language, target: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as a language takes them.

    An option of another language is an error on the command line; in a configuration file it is for other targets.
    """
    context = click.get_current_context()
    suited = dict(settings)
    if settings["format"] not in language.formats:
        if _is_given("format", context):
            other = next(each for each in LANGUAGES if settings["format"] in each.formats)
            said = f"--format {settings['format']} is for {other.code}; for {language.code} it is"
            raise click.UsageError(f"{said} {' or '.join(language.formats)}")
        suited["format"] = language.formats[0]
    foreign = {name: other for other in LANGUAGES if other is not language for name in other.settings}
    for parameter in context.command.params:
        if parameter.name in foreign:
            if _is_given(parameter.name, context):
                option = max(parameter.opts, key=len)
                other = foreign[parameter.name]
                raise click.UsageError(f"{option} is for {other.code}, but {target} is {language.code}")
            suited[parameter.name] = _defaults(parameter, context)
    return with_preset(suited, context)


def _is_given(name: str, context: click.Context) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _defaults(parameter: click.Parameter, context: click.Context) -> Any:
    """The value of an option that neither the command line nor a configuration file sets."""
    with click.Context(context.command) as bare:
        return parameter.process_value(bare, parameter.get_default(bare))

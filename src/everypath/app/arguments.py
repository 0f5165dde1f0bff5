"""The whole command line, as click reads it: help, completion, numbers, errors and settings of configuration files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from everypath import __version__
from everypath.app.commands import COMMANDS, Command, Given, Misuse
from everypath.app.config import Check, read_config
from everypath.app.guard import guard
from everypath.app.settings import Setting


def _command(command: Command) -> click.Command:
    """A command as click knows it."""
    several = command.metavar.endswith("...")
    needed = not command.metavar.startswith("[")
    words = click.Argument(["words"], nargs=-1 if several else 1, required=needed, metavar=command.metavar)

    def callback(words: str | tuple[str, ...] | None, **values: Any) -> None:
        context = click.get_current_context()
        explicit = {name for name in values if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        given = Given((words,) if isinstance(words, str) else words or (), values, frozenset(explicit))
        try:
            work = command.prepare(given)
        except Misuse as misuse:
            raise click.UsageError(str(misuse)) from None
        sys.exit(guard(work))

    options = map(_option, command.settings)
    return click.Command(command.name, callback=callback, params=[words, *options], help=command.help)


def _option(setting: Setting) -> click.Option:
    """An option as click knows it."""
    names = [*setting.names.split(), *filter(None, [setting.called])]
    shown: dict[str, Any] = {"help": setting.help, "metavar": setting.metavar}
    if setting.kind is bool:
        return click.Option(names, is_flag=True, default=setting.default, **shown)
    if setting.multiple:
        shown["multiple"] = True
    else:
        shown |= {"default": setting.default, "show_default": setting.default is not None}
    return click.Option(names, type=_type(setting), callback=partial(_parsed, setting), **shown)


def _type(setting: Setting) -> Any:
    if setting.choices:
        return click.Choice(setting.choices)
    if setting.least is None:
        return setting.kind
    return click.IntRange(setting.least) if setting.kind is int else click.FloatRange(setting.least, min_open=True)


def _parsed(setting: Setting, context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """The value as the command takes it."""
    if isinstance(value, float) and not isfinite(value):
        raise click.BadParameter(
            f"{value} is no number of seconds; leave the option out for the default", context, parameter
        )
    if setting.parse is None or value is None:
        return value
    try:
        return tuple(map(setting.parse, value)) if setting.multiple else setting.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="everypath")
@click.pass_context
def main(context: click.Context) -> None:
    """Generate the tests that cover every path through your code, up to bounds you choose."""
    command = next((each for each in COMMANDS if each.name == context.invoked_subcommand), None)
    config = guard(lambda: read_config(Path.cwd(), lambda: _checks(context))) if command is not None else {}
    if command is not None and config:
        own = {each.key: each for each in command.settings if each.in_file}
        fitting = {own[key].name: value for key, value in config.items() if key in own and _fits(own[key], value)}
        context.default_map = {command.name: fitting}


for each in COMMANDS:
    main.add_command(_command(each))


def _checks(context: click.Context) -> dict[str, Check]:
    """For each setting that some command takes, what its value must be."""
    every = {each.key: each for command in reversed(COMMANDS) for each in command.settings if each.in_file}
    return {key: partial(_checked, setting, context) for key, setting in every.items()}


def _fits(setting: Setting, value: object) -> bool:
    """Whether a setting that some command takes is one that this command's option takes, too."""
    return not setting.choices or value in setting.choices


def _checked(setting: Setting, context: click.Context, value: object) -> object:
    """A value of the configuration file as the option takes it: of the right type, and within its range."""
    if setting.multiple and isinstance(value, str):
        value = [value]
    if setting.key == "int_range" and isinstance(value, list):
        value = ":".join(map(str, value))
    fits, words = _expectation(setting)
    if not fits(value):
        raise ValueError(f"must be {words}, not {value!r}")
    try:
        _option(setting).process_value(context, value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    return value


def _expectation(setting: Setting) -> tuple[Callable[[object], bool], str]:
    """What TOML value an option takes; click alone would take almost anything, 1.5 or true for an integer."""
    if setting.kind is bool:
        return lambda value: isinstance(value, bool), "true or false"
    if setting.multiple:
        return lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value), "a list of texts"
    if setting.kind is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"
    if setting.kind is float:
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool), "a number"
    return lambda value: isinstance(value, str), "a text"

"""The whole command line, as click reads it: help, completion, numbers, errors and settings of configuration files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from everypath import __version__
from everypath.app.commands import COMMANDS, Command, Given, Misuse
from everypath.app.config import Check, Settings, find_settings, read_config, start_of
from everypath.app.guard import guard
from everypath.app.settings import Setting
from everypath.options import WHOLE_FORMATS
from everypath.records import replace


def _command(command: Command) -> click.Command:
    """A command as click knows it."""
    several = command.metavar.endswith("...")
    needed = not command.metavar.startswith("[")
    words = click.Argument(["words"], nargs=-1 if several else 1, required=needed, metavar=command.metavar)

    def callback(words: str | tuple[str, ...] | None, **values: Any) -> None:
        context = click.get_current_context()
        explicit = {name for name in values if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        named = (words,) if isinstance(words, str) else words or ()
        try:
            givens = _parted(command, Given(named, values, frozenset(explicit)), context)
            works = [command.prepare(given) for given in givens]
        except Misuse as misuse:
            raise click.UsageError(str(misuse)) from None
        sys.exit(guard(lambda: max(work() for work in works)))

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
def main() -> None:
    """Generate the tests that cover every path through your code, up to bounds you choose."""


def _parted(command: Command, given: Given, context: click.Context) -> list[Given]:
    """What is given, with what the settings files of its targets say; targets of several projects apart."""
    several = command.metavar == "TARGET..."
    parts: dict[str, tuple[list[str], Settings | None]] = {}
    for word in given.words or ("",):
        found = guard(partial(find_settings, start_of(word)))
        key = found.file if several and found is not None else ""
        parts.setdefault(key, ([], found))[0].append(word)
    if len(parts) > 1:
        _check_separable(given, list(filter(None, parts)))
    return [
        replace(
            given,
            words=tuple(filter(None, words)),
            values={**given.values, **_apart_from(given.explicit, guard(partial(configured, command, found, context)))},
        )
        for words, found in parts.values()
    ]


def _apart_from(explicit: frozenset[str], values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in explicit}


def _check_separable(given: Given, files: Sequence[str]) -> None:
    """Targets with settings of their own are separate runs, whose results cannot go into one file."""
    one_file = [f"--format {given.values['format']}"] if given.values.get("format") in WHOLE_FORMATS else []
    output = given.values.get("output") if "output" in given.explicit else None
    one_file += [f"-o {output}"] if output and Path(output).suffix else []
    one_file += [f"--{name}" for name in ("also", "report") if name in given.explicit and given.values.get(name)]
    if one_file:
        said = f"{one_file[0]} is one file, but the targets have settings of their own"
        raise Misuse(f"{said} ({', '.join(files)}); use separate runs")


def configured(command: Command, found: Settings | None, context: click.Context) -> dict[str, Any]:
    """What a settings file says for a command: values by the names of settings, files as seen from here."""
    if found is None:
        return {}
    config = read_config(found, lambda: _checks(context, found.folder))
    own = {each.key: each for each in command.settings if each.in_file}
    return {own[key].name: value for key, value in config.items() if key in own and _fits(own[key], value)}


for each in COMMANDS:
    main.add_command(_command(each))


def settings_for(target: str) -> dict[str, Any]:
    """What the settings file nearest to a target says for `generate`, by the names of settings."""
    generate = next(each for each in COMMANDS if each.name == "generate")
    return configured(generate, find_settings(start_of(target)), click.Context(main))


def _checks(context: click.Context, folder: Path) -> dict[str, Check]:
    """For each setting that some command takes, what its value must be."""
    every = {each.key: each for command in reversed(COMMANDS) for each in command.settings if each.in_file}
    return {key: partial(_checked, setting, context, folder) for key, setting in every.items()}


def _fits(setting: Setting, value: object) -> bool:
    """Whether a setting that some command takes is one that this command's option takes, too."""
    return not setting.choices or value in setting.choices


def _checked(setting: Setting, context: click.Context, folder: Path, value: object) -> object:
    """A value of the configuration file as the option takes it: of the right type, and within its range."""
    if setting.multiple and isinstance(value, str):
        value = [value]
    if setting.key == "int_range" and isinstance(value, list):
        value = ":".join(map(str, value))
    fits, words = _expectation(setting)
    if not fits(value):
        raise ValueError(f"must be {words}, not {value!r}")
    try:
        taken = _option(setting).process_value(context, value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    if not setting.path or folder == Path.cwd():
        return taken
    seen = partial(_seen_from_here, setting, folder)
    return tuple(map(seen, taken)) if setting.multiple else seen(taken)


def _seen_from_here(setting: Setting, folder: Path, value: Any) -> Any:
    """A file or folder that a settings file names, as the command line would; also in a pair or a pattern."""
    if isinstance(value, tuple):
        return (*value[:-1], _seen_from_here(setting, folder, value[-1]))
    if value == "-" or (setting.path == "pattern" and "/" not in value):
        return value
    ending = "/" * value.endswith("/")
    return os.pathsep.join(f"{os.path.relpath(folder / each)}{ending}" for each in value.split(os.pathsep))


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

"""Reads plain command lines without click, which takes as long to load as a small function to explore.

Plain is a command with words and with options whose values are texts. Anything else (a number, a request for help, a
configuration file, a mistake) is left to click: here are no rules and no messages.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from everypath.app.commands import COMMANDS, Command, Given, Misuse, Work
from everypath.app.config import find_settings, start_of
from everypath.errors import BadInput


def plain_work(arguments: Sequence[str]) -> Work | None:
    """What a plain command line asks for, None for any other."""
    command = next((each for each in COMMANDS if arguments and each.name == arguments[0]), None)
    if command is None or "_EVERYPATH_COMPLETE" in os.environ:
        return None
    try:
        given = _read(command, arguments[1:])
        if given is None or any(find_settings(start) for start in {start_of(word) for word in given.words or ("",)}):
            return None
        return command.prepare(given)
    except (Misuse, BadInput, OSError, ValueError):
        return None


def _read(command: Command, arguments: Sequence[str]) -> Given | None:
    spelled = {name: each for each in command.settings for name in each.names.replace("/", " ").split()}
    values = {setting.name: setting.default for setting in command.settings}
    words, explicit = [], set()
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        setting = spelled.get(argument)
        if setting is None:
            return None
        explicit.add(setting.name)
        if setting.kind is bool:
            values[setting.name] = argument in setting.names.partition("/")[0].split()
            continue
        text = next(rest, "-")
        if setting.kind is not str or text.startswith("-") or (setting.choices and text not in setting.choices):
            return None
        value = setting.parse(text) if setting.parse else text
        values[setting.name] = (*values[setting.name], value) if setting.multiple else value
    fits = words if command.metavar.endswith("...") else len(words) == 1
    return Given(tuple(words), values, frozenset(explicit)) if fits else None

"""Settings as the words that the head of a generated file keeps, and what such a file was made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everypath.app.settings import GENERATE, Setting
from everypath.cases.origin import DamagedHead, Origin, found_targets
from everypath.errors import BadInput, Span
from everypath.languages.base import Source

OURS = r"(?i:generated\s+by\s+everypath)"
LONGEST = 4000
"""Characters in which a generated file says that it is one, and whose tests it holds."""
_ALWAYS = ("loops",)
"""Settings that are told even if nobody has changed them: what the tests mean depends on them first of all."""
_OF_ONE_COMMAND = ("check", "diff", "unreached")
_NOT_KEPT = (*_OF_ONE_COMMAND, "output", "also", "junit", "report", "jobs", "store")
"""Settings that say what one command is to do, or where something lies on one machine, and nothing about its tests."""
_KEPT_FORMATS = ("hypothesis",)
"""Formats of generated files that nothing else tells: how their names end does for the others."""
_NOT_TRUSTED = ("allow_io",)
"""Settings that only the user who gives the command may decide on, never a file."""


def said(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that differ from their defaults, as words."""
    words: list[str] = []
    for setting in GENERATE:
        value = values[setting.name]
        if setting.name in _NOT_KEPT or (value == setting.default and setting.name not in _ALWAYS):
            continue
        if setting.name == "format" and value not in _KEPT_FORMATS:
            continue
        if setting.kind is bool:
            yes, _, no = setting.names.partition("/")
            words.append(yes if value else no)
        else:
            for each in value if setting.multiple else [value]:
                words += [setting.option, _written(each, setting)]
    return tuple(words)


def _written(value: Any, setting: Setting) -> str:
    if setting.joined_by:
        return setting.joined_by.join(map(str, value))
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def read_text(path: Path, most: int = -1) -> str:
    """What a file holds, or so many characters of it; nothing where there is none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except OSError:
        return ""


def says_it_is_ours(file: str) -> bool:
    """Whether a file looks like generated tests."""
    return file.endswith((".py", ".java")) and re.search(OURS, read_text(Path(file), LONGEST)) is not None


def asked_for(file: str, origin: Origin, values: Mapping[str, Any], explicit: frozenset[str]) -> dict[str, Any]:
    """The settings for making a file again: its own, but for those that the command line names."""
    own = {setting.name: setting.default for setting in GENERATE} | read_settings(file, origin.all_settings)
    own |= {"output": file} | {name: values[name] for name in (*_OF_ONE_COMMAND, *_NOT_TRUSTED)}
    return own | {name: values[name] for name in explicit}


def targets_of(file: str, origin: Origin) -> tuple[str, ...]:
    """The code under test."""
    return tuple(found_targets(origin, Path(file)))


def not_named(targets: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """The targets, of those that still exist, that lie in none of the sources of their module."""
    return [target for target in targets if Path(target.partition("::")[0]).exists() and not _named(target, sources)]


def _named(target: str, sources: Sequence[Source]) -> bool:
    place, _, member = target.partition("::")
    file = Path(place).resolve()
    inside = [source for source in sources if source.path.resolve() == file]
    # A file that was made from another module than the one that has its name now is about that one.
    return not inside or any(f"{member}.".startswith(f"{each.member}." if each.member else "") for each in inside)


def read_settings(file: str, words: Sequence[str]) -> dict[str, Any]:
    """The values that words say, which stand in this file."""
    try:
        return settings_in(words)
    except DamagedHead as damage:
        raise BadInput(f"was made with what this version does not know: {damage}", Span(file)) from None


def settings_in(words: Sequence[str]) -> dict[str, Any]:
    """The values that words say; DamagedHead says which of them is none of ours."""
    spelled = {name: each for each in GENERATE for name in each.names.replace("/", " ").split()}
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        setting = spelled.get(word)
        if setting is None or setting.name in _NOT_KEPT:
            what = "an option that is not known" if word.startswith("-") else "a word that belongs to no option"
            raise DamagedHead(f"it has {what}: {word}", word)
        if setting.kind is bool:
            values[setting.name] = word in setting.names.partition("/")[0].split()
            continue
        value = _value(setting, next(rest, None))
        values[setting.name] = (*values.get(setting.name, ()), value) if setting.multiple else value
    return values


def _value(setting: Setting, text: str | None) -> object:
    if text is None:
        raise DamagedHead(f"{setting.option} has no value", setting.option)
    try:
        value: Any = setting.parse(text) if setting.parse else setting.kind(text)
        if setting.choices and value not in setting.choices:
            raise ValueError(f"{text!r} is none of {', '.join(setting.choices)}")
        if setting.least is not None and not value >= setting.least:
            raise ValueError(f"{text} is below {setting.least}")
    except ValueError as error:
        raise DamagedHead(f"{setting.option}: {error}", setting.option) from None
    return value

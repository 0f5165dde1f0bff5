"""Settings as keywords of a Python call: options with some of them changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everypath.app.commands import Given, Misuse, options_of
from everypath.app.origins import said
from everypath.app.settings import ACTOR_SWITCHES, GENERATE, Setting
from everypath.errors import BadInput
from everypath.languages.every import one_language
from everypath.options import Options
from everypath.records import replace

_PLACES: dict[str, tuple[str, str]] = {
    **{name: ("limits", name) for name in ("loops", "depth", "paths", "lengths")},
    "seconds": ("limits", "time"),
    "solver_timeout": ("solver", "timeout_ms"),
    "int_range": ("solver", "int_range"),
    "allow_io": ("fence", "allow_io"),
    "case_seconds": ("fence", "case_seconds"),
    "memory": ("fence", "memory_mb"),
    **{name: ("actors", name) for name in ("switches", "actors", "queue", "order")},
    "policy": ("actors", "policies"),
    **{each.name: ("actors", each.name) for each in ACTOR_SWITCHES},
}
"""Settings that are not options by the same name: which part of the options has them, and as what."""
_SPELLED = {"time": "seconds"}
"""What a setting is called on the command line, where its value has another name."""


def values_of(options: Options) -> dict[str, Any]:
    """The settings that options were made from, by their names."""
    values: dict[str, Any] = {}
    for setting in GENERATE:
        name = setting.name
        if name in _PLACES:
            part, field = _PLACES[name]
            assumed = part == "actors" and name in options.actors.assumed
            values[name] = None if assumed else getattr(getattr(options, part), field)
        elif name == "no_validate":
            values[name] = not options.validate
        else:
            values[name] = getattr(options, name, setting.default)
    return values


def options_with(targets: Sequence[str], options: Options | None, settings: Mapping[str, Any]) -> Options:
    """Options with these settings changed; BadInput if there is no such setting, or its value makes no sense."""
    known = {setting.name: setting for setting in GENERATE}
    given: dict[str, Any] = {}
    for name, value in settings.items():
        if name == "validate":
            given["no_validate"] = not value
            continue
        spelled = _SPELLED.get(name, name)
        if spelled not in known:
            raise BadInput(f"there is no setting {name!r}; there are {', '.join(sorted(known))}")
        given[spelled] = _checked(known[spelled], value)
    if options is not None and not given:
        return options if options.said else replace(options, said=said(values_of(options)))
    values = values_of(options) if options is not None else {name: each.default for name, each in known.items()}
    try:
        made = options_of(Given(tuple(targets), {**values, **given}, frozenset(given)), one_language(targets))
        # A program that calls this one keeps nothing unless it says where.
        return replace(made, store={**values, **given}["store"] or "")
    except Misuse as misuse:
        raise BadInput(str(misuse)) from None


def _checked(setting: Setting, value: Any) -> Any:
    """A value as the command line would take it."""
    if setting.multiple:
        return (value,) if isinstance(value, str) else tuple(value)
    if value is None:
        return None
    if setting.parse is not None and isinstance(value, str):
        try:
            return setting.parse(value)
        except ValueError as error:
            raise BadInput(f"{setting.name}: {error}") from None
    if setting.choices and value not in setting.choices:
        raise BadInput(f"{setting.name}={value!r} is none of {', '.join(setting.choices)}")
    if setting.least is not None and not (isinstance(value, (int, float)) and value >= setting.least):
        raise BadInput(f"{setting.name}={value!r} must be a number and at least {setting.least}")
    return value

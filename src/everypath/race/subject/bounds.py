"""Numbers in a setup that say how much the object holds or how long it waits, and the setup with other ones."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

_CAPACITY = re.compile(
    r"(.*_)?(max_?size|capacity|max_?len(gth)?|max_(items|entries|count|elements|objects|keys)|bound|limit"
    r"|threshold)"
)
"""Names of what may be unlimited."""
_SIZE = re.compile(r"(.*_)?(\w*size|capacity|max_?len(gth)?|max_(items|entries|count|elements|objects|keys))")
_QUOTA = re.compile(
    r"(.*_)?(size|cap|maximum|max|calls|permits|tokens|burst|retries|attempts|slots|quota|concurrency|workers"
    r"|connections|buckets|shards|max_\w+)|n_\w+|num_\w+"
)
"""Names of what is limited to a number that is always there."""
_NO_BOUND = re.compile(r"min_?\w*|\w*_(seed|jobs|parties)|(num_|n_)?parties|max_?(int|float)")
_VALUE = re.compile(r"(.*_)?(maximum|max|limit|bound|cap|max_value|ceiling)")
DURATION = re.compile(
    r"(.*_)?(ttl|time_?out|seconds|secs|delay|interval|period|duration|(max|min)_?(age|idle|wait|time|delay)"
    r"|expir\w*|lifetime|window|time_to_live|max_\w*(age|time|seconds|idle|delay|wait)|cool_?down\w*|recovery\w*)"
)
"""Names of what is measured in seconds."""
LONGEST = 1_000_000
"""Seconds from which on a time is taken to mean for ever."""

Parameters = tuple[inspect.Parameter, ...]


def is_bound(parameter: inspect.Parameter) -> bool:
    """Whether the parameter limits how much fits in."""
    name, default = parameter.name.lower(), parameter.default
    if DURATION.fullmatch(name) or _NO_BOUND.fullmatch(name):
        return False
    if default is inspect.Parameter.empty or (type(default) is int and default > 0):
        return bool(_CAPACITY.fullmatch(name) or _QUOTA.fullmatch(name))
    unlimited = default is None or (type(default) is int and default <= 0)
    return unlimited and bool(_CAPACITY.fullmatch(name))


def limits_values(parameter: inspect.Parameter) -> bool:
    """Whether the parameter, by its name, may bound the values themselves and not only their number."""
    return bool(_VALUE.fullmatch(parameter.name.lower()))


def bound_of(setup: str, parameters: Parameters) -> int:
    """How much fits into the object that the setup makes; 0 if it does not say."""
    call = _construction(setup)
    given = [_value(call, index, p) for index, p in enumerate(parameters) if is_bound(p)] if call else []
    return min((value for value in given if type(value) is int), default=0)


def widened(setup: str, parameters: Parameters) -> str | None:
    """The same setup with more room: for two things, or as much as there is by default; None if it has no bounds.

    What sounds like a size is one; other limits may be on values, which only the default leaves some freedom.
    """
    call = _construction(setup)
    if call is None:
        return None
    changed = False
    for index, parameter in enumerate(parameters):
        if not is_bound(parameter) or type(_value(call, index, parameter)) is not int:
            continue
        free = type(parameter.default) is int and parameter.default > 1 and not _SIZE.fullmatch(parameter.name.lower())
        new = ast.Constant(parameter.default if free else 2)
        keyword = next((each for each in call.keywords if each.arg == parameter.name), None)
        if keyword is not None and free:
            call.keywords.remove(keyword)
        elif (keyword is None and index >= len(call.args) and free) or not _give(call, index, parameter, new):
            continue
        changed = True
    return _rebuilt(setup, call) if changed else None


def flipped(setup: str, parameters: Parameters) -> Iterator[str]:
    """The same setup with one of its yes-or-no options the other way round."""
    for index, parameter in enumerate(parameters):
        call = _construction(setup)
        value = _value(call, index, parameter)
        if call is not None and type(value) is bool and _give(call, index, parameter, ast.Constant(not value)):
            yield _rebuilt(setup, call)


def exchanged(setup: str, index: int, parameter: inspect.Parameter, value: str) -> str | None:
    """The same setup with another value for one parameter; None if it has this one or that cannot be written."""
    call = _construction(setup)
    if call is None or repr(_value(call, index, parameter)) == value:
        return None
    if not _give(call, index, parameter, ast.parse(value, mode="eval").body):
        return None
    return _rebuilt(setup, call)


def _give(call: ast.Call, index: int, parameter: inspect.Parameter, new: ast.expr) -> bool:
    """Put an argument into the call in place of what is given; False if that cannot be written."""
    keyword = next((each for each in call.keywords if each.arg == parameter.name), None)
    if keyword is not None:
        keyword.value = new
    elif index < len(call.args):
        call.args[index] = new
    elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        return False
    else:
        call.keywords.append(ast.keyword(parameter.name, new))
    return True


def seconds_in(setup: str, parameters: Parameters) -> float:
    """The longest time that the setup, or a default, speaks of; 0 if there is none."""
    call = _construction(setup)
    found = [_value(call, index, p) for index, p in enumerate(parameters) if DURATION.fullmatch(p.name.lower())]
    return max((float(v) for v in found if isinstance(v, (int, float)) and 0 < v < LONGEST), default=0.0)


def _construction(setup: str) -> ast.Call | None:
    """The call of the constructor; what makes a host for a descriptor stands around it."""
    try:
        tree = ast.parse(setup, mode="eval").body
    except SyntaxError:
        return None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "host" and tree.args:
        tree = tree.args[0]
    return tree if isinstance(tree, ast.Call) else None


def _rebuilt(setup: str, call: ast.Call) -> str:
    shown = ast.unparse(call)
    return f"host({shown})" if setup.startswith("host(") else shown


def _value(call: ast.Call | None, index: int, parameter: inspect.Parameter) -> object:
    """What a parameter is given, or its default; only literals are known."""
    given: ast.expr | None = None
    if call is not None:
        by_place = index < len(call.args) and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        given = call.args[index] if by_place else None
        given = next((each.value for each in call.keywords if each.arg == parameter.name), given)
    if given is None:
        return parameter.default
    if isinstance(given, ast.Call) and ast.unparse(given.func).endswith("timedelta"):
        return next((k.value.value for k in given.keywords if isinstance(k.value, ast.Constant)), None)
    try:
        value: object = ast.literal_eval(given)
    except ValueError:
        return None
    return value

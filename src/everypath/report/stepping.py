"""A recorded run in lines: each step with its source, what has changed of variables and objects, and how calls end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from everypath.cases.recordings import Recording

Source = Callable[[str], Sequence[str]]
"""The lines of a file, none if it cannot be read."""


def stepping(recording: Recording, source: Source, words: Sequence[str]) -> Iterator[str]:
    """The lines about a run; `words` are how its language writes nothing, true and false."""
    nothing, yes, no = words
    atoms = {None: nothing, True: yes, False: no}
    places: dict[int, tuple[str, int]] = {}
    for step in recording.steps:
        if "file" in step:
            places[step["at"]] = step["file"], len(step["above"])
            yield f"{'  ' * len(step['above'])}{step['function']}:"
        file, depth = places[step["at"]]
        margin = "  " * (depth + 1)
        ends = "returns" in step or "raises" in step
        if not ends:
            text = _line(source(file), step["line"])
            yield f"{margin}{file}:{step['line']}{f': {text}' if text else ''}"
        inside = f"{margin}    "
        changed = [f"{name} = {_value(value, atoms)}" for name, value in step.get("set", {}).items()]
        if changed and not ends:
            yield inside + ", ".join(changed)
        for name, state in step.get("heap", {}).items():
            yield f"{inside}{name}: {_state(state, atoms)}"
        if "returns" in step:
            yield f"{margin}returns {_value(step['returns'], atoms)}"
        elif "raises" in step:
            yield f"{margin}raises {step['raises']}"
    if recording.left_out:
        yield f"  and {recording.left_out} more steps, which were not recorded"


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _value(value: Any, atoms: dict[bool | None, str]) -> str:
    """A value in the form that cases have in JSON, as text."""
    match value:
        case None | True | False:
            return atoms[value]
        case str():
            return repr(value) if atoms[None] == "None" else json.dumps(value, ensure_ascii=False)
        case {"$tuple": items}:
            inside = ", ".join(_value(item, atoms) for item in items)
            return f"({inside}{',' if len(items) == 1 else ''})"
        case {"$opaque": kind}:
            return f"<{kind}>"
        case dict():
            [content] = value.values()
            return str(content)
    return str(value)


def _state(state: dict[str, Any], atoms: dict[bool | None, str]) -> str:
    """What an object holds, as text."""
    cls = state.get("class", "").rpartition(".")[2]
    left = [f"and {state['more']} more"] if "more" in state else []
    for kind, held in state.items():
        if isinstance(held, list):
            pairs = kind == "dict"
            shown = [
                f"{_value(item[0], atoms)}: {_value(item[1], atoms)}" if pairs else _value(item, atoms) for item in held
            ]
            opening, closing = ("{", "}") if pairs or kind == "set" else ("[", "]")
            return f"{f'{cls} ' if cls else ''}{opening}{', '.join(shown + left)}{closing}"
    fields = [f"{name}={_value(value, atoms)}" for name, value in state.get("fields", {}).items()]
    return f"{cls}({', '.join(fields + left)})"

"""Suites on disk, without loss, so that a later command can load and replay them."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
from pathlib import Path
from typing import Any

from everypath import paths
from everypath.cases import model
from everypath.errors import BadInput, Span
from everypath.records import fields, replace

FOLDER = ".everypath"
VERSION = 2
_LONGEST = 180

_TYPES: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        model.Literal,
        model.TupleValue,
        model.Pointer,
        model.Named,
        model.Lambda,
        model.Written,
        model.Opaque,
        model.ObjectState,
        model.SequenceState,
        model.MappingState,
        model.StreamState,
        model.UnusedState,
        model.BuildPlan,
        model.BuildStep,
        model.Entry,
        model.Replacement,
        model.Inputs,
        model.Returned,
        model.Raised,
        model.Expected,
        model.Step,
        model.Finding,
        model.Case,
        model.Problem,
        model.Stats,
        model.Suite,
        model.OrderDependence,
        paths.Bounds,
        paths.OpenInputs,
        paths.KnownInputs,
        paths.MadeInputs,
        paths.AnyValue,
        paths.LeftOut,
        paths.SameObject,
        paths.NewObject,
        paths.Several,
    )
}


def file_name(target: str) -> str:
    """The name under which the suite of a target is stored; file systems limit the length of names."""
    name = re.sub(r"[^0-9A-Za-z.]+", "_", target).strip("_.")
    if len(name) > _LONGEST:
        from hashlib import blake2b

        name = f"{name[-_LONGEST:].lstrip('_.')}.{blake2b(name.encode(), digest_size=6).hexdigest()}"
    return name + ".json"


def save(suite: model.CallSuite, folder: Path | None = None, name: str | None = None) -> Path:
    """Store a suite and say where; the file is replaced in one step."""
    folder = folder or Path(FOLDER)
    path = folder / (f"{name}.json" if name else file_name(suite.target))
    text = json.dumps({"version": VERSION, "suite": _encode(suite)}, separators=(",", ":"))
    temporary: str | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden = f"{folder}{os.sep}.{path.name}.{os.getpid():x}{time.time_ns():x}"
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        temporary = hidden
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise BadInput(f"cannot store the suite: {error.strerror or error}; is {folder} writable?") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return path


def load(path: Path) -> model.CallSuite:
    """The suite in a file, exactly as it was saved."""
    span = Span(str(path))
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read the suite: {error.strerror or error}", span) from error
    except ValueError as error:
        raise BadInput(f"not a stored suite: {error}", span) from error
    version = document.get("version") if isinstance(document, dict) else None
    if version != VERSION:
        raise BadInput(f"stored in version {version} of the format, this is {VERSION}; generate it again", span)
    try:
        suite = _decode(document["suite"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the stored suite is damaged ({error}); generate it again", span) from error
    if not isinstance(suite, model.Suite):
        raise BadInput("not a stored suite", span)
    return suite


def moved(suite: model.CallSuite, line: int) -> model.CallSuite:
    """The suite of a function that is unchanged but now begins at another line of its file."""
    cases = []
    for case in suite.cases:
        by, file = line - case.entry.line, case.entry.file
        trace = tuple(replace(step, line=step.line + by) if step.file == file else step for step in case.trace)
        finding, outcome = case.finding, case.expected.outcome
        if finding is not None and finding.file == file:
            finding = replace(finding, line=finding.line + by)
        if isinstance(outcome, model.Raised) and outcome.line:
            outcome = replace(outcome, line=outcome.line + by)
        expected = replace(case.expected, outcome=outcome)
        entry = replace(case.entry, line=line)
        cases.append(replace(case, entry=entry, trace=trace, finding=finding, expected=expected))
    return replace(suite, cases=cases)


def _encode(value: object) -> Any:
    """JSON for any value of the model; tuples are arrays, all else that JSON lacks is tagged."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, list):
        return {"$list": [_encode(item) for item in value]}
    if isinstance(value, dict):
        return {"$dict": [[_encode(key), _encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if type(value) is _TYPES.get(name):
        return {"$": name, **{f.name: _encode(getattr(value, f.name)) for f in fields(_TYPES[name])}}
    raise BadInput(f"a suite cannot hold {value!r}: only plain values and the model's types can be stored")


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "$" in value:
        cls = _TYPES[value["$"]]
        return cls(**{name: _decode(item) for name, item in value.items() if name != "$"})
    ((tag, content),) = value.items()
    match tag:
        case "$float":
            return float(content)
        case "$bytes":
            return bytes.fromhex(content)
        case "$list":
            return [_decode(item) for item in content]
        case "$dict":
            return {_decode(key): _decode(item) for key, item in content}
    raise ValueError(f"unknown tag {tag}")

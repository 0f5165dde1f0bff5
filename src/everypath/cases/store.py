"""Suites on disk, without loss, so that a later command can load and replay them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from functools import cache
from pathlib import Path

from everypath.cases.codec import Codec, Damaged, Form
from everypath.cases.digits import any_digits
from everypath.cases.frontiers import frontier_form
from everypath.cases.kinds import ACTORS, CALLS, KINDS, THREADS, AnySuite, Kind, kind_of
from everypath.errors import BadInput, Span
from everypath.paths import Frontier

FOLDER = ".everypath"
VERSION = 2
_LONGEST = 180


@cache
def stored_form(kind: Kind) -> Codec:
    """How suites of this kind are stored."""
    if kind is not ACTORS:
        return Codec({Frontier: frontier_form(Codec())})
    from everypath.cases.actors import Value
    from everypath.cases.json_forms import read_value, value_object

    # Values of actor programs have a form of their own because long lists are deeply nested.
    return Codec({Value: Form(value_object, read_value), Frontier: frontier_form(Codec())})


def file_name(target: str, kind: Kind = CALLS) -> str:
    """The name under which the suite of a target is stored: another one for every other target.

    What a name cannot hold (file systems also limit its length) is told apart by a digest.
    """
    written = target.replace("::", "--").replace("/", "-")
    name = re.sub(r"[^0-9A-Za-z._-]", "_", written)[-_LONGEST:].strip("-.")
    if name != written or "-" in target:
        from _blake2 import blake2b

        name = f"{name}.{blake2b(target.encode(), digest_size=6).hexdigest()}"
    # A class may have both: tests of its constructor, and faults that two threads on one object show.
    return f"{name}.threads.json" if kind is THREADS else f"{name}.json"


def save(suite: AnySuite, folder: Path | None = None, name: str | None = None) -> Path:
    """Store a suite and say where; the file is replaced in one step."""
    folder = folder or Path(FOLDER)
    kind = kind_of(suite)
    path = folder / (f"{name}.json" if name else file_name(suite.target, kind))
    try:
        shown = {"version": VERSION, "kind": kind.name, "suite": stored_form(kind).encode(kind.types()[1], suite)}
        with any_digits():
            text = json.dumps(shown, separators=(",", ":"))
    except TypeError as error:
        raise BadInput(f"a suite cannot hold {error}") from error
    temporary: str | None = None
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            if folder.name == FOLDER:
                # What can be made again is nothing for version control; another place was chosen to be kept.
                folder.joinpath(".gitignore").write_text("*\n", encoding="utf-8")
        hidden = f"{folder}{os.sep}.{path.name}.{os.getpid():x}{time.time_ns():x}"
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        temporary = hidden
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise BadInput(f"cannot store the suite in {folder}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return path


def load(path: Path) -> AnySuite:
    """The suite in a file, exactly as it was saved; also one of an actor program that was printed as JSON."""
    span = Span(str(path))
    try:
        with any_digits():
            document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read the suite: {error.strerror or error}", span) from error
    except ValueError as error:
        raise BadInput(f"not a stored suite: {error}", span) from error
    if isinstance(document, dict) and "suite" not in document and document.get("kind") == ACTORS.name:
        from everypath.cases.json_writer import read_suite

        try:
            return read_suite(document)
        except BadInput as error:
            raise BadInput(error.message, span) from None
    version = document.get("version") if isinstance(document, dict) else None
    if version != VERSION:
        raise BadInput(f"stored in version {version} of the format, this is {VERSION}; generate it again", span)
    kind = KINDS.get(document.get("kind"))
    if kind is None or "suite" not in document:
        raise BadInput("not a stored suite", span)
    try:
        suite: AnySuite = stored_form(kind).decode(kind.types()[1], document["suite"])
    except Damaged as error:
        raise BadInput(f"the stored suite is damaged ({error}); generate it again", span) from error
    return suite

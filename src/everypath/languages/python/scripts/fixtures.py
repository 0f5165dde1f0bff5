"""What a test asks pytest's fixtures for: a folder of its own, and everything that is put back after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from everypath.cases.model import BuildStep, Literal, Value
from everypath.languages.python.scripts.layout import INDENT, Item, Text, assertion, call, flat, lay_out
from everypath.languages.python.scripts.literals import literal, quoted
from everypath.languages.python.scripts.replacing import FIXTURE, FOLDER

_USUAL = 2
"""What is set, and to what; more says whether it has to be there before."""
_ASCII = re.compile(r"[\x00-\x7f]*")


def fixture_lines(step: BuildStep, arguments: list[Item]) -> list[str]:
    """The statement of a step that asks a fixture for something."""
    if step.cls == FIXTURE:
        if step.method == "delenv":
            arguments = [arguments[0], Item(arguments[1].value, "raising=")]
        elif step.method == "setattr" and len(arguments) > _USUAL:
            arguments = [*arguments[:_USUAL], Item(arguments[_USUAL].value, "raising=")]
        return lay_out("", call(f"{FIXTURE}.{step.method}", arguments), "", INDENT)
    place = f"({FOLDER} / {flat(arguments[0].value)})"
    return lay_out("", call(f"{place}.{step.method}", [*arguments[1:], *_encoding(step)]), "", INDENT)


def _encoding(step: BuildStep) -> list[Item]:
    given = step.arguments[1][1] if len(step.arguments) > 1 else None
    text = given.value if isinstance(given, Literal) else None
    return [] if not isinstance(text, str) or _ASCII.fullmatch(text) else [Item(Text(quoted("utf-8")), "encoding=")]


def file_lines(files: Sequence[tuple[str, Value]]) -> list[str]:
    """The assertions about what the call has done to the folder."""
    lines: list[str] = []
    for name, value in files:
        place = f"({FOLDER} / {quoted(name)})"
        assert isinstance(value, Literal)
        content = value.value
        if content is None:
            lines.append(f"{INDENT}assert not {place}.exists()")
        elif content is True:
            lines.append(f"{INDENT}assert {place}.is_dir()")
        elif isinstance(content, bytes):
            lines += assertion(Text(f"{place}.read_bytes()"), "==", Text(literal(content)))
        else:
            plain = isinstance(content, str) and _ASCII.fullmatch(content)
            how = "" if plain else f"encoding={quoted('utf-8')}"
            lines += assertion(Text(f"{place}.read_text({how})"), "==", Text(literal(content)))
    return lines

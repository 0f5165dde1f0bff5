"""An error is a finding where callers can bring it about: what a program keeps for itself is told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everypath.languages.python.frontend.offers import SourceOffers
from tests.cli.command import everypath

SHARE = "def {name}(whole: int, parts: int) -> int:\n    return whole // parts\n"
CALLER = "\n\ndef half(whole: int) -> int:\n    return {name}(whole, 2)\n"


def _package(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _found(folder: Path, target: str) -> tuple[list[str], list[str]]:
    """The errors that are findings, and those that are not, each with its reason."""
    told = everypath(folder, "generate", target, "--format", "json", "-o", "suite.json")
    assert told.code in (0, 1), told.out + told.err
    found: dict[str, Any] = json.loads((folder / "suite.json").read_text())
    findings = [each["message"].partition(":")[0] for each in found["findings"]]
    return findings, [needed for each in found["unreached"] for needed in each["needs"]]


OFFERED = {
    "a module without a package": {"work.py": SHARE + CALLER},
    "a package that gathers nothing": {"shop/__init__.py": "VERSION = 1\n", "shop/work.py": SHARE + CALLER},
    "what the package takes up": {"shop/__init__.py": "from .work import {name}\n", "shop/work.py": SHARE + CALLER},
    "what the package takes up from a private module": {
        "shop/__init__.py": "from ._work import {name}\n\n__all__ = ['{name}']\n",
        "shop/_work.py": SHARE,
    },
    "what the package takes up with a star": {"shop/__init__.py": "from .work import *\n", "shop/work.py": SHARE},
    "what the module lists": {"work.py": "__all__ = ['{name}']\n\n" + SHARE + CALLER},
    "what the package neither takes up nor uses": {
        "shop/__init__.py": "from .other import total\n",
        "shop/other.py": "def total(a: int) -> int:\n    return a\n",
        "shop/work.py": SHARE,
    },
    "what is called as well as handed on": {"work.py": SHARE + CALLER + "\n\nTABLE = {{'share': {name}}}\n"},
    "what only tests use": {
        "shop/__init__.py": "from .other import total\n",
        "shop/other.py": "def total(a: int) -> int:\n    return a\n",
        "shop/work.py": SHARE,
        "shop/tests/test_work.py": "from shop.work import {name}\n\nassert {name}(4, 2) == 2\n",
    },
}
KEPT = {
    "is only handed on as a value": {"work.py": SHARE + "\n\nTABLE = {{'share': {name}}}\n"},
    "is not in __all__ of work": {"work.py": "__all__ = ['half']\n\n" + SHARE + CALLER},
    "is not offered by shop, which uses it itself": {
        "shop/__init__.py": "from .other import half\n",
        "shop/other.py": "from .work import {name}\n" + CALLER,
        "shop/work.py": SHARE,
    },
    "is not offered by shop.inner, which uses it itself": {
        "shop/__init__.py": "",
        "shop/inner/__init__.py": "from shop.inner.other import half\n",
        "shop/inner/other.py": "from . import work\n\ndef half(a: int) -> int:\n    return work.{name}(a, 2)\n",
        "shop/inner/work.py": SHARE + CALLER,
    },
    "is private": {"shop/__init__.py": "", "shop/_work.py": SHARE},
}


def _written(files: dict[str, str]) -> dict[str, str]:
    return {path: text.format(name="share") for path, text in files.items()}


def _target(files: dict[str, str]) -> str:
    return next(path for path, text in files.items() if "def {name}" in text) + "::share"


@pytest.mark.parametrize("files", OFFERED.values(), ids=OFFERED)
def test_what_is_offered_has_its_errors_found(tmp_path: Path, files: dict[str, str]) -> None:
    _package(tmp_path, _written(files))
    assert _found(tmp_path, _target(files)) == (["ZeroDivisionError"], [])


@pytest.mark.parametrize(("why", "files"), KEPT.items(), ids=KEPT)
def test_what_is_kept_for_its_own_use_is_told_apart(tmp_path: Path, why: str, files: dict[str, str]) -> None:
    _package(tmp_path, _written(files))
    assert _found(tmp_path, _target(files)) == ([], [f"share {why}"])


def test_what_is_kept_is_found_through_an_offered_caller(tmp_path: Path) -> None:
    source = (
        SHARE.format(name="_share") + "\n\ndef split(whole: int, parts: int) -> int:\n    return _share(whole, parts)\n"
    )
    _package(tmp_path, {"work.py": source})
    assert _found(tmp_path, "work.py") == (["ZeroDivisionError"], [])


MARK = """
class {name}:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name
"""
DEFAULT = """
from typing import Union
from {module} import {name}

DEFAULT = {name}("default")


def first(found: Union[int, {name}] = DEFAULT) -> int:
    if found is DEFAULT:
        return 0
    assert not isinstance(found, {name})
    return found
"""


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("shop._core", "Mark", ([], ["shop._core.Mark is private"])),
        ("shop.core", "Mark", (["the assertion can fail"], [])),
    ],
)
def test_callers_have_no_objects_of_private_classes(
    tmp_path: Path, module: str, name: str, expected: tuple[list[str], list[str]]
) -> None:
    path = f"{module.replace('.', '/')}.py"
    sources = {
        "shop/__init__.py": "",
        path: MARK.format(name=name),
        "shop/use.py": DEFAULT.format(module=module, name=name),
    }
    _package(tmp_path, sources)
    assert _found(tmp_path, "shop/use.py::first") == expected


TROUBLE = """
class Trouble(Exception):
    @property
    def message(self) -> str:
        return "in " + self.place


class Telling:
    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> "Telling":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, Trouble):
            {assigned}
"""


@pytest.mark.parametrize(
    ("assigned", "expected"),
    [
        ("error.place = self.place", ([], ["Trouble.place, which other code assigns"])),
        ("setattr(error, 'place', self.place)", ([], ["Trouble.place, which other code assigns"])),
        ("for name in ['place']: setattr(error, name, self.place)", ([], ["Trouble.place, which other code assigns"])),
        ("print(error)", (["AttributeError"], [])),
        ("error.where = self.place", (["AttributeError"], [])),
        ("self.place = str(error)", (["AttributeError"], [])),
    ],
)
def test_attributes_that_other_code_assigns_may_be_missing_before(
    tmp_path: Path, assigned: str, expected: tuple[list[str], list[str]]
) -> None:
    (tmp_path / "sample.py").write_text(TROUBLE.format(assigned=assigned))
    assert _found(tmp_path, "sample.py::Trouble.message") == expected


ANSWERS = """
from abc import ABC


class Answer{bases}:
    error = None


class Refusal(Answer):
    error = {{"message": "no"}}


def told(answer: Answer) -> str:
    return answer.error["message"]
"""


@pytest.mark.parametrize(
    ("bases", "expected"),
    [("(ABC)", ([], ["sample.Answer is only a base of others"])), ("", (["TypeError"], []))],
)
def test_callers_have_no_objects_of_a_class_that_is_only_a_base(
    tmp_path: Path, bases: str, expected: tuple[list[str], list[str]]
) -> None:
    (tmp_path / "sample.py").write_text(ANSWERS.format(bases=bases))
    assert _found(tmp_path, "sample.py::told") == expected


def test_where_everything_is_private_underscores_tell_nothing_apart(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(SHARE.format(name="_share"))
    assert SourceOffers(tmp_path).withheld("work", "_share") == ""
    (tmp_path / "work.py").write_text(SHARE.format(name="_share") + CALLER.format(name="_share"))
    assert SourceOffers(tmp_path).withheld("work", "_share") == "is private"


def test_sources_that_cannot_be_read_keep_nothing_back(tmp_path: Path) -> None:
    _package(
        tmp_path, {"shop/__init__.py": "from .work import *\n", "shop/broken.py": "def (:\n", "shop/work.py": "x = 1\n"}
    )
    assert SourceOffers(tmp_path).withheld("shop.broken", "anything") == ""
    assert SourceOffers(tmp_path).withheld("nowhere", "anything") == ""

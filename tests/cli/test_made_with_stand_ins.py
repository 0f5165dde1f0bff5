"""Errors that calls lead to, in objects that hold stand-ins; and types that only look declared."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import everypath

SERVICE = """
from typing import Protocol


class Repo(Protocol):
    def load(self, key: str) -> list[int]: ...


class Service:
    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._asked = 0

    def ask(self) -> None:
        self._asked += 1

    def first(self, key: str) -> int:
        if self._asked == 1:
            return self._repo.load(key)[0]
        return 0
"""
TYPES = """
from collections.abc import Iterator
from typing import Final


class Named:
    def __init__(self, name: str) -> None:
        self.name: Final = name

    def longer(self) -> str:
        return self.name + "x"


def first(items: Iterator[int]) -> int:
    return next(items)


def total(items: Iterator[int]) -> int:
    return sum(item for item in items if item > 3)
"""


def test_a_finding_that_calls_lead_to_says_what_the_stand_in_answers(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(SERVICE)
    result = everypath(tmp_path, "generate", "service.py::Service.first", "-o", "-")
    assert result.code == 1 and "defect" not in result.said
    wanted = (
        "    repo = Mock(spec=Repo)\n    repo.load.return_value = []\n    service = Service(repo)\n    service.ask()\n"
    )
    assert wanted in result.out


def test_final_takes_the_type_of_its_value_and_a_list_is_only_a_guess_for_an_iterator(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(TYPES)
    result = everypath(tmp_path, "generate", "sample.py")
    assert result.code == 0
    assert "types: no type that was tried fits parameter 'items' of first" in result.said
    assert "total" not in result.said.partition("types:")[2]


def test_only_parameters_that_a_message_about_types_can_mean_are_named(tmp_path: Path) -> None:
    (tmp_path / "quoting.py").write_text(
        "from binascii import b2a_qp\n\n\n"
        "def encode(source, quotetabs, header=False):\n"
        "    line = source.readline()\n"
        "    return b2a_qp(line, quotetabs=quotetabs, header=header) if header or not quotetabs else line\n"
    )
    result = everypath(tmp_path, "generate", "quoting.py")
    assert "types: no type that was tried fits parameter 'source' of encode" in result.said
    assert "fits parameter 'quotetabs'" not in result.said and "fits parameter 'header'" not in result.said

"""Open files of the process itself are out of reach for the code under test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from everypath.race.control.fencing import Fencing, Uncontrolled
from everypath.race.control.monitor import MONITOR


@pytest.fixture
def own() -> Iterator[int]:
    """The number of a file that is open before anything is fenced in."""
    number = os.open(os.devnull, os.O_RDWR)
    yield number
    os.close(number)


def fenced(name: str, fencing: Fencing) -> Callable[..., Any]:
    return next(new for owner, known, new in fencing.replacements() if owner is os and known == name)


class _Party:
    def end(self, *_: Any) -> None: ...


def test_numbers_are_no_names_of_files(own: int) -> None:
    fencing = Fencing()
    opened = next(new for _, name, new in fencing.replacements() if name == "open")
    fencing.armed = True
    for number in (0, 1, 2, own):
        with pytest.raises(Uncontrolled, match=f"uses the open file number {number}"):
            opened(number, "rb")
    with opened(os.devnull, "rb") as file:
        assert file.read() == b""


@pytest.mark.parametrize(
    ("name", "arguments"), [("read", (1,)), ("write", (b"x",)), ("close", ()), ("dup2", (0,)), ("dup", ())]
)
def test_open_files_of_the_process_are_out_of_reach(
    own: int, name: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = fenced(name, Fencing())
    monkeypatch.setattr(MONITOR, "current", _Party())
    with pytest.raises(Uncontrolled, match=f"uses the open file number {own}"):
        function(own, *arguments)


def test_files_that_the_code_opened_itself_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    fencing = Fencing()
    reading, writing = os.pipe()
    monkeypatch.setattr(MONITOR, "current", _Party())
    assert fenced("write", fencing)(writing, b"x") == 1
    # The amount to read happens to be the number of another file.
    assert fenced("read", fencing)(reading, 2) == b"x"
    for number in (reading, writing):
        fenced("close", fencing)(number)

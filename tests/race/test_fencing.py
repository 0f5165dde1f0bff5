"""Open files of the process itself are out of reach for the code under test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everypath.race.control.fencing import Fencing, Uncontrolled
from everypath.race.control.monitor import MONITOR

from .searching import search


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


REACHING_OUT = """
import io
import socket

class Outgoing:
    def __init__(self):
        self.n = 0

    def local_server(self):
        socket.socket(socket.AF_UNIX).bind({made!r})

    def local_client(self):
        socket.socket(socket.AF_UNIX).connect({made!r})

    def local_message(self):
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", {made!r})

    def below_the_library(self):
        import _socket
        _socket.socket(_socket.AF_INET)

    def raw_file(self):
        io.FileIO({made!r}, "w").close()

    def own_kind_of_file(self):
        class Mine(io.FileIO):
            pass
        Mine({made!r}, "w").close()

    def late_database(self):
        import sqlite3
        sqlite3.connect({made!r}).execute("create table t(a)")

    def late_connection(self):
        from sqlite3 import Connection
        Connection({made!r}).execute("create table t(a)")

    def pair(self):
        one, two = socket.socketpair()
        with one, two:
            one.send(b"x")
            return two.recv(1)

    def memory(self):
        import sqlite3
        with sqlite3.connect(":memory:") as made:
            return isinstance(made, sqlite3.Connection)

    def reading(self):
        with io.FileIO("/dev/null") as raw, open("/dev/null", "rb", buffering=0) as opened:
            return isinstance(raw, io.FileIO), isinstance(opened, io.FileIO)
"""


def test_what_reaches_out_is_refused_however_it_is_done(tmp_path: Path) -> None:
    made = tmp_path / "made"
    done = search(tmp_path, REACHING_OUT.format(made=str(made)), "Outgoing").exercised
    assert sorted(done.returned) == ["memory", "pair", "reading"]
    refused = {each.method: each.why for each in done.uncalled}
    assert sorted(refused) == sorted(
        "local_server local_client local_message below_the_library raw_file own_kind_of_file late_database "
        "late_connection".split()
    )
    assert all(why.startswith("would ") for why in refused.values())
    assert not made.exists()

"""How far a run has come: what is told of it, in any width, on terminals and in logs."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.report import progress as progress_module
from everypath.report.progress import Part, Progress, clock, fitted
from everypath.report.streams import complain
from everypath.report.tally import Tally

NAME = "src/shop/cart.py::Cart.merge"
ways = st.lists(st.text(st.characters(codec="ascii", categories=["L"])), min_size=1, max_size=3).map(
    lambda texts: tuple(sorted(texts, key=len, reverse=True))
)


@given(st.lists(st.builds(Part, ways, st.integers(0, 9))), st.integers(1, 120))
def test_a_line_is_never_wider_than_asked(parts: list[Part], width: int) -> None:
    assert len(fitted(parts, width)) <= width


@given(st.lists(st.builds(Part, ways, st.integers(0, 9))))
def test_everything_is_said_where_there_is_room(parts: list[Part]) -> None:
    assert fitted(parts, 10_000) == "  ".join(part.ways[0] for part in parts if part.ways[0])


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0 s"), (59.9, "59 s"), (185.0, "3:05"), (3723.0, "1:02:03")])
def test_durations(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def under_way() -> Tally:
    tally = Tally(30.0, None)
    tally.planned({"shop.cart": 12, "shop.orders": 8})
    tally.explored("src/shop/cart.py::Cart.add", (6, 4, 1, 0), 0.0)
    tally.explored(NAME, (1, 1, 0, 0), 3.0)
    tally.explored(NAME, (900, 408, 20, 2), 5.0)
    return tally


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (120, f"function 2 of 20  {NAME}  906 paths  412 cases  2 findings  21 cut  6 s  about 1:14 left"),
        (80, f"2/20  {NAME}  412 cases  2 findings  6 s  about 1:14 left"),
        (60, "2/20  Cart.merge  412 cases  2 findings  6 s"),
        (39, "2/20  merge  412 cases  2 findings  6 s"),
        (27, "2/20  412 cases  2 findings"),
        (12, "2/20  412 c…"),
    ],
)
def test_the_line_at_each_width(width: int, line: str) -> None:
    shown = fitted(under_way().parts(6.0), width)
    assert shown == line


def test_what_is_done_beside_exploring_is_said() -> None:
    tally = under_way()
    tally.working("running 408 cases")
    assert "running 408 cases" in fitted(tally.parts(6.0), 100)


def test_modules_that_were_not_explored_count_as_well() -> None:
    tally = under_way()
    tally.module_done("shop.cart", 12)
    tally.explored("src/shop/orders.py::order", (1, 1, 0, 0), 10.0)
    assert fitted(tally.parts(10.0), 200).startswith("function 13 of 20  ")


def test_more_functions_than_were_seen_in_the_text_are_no_more_than_all() -> None:
    tally = Tally(30.0, None)
    tally.planned({"shop": 1})
    tally.explored("shop.py::one", (1, 1, 0, 0), 0.0)
    tally.explored("shop.py::two", (1, 1, 0, 0), 0.0)
    assert fitted(tally.parts(1.0), 200).startswith("function 2 of 2  ")


def test_a_single_function_is_not_counted_and_has_its_time() -> None:
    tally = Tally(30.0, None)
    tally.planned({"shop.cart": 1})
    tally.explored(NAME, (5, 3, 1, 0), 0.0)
    line = fitted(tally.parts(10.0), 120)
    assert line == f"{NAME}  5 paths  3 cases  0 findings  1 cut  10 s  at most 20 s left"


def test_no_more_is_left_than_the_whole_run_may_take() -> None:
    tally = Tally(30.0, 12.0)
    tally.planned({"shop": 1000})
    tally.explored("shop.py::one", (1, 1, 0, 0), 0.0)
    tally.explored("shop.py::two", (1, 1, 0, 0), 9.0)
    assert "about 3 s left" in fitted(tally.parts(9.0), 200)


def parts() -> list[Part]:
    return [Part(("3 cases",), 0)]


def test_it_is_silent_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(progress_module, "_LOG_SECONDS", 0.0)
    stream = io.StringIO()
    with Progress(stream) as progress:
        progress.update(parts)
        assert not progress.watched
    assert stream.getvalue() == capsys.readouterr().err == ""


def test_the_log_of_a_build_server_has_plain_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(progress_module, "_LOG_SECONDS", 0.0)
    with Progress(io.StringIO()) as progress:
        progress.update(parts)
    assert capsys.readouterr().err == "everypath: 3 cases\n"


def test_a_short_run_leaves_nothing_in_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    with Progress(io.StringIO()) as progress:
        progress.update(parts, at_once=True)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_it_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "_AT_ONCE_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    with Progress(stream) as progress:
        assert stream.getvalue() == "\rstarting\x1b[K"
        progress.update(parts, at_once=True)
        assert stream.getvalue().endswith("\r3 cases\x1b[K")
        progress.update(lambda: [Part(("函数" * 30,), 0)], at_once=True)
        assert len(stream.getvalue().rpartition("\r")[2].removesuffix("\x1b[K")) == 19
    assert stream.getvalue().endswith("\r\x1b[K")


def test_what_is_said_meanwhile_stands_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(stream):
        complain("note: something")
        assert stream.getvalue() == "\rstarting\x1b[K\r\x1b[K"
    assert capsys.readouterr().err == "note: something\n"

"""What one call returns is given to another, where no literal would do; it is kept before the threads start."""

from __future__ import annotations

import time
from typing import Any

from everypath.race.control.clocks import CLOCK
from everypath.race.running import Call
from everypath.race.subject.scope import HELD, Scope, held_in
from everypath.race.subject.subject import Subject
from tests.race.plain_attempt import inspected, sources


class Ticket:
    pass


class Office:
    def __init__(self) -> None:
        self._out: list[Any] = []

    def lease(self, who: str) -> Ticket:
        self._out.append(Ticket())
        return self._out[-1]

    def renew(self, ticket: Ticket, seconds: int = 5) -> None:
        if ticket not in self._out:
            raise ValueError("not leased")

    def give_back(self, ticket: Ticket) -> None:
        if ticket in self._out:
            self._out.remove(ticket)

    def count(self) -> int:
        return len(self._out)


def preparing(subject: Subject) -> list[Call]:
    return [call for call in subject.calls if call.method.startswith("<")]


def test_results_are_arguments() -> None:
    subject = inspected(Office)
    found = sources(subject)
    assert {"sut.renew(held)", "sut.renew(other_held)", "sut.lease('a')", "sut.lease('b')"} <= set(found)
    assert {"sut.give_back(held)", "sut.give_back(other_held)"} <= set(found)
    assert preparing(subject) == [
        Call("<held>", "held = sut.lease('a')"),
        Call("<held>", "other_held = sut.lease('b')"),
    ]
    assert set(subject.methods) == {"lease", "renew", "give_back", "count"}


class Numbered:
    """Literals are as good as results here."""

    def __init__(self) -> None:
        self._made = 0

    def acquire(self) -> int:
        self._made += 1
        return self._made

    def release(self, number: int) -> None:
        if not 1 <= number <= self._made:
            raise ValueError(number)


def test_where_literals_do_they_are_used() -> None:
    subject = inspected(Numbered)
    assert "sut.release(1)" in sources(subject)
    assert not preparing(subject)


class Emitter:
    def __init__(self) -> None:
        self._handlers: list[Any] = []

    def once(self, handler):
        self._handlers.append(handler)
        return handler

    def fire(self, event):
        for handler in self._handlers:
            handler(event)


def test_callbacks_can_be_looked_at_and_are_no_results() -> None:
    subject = inspected(Emitter)
    assert "sut.once(callback)" in sources(subject)
    assert preparing(subject) == [Call("<callbacks>", "recorded()")]


class Expiring:
    def __init__(self, ttl: float = 30.0, name: str = "x") -> None:
        self._ttl = ttl
        self._made = time.monotonic()

    def alive(self) -> bool:
        return time.monotonic() - self._made < self._ttl


class Stamped:
    """Only the constructor looks at the clock."""

    def __init__(self) -> None:
        self.made = time.monotonic()

    def get(self) -> int:
        return 1


def test_time_passes_for_those_who_look_at_the_clock(monkeypatch: Any) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: CLOCK.read(0))
    assert preparing(inspected(Expiring)) == [Call("<time passes>", "clock.advance(31)")]
    assert not preparing(inspected(Stamped))


def test_names_of_results_are_not_those_of_the_module() -> None:
    assert Scope({}).usable("sut.renew(held)")
    assert not Scope({"held": 1}).usable("sut.renew(held)")
    assert held_in({"sut": 1, HELD[1]: 2}) == {HELD[1]: 2}


def test_other_methods_stay_usable_before_the_threads_start() -> None:
    subject = inspected(Office, methods=("renew",))
    assert subject.raced == {"renew"}
    assert subject.methods == ("renew",)
    assert sources(subject)[0] == "sut.renew(held)"
    assert {"sut.lease('a')", "held = sut.lease('a')", "sut.count()"} <= set(sources(subject))
    assert inspected(Office).raced is None


class Bounded(Office):
    def __init__(self, size: int = 9) -> None:
        super().__init__()
        self.size = size

    def lease(self, who: str) -> Ticket:
        if len(self._out) >= self.size:
            raise RuntimeError("none left")
        return super().lease(who)


def test_where_there_is_more_room_there_are_more_results() -> None:
    subject = inspected(Bounded)
    assert "sut.renew(other_held)" not in sources(subject)
    assert {"sut.renew(other_held)", "other_held = sut.lease('b')"} <= {
        call.source for call in subject.calls_for("Bounded(size=2)")
    }

"""Arguments that the code's own checks accept, objects and classes where those are wanted, options both ways."""

from __future__ import annotations

import threading

from tests.race.plain_attempt import inspected, sources


class Span:
    def __init__(self, begin, end):
        self.begin, self.end = begin, end

    def is_empty(self):
        return self.begin >= self.end

    def length(self):
        return self.end - self.begin


class Spans:
    def __init__(self):
        self._kept = []

    def add(self, piece):
        if piece.is_empty():
            raise ValueError("empty")
        self._kept.append(piece.length())

    def add_between(self, begin, end):
        if begin >= end:
            raise ValueError("empty")
        self._kept.append(end - begin)

    def __setitem__(self, index, value):
        for _ in range(index.start, index.stop):
            self._kept.append(value)


def test_values_are_looked_for_until_the_checks_accept_them() -> None:
    assert "sut.add_between(0, 1)" in sources(inspected(Spans))


def test_objects_of_the_programs_own_classes_have_what_a_method_asks_for() -> None:
    (first, *_) = [source for source in sources(inspected(Spans)) if source.startswith("sut.add(")]
    assert first == "sut.add(Span(0, 1))"


def test_slices_are_tried_between_brackets() -> None:
    assert any(source.startswith("sut[slice(0, 1)] = ") for source in sources(inspected(Spans)))
    assert inspected(Spans).uncalled == ()


class Kinds:
    def __init__(self):
        self._kinds = []

    def allow(self, what):
        self._kinds.append(issubclass(what, object))

    def try_out(self, job, tolerated):
        try:
            job()
        except tolerated:
            self._kinds.clear()


def test_classes_are_given_where_only_a_class_will_do() -> None:
    found = sources(inspected(Kinds))
    assert "sut.allow(int)" in found
    assert any(source.startswith("sut.try_out(") and "ValueError" in source for source in found)


class Outbox:
    def __init__(self, keep: bool = False, *, strict: bool = True):
        self._lock, self._keep, self._strict, self._sent = threading.Lock(), keep, strict, []

    def send(self, text: str):
        with self._lock:
            if self._keep:
                self._sent.append(text)


def test_options_of_the_constructor_are_tried_both_ways() -> None:
    assert inspected(Outbox).setups == ("Outbox()", "Outbox(keep=True)", "Outbox(strict=False)")


class Accounts:
    def __init__(self):
        self._money = {}

    def open(self, name: str):
        if name in self._money:
            raise ValueError("there already")
        self._money[name] = 1


def test_a_method_that_refuses_a_key_twice_has_a_third_one() -> None:
    assert sources(inspected(Accounts)) == ["sut.open('a')", "sut.open('b')", "sut.open('c')"]


class Clock:
    def __init__(self):
        self._ticks = []

    def tick(self, what):
        self._ticks.append(what)


class Alarm:
    """Most of it works only with an interval of one and with a clock."""

    def __init__(self, interval, clock=None):
        self.interval = interval
        self.clock = clock
        self.unit = ""

    def day(self):
        if self.interval != 1:
            raise RuntimeError("days")
        self.unit = "day"

    def days(self):
        self.unit = "days"

    def start(self):
        if not self.unit:
            raise RuntimeError("no unit")
        if self.clock is None:
            raise RuntimeError("no clock")
        self.clock.tick(self)


def test_a_setup_is_looked_for_with_which_all_methods_work() -> None:
    assert inspected(Alarm).setups[:2] == ("Alarm(1, clock=Clock())", "Alarm(60)")


def test_the_users_arguments_of_the_constructor_are_kept() -> None:
    subject = inspected(Alarm, args={"interval": ["2"]})
    assert subject.setups[:2] == ("Alarm(2, clock=Clock())", "Alarm(2)")
    assert inspected(Alarm, setup="Alarm(3)").setups == ("Alarm(3)",)


class Store:
    def __init__(self, policy: str = "lru", clock: Clock | None = None):
        self._policy, self._clock = policy, clock
        self._items = []

    def put(self, item):
        if self._policy == "fifo":
            self._items.append(item)
        elif self._policy == "lru":
            self._items.insert(0, item)
        if self._clock is not None:
            self._clock.tick(item)


def test_modes_that_the_code_knows_are_tried() -> None:
    assert inspected(Store).setups == ("Store()", "Store(policy='fifo')", "Store(clock=Clock())")

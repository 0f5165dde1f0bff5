"""A class with locks may be careless where nobody sees it; of one without locks the whole state counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from .searching import clean, search

HINT = """
class Cache:
    def __init__(self):
        self._lock, self._data, self._hint = threading.Lock(), {}, 0

    def put(self, key: str, value: int) -> None:
        with self._lock:
            self._data[key] = value
        self._hint = self._hint + 1

    def get(self, key: str) -> int:
        with self._lock:
            return self._data.get(key, 0)
"""
STATISTICS = HINT.replace("_hint", "puts")


def test_what_no_call_shows_is_no_fault(tmp_path: Path) -> None:
    report = search(tmp_path, HINT, "Cache")
    assert clean(report)
    assert report.stats.enforced > 0
    assert report.notes == []


def test_a_public_counter_that_nothing_depends_on_is_noted(tmp_path: Path) -> None:
    report = search(tmp_path, STATISTICS, "Cache")
    assert clean(report)
    (note,) = report.notes
    assert note.message.startswith("Cache.puts loses updates on free-threaded builds")


def test_a_public_counter_that_a_method_reads_is_a_fault(tmp_path: Path) -> None:
    source = STATISTICS + "\n    def busy(self) -> bool:\n        return self.puts > 3\n"
    (finding,) = search(tmp_path, source, "Cache").findings
    assert (finding.kind, finding.places) == ("state", ("Cache.puts",))


def test_a_counter_that_loses_updates_today_is_a_fault(tmp_path: Path) -> None:
    source = STATISTICS.replace("self.puts = self.puts + 1", "puts = self.puts\n        self.puts = int(puts + 1)")
    (finding,) = search(tmp_path, source, "Cache").findings
    assert (finding.kind, finding.places, finding.label) == ("state", ("Cache.puts",), "happens today")


def test_a_private_attribute_that_a_query_shows_is_a_fault(tmp_path: Path) -> None:
    source = HINT + "\n    def size(self) -> int:\n        return self._hint\n"
    (finding,) = search(tmp_path, source, "Cache").findings
    assert finding.places == ("Cache._hint",)


def test_without_locks_the_whole_state_counts(tmp_path: Path) -> None:
    source = HINT.replace("with self._lock:", "if True:")
    assert "Cache._hint" in {
        place for finding in search(tmp_path, source, "Cache").findings for place in finding.places
    }


def test_without_queries_the_whole_state_counts(tmp_path: Path) -> None:
    source = HINT.partition("    def get")[0]
    (finding,) = search(tmp_path, source, "Cache").findings
    assert finding.places == ("Cache._hint",)


def test_public_attributes_may_be_slots(tmp_path: Path) -> None:
    slots = '    __slots__ = ("_lock", "_data", "puts")\n\n    def __init__'
    report = search(tmp_path, STATISTICS.replace("    def __init__", slots, 1), "Cache")
    assert clean(report)
    assert [note.message.split()[0] for note in report.notes] == ["Cache.puts"]


CLOCK = """
class Cache:
    def __init__(self):
        self.lock, self.data, self.used = threading.Lock(), {}, {}

    def get(self, key: str) -> int:
        value = self.data.get(key, 0)
        if value:
            self.used[key] = True
        return value

    def put(self, key: str) -> None:
        with self.lock:
            if key not in self.data and len(self.data) == 2:
                for old in list(self.data) * 2:
                    if not self.used.get(old):
                        break
                    self.used[old] = False
                self.drop(old)
            self.data[key] = 1
            self.used[key] = False

    def drop(self, key: str) -> None:
        self.data.pop(key, None)
        self.used.pop(key, None)
"""


def test_which_entry_a_full_cache_drops_is_its_own_affair(tmp_path: Path) -> None:
    keys = (("key", "'a'"), ("key", "'b'"), ("key", "'c'"))
    report = search(tmp_path, CLOCK.replace("drop(", "_drop("), "Cache", args=keys)
    assert [finding.title for finding in report.findings] == []
    assert report.stats.enforced > 20


@pytest.mark.parametrize("lost", ["put", "drop"])
def test_an_entry_that_is_lost_or_left_is_not(tmp_path: Path, lost: str) -> None:
    """The whole dictionary is replaced by a changed copy, so that what others do meanwhile is gone."""
    source = CLOCK.replace("self.data.pop(key, None)", "self.data = {k: v for k, v in self.data.items() if k != key}")
    report = search(tmp_path, source, "Cache", args=(("key", "'a'"), ("key", "'b'")), methods=(lost, "drop"))
    assert any("Cache.data" in finding.places for finding in report.findings)

"""Counts words; while one thread adds a word, the count that another one just stored is overwritten."""

from __future__ import annotations

import threading


class WordTally:
    """How often each word was seen."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, word: str) -> int:
        """Count a word; returns how often it was seen by now."""
        count = self._counts.get(word, 0) + 1
        self._counts[word] = count
        return count

    def count(self, word: str) -> int:
        """How often the word was seen."""
        with self._lock:
            return self._counts.get(word, 0)

    def words(self) -> list[str]:
        """Every word, the most frequent first."""
        with self._lock:
            return sorted(self._counts, key=lambda word: (-self._counts[word], word))

    def clear(self) -> None:
        """Forget all words."""
        with self._lock:
            self._counts.clear()


class SafeWordTally:
    """How often each word was seen."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, word: str) -> int:
        """Count a word; returns how often it was seen by now."""
        with self._lock:
            count = self._counts.get(word, 0) + 1
            self._counts[word] = count
            return count

    def count(self, word: str) -> int:
        """How often the word was seen."""
        with self._lock:
            return self._counts.get(word, 0)

    def words(self) -> list[str]:
        """Every word, the most frequent first."""
        with self._lock:
            return sorted(self._counts, key=lambda word: (-self._counts[word], word))

    def clear(self) -> None:
        """Forget all words."""
        with self._lock:
            self._counts.clear()

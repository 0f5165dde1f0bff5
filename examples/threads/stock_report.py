"""Keeps the stock of a shop; a report walks through it while another thread adds an article."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Stock:
    """Articles and how many there are."""

    def __init__(self) -> None:
        self._quantities: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, article: str, quantity: int = 1) -> None:
        """Put some of an article on the shelf."""
        with self._lock:
            self._quantities[article] = self._quantities.get(article, 0) + quantity

    def remove(self, article: str) -> int:
        """Take all of an article away; returns how many there were."""
        with self._lock:
            return self._quantities.pop(article, 0)

    def report(self) -> list[str]:
        """One line for each article."""
        lines = []
        for article, quantity in self._quantities.items():
            lines.append(f"{quantity} x {article}")
        return lines

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(list(self._quantities))


class SafeStock:
    """Articles and how many there are."""

    def __init__(self) -> None:
        self._quantities: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, article: str, quantity: int = 1) -> None:
        """Put some of an article on the shelf."""
        with self._lock:
            self._quantities[article] = self._quantities.get(article, 0) + quantity

    def remove(self, article: str) -> int:
        """Take all of an article away; returns how many there were."""
        with self._lock:
            return self._quantities.pop(article, 0)

    def report(self) -> list[str]:
        """One line for each article."""
        lines = []
        with self._lock:
            for article, quantity in self._quantities.items():
                lines.append(f"{quantity} x {article}")
        return lines

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(list(self._quantities))

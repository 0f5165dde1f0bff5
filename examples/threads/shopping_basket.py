"""A basket that computes its total when asked and keeps it; an old total, or none, comes back when prices change."""

from __future__ import annotations

import threading


class ShoppingBasket:
    """Prices and their sum."""

    def __init__(self) -> None:
        self._prices: list[int] = []
        self._total: int | None = None
        self._lock = threading.Lock()

    def add(self, price: int) -> None:
        """Put something into the basket."""
        with self._lock:
            self._prices.append(price)
            self._total = None

    def empty(self) -> None:
        """Take everything out."""
        with self._lock:
            self._prices.clear()
            self._total = None

    def total(self) -> int | None:
        """What all of it costs."""
        if self._total is None:
            self._total = sum(self._prices)
        return self._total

    def __len__(self) -> int:
        with self._lock:
            return len(self._prices)


class SafeShoppingBasket:
    """Prices and their sum."""

    def __init__(self) -> None:
        self._prices: list[int] = []
        self._total: int | None = None
        self._lock = threading.Lock()

    def add(self, price: int) -> None:
        """Put something into the basket."""
        with self._lock:
            self._prices.append(price)
            self._total = None

    def empty(self) -> None:
        """Take everything out."""
        with self._lock:
            self._prices.clear()
            self._total = None

    def total(self) -> int | None:
        """What all of it costs."""
        with self._lock:
            if self._total is None:
                self._total = sum(self._prices)
            return self._total

    def __len__(self) -> int:
        with self._lock:
            return len(self._prices)

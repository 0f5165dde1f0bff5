"""An auction that looks at the best bid and replaces it under the same lock, but lets go of it in between."""

from __future__ import annotations

import threading


class Auction:
    """The highest bid wins."""

    def __init__(self, reserve: int = 0) -> None:
        self._best = reserve
        self._leader: str | None = None
        self._lock = threading.Lock()

    def bid(self, bidder: str, amount: int) -> bool:
        """Offer an amount; true if it is the best so far."""
        with self._lock:
            best = self._best
        if amount <= best:
            return False
        with self._lock:
            self._best = amount
            self._leader = bidder
        return True

    def leader(self) -> tuple[str | None, int]:
        """Who is ahead, and with how much."""
        with self._lock:
            return self._leader, self._best


class SafeAuction:
    """The highest bid wins."""

    def __init__(self, reserve: int = 0) -> None:
        self._best = reserve
        self._leader: str | None = None
        self._lock = threading.Lock()

    def bid(self, bidder: str, amount: int) -> bool:
        """Offer an amount; true if it is the best so far."""
        with self._lock:
            if amount <= self._best:
                return False
            self._best = amount
            self._leader = bidder
            return True

    def leader(self) -> tuple[str | None, int]:
        """Who is ahead, and with how much."""
        with self._lock:
            return self._leader, self._best

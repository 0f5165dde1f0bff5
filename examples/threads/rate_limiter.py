"""A token bucket that allows so many requests a second; the last token can be spent twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class RateLimiter:
    """Allows a burst of requests, then as many as tokens come in."""

    def __init__(self, rate: float = 1.0, burst: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled_at = clock()
        self._lock = threading.Lock()

    def allow(self) -> bool:
        """Spend a token, if there is one."""
        with self._lock:
            self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def available(self) -> int:
        """How many requests would be allowed now."""
        with self._lock:
            self._fill()
            return int(self._tokens)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now


class SafeRateLimiter:
    """Allows a burst of requests, then as many as tokens come in."""

    def __init__(self, rate: float = 1.0, burst: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled_at = clock()
        self._lock = threading.Lock()

    def allow(self) -> bool:
        """Spend a token, if there is one."""
        with self._lock:
            self._fill()
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True

    def available(self) -> int:
        """How many requests would be allowed now."""
        with self._lock:
            self._fill()
            return int(self._tokens)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now

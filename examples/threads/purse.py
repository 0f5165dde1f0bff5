"""A purse whose lock stays taken when there is too little money in it; everyone who comes next waits for ever."""

from __future__ import annotations

import threading


class Purse:
    """Money that several threads spend."""

    def __init__(self, coins: int = 5) -> None:
        self._coins = coins
        self._lock = threading.Lock()

    def spend(self, coins: int) -> int:
        """Take coins out; returns how many are left."""
        self._lock.acquire()
        if coins > self._coins:
            raise ValueError(f"{coins - self._coins} coins are missing")
        self._coins -= coins
        left = self._coins
        self._lock.release()
        return left

    def earn(self, coins: int) -> None:
        """Put coins in."""
        with self._lock:
            self._coins += coins

    @property
    def coins(self) -> int:
        """How many coins are in it."""
        with self._lock:
            return self._coins


class SafePurse:
    """Money that several threads spend."""

    def __init__(self, coins: int = 5) -> None:
        self._coins = coins
        self._lock = threading.Lock()

    def spend(self, coins: int) -> int:
        """Take coins out; returns how many are left."""
        self._lock.acquire()
        try:
            if coins > self._coins:
                raise ValueError(f"{coins - self._coins} coins are missing")
            self._coins -= coins
            return self._coins
        finally:
            self._lock.release()

    def earn(self, coins: int) -> None:
        """Put coins in."""
        with self._lock:
            self._coins += coins

    @property
    def coins(self) -> int:
        """How many coins are in it."""
        with self._lock:
            return self._coins

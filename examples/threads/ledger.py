"""A balance with one lock for deposits and another for withdrawals; one of the two at the same time is lost."""

from __future__ import annotations

import threading


class Ledger:
    """The money of one customer."""

    def __init__(self, balance: int = 10) -> None:
        self._balance = balance
        self._deposit_lock = threading.Lock()
        self._withdrawal_lock = threading.Lock()

    def deposit(self, amount: int) -> None:
        """Add money."""
        if amount <= 0:
            raise ValueError("the amount must be positive")
        with self._deposit_lock:
            self._balance += amount

    def withdraw(self, amount: int) -> bool:
        """Take money out; false if there is too little."""
        if amount <= 0:
            raise ValueError("the amount must be positive")
        with self._withdrawal_lock:
            if amount > self._balance:
                return False
            self._balance -= amount
            return True

    @property
    def balance(self) -> int:
        """The money there is."""
        return self._balance


class SafeLedger:
    """The money of one customer."""

    def __init__(self, balance: int = 10) -> None:
        self._balance = balance
        self._lock = threading.Lock()

    def deposit(self, amount: int) -> None:
        """Add money."""
        if amount <= 0:
            raise ValueError("the amount must be positive")
        with self._lock:
            self._balance += amount

    def withdraw(self, amount: int) -> bool:
        """Take money out; false if there is too little."""
        if amount <= 0:
            raise ValueError("the amount must be positive")
        with self._lock:
            if amount > self._balance:
                return False
            self._balance -= amount
            return True

    @property
    def balance(self) -> int:
        """The money there is."""
        return self._balance

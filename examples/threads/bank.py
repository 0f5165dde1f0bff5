"""Moves money between accounts that have a lock each; transfers in opposite directions wait for each other for ever."""

from __future__ import annotations

import threading


class Account:
    """A balance and the lock that guards it."""

    def __init__(self, balance: int) -> None:
        self.balance = balance
        self.lock = threading.Lock()


class Bank:
    """Accounts by name."""

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def open(self, name: str, balance: int = 100) -> None:
        """Make a new account."""
        with self._lock:
            if name in self._accounts:
                raise ValueError(f"{name!r} has an account already")
            self._accounts[name] = Account(balance)

    def balance(self, name: str) -> int:
        """The money in an account."""
        account = self._account(name)
        with account.lock:
            return account.balance

    def transfer(self, source: str, target: str, amount: int) -> None:
        """Move money from one account to another."""
        if source == target:
            raise ValueError("these are the same account")
        giver, taker = self._account(source), self._account(target)
        with giver.lock, taker.lock:
            if giver.balance < amount:
                raise ValueError("not enough money")
            giver.balance -= amount
            taker.balance += amount

    def _account(self, name: str) -> Account:
        with self._lock:
            if name not in self._accounts:
                raise ValueError(f"{name!r} has no account")
            return self._accounts[name]


class SafeBank:
    """Accounts by name."""

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def open(self, name: str, balance: int = 100) -> None:
        """Make a new account."""
        with self._lock:
            if name in self._accounts:
                raise ValueError(f"{name!r} has an account already")
            self._accounts[name] = Account(balance)

    def balance(self, name: str) -> int:
        """The money in an account."""
        account = self._account(name)
        with account.lock:
            return account.balance

    def transfer(self, source: str, target: str, amount: int) -> None:
        """Move money from one account to another."""
        if source == target:
            raise ValueError("these are the same account")
        giver, taker = self._account(source), self._account(target)
        first, second = (giver, taker) if source < target else (taker, giver)
        with first.lock, second.lock:
            if giver.balance < amount:
                raise ValueError("not enough money")
            giver.balance -= amount
            taker.balance += amount

    def _account(self, name: str) -> Account:
        with self._lock:
            if name not in self._accounts:
                raise ValueError(f"{name!r} has no account")
            return self._accounts[name]

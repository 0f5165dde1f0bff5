"""Bank accounts: a transfer whose two accounts may be one and the same."""

from __future__ import annotations


class InsufficientFunds(Exception):
    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} short")
        self.missing = missing


class Account:
    def __init__(self, balance: int, limit: int, frozen: bool = False) -> None:
        self.balance = balance
        self.limit = limit
        self.frozen = frozen

    def deposit(self, amount: int) -> None:
        if amount <= 0:
            raise ValueError("the amount must be positive")
        self.balance += amount

    def withdraw(self, amount: int) -> None:
        if amount <= 0:
            raise ValueError("the amount must be positive")
        if self.frozen:
            raise PermissionError("the account is frozen")
        missing = amount - self.balance - self.limit
        if missing > 0:
            raise InsufficientFunds(missing)
        self.balance -= amount


def transfer(source: Account, target: Account, amount: int) -> int:
    """Moves money with a fee of one for transfers past a hundred; the fee is what a careless test misses."""
    fee = 1 if amount > 100 else 0
    before = target.balance
    source.withdraw(amount + fee)
    target.deposit(amount)
    received = target.balance - before
    if source is target:
        return -fee
    return received

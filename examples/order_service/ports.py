"""What the service needs from outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from .model import Order

Clock = Callable[[], datetime]


class Repository(Protocol):
    """Keeps orders."""

    def load(self, number: str) -> Order | None: ...

    def save(self, order: Order) -> None: ...

    def open_orders(self, customer: str) -> list[Order]: ...


class Stock(Protocol):
    """Knows how many pieces there are."""

    def available(self, sku: str) -> int: ...

    def reserve(self, sku: str, quantity: int) -> None: ...


class MailError(Exception):
    """A mail could not be sent."""


class Mailer(ABC):
    """Sends mail."""

    @abstractmethod
    def send(self, to: str, subject: str, body: str) -> None:
        """Send one mail, or raise MailError."""

    def notify(self, to: str, subject: str) -> None:
        """Send a mail that says everything in its subject."""
        self.send(to, subject, "")


class PaymentGateway(ABC):
    """Takes money."""

    @abstractmethod
    def charge(self, customer: str, cents: int) -> str | None:
        """The number of the payment, None if it was declined."""

    @property
    @abstractmethod
    def limit(self) -> int:
        """The most that can be charged at once."""

"""What an order is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum


class Status(Enum):
    """Where an order stands."""

    DRAFT = "draft"
    PLACED = "placed"
    PAID = "paid"
    CANCELLED = "cancelled"


class OrderError(Exception):
    """An order that cannot be handled as asked."""


class OutOfStock(OrderError):
    """More was asked for than there is."""

    def __init__(self, sku: str, missing: int) -> None:
        super().__init__(f"{missing} of {sku} missing")
        self.sku = sku
        self.missing = missing


@dataclass(frozen=True)
class Line:
    """Some pieces of one article."""

    sku: str
    quantity: int
    cents: int

    def __post_init__(self) -> None:
        if self.quantity <= 0:
            raise ValueError("quantity must be positive")
        if self.cents < 0:
            raise ValueError("a price is not negative")

    @property
    def total(self) -> int:
        return self.quantity * self.cents


@dataclass
class Order:
    """What one customer wants."""

    number: str
    customer: str
    lines: list[Line] = field(default_factory=list)
    status: Status = Status.DRAFT
    placed_at: datetime | None = None
    note: str = ""

    def add(self, line: Line) -> None:
        """Put a line into the order; lines of the same article are joined."""
        if self.status is not Status.DRAFT:
            raise OrderError(f"order {self.number} is {self.status.value}")
        for index, known in enumerate(self.lines):
            if known.sku == line.sku and known.cents == line.cents:
                self.lines[index] = Line(line.sku, known.quantity + line.quantity, line.cents)
                return
        self.lines.append(line)

    @property
    def total(self) -> int:
        return sum(line.total for line in self.lines)

    @property
    def is_open(self) -> bool:
        return self.status in (Status.DRAFT, Status.PLACED)

    def discounted(self, percent: Decimal) -> int:
        """The total less a percentage, in cents, rounded down."""
        if not 0 <= percent <= 100:
            raise ValueError("a percentage is between 0 and 100")
        return int(self.total * (100 - percent) / 100)

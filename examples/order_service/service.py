"""Placing, paying and cancelling orders."""

from __future__ import annotations

import logging
from collections import defaultdict
from datetime import timedelta

from .model import Line, Order, OrderError, OutOfStock, Status
from .ports import Clock, Mailer, MailError, PaymentGateway, Repository, Stock

log = logging.getLogger(__name__)

CANCEL_WITHIN = timedelta(hours=24)


class OrderService:
    """The use cases, one method each."""

    def __init__(
        self,
        repository: Repository,
        stock: Stock,
        gateway: PaymentGateway,
        mailer: Mailer,
        clock: Clock,
        retries: int = 2,
    ) -> None:
        self._repository = repository
        self._stock = stock
        self._gateway = gateway
        self._mailer = mailer
        self._clock = clock
        self._retries = retries
        self.failures: dict[str, int] = defaultdict(int)

    def place(self, number: str) -> Order:
        """Reserve what the order needs and note when it was placed."""
        order = self._order(number)
        if order.status is not Status.DRAFT:
            raise OrderError(f"order {number} was placed before")
        if not order.lines:
            raise OrderError("nothing in it")
        for line in order.lines:
            available = self._stock.available(line.sku)
            if available < line.quantity:
                raise OutOfStock(line.sku, line.quantity - available)
        for line in order.lines:
            self._stock.reserve(line.sku, line.quantity)
        order.status = Status.PLACED
        order.placed_at = self._clock()
        self._repository.save(order)
        return order

    def pay(self, number: str) -> str:
        """Charge the customer; the number of the payment."""
        order = self._order(number)
        if order.status is not Status.PLACED:
            raise OrderError("only a placed order is paid")
        if order.total > self._gateway.limit:
            raise OrderError("above the limit")
        for _ in range(self._retries):
            try:
                payment = self._gateway.charge(order.customer, order.total)
            except ConnectionError:
                self.failures["payment"] += 1
                continue
            if payment is None:
                raise OrderError("declined")
            order.status = Status.PAID
            self._repository.save(order)
            self._tell(order, "paid")
            return payment
        raise OrderError("no connection")

    def cancel(self, number: str) -> bool:
        """Take an order back; too late is too late."""
        order = self._order(number)
        if order.status is Status.CANCELLED:
            return False
        if order.status is Status.PAID:
            raise OrderError("paid orders are returned, not cancelled")
        if order.placed_at is not None and self._clock() - order.placed_at > CANCEL_WITHIN:
            log.info("order %s is too old", number)
            return False
        order.status = Status.CANCELLED
        self._repository.save(order)
        self._tell(order, "cancelled")
        return True

    def spent(self, customer: str, least: int | None = None) -> int:
        """What a customer's open orders come to; those below `least` do not count."""
        total = 0
        for order in self._repository.open_orders(customer):
            if least is None or order.total >= least:
                total += order.total
        return total

    def _order(self, number: str) -> Order:
        order = self._repository.load(number)
        if order is None:
            raise OrderError(f"no order {number}")
        return order

    def _tell(self, order: Order, what: str) -> None:
        try:
            self._mailer.notify(order.customer, f"Your order is {what}")
        except MailError as error:
            self.failures["mail"] += 1
            log.warning("no mail to %s: %s", order.customer, error)


def reorder(repository: Repository, number: str, new_number: str) -> Order:
    """A new draft with the lines of an old order."""
    old = repository.load(number)
    if old is None:
        raise OrderError(f"no order {number}")
    if repository.load(new_number) is not None:
        raise OrderError("the number is taken")
    order = Order(new_number, old.customer)
    for line in old.lines:
        order.add(line)
    repository.save(order)
    return order


def parse_lines(text: str) -> list[Line]:
    """Lines from `sku quantity cents`, one per line; empty lines and comments are skipped."""
    lines = []
    for row, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = line.split()
        if len(parts) != 3:
            raise ValueError(f"line {row}: three words expected")
        sku, quantity, cents = parts
        lines.append(Line(sku, int(quantity), int(cents)))
    return lines


def is_due(clock: Clock, order: Order, days: int) -> bool:
    """Whether a placed order waits for its payment longer than so many days."""
    if order.placed_at is None or order.status is not Status.PLACED:
        return False
    return clock() - order.placed_at >= timedelta(days=days)

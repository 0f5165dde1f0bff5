"""A warehouse with a lock for its stock and one for its orders; ordering and cancelling take them in opposite order."""

from __future__ import annotations

import threading


class Warehouse:
    """Moves goods between the shelf and the orders."""

    def __init__(self, stock: int = 3) -> None:
        self._stock = stock
        self._ordered = 0
        self._stock_lock = threading.Lock()
        self._order_lock = threading.Lock()

    def order(self) -> bool:
        """Set one piece aside; false if the shelf is empty."""
        with self._stock_lock:
            if self._stock == 0:
                return False
            with self._order_lock:
                self._stock -= 1
                self._ordered += 1
                return True

    def cancel(self) -> bool:
        """Put one piece back; false if nothing was ordered."""
        with self._order_lock:
            if self._ordered == 0:
                return False
            with self._stock_lock:
                self._stock += 1
                self._ordered -= 1
                return True

    def in_stock(self) -> int:
        """Pieces on the shelf."""
        with self._stock_lock:
            return self._stock

    def ordered(self) -> int:
        """Pieces set aside."""
        with self._order_lock:
            return self._ordered


class SafeWarehouse:
    """Moves goods between the shelf and the orders."""

    def __init__(self, stock: int = 3) -> None:
        self._stock = stock
        self._ordered = 0
        self._stock_lock = threading.Lock()
        self._order_lock = threading.Lock()

    def order(self) -> bool:
        """Set one piece aside; false if the shelf is empty."""
        with self._stock_lock:
            if self._stock == 0:
                return False
            with self._order_lock:
                self._stock -= 1
                self._ordered += 1
                return True

    def cancel(self) -> bool:
        """Put one piece back; false if nothing was ordered."""
        with self._stock_lock, self._order_lock:
            if self._ordered == 0:
                return False
            self._stock += 1
            self._ordered -= 1
            return True

    def in_stock(self) -> int:
        """Pieces on the shelf."""
        with self._stock_lock:
            return self._stock

    def ordered(self) -> int:
        """Pieces set aside."""
        with self._order_lock:
            return self._ordered

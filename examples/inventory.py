"""A stock of articles in a dictionary, where a missing article is sometimes forgotten."""

from __future__ import annotations


class OutOfStock(Exception):
    pass


class Inventory:
    def __init__(self, stock: dict[str, int]) -> None:
        self.stock = stock

    def add(self, article: str, count: int) -> int:
        if count < 0:
            raise ValueError("the count must not be negative")
        if article in self.stock:
            self.stock[article] += count
        else:
            self.stock[article] = count
        return self.stock[article]

    def take(self, article: str, count: int) -> int:
        left = self.stock[article] - count
        if left < 0:
            raise OutOfStock()
        if left == 0:
            del self.stock[article]
        else:
            self.stock[article] = left
        return left

    def available(self, article: str) -> int:
        return self.stock.get(article, 0)

    def rename(self, old: str, new: str) -> None:
        count = self.stock.pop(old)
        self.stock[new] = self.available(new) + count

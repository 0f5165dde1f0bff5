"""Shapes with a common base class: which method runs depends on the object."""

from __future__ import annotations


class Shape:
    def __init__(self, name: str) -> None:
        self.name = name

    def area(self) -> int:
        raise NotImplementedError()

    def fits(self, other: Shape) -> bool:
        return self.area() <= other.area()


class Rectangle(Shape):
    def __init__(self, name: str, width: int, height: int) -> None:
        super().__init__(name)
        self.width = width
        self.height = height

    def area(self) -> int:
        return self.width * self.height


class Square(Rectangle):
    def __init__(self, name: str, side: int) -> None:
        super().__init__(name, side, side)

    def grow(self, amount: int) -> None:
        if amount < 0:
            raise ValueError("a square only grows")
        self.width += amount
        self.height += amount


class Point(Shape):
    def area(self) -> int:
        return 0


def larger(first: Shape, second: Shape) -> str:
    """The name of the shape with the larger area, of the first when they are equal."""
    if isinstance(first, Point):
        return second.name
    return first.name if second.fits(first) else second.name

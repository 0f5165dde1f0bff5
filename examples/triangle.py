"""The kind of triangle that three sides form."""


def classify(a: int, b: int, c: int) -> str:
    if a <= 0 or b <= 0 or c <= 0:
        raise ValueError("sides must be positive")
    if a + b <= c or b + c <= a or a + c <= b:
        return "none"
    if a == b and b == c:
        return "equilateral"
    if a == b or b == c or c == a:
        return "isosceles"
    return "scalene"

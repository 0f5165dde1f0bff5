"""Integer power by repeated multiplication (Figure 1 of "Test Case Generation by Symbolic Execution")."""


def int_exp(a: int, n: int) -> int:
    if n < 0:
        raise ArithmeticError()
    out = 1
    while n > 0:
        out = out * a
        n -= 1
    return out

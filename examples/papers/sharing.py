"""Two structures that share nothing (Example 5 of "A CLP Heap Solver for Test Case Generation").

With `--assume 'nosharing(x, y)'` the inner test cannot succeed: z is part of what y reaches, and so is z.f.
"""

from __future__ import annotations


class Node:
    def __init__(self, f: Node | None) -> None:
        self.f = f


def share(x: Node, y: Node, z: Node) -> int:
    if y.f is z:
        x.f = z
        if x is z.f:
            return 2
        return 1
    return 0

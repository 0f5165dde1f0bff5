"""The symbolic execution tree of a function, as the page draws it (Figure 2 of "Test Case Generation by Symbolic
Execution"): inner nodes are choices, leaves are the ways in which paths end.
"""

from __future__ import annotations

from everypath.records import dataclass, field

INNER, RETURNED, RAISED, CUT, INFEASIBLE, UNKNOWN, UNSUPPORTED, OPEN = (
    "inner returned raised cut infeasible unknown unsupported open".split()
)
"""What a node can be; a leaf is `open` where the drawing, not the search, has stopped."""


@dataclass(slots=True)
class Node:
    """A state in which something is decided, or the end of a path."""

    kind: str
    file: str = ""
    line: int = 0
    """where the decision is made, or where the path ends"""
    choice: int = -1
    """the number by which the path came here; -1 for the root, and where there was no choice"""
    decided: tuple[str, ...] = ()
    """what had to hold to come here from the node above, readable"""
    bound: str = ""
    """for a cut leaf, which bound it is"""
    told: str = ""
    """what is to be said about the end of the path"""
    case: str = ""
    """the id of the case that follows this path"""
    same: bool = False
    """whether another path stands for this one in that case"""
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tree:
    """All paths from one start."""

    title: str
    root: Node
    complete: bool = True
    """whether every path is in it"""

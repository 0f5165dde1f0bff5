"""Goes on from where an earlier search has left paths, as PET does when its bounds are relaxed.

"PET allows to incrementally relax the imposed termination criterion to explore symbolic execution paths that were
initially pruned by the termination criterion" (section 3.5 of "Test Case Generation by Symbolic Execution"). What was
pruned is known by its choices. These make a tree, the upper part of the tree of the earlier search, which is walked
once: a part that several paths share is executed once, and what begins otherwise ended as a case before.
At a leaf the ordinary search takes over, under the new bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut
from everypath.explore.state import State
from everypath.paths import Leaf
from everypath.records import dataclass, field

_BEGIN = "begin"
"""A leaf that nothing is known of: everything after it is to be explored."""


NONE_KEPT: Mapping[tuple[int, ...], State] = {}


@dataclass(slots=True)
class _Node:
    """Choices that begin alike."""

    children: dict[int, _Node] = field(default_factory=dict)
    leaf: Leaf | None = None
    """the earlier search stopped here"""
    widens: Leaf | None = None
    """from the last choice of this leaf on, alternatives are new"""

    def after(self, choice: int) -> _Node | None:
        """What is left after one more choice, None for paths that the earlier search has followed to their end."""
        found = self.children.get(choice)
        if found is None and self.widens is not None and choice >= self.widens.choices[-1]:
            return _Node(leaf=Leaf((), _BEGIN))
        return found

    def leaves(self) -> Iterator[Leaf]:
        """All leaves from here on."""
        found = [self]
        while found:
            node = found.pop()
            yield from (leaf for leaf in (node.leaf, node.widens) if leaf is not None and leaf.kind != _BEGIN)
            found += node.children.values()


def _tree(leaves: Iterable[Leaf]) -> _Node:
    root = _Node()
    for leaf in leaves:
        node = root
        for choice in leaf.choices[:-1] if leaf.wider else leaf.choices:
            node = node.children.setdefault(choice, _Node())
        if leaf.wider:
            node.widens = leaf
        else:
            node.leaf = leaf
    return root


class Walk:
    """The way from the start of some paths to their leaves."""

    def __init__(
        self,
        machine: Machine,
        initial: State,
        leaves: Sequence[Leaf],
        kept: Mapping[tuple[int, ...], State] = NONE_KEPT,
    ) -> None:
        """Those paths of which the state was `kept` need not be walked."""
        self._machine = machine
        others = [leaf for leaf in leaves if leaf.choices not in kept]
        self._waiting = [(initial, _tree(others))] if others else []
        # Reversed, because the last one is taken first.
        for leaf in reversed(leaves):
            if leaf.choices in kept:
                state = kept[leaf.choices]
                goes_on = state.outcome is None or isinstance(state.outcome, Cut)
                node = _Node(widens=leaf) if leaf.wider else _Node(leaf=leaf)
                self._waiting.append((state.copy() if goes_on else state, node))
        self.lost: list[Leaf] = []
        """leaves that are not where they were, because the program offers other choices now"""

    def states(self) -> Iterator[State]:
        """The state at each leaf, ready to go on; a limit may end it before it gets there."""
        while self._waiting:
            state, node = self._waiting.pop()
            if node.leaf is not None or state.outcome is not None:
                yield state
                continue
            # On the way, the machine must stop at every choice.
            self._machine.waiting = None
            self._machine.run(state)
            if isinstance(state.outcome, Cut) and state.outcome.kind in ("time", "memory"):
                self._waiting.append((state, node))
                return
            if state.outcome is not None or state.successors is None:
                self.lost += node.leaves()
                continue
            self._take(state, node)

    def _take(self, state: State, node: _Node) -> None:
        found = []
        for successor in state.successors or ():
            assert successor.choices is not None
            after = node.after(successor.choices[0])
            if after is not None:
                found.append((successor, after))
        followed = {id(after) for _, after in found}
        self.lost += [leaf for each in node.children.values() if id(each) not in followed for leaf in each.leaves()]
        # Reversed, because the last one is taken first.
        self._waiting += found[::-1]

    def left(self) -> list[Leaf]:
        """The leaves to which the walk has not come."""
        return [leaf for _, node in self._waiting for leaf in node.leaves()]

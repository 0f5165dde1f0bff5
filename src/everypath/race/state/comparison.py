"""Where two snapshots differ, in words: paths from their roots and what is found there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.race.state.description import attribute_order, written
from everypath.race.state.graph import Node, Ref, Snapshot, Token

MOST_LINES = 20
_LONGEST_PATH = 200
_PAIRED = {"dict": 0, "defaultdict": 1}
"""kind -> where its keys and values begin"""
_SEQUENCES = {"list": 0, "tuple": 0, "deque": 1, "array": 1}


def difference(first: Snapshot, second: Snapshot, names: Sequence[str] = ("sut",)) -> list[str]:
    """Lines such as `sut.n: 1, not 2`: what the first has, not what the second has; none when they are equal."""
    if first.key == second.key:
        return []
    lines = list(_Comparison(first, second).lines(names))
    if not lines:
        lines = [f"{names[0] if names else 'sut'}: objects are shared in another way"]
    return lines[:MOST_LINES]


class _Comparison:
    """A walk through both snapshots at once, breadth first."""

    def __init__(self, first: Snapshot, second: Snapshot) -> None:
        self._first = first
        self._second = second
        self._paths: tuple[dict[int, str], dict[int, str]] = ({}, {})
        self._partner: dict[int, int] = {}
        self._queue: list[tuple[str, Token, Token]] = []

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        """One line for each difference."""
        roots = (self._first.roots, self._second.roots)
        if len(roots[0]) != len(roots[1]):
            yield f"{len(roots[0])} objects, not {len(roots[1])}"
        for index, (one, other) in enumerate(zip(*roots)):
            self._queue.append((names[index] if index < len(names) else f"object {index + 1}", one, other))
        for path, one, other in self._queue:
            short = path if len(path) <= _LONGEST_PATH else f"{path[:80]} ... {path[-80:]}"
            yield from self._tokens(short, one, other)

    def _tokens(self, path: str, one: Token, other: Token) -> Iterator[str]:
        if type(one) is Ref and type(other) is Ref:
            known = self._paths[0].get(one.number), self._paths[1].get(other.number)
            if known != (None, None):
                if self._partner.get(one.number) != other.number:
                    own = "an object of its own"
                    yield f"{path}: {known[0] or own}, not {known[1] or own}"
                return
            self._paths[0][one.number] = self._paths[1][other.number] = path
            self._partner[one.number] = other.number
        mine, theirs = self._first.node(one), self._second.node(other)
        if mine is None or theirs is None:
            if mine is not theirs or (one is not other and one != other):
                yield self._instead(path, one, other)
        elif mine[0] is not theirs[0]:
            yield self._instead(path, one, other)
        elif mine is not theirs:
            yield from self._nodes(path, one, other, mine, theirs)

    def _instead(self, path: str, one: Token, other: Token) -> str:
        shown, expected = written(self._first, one), written(self._second, other)
        if shown == expected:
            mine, theirs = self._first.node(one), self._second.node(other)
            if mine is not None and theirs is not None and mine[0] is not theirs[0]:
                return f"{path}: {mine[0].name}, not {theirs[0].name}"
            return f"{path}: another {shown}"
        return f"{path}: {shown}, not {expected}"

    def _nodes(self, path: str, one: Token, other: Token, mine: Node, theirs: Node) -> Iterator[str]:
        yield from self._attributes(path, mine, theirs)
        kind = mine[0].kind
        content, expected = mine[2 + len(mine[1]) :], theirs[2 + len(theirs[1]) :]
        if kind in _PAIRED:
            yield from self._items(path, content, expected, _PAIRED[kind])
        elif kind == "set":
            yield from self._elements(path, one, other, content, expected)
        elif len(content) != len(expected):
            yield self._instead(path, one, other)
        elif kind in _SEQUENCES:
            yield from self._sequence(path, one, other, content, expected, _SEQUENCES[kind])
        else:
            suffix = "" if kind == "cell" else ".<{}>"
            plain = [(a, b) for a, b in zip(content, expected) if type(a) is not Ref or type(b) is not Ref]
            if any(a is not b and a != b for a, b in plain):
                yield self._instead(path, one, other)
            else:
                pairs = enumerate(zip(content, expected))
                self._queue += [(path + suffix.format(i), a, b) for i, (a, b) in pairs if type(a) is Ref]

    def _attributes(self, path: str, mine: Node, theirs: Node) -> Iterator[str]:
        values, expected = dict(zip(mine[1], mine[2:])), dict(zip(theirs[1], theirs[2:]))
        for name in attribute_order({*values, *expected}):
            if name not in expected:
                yield f"{path}: has {name} = {written(self._first, values[name])}"
            elif name not in values:
                yield f"{path}: has no {name}"
            else:
                self._queue.append((f"{path}.{name}", values[name], expected[name]))

    def _sequence(
        self, path: str, one: Token, other: Token, content: Node, expected: Node, start: int
    ) -> Iterator[str]:
        if content[:start] != expected[:start]:
            yield self._instead(path, one, other)
            return
        different = [i for i in range(start, len(content)) if _plainly_different(content[i], expected[i])]
        if len(different) > 1 and len(content) <= 12:
            yield self._instead(path, one, other)
            return
        for i in range(start, len(content)):
            self._queue.append((f"{path}[{i - start}]", content[i], expected[i]))

    def _items(self, path: str, content: Node, expected: Node, start: int) -> Iterator[str]:
        if start and content[0] != expected[0]:
            made, other = written(self._first, content[0]), written(self._second, expected[0])
            yield f"{path}: makes missing values by {made}, not {other}"
        mine = self._by_key(0, content[start:])
        theirs = self._by_key(1, expected[start:])
        for key in mine:
            if key not in theirs:
                yield f"{path}: has key {key} with {written(self._first, mine[key][1])}"
        for key in theirs:
            if key not in mine:
                yield f"{path}: has no key {key}"
        if mine.keys() == theirs.keys() and list(mine) != list(theirs):
            yield f"{path}: keys in the order {', '.join(mine)}, not {', '.join(theirs)}"
        for key in mine:
            if key in theirs:
                (k, v), (other_k, other_v) = mine[key], theirs[key]
                if type(k) is Ref:
                    self._queue.append((f"the key {key} of {path}", k, other_k))
                self._queue.append((f"{path}[{key}]", v, other_v))

    def _written(self, side: int, token: Token) -> str:
        """An object that was met before is named by where that was, so that it is found again if it has changed."""
        known = self._paths[side].get(token.number) if type(token) is Ref else None
        return known or written((self._first, self._second)[side], token)

    def _by_key(self, side: int, content: Node) -> dict[str, tuple[Token, Token]]:
        found: dict[str, tuple[Token, Token]] = {}
        for key, value in zip(content[::2], content[1::2]):
            name = shown = self._written(side, key)
            again = 2
            while name in found:
                name = f"{shown} ({again})"
                again += 1
            found[name] = (key, value)
        return found

    def _elements(self, path: str, one: Token, other: Token, content: Node, expected: Node) -> Iterator[str]:
        mine = sorted(self._written(0, each) for each in content[0])
        theirs = sorted(self._written(1, each) for each in expected[0])
        if mine == theirs:
            if not any(type(each) is Ref for each in content[0]) and content[0] != expected[0]:
                yield self._instead(path, one, other)
            return
        for each in mine:
            if each not in theirs:
                yield f"{path}: has {each}"
        for each in theirs:
            if each not in mine:
                yield f"{path}: has no {each}"
        if set(mine) == set(theirs):
            yield f"{path}: {len(mine)} elements, not {len(theirs)}"


def _plainly_different(one: Token, other: Token) -> bool:
    if type(one) is Ref or type(other) is Ref:
        return type(one) is not type(other)
    return bool(one is not other and one != other)

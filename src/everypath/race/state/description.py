"""Snapshots of states in words, as Python would write the values, without addresses; and where two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from everypath.race.state.graph import Constant, Node, Ref, Snapshot, Token
from everypath.race.state.walking import walk

MOST_LINES = 20
_LONGEST_PATH = 200
_PAIRED = {"dict": 0, "defaultdict": 1}
"""kind -> where its keys and values begin"""
_SEQUENCES = {"list": 0, "tuple": 0, "deque": 1, "array": 1}
_DEEPEST = 8
_MOST_NODES = 300
_RAW = ("float", "complex", "bytes", "range")


def describe(snapshot: Snapshot, names: Sequence[str] = ()) -> str:
    """The state in one line, such as `Counter(n=1, _lock=free)`; further roots are shown if they have names."""
    first = written(snapshot, snapshot.roots[0], 400) if snapshot.roots else "nothing"
    others = zip(names[1:], snapshot.roots[1:])
    return "; ".join([first, *(f"{name}={written(snapshot, root, 160)}" for name, root in others)])


def render_value(value: object) -> str:
    """A short text for a value, the same in every run."""
    found = walk((value,)).snapshot()
    return written(found, found.roots[0], 160)


def written(snapshot: Snapshot, token: Token, length: int = 80) -> str:
    """A token of a snapshot in words, in at most this many characters."""
    found = _Writer(snapshot).token(token)
    return found if len(found) <= length else f"{found[: length * 2 // 3]} ... {found[-length // 4 :]}"


def attribute_order(names: Iterable[str]) -> list[str]:
    """Public names first."""
    return sorted(names, key=lambda name: (name.startswith("_"), name))


class _Writer:
    """Writes the tokens of one snapshot; a kind of node that does not look like a call has a method of its name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._open: set[int] = set()
        self._count = 0

    def token(self, token: Token) -> str:
        """The token in words."""
        if type(token) is Constant:
            return token.text
        if type(token) is tuple and type(token[1]) is not tuple:
            return _atom(*token)
        node = self._snapshot.node(token)
        if node is None:
            return repr(token)
        self._count += 1
        number = token.number if type(token) is Ref else -1
        if number in self._open or len(self._open) > _DEEPEST or self._count > _MOST_NODES:
            return "..."
        if number >= 0:
            self._open.add(number)
        try:
            return self._node(node)
        finally:
            self._open.discard(number)

    def _node(self, node: Node) -> str:
        shape, names = node[0], node[1]
        values = dict(zip(names, node[2:]))
        attributes = [
            f"{name}={self.token(values[name])}" for name in attribute_order(names) if self._tells(name, values[name])
        ]
        content = node[2 + len(names) :]
        write = getattr(self, f"_{shape.kind}", None)
        if write is None:
            return f"{shape.short}({', '.join([*map(self.token, content), *attributes])})"
        try:
            return str(write(shape.short, content, attributes))
        except LookupError:
            # The object could not be read, so the node lacks what its kind always has.
            return f"<{shape.short}>"

    def _tells(self, name: str, token: Token) -> bool:
        """Whether it says something about the state; bound methods and variables of rewritten code do not."""
        node = self._snapshot.node(token)
        return not name.startswith("__everypath_") and (node is None or node[0].kind != "method")

    def _call(self, name: str, plain: str, literal: str, attributes: list[str]) -> str:
        """The literal alone for the builtin class itself, else as the argument of its class."""
        return literal if name == plain else f"{name}({', '.join([literal, *attributes])})"

    def _moment(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"{name}({', '.join([*map(self.token, _without_zeros(content)), *attributes])})"

    def _list(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return self._call(name, "list", f"[{self._several(content)}]", attributes)

    def _tuple(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        inside = self._several(content)
        if name == "tuple":
            return f"({inside},)" if len(content) == 1 else f"({inside})"
        return f"{name}({', '.join([*([inside] if inside else []), *attributes])})"

    def _set(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        inside = ", ".join(sorted(map(self.token, content[0] if content else ())))
        if not inside:
            return f"{name}({', '.join(attributes)})"
        return self._call(name, "set", f"{{{inside}}}", attributes)

    def _dict(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        pairs = zip(content[::2], content[1::2])
        inside = ", ".join(f"{self.token(key)}: {self.token(value)}" for key, value in pairs)
        return self._call(name, "dict", f"{{{inside}}}", attributes)

    def _defaultdict(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"{name}({self.token(content[0])}, {self._dict('dict', content[1:], [])})"

    def _deque(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        longest = [] if type(content[0]) is Constant else [f"maxlen={content[0]}"]
        return f"{name}({', '.join([f'[{self._several(content[1:])}]', *longest, *attributes])})"

    def _text(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        inside = self._several(content) if name in ("str", "int") else str(content[0]) if content else ""
        if inside.startswith(f"{name}("):
            return inside
        return f"{name}({', '.join([inside, *attributes])})"

    def _name(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return str(content[0]) if content and type(content[0]) is str else f"<{name}>"

    _lock = _name

    def _enum(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        first = content[0]
        return f"{name}.{first}" if type(first) is str else f"{name}({self.token(first)})"

    def _method(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        function = content[0]
        node = self._snapshot.node(function)
        named = function if type(function) is str else function[1] if node is None else node[2 + len(node[1])]
        return f"<method {str(named).rpartition('.')[2]}>"

    def _weak(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"weakref({self._several(content) or 'dead'})"

    def _closure(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"<function {_qualified(content[0])} with {', '.join(attributes)}>"

    def _cell(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return self._several(content) or "unset"

    def _generator(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"<{name} {content[0]}>" if content else f"<{name}>"

    def _bare(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"<{name}>"

    _iterator = _opaque = _ignored = _bare

    def _cut(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return "..."

    def _view(self, name: str, content: Sequence[Token], attributes: list[str]) -> str:
        return f"{name}({self._several(content[-1:])})"

    def _several(self, tokens: Iterable[Token]) -> str:
        return ", ".join(map(self.token, tokens))


def _without_zeros(content: Sequence[Token]) -> Sequence[Token]:
    """A date and time without the seconds, fractions and time zone that it does not have."""
    kept = list(content)
    while len(kept) > 3 and (kept[-1] == 0 or type(kept[-1]) is Constant):
        kept.pop()
    return kept


def _qualified(name: object) -> str:
    """The name without the function in which it was defined."""
    return str(name).rpartition("<locals>.")[2]


def _atom(shape: Any, value: Any) -> str:
    if shape.kind == "ignored":
        return f"<{shape.short} {str(value).rpartition('.')[2]}>"
    if shape.name == "type":
        return str(value).rpartition(".")[2]
    if shape.kind in ("name", "value") or shape.name in _RAW:
        return _qualified(value)
    return f"{shape.short}({value!r})"


def difference(first: Snapshot, second: Snapshot, names: Sequence[str] = ("sut",)) -> list[str]:
    """Lines such as `sut.n: 1, not 2`: what the first has, not what the second has; none if they are equal."""
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
        """Name an object that was met before by where that was, so that it is found again if it has changed."""
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

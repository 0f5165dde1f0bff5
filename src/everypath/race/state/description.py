"""Snapshots of states in words, as Python would write the values, without addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everypath.race.state.graph import Constant, Node, Ref, Snapshot, Token
from everypath.race.state.walking import walk

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
    """A token of a snapshot in words, in at most that many characters."""
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
        """Bound methods and the variables of rewritten code say nothing about the state."""
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

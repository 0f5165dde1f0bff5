"""Snapshots of states in words, as Python would write the values, without addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from everypath.race.state.graph import Constant, Node, Ref, Snapshot, Token

_DEEPEST = 8
_MOST_NODES = 300
_PAIRED = ("dict", "defaultdict")
_RAW = ("float", "complex", "bytes", "range")


def describe(snapshot: Snapshot, names: Sequence[str] = ()) -> str:
    """The state in one line, such as `Counter(n=1, _lock=free)`; further roots are shown if they have names."""
    shown = [text(snapshot, 400)]
    for name, root in zip(names[1:], snapshot.roots[1:]):
        shown.append(f"{name}={_Writer(snapshot).write(root, 160)}")
    return "; ".join(shown)


def text(snapshot: Snapshot, length: int) -> str:
    """The first root in at most that many characters."""
    return _Writer(snapshot).write(snapshot.roots[0], length) if snapshot.roots else "nothing"


def attribute_order(names: Iterable[str]) -> Texts:
    """Public names first."""
    return sorted(names, key=lambda name: (name.startswith("_"), name))


Texts = list[str]
"""The class below has a method `list`."""


class _Writer:
    """Writes the tokens of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._open: set[int] = set()
        self._count = 0

    def write(self, token: Token, length: int) -> str:
        """The token in at most that many characters."""
        found = self._token(token)
        return found if len(found) <= length else f"{found[: length * 2 // 3]} ... {found[-length // 4 :]}"

    def _token(self, token: Token) -> str:
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
            f"{name}={self._token(values[name])}" for name in attribute_order(names) if self._tells(name, values[name])
        ]
        content = node[2 + len(names) :]
        write = _WRITERS.get(shape.kind)
        if write is None:
            return f"{shape.short}({', '.join([*map(self._token, content), *attributes])})"
        try:
            return write(self, shape.short, content, attributes)
        except LookupError:
            # The object could not be read, so the node lacks what its kind always has.
            return f"<{shape.short}>"

    def _tells(self, name: str, token: Token) -> bool:
        """Bound methods and the variables of rewritten code say nothing about the state."""
        node = self._snapshot.node(token)
        return not name.startswith("__everypath_") and (node is None or node[0].kind != "method")

    def _call(self, name: str, plain: str, literal: str, attributes: Texts) -> str:
        """The literal alone for the builtin class itself, else as the argument of its class."""
        return literal if name == plain else f"{name}({', '.join([literal, *attributes])})"

    def moment(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"{name}({', '.join([*map(self._token, _without_zeros(content)), *attributes])})"

    def list(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return self._call(name, "list", f"[{self._several(content)}]", attributes)

    def tuple(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        inside = self._several(content)
        if name == "tuple":
            return f"({inside},)" if len(content) == 1 else f"({inside})"
        return f"{name}({', '.join([*([inside] if inside else []), *attributes])})"

    def set(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        inside = ", ".join(sorted(map(self._token, content[0] if content else ())))
        if not inside:
            return f"{name}({', '.join(attributes)})"
        return self._call(name, "set", f"{{{inside}}}", attributes)

    def dict(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        pairs = zip(content[::2], content[1::2])
        inside = ", ".join(f"{self._token(key)}: {self._token(value)}" for key, value in pairs)
        return self._call(name, "dict", f"{{{inside}}}", attributes)

    def defaultdict(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"{name}({self._token(content[0])}, {self.dict('dict', content[1:], [])})"

    def deque(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        longest = [] if type(content[0]) is Constant else [f"maxlen={content[0]}"]
        return f"{name}({', '.join([f'[{self._several(content[1:])}]', *longest, *attributes])})"

    def text(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        inside = self._several(content) if name in ("str", "int") else str(content[0]) if content else ""
        if inside.startswith(f"{name}("):
            return inside
        return f"{name}({', '.join([inside, *attributes])})"

    def word(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return str(content[0]) if content and type(content[0]) is str else f"<{name}>"

    def enum(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        first = content[0]
        return f"{name}.{first}" if type(first) is str else f"{name}({self._token(first)})"

    def method(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        function = content[0]
        node = self._snapshot.node(function)
        named = function if type(function) is str else function[1] if node is None else node[2 + len(node[1])]
        return f"<method {str(named).rpartition('.')[2]}>"

    def weak(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"weakref({self._several(content) or 'dead'})"

    def closure(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"<function {_qualified(content[0])} with {', '.join(attributes)}>"

    def cell(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return self._several(content) or "unset"

    def generator(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"<{name} {content[0]}>" if content else f"<{name}>"

    def bare(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"<{name}>"

    def view(self, name: str, content: Sequence[Token], attributes: Texts) -> str:
        return f"{name}({self._several(content[-1:])})"

    def _several(self, tokens: Iterable[Token]) -> str:
        return ", ".join(map(self._token, tokens))


_WRITERS: dict[str, Callable[[_Writer, str, Sequence[Token], list[str]], str]] = {
    "moment": _Writer.moment,
    "list": _Writer.list,
    "tuple": _Writer.tuple,
    "set": _Writer.set,
    "dict": _Writer.dict,
    "defaultdict": _Writer.defaultdict,
    "deque": _Writer.deque,
    "text": _Writer.text,
    "lock": _Writer.word,
    "name": _Writer.word,
    "enum": _Writer.enum,
    "method": _Writer.method,
    "weak": _Writer.weak,
    "closure": _Writer.closure,
    "cell": _Writer.cell,
    "generator": _Writer.generator,
    "iterator": _Writer.bare,
    "opaque": _Writer.bare,
    "ignored": _Writer.bare,
    "bare": _Writer.bare,
    "cut": lambda *_: "...",
    "view": _Writer.view,
}


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


def written(snapshot: Snapshot, token: Token, length: int = 80) -> str:
    """A token of a snapshot in words."""
    return _Writer(snapshot).write(token, length)

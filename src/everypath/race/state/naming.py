"""Names for the objects of a start state, so that a place has the same name in every run from that state."""

from __future__ import annotations

import re
import types

from everypath.concurrency.access import WHOLE
from everypath.race.events import Item
from everypath.race.running import SHARED
from everypath.race.state.class_layouts import short_name
from everypath.race.state.description import render_value, written
from everypath.race.state.graph import Node, Ref
from everypath.race.state.walking import Walk, walk

_LONGEST = 200
_OWN_VARIABLE = re.compile(r"\.__everypath_\w+__\.cell_contents$")
"""What rewritten code adds to a function to stand for a variable of it."""


class Names:
    """The shortest path to every object that could be reached at the start; keeps these objects alive."""

    __slots__ = ("_found", "_paths", "_roots", "_snapshot", "_values", "_ways")

    def __init__(self, roots: dict[str, object], found: Walk) -> None:
        self._roots = tuple(roots)
        self._values = tuple(roots.values())
        self._found = found
        self._snapshot = found.snapshot()
        self._ways: list[tuple[int, int] | None] | None = None
        """for each node, the one through which it is reached, and the position in it; roots are below zero"""
        self._paths: dict[int, str] = {}

    def of(self, value: object) -> str | None:
        """The name of an object; None if it did not exist at the start or cannot change."""
        token = self._found.memo.get(id(value))
        if type(token) is Ref and self._found.objects[token.number] is value:
            return self._paths.get(token.number) or self._path(token.number)
        for root, name in zip(self._values, self._roots):
            if root is value and name != "*":
                # A frozen object is a value unless it is what everything is about.
                return name
        if issubclass(type(value), type):
            return short_name(value)  # type: ignore[arg-type]
        if type(value) is types.ModuleType:
            return str(value.__name__)
        if type(value) is dict and "__spec__" in value and "__name__" in value:
            # The globals of a module.
            return str(value["__name__"])
        return None

    def _path(self, number: int) -> str:
        ways = self._ways if self._ways is not None else self._walk()
        steps: list[tuple[int, int, int]] = []
        while number not in self._paths:
            way = ways[number]
            assert way is not None
            parent, position = way
            if parent < 0:
                self._paths[number] = self._roots[position]
                break
            steps.append((number, parent, position))
            number = parent
        for number, parent, position in reversed(steps):
            path = self._paths[parent]
            # A long chain must not cost the square of its length; the number is as unique as the path.
            start = path if len(path) < _LONGEST else f"{path[: _LONGEST // 2]}...#{parent}"
            self._paths[number] = start + self._step(self._found.nodes[parent], position)
        return self._paths[number]

    def _walk(self) -> list[tuple[int, int] | None]:
        """Breadth first from the roots, in the order of names."""
        nodes = self._found.nodes
        ways: list[tuple[int, int] | None] = [None] * len(nodes)
        order: list[int] = []

        def visit(token: Ref, parent: int, position: int) -> None:
            if ways[token.number] is None:
                ways[token.number] = parent, position
                order.append(token.number)

        for position, token in enumerate(self._found.roots):
            if type(token) is Ref:
                visit(token, -1, position)
        for number in order:
            node = nodes[number]
            for position, token in enumerate(node):
                if type(token) is Ref:
                    visit(token, number, position)
            if type(node[-1]) is frozenset:
                for position, token in enumerate(_elements(node)):
                    visit(token, number, len(node) + position)
        self._ways = ways
        return ways

    def _step(self, node: Node, position: int) -> str:
        """How the path goes on from a node to what it has at a position."""
        shape, names = node[0], node[1]
        position -= 2
        if position < len(names):
            return f".{names[position]}"
        position -= len(names)
        match shape.kind:
            case "dict" | "defaultdict":
                start = 1 if shape.kind == "defaultdict" else 0
                is_key = (position - start) % 2 == 0
                key = node[2 + len(names) + position - (0 if is_key else 1)]
                return f"[{written(self._snapshot, key, 60)}]{'<key>' if is_key else ''}"
            case "set":
                return f"{{{position - 1}}}"
            case "list" | "tuple":
                return f"[{position}]"
            case "deque":
                return f"[{position - 1}]"
            case "cell":
                return ".cell_contents"
            case "weak":
                return "()"
            case "method" if position:
                return ".__self__"
            case _:
                return f"<{position}>"


def _elements(node: Node) -> list[Ref]:
    """The numbered elements of a set, in the order of their numbers, which does not depend on hashes."""
    return sorted((each for each in node[-1] if type(each) is Ref), key=lambda each: each.number)


def name_objects(**roots: object) -> Names:
    """Names for everything that can change and can be reached from the named roots."""
    return Names(roots, walk(tuple(roots.values())))


def place_label(path: str, key: object, shared: str = SHARED) -> str:
    """A place for people, such as `Cache._data['a']`; `shared` is the name of the class whose object is shared."""
    if path == SHARED or path.startswith((f"{SHARED}.", f"{SHARED}[", f"{SHARED}{{")):
        path = shared + path[len(SHARED) :]
    path = _OWN_VARIABLE.sub("", path)
    if isinstance(key, Item):
        return f"{path}[{render_value(key.key)}]"
    return path if key is None or key == WHOLE else f"{path}.{key}"

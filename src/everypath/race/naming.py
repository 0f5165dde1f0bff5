"""Names for the objects of a start state, so that a place has the same name in every run from that state."""

from __future__ import annotations

import re
import types
from typing import Any

from everypath.concurrency.access import WHOLE
from everypath.race.anatomy import short_name
from everypath.race.calls import SHARED
from everypath.race.events import Item
from everypath.race.picture import Ref, Snapshot
from everypath.race.portrait import written
from everypath.race.reach import Walk, walk
from everypath.race.snapshot import render_value

_LONGEST = 200
_OWN_VARIABLE = re.compile(r"\.__everypath_\w+__\.cell_contents$")
"""What rewritten code adds to a function to stand for a variable of it."""


class Names:
    """The shortest path to every object that could be reached at the start; keeps these objects alive."""

    __slots__ = ("_found", "_paths", "_roots", "_snapshot")

    def __init__(self, roots: tuple[str, ...], found: Walk) -> None:
        self._roots = roots
        self._found = found
        self._snapshot = Snapshot((found.roots, *found.nodes), frozenset(), found.truncated)
        self._paths: list[str] | None = None

    def of(self, value: object) -> str | None:
        """The name of an object; None for one that did not exist at the start or cannot change."""
        token = self._found.memo.get(id(value))
        if type(token) is Ref and self._found.objects[token.number] is value:
            if self._paths is None:
                self._paths = self._walk()
            return self._paths[token.number]
        if issubclass(type(value), type):
            return short_name(value)  # type: ignore[arg-type]
        if type(value) is types.ModuleType:
            return str(value.__name__)
        if type(value) is dict and "__spec__" in value and "__name__" in value:
            # The globals of a module.
            return str(value["__name__"])
        return None

    def _walk(self) -> list[str]:
        paths = [""] * len(self._found.nodes)
        order: list[int] = []

        def visit(token: Any, path: str) -> None:
            if type(token) is Ref and not paths[token.number]:
                paths[token.number] = path
                order.append(token.number)

        for name, token in zip(self._roots, self._found.roots):
            visit(token, name)
        for number in order:
            for suffix, token in self._children(number):
                path = paths[number]
                # A long chain must not cost the square of its length; the number is as unique as the path.
                visit(token, (path if len(path) < _LONGEST else f"{path[: _LONGEST // 2]}...#{number}") + suffix)
        return paths

    def _children(self, number: int) -> list[tuple[str, Any]]:
        node = self._found.nodes[number]
        shape, names = node[0], node[1]
        content = node[2 + len(names) :]
        children = [(f".{name}", token) for name, token in zip(names, node[2:])]
        match shape.kind:
            case "dict" | "defaultdict":
                start = 1 if shape.kind == "defaultdict" else 0
                for position in range(start, len(content) - 1, 2):
                    key, value = content[position], content[position + 1]
                    suffix = f"[{written(self._snapshot, key, 60)}]"
                    children += [(suffix, value), (f"{suffix}<key>", key)]
            case "set":
                elements = [each for each in content[0] if type(each) is Ref] if content else []
                elements.sort(key=lambda each: each.number)
                children += [(f"{{{position}}}", each) for position, each in enumerate(elements)]
            case "list" | "tuple":
                children += [(f"[{position}]", token) for position, token in enumerate(content)]
            case "deque":
                children += [(f"[{position}]", token) for position, token in enumerate(content[1:])]
            case "cell":
                children += [(".cell_contents", token) for token in content]
            case "weak":
                children += [("()", token) for token in content]
            case "method":
                children += [(".__self__", token) for token in content[1:]]
            case _:
                children += [(f"<{position}>", token) for position, token in enumerate(content)]
        return children


def name_objects(**roots: object) -> Names:
    """Names for everything that can change and can be reached from the named roots."""
    return Names(tuple(roots), walk(tuple(roots.values())))


def place_label(path: str, key: object, shared: str = SHARED) -> str:
    """A place for people, such as `Cache._data['a']`; `shared` is the name of the class whose object is shared."""
    if path == SHARED or path.startswith((f"{SHARED}.", f"{SHARED}[", f"{SHARED}{{")):
        path = shared + path[len(SHARED) :]
    path = _OWN_VARIABLE.sub("", path)
    if isinstance(key, Item):
        return f"{path}[{render_value(key.key)}]"
    return path if key is None or key == WHOLE else f"{path}.{key}"

"""Random programs over lists that may be one list, with indices that are inputs."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.heap.programs import Program, assemble, indent
from tests.heap.shapes import NODES

_COMPARISONS = ("<", ">", "==", "!=", "<=")
_INDICES = ("i", "j", "k", "0", "-1", "i + 1")
_NUMBERS = ("xs", "ys")
_NODES = ("ns", "os")


class _Statements:
    """Draws statements over one or two lists of integers and one or two of nodes."""

    def __init__(self, draw: st.DrawFn, lists: dict[str, str]) -> None:
        self.draw = draw
        self.lists = lists
        self.integers = [name for name, element in lists.items() if element == "int"]
        self.nodes = [name for name, element in lists.items() if element == "Node"]

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def element(self) -> str:
        """An integer read from a list."""
        name = self.pick(*self.lists)
        item = f"{name}[{self.pick(*_INDICES)}]"
        return item if self.lists[name] == "int" else f"{item}.{self.pick('f', 'g')}"

    def number(self) -> str:
        kind = self.pick("constant", "element", "sum", "length", "variable")
        if kind == "element":
            return self.element()
        if kind == "sum":
            return f"{self.element()} + {self.pick('1', '2', 'm')}"
        if kind == "length":
            return f"len({self.pick(*self.lists)})"
        return self.pick("m", "k") if kind == "variable" else self.pick("0", "1", "3", "-1")

    def node(self) -> str:
        names = ["a", "p", *(f"{name}[{self.pick('i', 'j', '0')}]" for name in self.nodes)]
        return self.pick(*names)

    def condition(self) -> str:
        kinds = ["compare", "compare", "index", "length"]
        kind = self.pick(*kinds, *["lists"] * (len(self.lists) > 1), *["same"] * bool(self.nodes))
        if kind == "index":
            return f"{self.pick('i', 'j')} {self.pick('==', '!=', '<')} {self.pick('j', 'k', '1')}"
        if kind == "length":
            name = self.pick(*self.lists)
            return self.pick(
                f"len({name}) > {self.pick('0', '1', '2', 'm')}", f"i < len({name})", f"0 <= j and j < len({name})"
            )
        if kind == "lists":
            return f"{self.pick(*self.lists)} {self.pick('is', 'is not')} {self.pick(*self.lists)}"
        if kind == "same":
            return f"{self.node()} {self.pick('is', 'is not')} {self.node()}"
        return f"{self.element()} {self.pick(*_COMPARISONS)} {self.number()}"

    def simple(self) -> str:
        name = self.pick(*self.lists)
        whole = self.lists[name] == "int"
        content = self.number() if whole else self.node()
        kind = self.pick("store", "store", "store", "read", "append", "pop", "rebind", "field")
        if kind == "append":
            return f"{name}.append({content})"
        if kind == "pop":
            return f"{'m' if whole else 'p'} = {name}.pop()"
        if kind == "read":
            return f"m = {self.number()}" if whole else f"p = {self.node()}"
        if kind == "rebind":
            same = [other for other in self.lists if self.lists[other] == self.lists[name]]
            return f"{name} = {self.pick(*same)}"
        if kind == "field" and self.nodes:
            return f"{self.node()}.{self.pick('f', 'g')} = {self.number()}"
        return f"{name}[{self.pick(*_INDICES)}] = {content}"

    def block(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, most))):
            kind = self.pick("simple", "simple", "if", "try") if depth else "simple"
            if kind == "if":
                lines += [f"if {self.condition()}:", *indent(self.block(depth - 1, 2))]
                if self.draw(st.booleans()):
                    lines += ["else:", *indent(self.block(depth - 1, 1))]
            elif kind == "try":
                lines += ["try:", *indent(self.block(0, 1)), "except IndexError:", "    m = -2"]
            else:
                lines.append(self.simple())
        return lines


@st.composite
def list_programs(draw: st.DrawFn, depth: int = 1, statements: int = 4) -> Program:
    """Programs that read and write lists at symbolic places."""
    names = draw(st.sampled_from([_NUMBERS, _NUMBERS, _NUMBERS[:1], _NODES, _NODES[:1], ("xs", "ns")]))
    lists = {name: "int" if name in _NUMBERS else "Node" for name in names}
    params = [(name, f"list[{element}]") for name, element in lists.items()]
    nodes = "Node" in lists.values()
    params += [("a", "Node")] * nodes
    params += [(name, "int") for name in ("i", "j", "k")]
    writer = _Statements(draw, lists)
    body = ["m = 0", *["p = a"] * nodes, *writer.block(depth, statements)]
    result = [writer.number(), "m", *["p"] * nodes, draw(st.sampled_from(list(lists)))]
    return assemble(NODES, params, [*body, f"return ({', '.join(result)})"])

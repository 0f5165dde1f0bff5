"""A summary as text: for each case its input heap, its condition, its output heap and its outcome.

These are the columns of Table 1 of "Test Case Generation by Symbolic Execution". What a condition fixes to a value is
written as that value in the heaps, as it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from everypath.explore.objects import Restrict, short
from everypath.explore.outcomes import Finished
from everypath.explore.search.summaries.model import Leaf, Summary
from everypath.heap.alternatives import Alias, Bind
from everypath.heap.choice import Alternative, Assume
from everypath.heap.values import Cell, DictCell, ListCell, OneOf, OpenList, Ref, Unknown, Value
from everypath.logic.nodes import Comparison
from everypath.logic.substitution import CannotRebuild, substitute
from everypath.logic.terms import Term, Var
from everypath.logic.terms import Value as Scalar

Fixed = Mapping[Var, Scalar]


def summary_text(summary: Summary) -> str:
    """All cases; last, how many paths are in no case, and why."""
    cases: list[str] = []
    left_out: dict[str, int] = {}
    for answers, leaf in summary.leaves():
        if isinstance(leaf, Leaf):
            cases.append("\n".join((f"case {len(cases) + 1}", *_lines(summary, answers, leaf))))
        else:
            left_out[leaf.reason] = left_out.get(leaf.reason, 0) + 1
    names = ", ".join(param.name for param in summary.method.params)
    head = f"{summary.method.qualified}({names}): {len(cases)} {'case' if len(cases) == 1 else 'cases'}"
    missing = [f"in no case: {count} ({reason})" for reason, count in left_out.items()]
    return "\n".join((head, *cases, *missing))


def _lines(summary: Summary, answers: Sequence[Alternative], leaf: Leaf) -> Iterator[str]:
    shown = _Shown(summary, answers, leaf)
    rows = (
        ("input heap", shown.input_heap()),
        ("condition", shown.conditions()),
        ("output heap", shown.output_heap()),
    )
    for name, parts in rows:
        text = ", ".join(parts)
        if text:
            yield f"  {name:12} {text}"
    outcome = leaf.outcome
    if isinstance(outcome, Finished):
        yield f"  {'outcome':12} returns {shown.value(outcome.value)}"
    else:
        yield f"  {'outcome':12} raises {short(outcome.cls)}"


class _Shown:
    """One case in words."""

    def __init__(self, summary: Summary, answers: Sequence[Alternative], leaf: Leaf) -> None:
        self._summary = summary
        self._leaf = leaf
        self._answers = answers
        self._fixed = _fixed(answers)
        self._nulls = {a.unknown for a in answers if isinstance(a, Bind) and a.value is None}
        self._same = {a.unknown: a.ref for a in answers if isinstance(a, Alias)}
        parts: dict[Unknown, list[tuple[object, Value]]] = {}
        for atom, place in summary.places.items():
            if isinstance(place, tuple) and isinstance(place[1], (str, int, Term)):
                parts.setdefault(place[0], []).append((place[1], atom))
        self._parts = parts

    def conditions(self) -> Iterator[str]:
        """What is asked on the way, but not what the heaps show already."""
        for answer in self._answers:
            if isinstance(answer, Assume):
                text = self._term(answer.condition)
                if text not in ("True", "False"):
                    yield text
            elif isinstance(answer, Restrict):
                yield f"{answer.ref.name} is a {short(answer.bound.bound)}"

    def input_heap(self) -> Iterator[str]:
        """The inputs that are objects, with the parts of them that a case of the method looks at."""
        for unknown in self._references():
            if unknown in self._nulls:
                yield f"{unknown.name} = None"
            elif unknown in self._same:
                yield f"{unknown.name} = {self._same[unknown].name}"
            elif unknown in self._leaf.touched:
                yield f"{unknown.name} -> {self._content(unknown)}"

    def _references(self) -> Iterator[Unknown]:
        for atom in self._summary.places:
            if isinstance(atom, Unknown):
                yield atom

    def _content(self, unknown: Unknown) -> str:
        fields = [
            f"{key}={self.value(value)}" if isinstance(key, str) else f"[{key}]={self.value(value)}"
            for key, value in self._parts.get(unknown, [])
        ]
        return f"{self._kind(unknown)}({', '.join(fields)})"

    def _kind(self, unknown: Unknown) -> str:
        ref = next((r for r in self._leaf.cells if r.origin is unknown), None)
        return short(ref.cls) if ref is not None else "object"

    def output_heap(self) -> Iterator[str]:
        """The fields and lists that the case has changed, with the objects that it has made."""
        last = {(write.target, write.name): write.value for write in self._leaf.writes}
        for (target, name), value in last.items():
            if target.input:
                yield f"{self.value(target)}.{name} = {self.value(value)}"
        for ref, cell in self._leaf.lists:
            yield f"{self.value(ref)} -> {self._cell(cell)}"

    def value(self, value: Value) -> str:
        """A value of the method in terms of its inputs."""
        if isinstance(value, Term):
            return self._term(value)
        if isinstance(value, Unknown):
            return "None" if value in self._nulls else value.name
        if isinstance(value, OneOf):
            rules = "".join(f"{self.value(inner)} if {self._term(guard)} else " for guard, inner in value.rules)
            return f"({rules}{self.value(value.otherwise)})"
        if isinstance(value, Ref):
            return value.name if value.input or value.name else self._made(value)
        return repr(value)

    def _made(self, ref: Ref) -> str:
        cell = self._leaf.cells[ref]
        return f"new {short(ref.cls)}{self._cell(cell)}"

    def _cell(self, cell: Cell) -> str:
        if isinstance(cell, dict):
            return f"({', '.join(f'{n}={self._inside(v)}' for n, v in cell.items() if not n.startswith('$'))})"
        if isinstance(cell, ListCell):
            return f"[{', '.join(self._inside(item) for item in cell.items)}]"
        if isinstance(cell, OpenList):
            return f"[{', '.join(f'{i}: {self._inside(v)}' for i, v in cell.known)}, ...]"
        if isinstance(cell, DictCell):
            return f"{{{', '.join(f'{self._inside(k)}: {self._inside(v)}' for k, v in cell.entries)}}}"
        return ""

    def _inside(self, value: Value) -> str:
        """A value inside an object; one that was made is only named there, since objects may go in a circle."""
        return f"new {short(value.cls)}" if isinstance(value, Ref) and not value.input else self.value(value)

    def _term(self, term: Term) -> str:
        try:
            return str(substitute(term, lambda variable: self._fixed.get(variable, variable), {}))
        except CannotRebuild:
            return str(term)


def _fixed(answers: Sequence[Alternative]) -> Fixed:
    """The inputs that conditions fix to a value, also those that follow from others."""
    found: dict[Var, Scalar] = {}
    changed = True
    while changed:
        changed = False
        for answer in answers:
            if not isinstance(answer, Assume):
                continue
            try:
                condition = substitute(answer.condition, lambda variable: found.get(variable, variable), {})
            except CannotRebuild:
                continue
            if isinstance(condition, Comparison) and condition.op == "==" and len(condition.parts) == 1:
                ((atom, coefficient),) = condition.parts
                if isinstance(atom, Var) and condition.const % coefficient == 0:
                    found[atom] = -condition.const // coefficient
                    changed = True
    return found

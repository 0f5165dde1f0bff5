"""The first part of a test whose input objects are made by calls, as a user of their classes would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from everypath.cases.model import CallCase, Value
from everypath.languages.python.writers.act import call_arguments
from everypath.languages.python.writers.graph import pointers, reachable
from everypath.languages.python.writers.imports import Imports
from everypath.languages.python.writers.layout import INDENT, assignment, call, lay_out
from everypath.languages.python.writers.values import Writer
from everypath.languages.python.writers.variables import Scope, roots_of, snake_case


def name_built(case: CallCase, scope: Scope) -> dict[str, str]:
    """A variable for every made object, and for every other one that more than one call gets."""
    names: dict[str, str] = {}
    for step in case.inputs.steps:
        if step.target not in names:
            names[step.target] = scope.claim(snake_case(step.cls.rpartition(".")[2]))
    arguments = [(name, value) for step in case.inputs.steps for name, value, _ in step.arguments]
    uses = Counter(target for _, value in arguments for target in pointers(value))
    under_test = {target for _, value in roots_of(case) for target in pointers(value)}
    for name, value in (*roots_of(case), *arguments):
        for target in pointers(value):
            if target in case.inputs.heap and target not in names and (target in under_test or uses[target] > 1):
                names[target] = scope.claim(name)
    return names


def build_lines(case: CallCase, names: Mapping[str, str], imports: Imports) -> list[str]:
    """The statements that make the inputs, in the order of the calls."""
    heap = case.inputs.heap
    writer = Writer(heap, names, imports)
    done: set[str] = set()
    lines: list[str] = []

    def provide(values: Iterable[Value]) -> None:
        for target in reversed(reachable(values, heap)):
            if target in names and target not in done:
                done.add(target)
                lines.extend(assignment(names[target], writer.container(heap[target])))

    for step in case.inputs.steps:
        provide(value for _, value, _ in step.arguments)
        arguments = call_arguments(step.arguments, writer)
        if step.method:
            lines += lay_out("", call(f"{names[step.target]}.{step.method}", arguments), "", INDENT)
        else:
            lines += assignment(names[step.target], call(imports.name(step.module, step.cls), arguments))
    provide(value for _, value in roots_of(case))
    return lines

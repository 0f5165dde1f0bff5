"""The assertions about the calls of stand-ins."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import (
    Asked,
    CallCase,
    Instance,
    ObjectState,
    Opaque,
    Pointer,
    Returned,
    StandInState,
    TupleValue,
    Value,
    parts,
)
from everypath.languages.python.scripts.graph import is_nan, on_cycle, plain
from everypath.languages.python.scripts.imports import MOCK, Imports
from everypath.languages.python.scripts.layout import INDENT, Expr, Group, Item, Text, assertion, call, lay_out
from everypath.languages.python.scripts.values import Plans, Writer


class Calls:
    """Writes the assertions about the calls of stand-ins."""

    def __init__(self, case: CallCase, names: Mapping[str, str], imports: Imports, plans: Plans) -> None:
        self._case = case
        self._names = dict(names)
        self._imports = imports
        outcome = case.expected.outcome
        if isinstance(outcome, Returned) and isinstance(outcome.value, Pointer):
            self._names.setdefault(outcome.value.id, "result")
        self._writer = Writer(case.expected.heap, self._names, imports, plans)

    def lines(self) -> list[str]:
        """One assertion for each method that was called in order to do something, or with arguments."""
        grouped: dict[tuple[str, str], list[Asked]] = {}
        for asked in self._case.expected.asked:
            grouped.setdefault((asked.target, asked.method), []).append(asked)
        lines: list[str] = []
        for (target, method), calls in grouped.items():
            if target in self._names and self._tells(target, method, calls):
                lines += self._assertion(self._names[target], method, calls)
        return lines

    def _tells(self, target: str, method: str, calls: list[Asked]) -> bool:
        if method.startswith("__") and method != "__call__":
            return False
        state = self._case.inputs.heap.get(target)
        answered = isinstance(state, StandInState) and method in dict(state.answers)
        return not answered or any(asked.arguments or asked.keywords for asked in calls)

    def _assertion(self, name: str, method: str, calls: list[Asked]) -> list[str]:
        place = f"{name}.{method}" if method not in ("", "__call__") else name
        if len(calls) == 1:
            return lay_out("", call(f"{place}.assert_called_once_with", self._given(calls[0])), "", INDENT)
        maker = self._imports.name(MOCK, "call")
        listed = Group("[", tuple(Item(call(maker, self._given(asked))) for asked in calls), "]")
        return assertion(Text(f"{place}.call_args_list"), "==", listed)

    def _given(self, asked: Asked) -> list[Item]:
        items = [Item(self._argument(value)) for value in asked.arguments]
        return items + [Item(self._argument(value), f"{name}=") for name, value in asked.keywords]

    def _argument(self, value: Value) -> Expr:
        """The value as it is compared, or `ANY` where equality says nothing about it."""
        if self._comparable(value):
            return self._writer.value(value)
        return Text(self._imports.name(MOCK, "ANY"))

    def _comparable(self, value: Value) -> bool:
        if isinstance(value, TupleValue):
            return all(map(self._comparable, value.items))
        if isinstance(value, Pointer):
            heap = self._case.expected.heap
            return value.id in self._names or plain(value, heap, self._names) or self._is_by_value(value.id)
        return not is_nan(value) and not isinstance(value, (Opaque, Instance))

    def _is_by_value(self, target: str) -> bool:
        """Whether an object made now can be compared with the one that the call made."""
        state = self._case.expected.heap.get(target)
        if not isinstance(state, ObjectState) or self._writer.plan_by_value(state) is None:
            return False
        return not on_cycle(target, self._case.expected.heap) and all(map(self._comparable, parts(state)))

"""Stand-ins as source: mocks with their answers, and functions that are written where they are passed."""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.model import Answer, Gives, StandInState, Value
from everypath.errors import Unsupported
from everypath.languages.python.scripts.imports import MOCK, Imports
from everypath.languages.python.scripts.layout import Expr, Group, Item, Text, assignment, call, flat
from everypath.languages.python.scripts.literals import quoted

_ITERATORS = ("__iter__", "__reversed__", "__aiter__")


def in_place(state: StandInState) -> str | None:
    """The beginning of the lambda that does all that a function must do; None where it takes more than that."""
    if state.cls or state.name or state.awaited or len(state.answers) != 1:
        return None
    answers = state.answers[0][1]
    if not isinstance(answers[0], Gives) or any(answer != answers[0] for answer in answers):
        return None
    return f"lambda{_parameters(state)}: "


def _parameters(state: StandInState) -> str:
    if state.strict and state.takes is None:
        return " *args, **kwargs"
    names = [f"arg{number}" for number in range(1, (state.takes or 0) + 1)]
    return f" {', '.join(names)}" if names else ""


class StandIns:
    """Writes stand-ins, given how values are written."""

    def __init__(self, value: Callable[[Value], Expr], imports: Imports) -> None:
        self._value = value
        self._imports = imports

    def expression(self, state: StandInState) -> Expr:
        """A stand-in that has no name: a function that always gives the same is a lambda."""
        head = in_place(state)
        if head is None:
            return self.made(state)
        answer = state.answers[0][1][0]
        assert isinstance(answer, Gives)
        return Text(f"{head}{flat(self._value(answer.value))}")

    def made(self, state: StandInState) -> Expr:
        """The expression that makes a stand-in; what it answers is said afterwards where it has methods."""
        if not state.cls:
            return self._function(state)
        cls = Text(self._imports.name(state.module, state.cls))
        if state.strict:
            return call(self._mock("create_autospec"), [Item(cls), Item(Text("True"), "instance=")])
        special = any(method.startswith("__") and method != "__call__" for method, _ in state.answers)
        kind = "AsyncMock" if "__call__" in state.awaited else "MagicMock" if special else "Mock"
        return call(self._mock(kind), [Item(cls, "spec=")])

    def _function(self, state: StandInState) -> Expr:
        given = [Item(value, f"{kind}=") for method, answers in state.answers for kind, value in [self._said(answers)]]
        if state.awaited:
            if state.strict:
                raise Unsupported("a function with a signature of its own whose result is awaited")
            return call(self._mock("AsyncMock"), given)
        if state.strict:
            return call(self._mock("create_autospec"), [Item(Text(f"lambda{_parameters(state)}: None")), *given])
        return call(self._mock("Mock"), given)

    def settings(self, name: str, state: StandInState) -> list[str]:
        """The statements that give a stand-in its attributes and its answers."""
        lines: list[str] = []
        if state.name:
            lines += assignment(f"{name}.__name__", Text(quoted(state.name)))
        for field, value in state.fields:
            lines += assignment(f"{name}.{field}", self._value(value))
        for method, answers in state.answers if state.cls else ():
            place = f"{name}.{method}" if method not in ("", "__call__") else name
            kind, said = self._said(answers, iterators=method in _ITERATORS)
            if method in state.awaited and place != name:
                lines += assignment(place, call(self._mock("AsyncMock"), [Item(said, f"{kind}=")]))
            else:
                lines += assignment(f"{place}.{kind}", said)
        return lines

    def _said(self, answers: tuple[Answer, ...], iterators: bool = False) -> tuple[str, Expr]:
        """Whether one value or several are given, and the expression for it."""
        first = answers[0]
        if all(answer == first for answer in answers):
            return ("return_value" if isinstance(first, Gives) else "side_effect"), self._answer(first)
        each = [self._answer(answer) for answer in answers]
        if iterators:
            each = [call("iter", [Item(answer)]) for answer in each]
        return "side_effect", Group("[", tuple(map(Item, each)), "]")

    def _answer(self, answer: Answer) -> Expr:
        if isinstance(answer, Gives):
            return self._value(answer.value)
        items = [Item(self._value(value)) for value in answer.arguments]
        items += [Item(self._value(value), f"{name}=") for name, value in answer.keywords]
        return call(self._imports.name(answer.module, answer.cls), items)

    def _mock(self, name: str) -> str:
        return self._imports.name(MOCK, name)

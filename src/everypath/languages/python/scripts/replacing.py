"""The part of a test that puts known answers in the place of clocks and random numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everypath.cases.model import CallCase, Literal, Replacement, Value
from everypath.languages.python.cards.dates import CLOCKS
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import INDENT, Expr, Group, Item, Text, assignment, call, flat, lay_out
from everypath.languages.python.scripts.literals import quoted
from everypath.languages.python.scripts.values import Writer
from everypath.languages.python.scripts.variables import Scope

FIXTURE = "monkeypatch"
FOLDER = "tmp_path"
"""What the test asks pytest for."""
_MENTIONED = {name: re.compile(rf"\b{name}\b") for name in (FIXTURE, FOLDER)}
ENVIRONMENT = "os.environ"
_ANSWER = "ANSWER"
_LAMBDAS = {
    "random.random": ("", _ANSWER),
    "random.randint": ("a, b", _ANSWER),
    "random.choice": ("seq", f"seq[{_ANSWER}]"),
    "secrets.choice": ("seq", f"seq[{_ANSWER}]"),
    "random.choices": ("population, *args, **named", f"[population[i] for i in {_ANSWER}]"),
    "random.sample": ("population, k", f"[population[i] for i in {_ANSWER}]"),
    "random.shuffle": ("x", f"x.reverse() if {_ANSWER} else None"),
    "builtins.input": ("*args", _ANSWER),
    "time.sleep": ("seconds", _ANSWER),
}
"""Function -> parameters and result of what takes its place; all others take anything and give the answer."""
_NOTHING = frozenset(
    "time monotonic perf_counter process_time time_ns monotonic_ns perf_counter_ns process_time_ns".split()
)
_SIMPLER = {"x.reverse() if True else None": "x.reverse()", "x.reverse() if False else None": "None"}
"""A shuffle that is known to do one thing does just that."""
_CLASSES = tuple(CLOCKS)


def used(lines: Iterable[str]) -> str:
    """The parameters of a test that consists of these lines."""
    text = "\n".join(lines)
    return ", ".join(name for name, mentioned in _MENTIONED.items() if mentioned.search(text))


class Replacing:
    """Writes the statements that replace functions for the time of one test."""

    def __init__(self, case: CallCase, imports: Imports, scope: Scope) -> None:
        self._replaced = case.inputs.replaced
        self._imports = imports
        self._scope = scope
        self._writer = Writer({}, {}, imports)
        self._lines: list[str] = []

    def lines(self) -> list[str]:
        """The statements; none for a case that asks nobody."""
        for cls in _CLASSES:
            methods = [each for each in self._replaced if each.function.rpartition(".")[0] == cls]
            if methods:
                self._class(cls, methods)
        for each in self._replaced:
            if each.function == ENVIRONMENT:
                self._environment(each)
            elif each.function.rpartition(".")[0] not in _CLASSES:
                self._function(each)
        return self._lines

    def _environment(self, replaced: Replacement) -> None:
        """Variables that are set to known values, and those that must not be set."""
        for name, value in zip(replaced.places, replaced.answers, strict=True):
            if value == Literal(None):
                made = call(f"{FIXTURE}.delenv", [Item(Text(quoted(name))), Item(Text("False"), "raising=")])
            else:
                made = call(f"{FIXTURE}.setenv", [Item(Text(quoted(name))), Item(self._writer.value(value))])
            self._lines += lay_out("", made, "", INDENT)

    def _function(self, replaced: Replacement) -> None:
        module, _, name = replaced.function.rpartition(".")
        parameters, result = _LAMBDAS.get(replaced.function, ("*args, **named", _ANSWER))
        if module == "time" and name in _NOTHING:
            parameters = ""
        text = result.replace(_ANSWER, flat(self._answer(name, replaced.answers)))
        made = _SIMPLER.get(text, text)
        function = Text(f"lambda {parameters}: {made}" if parameters else f"lambda: {made}")
        for place in replaced.places:
            self._set(place, function)

    def _class(self, cls: str, methods: Sequence[Replacement]) -> None:
        """A class of the library cannot be changed, but one below it can take its place."""
        name = cls.rpartition(".")[2]
        self._imports.module("datetime")
        items = []
        for each in methods:
            method = each.function.rpartition(".")[2]
            answer = flat(self._answer(method, each.answers))
            if answer.startswith(f"{cls}("):
                answer = f"cls{answer.removeprefix(cls)}"
            parameters = "cls, tz=None" if method == "now" else "cls"
            items.append(
                Item(call("classmethod", [Item(Text(f"lambda {parameters}: {answer}"))]), f"{quoted(method)}: ")
            )
        arguments = [Item(Text(quoted(name))), Item(Text(f"({cls},)")), Item(Group("{", tuple(items), "}"))]
        local = self._scope.claim(f"known_{name}")
        self._lines += assignment(local, call("type", arguments))
        for place in dict.fromkeys(place for each in methods for place in each.places):
            self._set(place, Text(local))

    def _set(self, place: str, value: Expr) -> None:
        self._lines += lay_out("", call(f"{FIXTURE}.setattr", [Item(Text(quoted(place))), Item(value)]), "", INDENT)

    def _answer(self, name: str, answers: tuple[Value, ...]) -> Expr:
        """The one answer that all calls get, or the next one of those in a variable."""
        if all(answer == answers[0] for answer in answers):
            return self._writer.value(answers[0])
        local = self._scope.claim(f"{name}_answers")
        listed = Group("[", tuple(Item(self._writer.value(answer)) for answer in answers), "]")
        self._lines += assignment(local, call("iter", [Item(listed)]))
        return Text(f"next({local})")

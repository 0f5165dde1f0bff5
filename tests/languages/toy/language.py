"""The toy language as one of the languages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import cast

from everypath.cases.kinds import CALLS
from everypath.cases.model import CallCase, Literal, ObjectState, Pointer, Problem, Raised, SomeCase, SomeSuite
from everypath.cases.spelling import PYTHON, Spelling
from everypath.languages.base import (
    Again,
    Draw,
    EntryPoint,
    Expanded,
    Explore,
    Failed,
    Load,
    Loaded,
    Module,
    Passed,
    Recorded,
    Runtime,
    Seen,
    Settled,
    Sought,
    Source,
    Verdict,
    Writer,
)  # fmt: skip
from everypath.languages.definitions import Definition, Part
from everypath.languages.json_format import JsonWriter
from everypath.options import Options
from everypath.records import replace

from .frontend import ToyProgram, load
from .interpreter import Failure, call


class Toy:
    """Programs of integers and objects."""

    name = "Toy"
    code = "a toy program"
    suffixes: tuple[str, ...] = (".toy",)
    formats: tuple[str, ...] = ("json",)
    settings: frozenset[str] = frozenset()
    mutates = False
    concurrent = False
    statements = ""

    def claims(self, target: str) -> bool:
        return target.partition("::")[0].endswith(self.suffixes)

    def spelling(self) -> Spelling:
        """Like Python's."""
        return PYTHON

    def start_early(self) -> None:
        pass

    def working(self) -> AbstractContextManager[None]:
        return nullcontext()

    def expand(self, targets: Sequence[str]) -> Expanded:
        paths = [(target, Path(target.partition("::")[0])) for target in targets]
        return Expanded([Source(target, path, str(path), path.stem, path.parent) for target, path in paths])

    def outline(self, text: bytes) -> list[Part]:
        return []

    def definitions(self, text: bytes) -> tuple[Definition, ...]:
        return ()

    def loader(self, options: Options) -> Load:
        return load

    def dependences(self) -> None:
        """Nothing is kept from one run to the next."""

    def explorer(self) -> Explore | None:
        return None

    def drawer(self) -> Draw | None:
        return None

    def complete(self, loaded: Loaded, suite: SomeSuite) -> None:
        names = (f"{case.entry.name}_{number}" for number, case in enumerate(suite.cases, 1))
        suite.cases = [replace(case, name=name) for case, name in zip(suite.cases, names, strict=True)]

    def runtime(self, options: Options) -> Runtime:
        return ToyRuntime()

    def writer(self, format: str) -> Writer:
        return JsonWriter(CALLS)


class ToyRuntime:
    """Runs cases on the interpreter of the toy language."""

    batch = 10
    until = float("inf")
    beyond_loops = False

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        pass

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Verdict]:
        assert isinstance(loaded, ToyProgram)
        for case in cast("Sequence[CallCase]", cases):
            wrong = difference(loaded, case)
            entry = case.entry
            yield Failed(Problem("defect", entry.file, entry.line, wrong), ours=True) if wrong else Passed(case)

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Again]:
        assert isinstance(loaded, ToyProgram)
        for case in cast("Sequence[CallCase]", cases):
            yield Again(case, difference(loaded, case) or None)

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Recorded]:
        for each in self.run_again(loaded, suite, cases):
            yield Recorded(each.case, each.wrong)

    def left_open(self, loaded: Loaded) -> Collection[str]:
        return ()

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        return Seen()

    def settle(self, module: Module) -> Settled:
        return Settled()

    def remembered(self) -> None:
        pass

    def remember(self, what: None) -> None:
        pass

    def forget(self) -> None:
        pass


def difference(program: ToyProgram, case: CallCase) -> str:
    """How the run of a case differs from what it predicts; empty where it does not."""
    inputs, expected = case.inputs, case.expected
    fields = _fields(inputs.heap, inputs.receiver)
    values = [value.value for _, value, _ in inputs.arguments if isinstance(value, Literal)]
    try:
        found: object = call(program, case.entry.qualified, values, fields)
    except Failure:
        return "" if isinstance(expected.outcome, Raised) else "it fails"
    if isinstance(expected.outcome, Raised):
        return "it does not fail"
    wanted = expected.outcome.value
    after = _fields(expected.heap, inputs.receiver)
    if isinstance(wanted, Literal) and wanted.value == found and after == fields:
        return ""
    return f"it gives {found} and {fields} instead of {wanted} and {after}"


def _fields(heap: object, receiver: object) -> dict[str, int]:
    if not isinstance(receiver, Pointer):
        return {}
    state = cast("dict[str, object]", heap)[receiver.id]
    assert isinstance(state, ObjectState)
    return {name: value.value for name, value in state.fields if isinstance(value, Literal)}  # type: ignore[misc]

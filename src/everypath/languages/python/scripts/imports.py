"""Which names an emitted file imports, and how its tests spell them."""

from __future__ import annotations

import builtins
import keyword
import sys
from collections.abc import Iterable, Iterator

from everypath.cases.model import (
    CallCase,
    Entry,
    Heap,
    Instance,
    Named,
    ObjectState,
    Raised,
    StandInState,
    Throws,
    TupleValue,
    Value,
    Written,
    parts,
)
from everypath.errors import Unsupported
from everypath.languages.python.cards.index import COLLECTIONS
from everypath.languages.python.cards.streams import STREAM
from everypath.languages.python.scripts.layout import Item, Text, call, lay_out
from everypath.languages.python.scripts.literals import quoted
from everypath.languages.python.scripts.rerunning import RUNNING, SCRIPT

MOCK = "unittest.mock"
"""Where the stand-ins of a test come from."""
HYPOTHESIS = "hypothesis"
"""Where property tests come from."""
_HYPOTHESIS = {"example": "example", "given": "given", "strategies": "st"}
"""What emitted files import of it, and how they call that."""
_MOCKS = ("ANY", "MagicMock", "Mock", "call", "create_autospec")
USED_BUILTINS = frozenset("Exception bool bytes dict float frozenset int len list object set str type".split())
"""Builtins that emitted code calls, so that no name of a test may hide them."""
_WRITTEN_BY_NAME = (STREAM, *COLLECTIONS.values())
_LIBRARY = frozenset(("copy", "pathlib", MOCK, *(card.module for card in _WRITTEN_BY_NAME)))
"""Library modules of which emitted files import single names."""
_AS_MODULE = "<module>"
_TAKEN = frozenset(
    (
        "Path asyncio caught contextlib deepcopy importlib itertools math pytest re request restored_state result sys"
    ).split()
) | frozenset(card.short for card in _WRITTEN_BY_NAME)
"""What emitted code calls its own modules, functions and variables."""


class Imports:
    """The names of one file: fixed before any test is written, so that no variable hides one of them."""

    def __init__(self, cases: Iterable[CallCase], *, properties: bool = False) -> None:
        self._local: dict[tuple[str, str], str] = {}
        self._used: dict[tuple[str, str], None] = {}
        self._modules: dict[str, None] = {}
        cases = list(cases)
        named = dict.fromkeys(name for case in cases for name in _names(case))
        tested = {case.entry.module.partition(".")[0] for case in cases}
        used = {module for module, _ in named if module.partition(".")[0] in sys.stdlib_module_names - tested}
        self._library = _LIBRARY | used
        self._hidden = frozenset(head for module, head in named if module == _AS_MODULE)
        taken = _TAKEN | USED_BUILTINS | self._hidden
        if properties:
            self._local |= {(HYPOTHESIS, head): local for head, local in _HYPOTHESIS.items()} | {(MOCK, "ANY"): "ANY"}
            taken |= set(self._local.values())
        for module, head in named:
            if module == _AS_MODULE or (module, head) in self._local:
                continue
            local = _collected_by_pytest(head)
            if local in taken:
                local = f"{module.rpartition('.')[2]}_{head}"
            base, number = local, 2
            while local in taken:
                local, number = f"{base}_{number}", number + 1
            taken |= {local}
            self._local[module, head] = local

    @property
    def reserved(self) -> frozenset[str]:
        """Names that a test's variables must not take."""
        return frozenset(self._local.values()) | _TAKEN | USED_BUILTINS | self._hidden

    def name(self, module: str, dotted: str) -> str:
        """How a test writes a class or function of `module`; from now on the file imports it."""
        if not all(part.isidentifier() for part in dotted.split(".")):
            raise Unsupported(f"{dotted} of {module} is local to a function, so that no test can import it")
        head, dot, rest = dotted.partition(".")
        if is_builtin(module, head):
            return dotted
        key = (module, head)
        self._used[key] = None
        return f"{self._local.get(key, head)}{dot}{rest}"

    def spelling(self, module: str, head: str) -> str:
        """How tests write a name, whether or not the file imports it yet."""
        return self._local.get((module, head), head)

    def module(self, name: str) -> str:
        """A library module that the file imports as itself."""
        self._modules[name] = None
        return name

    def lines(self, *, pytest: bool = True, import_path: str | None = None) -> list[str]:
        """The import statements, sorted in blocks: library, pytest, the program.

        With `import_path`, the program's modules are looked for in that folder, relative to the file's own.
        """
        by_module: dict[str, list[str]] = {}
        for module, head in self._used:
            by_module.setdefault(module, []).append(head)
        plain = sorted(filter(_statement_can_name, by_module))
        odd = sorted(by_module.keys() - set(plain))
        library = self._from_all((module for module in plain if module in self._library), by_module)
        others = [module for module in plain if module not in self._library]
        program = self._from_all((module for module in others if module != HYPOTHESIS), by_module)
        modules = self._modules.keys() - {"pytest"} | ({"importlib"} if odd else set())
        extension: list[str] = []
        if import_path is not None:
            modules.add("sys")
            library = sorted({*library, "from pathlib import Path"})
            extension = _extended_path(import_path)
        blocks = [
            [*(f"import {name}" for name in sorted(modules)), *library],
            [
                *(["import pytest"] if pytest and "pytest" in self._modules else []),
                *self._from_all((module for module in others if module == HYPOTHESIS), by_module),
            ],
            extension,
            program,
            [line for module in odd for line in self._through_importlib(module, by_module[module])],
        ]
        lines: list[str] = []
        for block in filter(None, blocks):
            lines += ["", *block] if lines else block
        return "\n".join(lines).splitlines()

    def _from_all(self, modules: Iterable[str], by_module: dict[str, list[str]]) -> list[str]:
        return [self._from(module, by_module[module]) for module in modules]

    def _from(self, module: str, heads: list[str]) -> str:
        """One statement, which may take several lines."""
        parts = []
        for head in sorted(heads, key=_import_order):
            local = self._local.get((module, head), head)
            parts.append(head if local == head else f"{head} as {local}")
        line = f"from {module} import {', '.join(parts)}"
        if len(line) <= 88:
            return line
        return "\n".join([f"from {module} import (", *(f"    {part}," for part in parts), ")"])

    def _through_importlib(self, module: str, heads: list[str]) -> list[str]:
        """A module whose name is no identifier cannot be named in an import statement."""
        local = "".join(c if c.isalnum() else "_" for c in module) + "_module"
        if local[0].isdigit():
            local = f"_{local}"
        loaded = call("importlib.import_module", [Item(Text(quoted(module)))])
        lines = lay_out(f"{local} = ", loaded)
        return lines + [f"{self._local.get((module, h), h)} = {local}.{h}" for h in sorted(heads, key=_import_order)]


def _extended_path(import_path: str) -> list[str]:
    steps = [step for step in import_path.split("/") if step not in ("", ".")]
    up = sum(step == ".." for step in steps)
    folder = "Path(__file__).resolve()" + (f".parents[{up}]" if up else ".parent")
    below = "/".join(step for step in steps if step != "..")
    found = Text(f"{folder} / {quoted(below)}" if below else folder)
    return lay_out("", call("sys.path.insert", [Item(Text("0")), Item(call("str", [Item(found)]))]))


def is_builtin(module: str, head: str) -> bool:
    """Whether the name needs no import."""
    return module in ("", "builtins") and hasattr(builtins, head)


def exception_module(raised: Raised, entry: Entry) -> str:
    """Where the class of an exception lives; an unknown name without a module is taken from the program."""
    if raised.module in ("", "builtins") and not is_builtin("", raised.cls.partition(".")[0]):
        return entry.module
    return raised.module


def _statement_can_name(module: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split("."))


def _collected_by_pytest(head: str) -> str:
    """An imported `test_x` or `TestX` would run as a test of its own."""
    return f"_{head}" if head.startswith(("test", "Test")) else head


def _import_order(head: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    if head.isupper() and len(head) > 1:
        return 0, head
    return (1, head) if head[:1].isupper() else (2, head)


def _names(case: CallCase) -> Iterator[tuple[str, str]]:
    """Every (module, top-level name) that the test of a case might mention."""
    yield from _entry_names(case.entry)
    for heap in (case.inputs.heap, case.inputs.ready, case.expected.heap):
        yield from _heap_names(heap)
    for step in case.inputs.steps:
        if step.module:
            yield step.module, step.cls.partition(".")[0]
    for arguments in (case.inputs.arguments, *(step.arguments for step in case.inputs.steps)):
        for _, value, _ in arguments:
            yield from _value_names(value)
    if case.inputs.receiver is not None:
        yield from _value_names(case.inputs.receiver)
    for replaced in case.inputs.replaced:
        for value in replaced.answers:
            yield from _value_names(value)
    outcome = case.expected.outcome
    if isinstance(outcome, Raised):
        head = outcome.cls.partition(".")[0]
        module = exception_module(outcome, case.entry)
        if not is_builtin(module, head):
            yield module, head
    else:
        yield from _value_names(outcome.value)


def _entry_names(entry: Entry) -> Iterator[tuple[str, str]]:
    module, name = called_function(entry)
    yield module, (entry.cls or name).partition(".")[0]


def called_function(entry: Entry) -> tuple[str, str]:
    """The function that a test calls: what runs modules, where it is the module itself that is run."""
    return RUNNING if entry.kind == SCRIPT else (entry.module, entry.name)


def _heap_names(heap: Heap) -> Iterator[tuple[str, str]]:
    for state in heap.values():
        if isinstance(state, (ObjectState, StandInState)) and state.cls:
            yield state.module, state.cls.partition(".")[0]
        if isinstance(state, StandInState):
            yield from ((MOCK, name) for name in _MOCKS)
            yield from _raised_names(state)
        for value in parts(state):
            yield from _value_names(value)


def _raised_names(state: StandInState) -> Iterator[tuple[str, str]]:
    for answer in (answer for _, answers in state.answers for answer in answers):
        if isinstance(answer, Throws) and not is_builtin(answer.module, answer.cls):
            yield answer.module, answer.cls.partition(".")[0]


def _value_names(value: Value) -> Iterator[tuple[str, str]]:
    if isinstance(value, TupleValue):
        for item in value.items:
            yield from _value_names(item)
    elif isinstance(value, Written) and value.module:
        yield _AS_MODULE, value.module
    elif isinstance(value, (Named, Instance)) and not is_builtin(value.module, value.name.partition(".")[0]):
        yield value.module, value.name.partition(".")[0]

"""What lowered programs compute, compared with CPython: the whole meaning of a construct at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.explore.state import State
from everypath.heap.values import Ref
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.options import Options
from tests.frontends.lowered import Snippets

_TEXT = (Path(__file__).parent / "behaviour.txt").read_text(encoding="utf-8")
PROGRAMS = {
    block.partition("\n")[0].strip(): block.partition("\n")[2] for block in re.split(r"^### ", _TEXT, flags=re.M)[1:]
}


def expected(source: str) -> tuple[str, object]:
    """What CPython makes of `case()`."""
    namespace: dict[str, object] = {"__name__": "snippet"}
    exec(compile(source, "snippet.py", "exec", dont_inherit=True), namespace)
    try:
        return "value", namespace["case"]()  # type: ignore[operator]
    except Exception as error:
        return "error", type(error).__name__


def plain(state: State, value: object) -> object:
    """A value of the engine as a Python value."""
    if isinstance(value, Ref):
        return [plain(state, item) for item in state.heap.cells[value].items]
    if isinstance(value, tuple):
        return tuple(plain(state, item) for item in value)
    return value


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_means_what_python_means(name: str, snippets: Snippets) -> None:
    source = PROGRAMS[name]
    loaded = snippets.load(source, "case")
    assert [str(problem) for problem in loaded.problems] == []
    method = loaded.program.find_method("snippet", "case")
    assert method is not None
    exploration = Exploration(PythonSemantics(loaded.program), Options())
    state, _ = exploration.initial(method)
    ends = list(exploration.paths(state))
    assert len(ends) == 1
    outcome = ends[0].outcome
    if isinstance(outcome, Finished):
        assert ("value", plain(ends[0], outcome.value)) == expected(source)
    else:
        assert isinstance(outcome, Uncaught), outcome
        assert ("error", outcome.exception.cls) == expected(source)

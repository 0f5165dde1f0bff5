"""Loops over input data are bounded; loops over known data run to their end."""

from __future__ import annotations

import pytest

from everypath.explore.outcomes import Cut, Finished
from everypath.explore.search.exploration import Exploration
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.options import Limits, Options

SOURCE = """module M;
class C {
    Int each(List<Int> l) { Int s = 0; foreach (x in l) { s = s + x; } return s; }
    Int while_any(List<Int> l) { Int s = 0; while (l != Nil) { s = s + head(l); l = tail(l); } return s; }
    Int recursive(List<Int> l) { return sum(l); }
    Int known(Int n) { Int s = 0; foreach (x in list[1, 2, 3, 4, 5, 6, 7]) { s = s + x; } return s + n; }
}
def Int sum(List<Int> l) = case l { Nil => 0; Cons(x, rest) => x + sum(rest); };
"""


def outcomes(method: str, heap: str) -> list[str]:
    checked = check_program([Source("m.abs", SOURCE)])
    assert isinstance(checked, Program)
    program = lower(checked)
    exploration = Exploration(AbsSemantics(program), Options(limits=Limits(loops=2, paths=20, time=10), heap=heap))
    initial, _ = exploration.initial(program.classes["M.C"].methods[method], "M.C")
    found = []
    for state in exploration.paths(initial):
        assert isinstance(state.outcome, Cut | Finished)
        found.append(state.outcome.kind if isinstance(state.outcome, Cut) else str(state.outcome.value))
    return sorted(found)


@pytest.mark.parametrize("heap", ("noalias", "lazy", "solver"))
@pytest.mark.parametrize("method", ("each", "while_any", "recursive"))
def test_input_data_is_followed_up_to_the_bound(method: str, heap: str) -> None:
    assert outcomes(method, heap) == ["0", "l[0]", "l[0] + l[1]", "loop"]


def test_known_data_is_followed_to_its_end() -> None:
    assert outcomes("known", "noalias") == ["n + 28"]

"""Checks program texts in tests."""

from __future__ import annotations

from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.problems import Problem
from everypath.languages.abs.frontend.program import Program
from tests.frontends.abs.evaluate import Evaluator, shown


def outcome(*texts: str) -> Program | tuple[Problem, ...]:
    """What checking makes of files `a.abs`, `b.abs`, ..."""
    return check_program([Source(f"{chr(97 + i)}.abs", text) for i, text in enumerate(texts)])


def accepted(*texts: str) -> Program:
    """The program; it must be right."""
    found = outcome(*texts)
    assert isinstance(found, Program), "\n".join(map(str, found))
    return found


def refused(*texts: str) -> list[str]:
    """Everything that is wrong, without the name of a single file."""
    found = outcome(*texts)
    assert not isinstance(found, Program), "accepted"
    shown_problems = [str(problem) for problem in found]
    return [p.removeprefix("a.abs:") for p in shown_problems] if len(texts) == 1 else shown_problems


def module(body: str) -> str:
    """A module with this content on its first line."""
    return f"module M; {body}"


def evaluated(expression: str, declarations: str = "") -> str:
    """What an expression evaluates to, as `toString` shows it."""
    program = accepted(module(f"{declarations} {{ String result = toString({expression}); }}"))
    return shown(Evaluator(program).main()["result"])

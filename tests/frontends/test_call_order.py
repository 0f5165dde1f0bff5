"""A method is looked up before the arguments of its call are evaluated."""

from __future__ import annotations

from pathlib import Path

from everypath.cases.model import Raised
from everypath.generate.run import generate
from everypath.options import Options

CODE = """
from __future__ import annotations


class Node:
    def __init__(self, value: int) -> None:
        self.value = value

    def cap(self, most: int) -> int:
        return min(self.value, most)


def order(node: Node | None, numbers: list[int]) -> int:
    return node.cap(numbers[0])
"""


def test_none_has_no_method_whatever_the_arguments(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(CODE)
    run = generate([f"{path}::order"], Options())
    assert [p for suite in run.suites for p in suite.problems] == []
    raised = sorted(c.expected.outcome.cls for c in run.cases if isinstance(c.expected.outcome, Raised))
    assert raised == ["AttributeError", "IndexError"]

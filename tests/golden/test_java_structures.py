"""Data structures in Java: the shape of Table 1 of "A CLP Heap Solver for Test Case Generation", from bytecode."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.golden.test_java_papers import cases, explored

pytestmark = pytest.mark.skipif(
    shutil.which("javac") is None and "CI" not in os.environ, reason="no JDK on the path: install one, 17 or newer"
)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = Path(__file__).resolve().parents[2] / "examples" / "structures" / "java"
    folder = tmp_path_factory.mktemp("structures")
    files = sorted(map(str, sources.rglob("*.java")))
    subprocess.run(["javac", "-g", "-d", str(folder), *files], check=True)
    return folder


@pytest.mark.parametrize(
    ("member", "noalias", "solver", "lazy"),
    [
        ("ds.DoublyLinkedList.remove", 4, 6, 34),
        ("ds.NodeSequence.removeAtRank", 22, 22, 110),
        ("ds.SortedListPriorityQueue.insert", 10, 10, 14),
        ("ds.BinarySearchTree.insert", 4, 4, 4),
        ("ds.BinarySearchTree.remove", 15, 20, 36),
        ("ds.HeapPriorityQueue.insert", 7, 7, 7),
        ("ds.ChainedHashMap.put", 5, 5, 5),
    ],
)
def test_the_heap_solver_stays_close_to_no_aliasing(
    classes: Path, member: str, noalias: int, solver: int, lazy: int
) -> None:
    found = tuple(cases(explored(classes, member, heap)) for heap in ("noalias", "solver", "lazy"))
    assert found == (noalias, solver, lazy)


def test_lazy_initialisation_of_a_balanced_tree_explodes(classes: Path) -> None:
    plain, lazy = (cases(explored(classes, "ds.AvlTree.insert(int)", heap)) for heap in ("noalias", "lazy"))
    assert plain == 118
    assert lazy > 10 * plain

"""Summaries that an earlier run has left: what they give is what new ones give, as long as nothing has changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from everypath.explore.search.summaries.composing import keep_on
from everypath.explore.search.summaries.shelf import Folder
from everypath.records import replace
from tests.explore.test_summaries import HEAPS, PROGRAMS, composing, options_for, paths, programs, subjects

MOST = 100
Found = list[Counter[object]]


def composed(target: str, folder: Path, heap: str, surroundings: str = "") -> tuple[Found, int]:
    """The paths of all functions of a program that is loaded anew, and how many summaries were on the shelf."""
    options = options_for(heap)
    options = replace(options, limits=replace(options.limits, paths=MOST))
    loaded = subjects(target, options)
    shelf = Folder(folder, surroundings, loaded[0].semantics.runs_by_operation)
    found = []
    for subject in loaded:
        keep_on(subject.semantics, shelf)
        options_composed, _ = composing(subject, options)
        found.append(paths(subject, options_composed))
    return found, shelf.found


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_examples_have_the_same_paths_with_stored_summaries(program: Path, heap: str, tmp_path: Path) -> None:
    made, _ = composed(str(program), tmp_path, heap)
    again, found = composed(str(program), tmp_path, heap)
    assert again == made
    assert bool(found) == any(tmp_path.iterdir())


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs())
def test_random_call_trees_have_the_same_paths_with_stored_summaries(
    source: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    (folder / "tree.py").write_text(source)
    for heap in HEAPS:
        made, _ = composed(f"{folder}/tree.py", folder / "store", heap)
        assert composed(f"{folder}/tree.py", folder / "store", heap)[0] == made, (heap, source)


CODE = """\
LIMIT = 3


def size(x: int) -> int:
    if x < LIMIT:
        return 1
    if x < 10:
        return 2
    return 3


def twice(x: int, y: int) -> int:
    return size(x) + size(y)
"""


@pytest.mark.parametrize("change", ["x < 10", "LIMIT = 3", "return 2", "\n\n\ndef size"])
def test_what_has_changed_is_summarised_anew(change: str, tmp_path: Path) -> None:
    file = tmp_path / "sizes.py"
    file.write_text(CODE)
    store = tmp_path / "store"
    before, _ = composed(str(file), store, "solver")
    assert composed(str(file), store, "solver") == (before, 1)
    other = {"x < 10": "x < 2", "LIMIT = 3": "LIMIT = 30", "return 2": "raise ValueError"}
    file.write_text(CODE.replace(change, other.get(change, f"\n{change}")))
    after, found = composed(str(file), store, "solver")
    assert found == 0
    assert after == composed(str(file), tmp_path / "other", "solver")[0]


def test_another_caller_has_the_same_summary(tmp_path: Path) -> None:
    file = tmp_path / "sizes.py"
    file.write_text(CODE)
    composed(str(file), tmp_path / "store", "solver")
    file.write_text(CODE.replace("size(x) + size(y)", "size(x) * size(x + y)"))
    after, found = composed(str(file), tmp_path / "store", "solver")
    assert found == 1
    assert after == composed(str(file), tmp_path / "other", "solver")[0]


@pytest.mark.parametrize("damage", ["", "00000000\n{}", "{}", "cut", "\0"])
def test_a_file_that_cannot_be_read_is_written_anew(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "sizes.py"
    file.write_text(CODE)
    store = tmp_path / "store"
    before, _ = composed(str(file), store, "solver")
    [kept] = store.iterdir()
    text = kept.read_text()
    kept.write_text(text[: len(text) // 2] if damage == "cut" else damage)
    assert composed(str(file), store, "solver") == (before, 0)
    assert kept.read_text() == text
    # Neither is one that was found by another version.
    assert composed(str(file), store, "solver", "other") == (before, 0)

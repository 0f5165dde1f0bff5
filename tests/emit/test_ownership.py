"""What in a generated file is a person's: just what they changed or added, whatever the layout."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.errors import BadInput
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.writers.assembling import assembled
from everypath.languages.python.writers.ownership import Block, Earlier, read_earlier

NAMES = ("test_a", "test_b", "test_c", "test_d")


def block(name: str, number: int = 0) -> Block:
    text = (
        f'# Finding: {name}.\ndef {name}(x=1):\n    """Text # no comment."""\n    assert x + {number} == {number + 1}'
    )
    return Block(name, text, name.removeprefix("test_"))


def file(earlier: Earlier | None = None) -> str:
    imports = Imports(())
    imports.name("shop", "Cart")
    return assembled(['"""Tests of shop."""'], imports, list(map(block, NAMES)), earlier or Earlier())


def test_statements_of_many_names_stay_whole() -> None:
    imports = Imports(())
    for module in ("typing", "shop"):
        for number in range(20):
            imports.name(module, f"Name{number}")
    text = assembled(['"""Tests of shop."""'], imports, list(map(block, NAMES)), Earlier(), (), "..")
    imported = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    assert sorted((node.module, len(node.names)) for node in imported) == [("pathlib", 1), ("shop", 20), ("typing", 20)]


def read(text: str, staying: frozenset[str] = frozenset()) -> Earlier:
    return read_earlier(text, staying.__contains__, lambda owner: True)


CHANGES = {
    "value": lambda text: text.replace("x + 0", "x + 5"),
    "comment": lambda text: text.replace('comment."""\n', 'comment."""\n    # really\n'),
    "decorator": lambda text: text.replace("\ndef", "\n@pytest.mark.slow\ndef"),
    "none": lambda text: text,
}


@given(
    st.lists(st.sampled_from(sorted(CHANGES)), min_size=4, max_size=4),
    st.lists(st.sampled_from(["test_mine", "helper", "LIMIT"]), unique=True),
    st.sampled_from(["above", "below"]),
)
def test_just_what_was_changed_or_added_is_a_persons_and_stays_where_it_is(
    changes: list[str], added: list[str], where: str
) -> None:
    text = file()
    for name, change in zip(NAMES, changes):
        text = text.replace(block(name).text, CHANGES[change](block(name).text))
    more = {
        "LIMIT": "LIMIT = 3",
        "helper": "def helper():\n    return LIMIT",
        "test_mine": "def test_mine():\n    pass",
    }
    extra = "\n\n\n".join(["", *(more[name] for name in added)])
    text = text.replace("\n\n\n# Checksums", f"{extra}\n\n\n# Checksums") if where == "above" else f"{text}{extra}\n"
    earlier = read(text)
    changed = [name for name, change in zip(NAMES, changes) if change != "none"]
    assert [each.name for each in earlier.theirs] == changed + [name if name != "LIMIT" else "" for name in added]
    again = file(earlier)
    for name in added:
        assert more[name] in again
    for name, change in zip(NAMES, changes):
        assert CHANGES[change](block(name).text) in again
    assert again.count("# kept: ") == len(changed) + len(added)
    assert file(read(again)) == again


def test_a_formatter_changes_nothing_that_counts() -> None:
    text = file()
    loose = text.replace("(x=1)", "(\n    x=1,\n)").replace("x + 0 ==", "(x + 0) ==").replace("\n", "\r\n")
    assert ast.dump(ast.parse(loose)) == ast.dump(ast.parse(text))
    assert read(loose).theirs == []


def test_tests_of_functions_that_are_left_alone_stay_with_what_they_import() -> None:
    text = file().replace("import Cart", "import Cart, Order as Box\nimport os.path")
    text = text.replace("    assert x", "    Box, os, Cart\n    assert x")
    # Edited or not, they keep what they need.
    assert sorted(each.text for each in read(text).imports) == ["from shop import Cart, Order as Box"] * 2 + [
        "import os.path"
    ]
    again = file(read(text))
    assert "from shop import Cart\n\nfrom shop import Cart, Order as Box\nimport os.path\n" in again
    assert [each.name for each in read(file(), frozenset("ab")).ours] == ["test_a", "test_b"]


def test_comments_outside_of_tests_stay() -> None:
    text = f"# Copyright\n{file()}".replace("\nfrom shop", "\n# ruff: noqa\nfrom shop") + "# the end\n"
    again = file(read(text))
    assert again.startswith('# Copyright\n"""Tests of shop."""\n\n# ruff: noqa\n\nfrom shop')
    assert "\n\n\n# the end\n\n\n# Checksums" in again
    assert file(read(again)) == again


@pytest.mark.parametrize("text", ["def f(:\n", '"""Tests."""\n\n\ndef test_a():\n    pass\n'])
def test_a_file_that_does_not_tell_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read(text)

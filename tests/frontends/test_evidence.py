"""Evidence that stands in the code: guards, defaults, docstrings, and what fields are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.languages.python.frontend import load_target

GUARDS = {
    "def f(x: int):\n    return 0 if x is None else x": "int | none",
    "def f(x: int):\n    if x == None:\n        return 0": "int | none",
    "def f(x: int = None):\n    return x": "none | int",
    "def f(x: int):\n    x = g()\n    return x is None": "int",
    "def f(x: int):\n    def inner(y=x):\n        return y is None\n    return inner": "int",
    "def f(x: int):\n    if not isinstance(x, int):\n        raise TypeError": "int | str",
    "def f(x: int | str):\n    if not isinstance(x, (int, str)):\n        raise TypeError": "int | str | none",
    "def f(x: int):\n    return isinstance(x, (list, tuple))": "int | list[any] | tuple[*any]",
    "def f(x: int):\n    return isinstance(x, NoSuchThing)": "int",
    "def f(x: list[int]):\n    return isinstance(x, list)": "list[int] | str",
    "from typing import Callable\ndef f(x: Callable[[], int]):\n    return callable(x)": "function() -> int | str",
    "def f(x: int):\n    return callable(x)": "int | function(*any) -> any",
}
DESCRIBED = {
    ":param str x: the x": "str",
    ":type x: list[int]": "list[int]",
    "Args:\n        x (list of str): all of them": "list[str]",
    "Args:\n        x (float, optional): how much": "float",
    "Parameters\n    ----------\n    x : dict[str, int]\n        the x": "dict[str, int]",
    "Parameters\n    ----------\n    x : str or None\n        the x": "str | none",
    "Args:\n        x (SomeThing): what nobody knows": "int",
    "The x: (is anything": "int",
}
FIELDS = """\
from collections import defaultdict
from datetime import timedelta
from typing import Counter, Deque, Dict, Optional


class Index:
    def __init__(self, words: Optional[list[str]] = None):
        self.wait = timedelta(minutes=3)
        self.found: dict[str, list[int]] = defaultdict(list)
        self.plain: dict[str, int] = {}
        self.times: Dict[str, Deque[float]] = {}
        self.counts: Counter[str] = Counter()
        self.words = list(words or [])
        self.names = sorted(self.plain)

    def get(self):
        return self.wait, self.found, self.plain, self.times, self.counts, self.words, self.names
"""


def _parameter(place: Path, code: str) -> str:
    (place / "sample.py").write_text(code + "\n\n\ndef g():\n    return 1\n")
    return str(load_target("sample.py::f", search=place).entries[0].params[0].type)


@pytest.mark.parametrize("code", GUARDS)
def test_what_guards_ask_for_is_tried(tmp_path: Path, code: str) -> None:
    assert _parameter(tmp_path, code) == GUARDS[code]


@pytest.mark.parametrize("text", DESCRIBED)
def test_docstrings_give_types(tmp_path: Path, text: str) -> None:
    code = f'def f(x):\n    """What it does.\n\n    {text}\n    """\n    return [x]'
    assert _parameter(tmp_path, code) == DESCRIBED[text]


def test_fields_are_of_the_type_that_is_made(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(FIELDS)
    fields = load_target("sample.py", search=tmp_path).program.classes["sample.Index"].fields
    assert {name: (str(field.type), field.guessed) for name, field in fields.items()} == {
        "wait": ("datetime.timedelta", True),
        "found": ("collections.defaultdict[str, list[int]]", False),
        "plain": ("dict[str, int]", False),
        "times": ("dict[str, collections.deque[float]]", False),
        "counts": ("collections.Counter[str, int]", False),
        "words": ("list[str]", True),
        "names": ("list[str]", True),
    }

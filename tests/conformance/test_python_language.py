"""Every construct of Python that is translated: its cases run as predicted, and there are as many as expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everypath.cases.model import CallSuite
from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.options import Limits, Options
from tests.conformance.programs import Program, programs

PROGRAMS = programs(Path(__file__).with_name("python_language.txt"))
GROUPS = [PROGRAMS[start : start + 12] for start in range(0, len(PROGRAMS), 12)]


def explored(folder: Path, group: list[Program], **options: object) -> Run:
    for program in group:
        (folder / f"{program.name}.py").write_text(program.source, encoding="utf-8")
    targets = [str(folder / f"{program.name}.py::f") for program in group]
    return generate(targets, Options(limits=Limits(loops=2), predicted_only=True, **options))  # type: ignore[arg-type]


def branches(suite: CallSuite) -> int:
    return len({taken for case in suite.cases for taken in case.covers})


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0].name}..{group[-1].name}")
def test_every_case_runs_as_predicted(group: list[Program], tmp_path: Path) -> None:
    run = explored(tmp_path, group)
    assert [problem for problem in run.problems if problem.kind != "assumed"] == []
    for program, suite in zip(group, run.suites, strict=True):
        assert [p.message for p in suite.problems if p.kind != "cut"] == [], program.name
        assert suite.stats.unsupported == [], program.name
        assert all(case.validated for case in suite.cases)
        assert (len(suite.cases), branches(suite)) == (program.cases, program.branches), program.name


@pytest.mark.parametrize("heap", ["lazy", "noalias"])
def test_the_other_heaps_run_as_predicted(heap: str, tmp_path: Path) -> None:
    chosen = [p for p in PROGRAMS if re.match(r"(generator|gen|enum|linked|local_class|abc)_?", p.name)][::4]
    run = explored(tmp_path, chosen, heap=heap)
    for program, suite in zip(chosen, run.suites, strict=True):
        assert [p.message for p in suite.problems if p.kind != "cut"] == [], program.name
        assert suite.cases and all(case.validated for case in suite.cases), program.name


REFUSED = {
    "hash_as_index": ("def f(key: str):\n    return [1, 2][hash(key) % 2]\n", 2),
    "hash_as_range": ("def f(key: str):\n    return list(range(hash(key) % 3))\n", 2),
    "hash_as_repeated": ('def f(key: str):\n    return "a" * (hash(key) % 3)\n', 2),
    "hash_as_function": ("def f(key: str):\n    return chr(hash(key) % 100)\n", 2),
    "hash_as_method": ("def f(key: str):\n    return [1, 2].pop(hash(key) % 2)\n", 2),
    "outside_at_import": ("import time\nSTART = time.time()\ndef f(a: int) -> float:\n    return START + a\n", 4),
    "outside_factory": (
        "import time\nfrom dataclasses import dataclass, field\n@dataclass\nclass E:\n"
        "    at: float = field(default_factory=time.time)\ndef f(a: int) -> float:\n    return E().at\n",
        5,
    ),
    "metaclass_call": (
        "class Once(type):\n    made = {}\n    def __call__(cls, *args):\n        return cls.made.setdefault(cls, 1)\n"
        "class C(metaclass=Once):\n    pass\ndef f(a: int) -> int:\n    return 1 if C() else a\n",
        8,
    ),
    "metaclass_registry": (
        "class Meta(type):\n    known = []\n    def __init__(cls, *args):\n        Meta.known.append(cls)\n"
        "class C(metaclass=Meta):\n    pass\ndef f(a: int) -> int:\n    return len(Meta.known) + a\n",
        2,
    ),
    "abandoned_generator": (
        "def g(log):\n    try:\n        yield 1\n    finally:\n        log.append(2)\n"
        "def f(a: int) -> list[int]:\n    log = []\n    it = g(log)\n    next(it)\n    return log\n",
        0,
    ),
    "registered_class": (
        "from collections.abc import Mapping\nclass R:\n    pass\nMapping.register(R)\n"
        "def f(a: int) -> bool:\n    return isinstance(R(), Mapping)\n",
        6,
    ),
    "attribute_added_by_a_function": (
        "def define(cls, name):\n    setattr(cls, name, property(getattr(cls, '_get_' + name)))\nclass C:\n"
        "    def _get_x(self) -> int:\n        return 3\ndefine(C, 'x')\n"
        "def f(c: C) -> int:\n    return c.x\n",
        6,
    ),
    "taken_at_import": (
        "import itertools\nnumbers = itertools.count()\nFIRST = next(numbers)\nSECOND = next(numbers)\n"
        "def f(a: int) -> int:\n    return SECOND + a\n",
        4,
    ),
    "taken_by_members": (
        "import enum, itertools\nnumbers = itertools.count()\nclass C(enum.IntEnum):\n    A = 1 << next(numbers)\n"
        "def f(a: int) -> int:\n    return C.A.value + a\n",
        4,
    ),
    "send_through": (
        "def h():\n    x = yield 1\n    yield x\ndef g():\n    yield from h()\n"
        "def f(a: int) -> int:\n    it = g()\n    next(it)\n    return it.send(a)\n",
        5,
    ),
    "input_of_a_model": (
        "from contextlib import ExitStack\ndef f(c: ExitStack) -> int:\n    c.pop_all()\n    raise LookupError(1)\n",
        4,
    ),
    "copied_by_the_program": (
        "import copy\nclass C:\n    def __new__(cls):\n        return object.__new__(cls)\n"
        "def f(a: int) -> bool:\n    c = C()\n    return copy.copy(c) is c\n",
        7,
    ),
    "attributes_made_by_the_body": (
        "class A:\n    vars().update((name, 1) for name in ('a', 'b'))\ndef f(n: int) -> int:\n    return A.a + n\n",
        4,
    ),
    "attributes_made_in_a_loop": (
        "class A:\n    for name in ('a', 'b'):\n        locals()[name] = 1\n"
        "def f(n: int) -> int:\n    return A.a + n\n",
        5,
    ),
    "attributes_replaced": (
        "class Bunch(dict):\n    def __init__(self, a: int) -> None:\n        self['a'] = a\n"
        "        self.__dict__ = self\ndef f(a: int) -> int:\n    return Bunch(a).a\n",
        4,
    ),
    "class_replaced": (
        "class B:\n    n = 2\nclass A:\n    n = 1\n"
        "def f(a: int) -> int:\n    x = A()\n    x.__class__ = B\n    return x.n\n",
        7,
    ),
    "warnings_as_errors": (
        "import warnings\ndef f(a: int) -> int:\n    warnings.simplefilter('error')\n    warnings.warn('x')\n"
        "    return a\n",
        3,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    source, line = REFUSED[name]
    run = explored(tmp_path, [Program(name, source, 0, 0)])
    (suite,) = run.suites
    assert suite.cases == []
    assert not [p for p in suite.problems if p.kind == "defect"]
    places = [p.line for p in (*suite.stats.unsupported, *run.problems) if p.kind == "unsupported"]
    assert places and (line == 0 or line in places)


def test_operations_that_an_unknown_base_may_have_are_refused(tmp_path: Path) -> None:
    source = (
        "from collections import namedtuple\nPARTS = tuple('ab')\nclass N(namedtuple('N', PARTS)):\n"
        "    def __new__(cls):\n        return super().__new__(cls, 1, 2)\n"
        "    def f(self) -> list[int]:\n        return [part for part in self]\n"
    )
    (tmp_path / "unknown_base.py").write_text(source, encoding="utf-8")
    (suite,) = generate([str(tmp_path / "unknown_base.py") + "::N.f"], Options(predicted_only=True)).suites
    assert suite.cases == [] and suite.problems == []
    assert [problem.line for problem in suite.stats.unsupported] == [7]


def test_programs_for_both_pythons_are_read_as_those_of_today(tmp_path: Path) -> None:
    (tmp_path / "six").mkdir()
    (tmp_path / "six" / "__init__.py").write_text("PY2 = False\nPY3 = True\n")
    moves = "from functools import reduce\nfrom itertools import zip_longest\nmap, xrange = map, range\n"
    (tmp_path / "six" / "moves.py").write_text(moves)
    source = (
        "import six\nfrom six.moves import map, reduce, xrange, zip_longest\n"
        "if six.PY2:\n    from collections import Mapping\nelse:\n    from collections.abc import Mapping\n"
        "class Bag(Mapping):\n    def __init__(self, n: int) -> None:\n        self.n = n\n"
        "    def __getitem__(self, key: int) -> int:\n        return self.n + key\n"
        "    def __iter__(self):\n        return iter(xrange(2))\n    def __len__(self) -> int:\n        return 2\n"
        "def f(n: int, m: int) -> list[int]:\n"
        "    total = reduce(lambda a, b: a + b, Bag(n).values(), 0)\n"
        "    return [x if x > total else y for x, y in zip_longest(map(abs, [m]), [], fillvalue=0)]\n"
    )
    (tmp_path / "old.py").write_text(source)
    run = generate([str(tmp_path / "old.py::f")], Options())
    (suite,) = run.suites
    assert suite.stats.unsupported == [] and suite.problems == []
    assert len(suite.cases) == 2 and all(case.validated for case in suite.cases)


def test_numbers_of_the_library_are_classes_where_their_source_is_tested() -> None:
    (suite,) = generate(["fractions::Fraction.limit_denominator"], Options(limits=Limits(loops=2))).suites
    assert suite.problems == []
    assert len(suite.cases) > 3 and all(case.validated for case in suite.cases)

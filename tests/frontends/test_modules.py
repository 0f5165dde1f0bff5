"""Several modules: what is referenced comes along, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.ir.check import check
from everypath.ir.instructions import CallNative, CallStatic, GetStatic
from everypath.languages.python.frontend import Sources, load_target
from tests.frontends.lowered import Snippets, of_kind

STANDARD = "bisect heapq textwrap fractions statistics colorsys string shlex calendar graphlib".split()


@pytest.mark.parametrize("name", STANDARD)
def test_pure_python_modules_of_the_standard_library_load(name: str) -> None:
    loaded = load_target(name)
    assert loaded.entries
    assert check(loaded.program) == []
    assert all(problem.span.line for problem in loaded.problems)


def test_python_definitions_win_over_their_compiled_replacements() -> None:
    program = load_target("heapq::heappush").program
    method = program.find_method("heapq", "heappush")
    assert method is not None
    assert [(s.cls, s.name) for s in of_kind(method, CallStatic)] == [("heapq", "_siftdown")]


def test_functions_of_other_modules_come_along_when_referenced(snippets: Snippets) -> None:
    snippets.write("from .inner import helper as again\ndef unused(): return 1\n", "pkg/__init__.py")
    snippets.write("def helper(x): return deep(x)\ndef deep(x): return x\ndef other(x): return x\n", "pkg/inner.py")
    loaded = snippets.load(
        "import pkg\nfrom pkg import inner\nfrom pkg.inner import deep\n"
        "def f(x: int): return pkg.again(x) + inner.helper(x) + deep(x)\n",
        "f",
    )
    assert loaded.problems == ()
    assert set(loaded.program.classes["pkg.inner"].methods) == {"helper", "deep"}
    assert "pkg" not in loaded.program.classes or not loaded.program.classes["pkg"].methods


def test_relative_imports_in_a_package(snippets: Snippets) -> None:
    snippets.write("", "pkg/__init__.py")
    snippets.write("LIMIT = 3\nclass Base:\n    def m(self) -> int: return LIMIT\n", "pkg/base.py")
    loaded = snippets.load(
        "from .base import Base, LIMIT\nfrom . import base\nclass A(Base):\n    def f(self) -> int:\n"
        "        return self.m() + LIMIT + base.LIMIT\n",
        "A.f",
        name="pkg/main.py",
    )
    assert loaded.problems == ()
    assert loaded.program.mro("pkg.main.A") == ("pkg.main.A", "pkg.base.Base")
    assert list(loaded.program.classes["pkg.base"].statics) == ["LIMIT"]


def test_star_imports_of_user_modules(snippets: Snippets) -> None:
    snippets.write("def helper(x): return x\n_hidden = 1\n", "tools.py")
    loaded = snippets.load("from tools import *\ndef f(x: int): return helper(x)\n", "f")
    assert loaded.problems == ()
    assert "helper" in loaded.program.classes["tools"].methods


def test_cyclic_imports_end(snippets: Snippets) -> None:
    snippets.write("from main import f\ndef g(x): return f(x)\n", "other.py")
    loaded = snippets.load("from other import g\ndef f(x: int): return g(x)\n", "f", name="main.py")
    assert {"main", "other"} <= set(loaded.program.classes)


def test_cyclic_aliases_and_bases_end(snippets: Snippets) -> None:
    loaded = snippets.load("a = b\nb = a\nclass A(A): pass\ndef f(): return a\n", "f")
    assert loaded.entries


def test_modules_without_source_stay_natives(snippets: Snippets) -> None:
    method = snippets.method("import zlib, re\ndef f(x: str): return zlib.crc32(x) + re.match(x, x)\n")
    assert [s.name for s in of_kind(method, CallNative)] == ["zlib.crc32", "re.match"]


def test_undefined_names_are_reported(snippets: Snippets) -> None:
    problems = snippets.load("def f(x: int):\n    return x + mystery\n").problems
    assert [(p.span.line, p.message) for p in problems] == [(2, "name 'mystery' is not defined where it is looked up")]


def test_problems_in_libraries_are_left_to_the_paths_that_reach_them() -> None:
    loaded = load_target("shlex::join")
    assert all(problem.span.file.endswith("shlex.py") for problem in loaded.problems)


def test_only_what_the_target_needs_is_translated(snippets: Snippets) -> None:
    loaded = snippets.load("def f(x: int): return x\ndef g(x: int): yield x\n", "f")
    assert list(loaded.program.classes["snippet"].methods) == ["f"]
    assert loaded.problems == ()


def test_a_registry_filled_by_decorators_is_filled_before_anything_else(snippets: Snippets) -> None:
    source = "R = {}\ndef reg(f):\n    R[f] = 1\n    return f\n@reg\ndef a(): return 1\ndef size(): return len(R)\n"
    loaded = snippets.load(source, "size")
    assert loaded.problems == () and loaded.effects is not None
    assert [s.name for s in of_kind(loaded.effects, GetStatic)] == ["<decorated a>"]


def test_with_little_time_only_some_of_the_other_modules_are_translated(tmp_path: Path) -> None:
    """Translating must not take the time that there is for tests."""
    filling = "".join(f"def f{number}(n): return n + {number}\n" for number in range(900))
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text(f"{filling}\ndef change(n: int) -> int: return -n if n > 7 else n\n")
    (tmp_path / "main.py").write_text(
        "import one, other\ndef first(n: int): return one.change(n)\ndef second(n: int): return other.change(n)\n"
    )
    for seconds, translated in ((None, 2), (0.4, 1)):
        loaded = load_target(str(tmp_path / "main.py"), search=tmp_path, sources=Sources(seconds))
        assert sum(name in loaded.program.classes for name in ("one", "other")) == translated

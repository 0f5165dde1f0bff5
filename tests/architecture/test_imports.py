"""Every module imports only from the layers below it; this file is the table of who may import whom."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import everypath

PACKAGE = "everypath"
ROOT = Path(everypath.__file__).parent
SIZE_LIMIT = 500
DECISIONS_LIMIT = 20
TOP_MODULES = 6

FOR_ALL = ("", "errors", "options", "records", "paths")
"""The package itself (its version), what can go wrong, what can be set, how values are declared, what a path is: open
to everybody."""

CASE_VALUES = (
    "cases.model",
    "cases.accounts",
    "cases.call_text",
    "cases.spelling",
    "cases.findings",
    "cases.minimise",
    "cases.races",
    "cases.interleavings",
    "cases.actors",
    "cases.actor_wording",
    "cases.kinds",
    "cases.codec",
    "cases.digits",
    "cases.json_forms",
    "cases.recordings",
    "cases.trees",
)
"""What leaves the engine: values that import nothing but each other."""
_ENGINE = ("ir", "logic", "heap", "concurrency", "explore")
_BASE = (
    "languages.base",
    "languages.definitions",
    "languages.depending",
    "languages.json_format",
    "languages.sarif_format",
    "languages.whole_formats",
    *_ENGINE,
    "cases",
    "workers",
)
_PARAMETERS = "languages.python.parameters"
"""What the parameters of imported callables are: it imports nothing of ours, so that races may ask it as well."""
_RUNNING = (
    *(f"languages.python.{room}" for room in "runtime observing probing scripts cards frontend".split()),
    _PARAMETERS,
)
"""What runs cases for real, which writes scripts of its own and knows no format of test files."""
_RUN = ("planning", "generate", "languages", "cases", "report", "workers", *_ENGINE)
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "": ("app.api",),
    "errors": (),
    "options": (),
    "records": (),
    "paths": (),
    "ir": ("ir",),
    "logic": ("logic",),
    "heap": ("heap", "logic", "ir"),
    "concurrency": ("concurrency",),
    "explore": _ENGINE,
    **dict.fromkeys(CASE_VALUES, CASE_VALUES),
    "cases": ("cases", *_ENGINE),
    "languages": (),
    "languages.every": (
        "languages.base",
        "languages.python.language",
        "languages.abs.language",
        "languages.java.language",
    ),
    "languages.base": _BASE,
    "languages.definitions": (),
    "languages.depending": ("cases", *_ENGINE),
    "languages.json_format": _BASE,
    "languages.sarif_format": _BASE,
    "languages.whole_formats": _BASE,
    "languages.python": ("languages.python", *_BASE),
    **dict.fromkeys(_RUNNING[:4], (*_RUNNING, *_BASE)),
    _PARAMETERS: (_PARAMETERS,),
    "languages.abs": ("languages.abs", *_BASE),
    "languages.java": ("languages.java", *_BASE),
    "workers": ("workers", *CASE_VALUES),
    "race": ("race", "concurrency", "workers", _PARAMETERS, *CASE_VALUES),
    "planning": ("planning", "languages", "cases", "workers", *_ENGINE),
    "generate": _RUN,
    "report": ("report", *CASE_VALUES),
    "app": ("app", "race", *_RUN),
    "__main__": ("app",),
}
"""Folder or module -> what it may import. The longest matching entry holds."""

NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def module_name(path: Path) -> str:
    """The name below the package, such as `ir.check`; a package's `__init__` has the package's name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of every import, wherever in the module it stands."""
    name = module_name(path)
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = [part for part in package if part][: len(package) - node.level + 1]
                base = ".".join([PACKAGE, *above, *([base] if base else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def inside(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}.")


def home(name: str) -> str | None:
    """The entry of the table that a module falls under."""
    found = [entry for entry in MAY_IMPORT if (inside(name, entry) if entry else not name)]
    return max(found, key=len, default=None)


def target(dotted: str, known: set[str]) -> str | None:
    """The module of ours that an import names, or None for someone else's."""
    if not inside(dotted, PACKAGE):
        return None
    name = dotted[len(PACKAGE) + 1 :]
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def violations(path: Path, source: str, known: set[str]) -> list[str]:
    """What the module imports against the table, as messages."""
    name = module_name(path)
    entry = home(name)
    if entry is None:
        return [f"{name}: add its folder to the table"]
    allowed = MAY_IMPORT[entry]
    found = []
    for line, dotted in imported(path, ast.parse(source)):
        used = target(dotted, known)
        if used is None or used in FOR_ALL or any(inside(used, folder) for folder in allowed):
            continue
        found.append(f"{path.relative_to(ROOT)}:{line}: {entry} may not import {used}")
    return found


KNOWN = {module_name(path) for path in modules()}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_follow_the_table(path: Path) -> None:
    assert violations(path, path.read_text(encoding="utf-8"), KNOWN) == []


def test_only_one_module_knows_the_solver() -> None:
    users = {
        module_name(path)
        for path in modules()
        for _, dotted in imported(path, ast.parse(path.read_text(encoding="utf-8")))
        if inside(dotted, "z3")
    }
    assert len(users) <= 1
    assert all(inside(name, "logic") for name in users)


def test_modules_are_named_after_what_they_hold() -> None:
    assert [name for name in sorted(KNOWN) if NAMELESS & set(name.split("."))] == []


def test_modules_are_small() -> None:
    sizes = {module_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: size for name, size in sizes.items() if size > SIZE_LIMIT} == {}


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DECISIONS = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)


def complexity(function: ast.AST) -> int:
    """One more than the decisions in a function, without those of the functions inside it (McCabe)."""
    agenda, count = [function], 1
    while agenda:
        match node := agenda.pop():
            case ast.match_case(pattern=ast.MatchAs(pattern=None)):
                pass
            case ast.BoolOp(values=values):
                count += len(values) - 1
            case ast.comprehension(ifs=conditions):
                count += 1 + len(conditions)
            case _:
                count += isinstance(node, _DECISIONS)
        agenda += [child for child in ast.iter_child_nodes(node) if not isinstance(child, _FUNCTIONS)]
    return count


def test_functions_decide_little() -> None:
    dense = {
        f"{module_name(path)}.{node.name}": count
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, _FUNCTIONS[:2]) and (count := complexity(node)) > DECISIONS_LIMIT
    }
    assert dense == {}


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("pass", 1),
        ("if a and b: pass\n elif c: pass", 4),
        ("return [x for x in y if x]", 3),
        ("def g():\n  if a: pass", 1),
    ],
)
def test_decisions_are_counted(body: str, count: int) -> None:
    assert complexity(ast.parse(f"def f():\n {body}").body[0]) == count


def test_few_modules_lie_beside_the_folders() -> None:
    assert len(list(ROOT.glob("*.py"))) <= TOP_MODULES


def test_nothing_imports_in_a_circle() -> None:
    """Counting imports inside functions and under TYPE_CHECKING."""
    graph = {
        module_name(path): {
            used
            for _, dotted in imported(path, ast.parse(path.read_text(encoding="utf-8")))
            if (used := target(dotted, KNOWN))
        }
        - {module_name(path)}
        for path in modules()
    }
    assert circles(graph) == []


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components with more than one member (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for used in sorted(graph.get(name, ())):
            if used not in index:
                visit(used)
                low[name] = min(low[name], low[used])
            elif used in stack:
                low[name] = min(low[name], index[used])
        if low[name] == index[name]:
            at = stack.index(name)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [["b", "c"]]


NEUTRAL = ("ir", "logic", "heap", "concurrency", "explore", "report")
LANGUAGE = re.compile(
    r"""(?i:\b(c?python|java|jvm)\b)|\bABS\b"""
    r"""|^["'](TypeError|AttributeError|IndexError|KeyError|ValueError|ZeroDivisionError|NullPointerException)["']$"""
)
"""The names of languages and of their runtime errors, as code, strings, comments or documentation would write them."""


def spoken(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module in which a language could be named: strings, comments and documentation.

    Code of ours may well raise and handle errors of the interpreter that runs us; those are names, not texts.
    """
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT):
                yield token.start[0], token.string


@pytest.mark.parametrize("folder", NEUTRAL)
def test_no_language_is_named_where_all_are_served(folder: str) -> None:
    named = [
        f"{path.relative_to(ROOT)}:{line}: {text[:60]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in spoken(path)
        if LANGUAGE.search(text)
    ]
    assert named == []


@pytest.mark.parametrize(
    ("module", "source", "count"),
    [
        ("ir/cfg.py", "from everypath.ir import program", 0),
        ("ir/cfg.py", "from everypath import errors, options, __version__", 0),
        ("ir/cfg.py", "from everypath.heap import heap", 1),
        ("ir/cfg.py", "from ..heap import heap", 1),
        ("ir/cfg.py", "from . import program", 0),
        ("ir/cfg.py", "import everypath.explore", 1),
        ("ir/cfg.py", "def f():\n    import everypath.explore", 1),
        ("ir/cfg.py", "if TYPE_CHECKING:\n    from everypath.logic import anything", 1),
        ("explore/x.py", "from everypath.heap import heap\nfrom everypath.cases import model", 1),
        ("cases/model.py", "from everypath.ir import program", 1),
        ("cases/x.py", "from everypath.ir import program\nfrom everypath.cases.model import Suite", 0),
        ("cases/x.py", "from everypath.languages.base import Language", 1),
        ("languages/python/x.py", "from everypath.cases.model import Suite\nfrom everypath.languages import base", 0),
        ("languages/python/x.py", "from everypath.languages.abs import frontend", 1),
        ("languages/python/runtime/x.py", "from everypath.languages.python.writers import pytest_writer", 1),
        ("report/x.py", "from everypath.cases import model\nfrom everypath.ir.types import INT", 1),
        ("workers/x.py", "from everypath import generate, report", 2),
        ("errors.py", "from everypath import ir", 1),
        ("app/cli.py", "from everypath import ir, generate", 0),
        ("novel/x.py", "", 1),
    ],
)  # fmt: skip
def test_the_rule_itself(module: str, source: str, count: int) -> None:
    folders = {entry for entry in MAY_IMPORT if entry != "__main__"}
    assert len(violations(ROOT / module, source, folders | KNOWN)) == count

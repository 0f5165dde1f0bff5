"""Every module imports only from the layers below it; this file is the table of who may import whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import everypath

PACKAGE = "everypath"
ROOT = Path(everypath.__file__).parent
SIZE_LIMIT = 600
SEAM_SIZE = 500

FOR_ALL = ("", "errors", "options", "records")
"""The package itself (its version), what can go wrong, what can be set, how values are declared: open to everybody."""

_ENGINE = ("ir", "logic", "heap", "concurrency", "explore")
MAY_IMPORT: dict[str, tuple[str, ...] | None] = {
    "": (),
    "errors": (),
    "options": (),
    "records": (),
    "config": (),
    "ir": ("ir",),
    "frontends": ("frontends", "ir"),
    "logic": ("logic",),
    "heap": ("heap", "logic", "ir"),
    "concurrency": ("concurrency",),
    "explore": _ENGINE,
    "runtimes": ("runtimes", "frontends", "concurrency", "suite.model", "suite.actors"),
    "race": ("race", "concurrency", "suite.model", "suite.races", "suite.interleavings", "validate.fence"),
    "suite.model": (),
    "suite.sharing": ("suite.model",),
    "suite.races": ("suite.model",),
    "suite.interleavings": ("suite.races",),
    "suite.actors": ("suite.model",),
    "suite.actor_wording": ("suite.actors", "suite.model"),
    "suite": ("suite", *_ENGINE),
    "emit": ("emit", "suite.model", "suite.sharing", "suite.races", "suite.interleavings", "suite.actors"),
    "validate": ("validate", "emit", "suite.model", "suite.actors", "runtimes"),
    "report": (
        "report",
        "suite.model",
        "suite.races",
        "suite.interleavings",
        "suite.actors",
        "suite.actor_wording",
    ),
    "cluster": ("cluster", "suite", *_ENGINE),
    "outline": ("frontends",),
    "git_changes": ("outline",),
    "targets": ("frontends",),
    "selection": ("targets", "outline", "git_changes"),
    "planning": ("targets", "selection"),
    "runs": ("targets", "report.summary", "suite.model"),
    "exploring": None,
    "arranged": None,
    "beyond": None,
    "branches": None,
    "deeper": None,
    "pipeline": None,
    "commands": None,
    "race_command": None,
    "run_command": None,
    "actor_arguments": (),
    "actors_closed": None,
    "actors_generation": None,
    "actors_pipeline": None,
    "actors_command": None,
    "actors_targets": None,
    "race_targets": None,
    "race_values": None,
    "outputs": (),
    "arguments": None,
    "start": None,
    "cli": None,
    "__main__": ("cli",),
}
"""Folder or module -> what it may import; None is everything. The longest matching entry holds."""

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
    if allowed is None:
        return []
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


def test_modules_are_small(record_property: pytest.RecordProperty, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    large = {path: size for path, size in sizes.items() if size > SEAM_SIZE}
    for path, size in sorted(large.items(), key=lambda item: -item[1]):
        record_property(str(path.relative_to(ROOT)), size)
        with capsys.disabled():
            print(f"\n{path.relative_to(ROOT)}: {size} lines, look for the seam")
    assert [str(path.relative_to(ROOT)) for path, size in large.items() if size > SIZE_LIMIT] == []


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
        ("explore/x.py", "from everypath.heap import heap\nfrom everypath.suite import model", 1),
        ("suite/model.py", "from everypath.ir import program", 1),
        ("suite/x.py", "from everypath.ir import program\nfrom everypath.suite.model import Suite", 0),
        ("emit/x.py", "from everypath.suite import model\nfrom everypath.suite.model import Suite", 0),
        ("emit/x.py", "from everypath.ir.types import INT", 1),
        ("validate/x.py", "from everypath import emit, report", 1),
        ("errors.py", "from everypath import ir", 1),
        ("cli.py", "from everypath import ir, pipeline", 0),
        ("novel/x.py", "", 1),
    ],
)  # fmt: skip
def test_the_rule_itself(module: str, source: str, count: int) -> None:
    folders = {entry for entry in MAY_IMPORT if entry != "__main__"}
    assert len(violations(ROOT / module, source, folders | KNOWN)) == count

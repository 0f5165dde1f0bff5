"""Which functions of a file mean something else than at another time, because they or what they use have changed.

The parts of the file, and of all files of the program that it imports, are compared with what they were. A function has
changed if it may use a part that is new, gone or different (`parts.py` says what it may use), and so has one whose
inputs nothing declares if what changed is code that mentions it: types are also read off the uses.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from everypath.languages.python.frontend.finder import Finder, import_name
from everypath.languages.python.parts import CLASS, FUNCTION, RUNS, Part, Universe, imports_of, parts_of

TOUCHED = ""
"""Stands for the file itself: something in it is different, though perhaps nothing that has tests."""
EVERYTHING = "*"
Before = Callable[[Path], str | None]
"""The text that a file had, None if there was none."""
_Differs = Callable[[Path], bool]


def changed_functions(path: Path, differs: _Differs, before: Before, gone: Iterable[str]) -> frozenset[str]:
    """The qualified names of the functions of a file that are new or may mean something else.

    `gone` are texts of files that no longer exist.
    """
    files = _program(path)
    if not files:
        # Loading it will say what is wrong; nothing may be left out before that.
        return frozenset((EVERYTHING,)) if differs(path) else frozenset()
    own_modules = [import_name(each)[0] for each in files]
    lost = [part for text in gone for part in _parts("", text)]
    touched_files = [each for each in files if differs(each)]
    different = [part for each in touched_files for part in _different(before(each), files[each], own_modules)]
    if not different and not lost:
        return frozenset()
    touched = frozenset((TOUCHED,)) if any(part.file == str(path) for part in different) else frozenset[str]()
    return touched | _affected(path, files, different, lost)


def _affected(path: Path, files: dict[Path, list[Part]], different: list[Part], lost: list[Part]) -> frozenset[str]:
    """The functions of a file that may use one of some parts that are different, or one that is lost."""
    universe = Universe([part for parts in files.values() for part in parts])
    own = [part for part in files[path] if part.kind == FUNCTION]
    if any(part.kind == RUNS for part in different):
        return frozenset(map(_qualname, own))
    names = {name for part in (*different, *lost) for name in (*part.names, *part.owner.split(".")) if name}
    names |= _guessed(own, [part for part in different if part.file == str(path)])
    return frozenset(_qualname(part) for part in own if not names.isdisjoint(_used(universe, part)))


def _used(universe: Universe, part: Part) -> set[str]:
    return universe.used([*part.names, *filter(None, part.owner.split("."))])[1]


def _qualname(part: Part) -> str:
    return ".".join(filter(None, (part.owner, *part.names)))


def _program(path: Path) -> dict[Path, list[Part]]:
    """The parts of a file and of all that it imports; nothing if it cannot be read."""
    name, root = import_name(path)
    finder = Finder(root, Path.cwd().resolve(), target=name)
    found: dict[Path, list[Part]] = {}
    pending = [(name, path)]
    while pending:
        name, each = pending.pop()
        if each in found:
            continue
        try:
            text = each.read_text(encoding="utf-8")
            imported = imports_of(ast.parse(text), name, each)
            places = ((module, finder.locate(module)) for module in imported)
            own = {
                module: place.resolve() for module, place in places if place and finder.is_user(module, place.resolve())
            }
            found[each] = _parts(str(each), text, own)
        except (OSError, SyntaxError, ValueError, RecursionError):
            if each == path:
                return {}
            continue
        pending += [(module, place) for module, place in own.items() if place.suffix == ".py"]
    return found


def _parts(file: str, text: str, own: Iterable[str] = ()) -> list[Part]:
    """The parts of a text; `own` are modules of the program."""
    return parts_of(file, text, ast.parse(text), sys.stdlib_module_names | {each.partition(".")[0] for each in own})


def _different(before: str | None, now: list[Part], own: Iterable[str]) -> list[Part]:
    """The parts that are new, gone, or mean something else."""
    try:
        then = _parts(now[0].file if now else "", before or "", own)
    except (SyntaxError, ValueError, RecursionError):
        return now
    old, new = Counter(map(_meaning, then)), Counter(map(_meaning, now))
    return [p for p in then if not new[_meaning(p)]] + [p for p in now if not old[_meaning(p)]]


def _meaning(part: Part) -> tuple[str, str, str]:
    """Equal for parts that mean the same: layout and comments do not matter, but those that are preconditions."""
    if part.kind == CLASS:
        return part.owner, part.kind, part.text
    promises = [line.strip() for line in part.text.splitlines() if "requires:" in line]
    try:
        text = ast.unparse(ast.parse(textwrap.dedent(part.text)))
    except (SyntaxError, ValueError):
        text = part.text
    return part.owner, part.kind, "\n".join([*promises, text])


def _guessed(own: list[Part], different: list[Part]) -> set[str]:
    """The functions of a file, or their classes, whose inputs are taken for what changed code uses them for."""
    words = frozenset[str]().union(*(part.words for part in different))
    return {name for part in own if _has_open_inputs(part) for name in (*part.names, *part.owner.split("."))} & words


def _has_open_inputs(part: Part) -> bool:
    try:
        node = ast.parse(textwrap.dedent(part.text)).body[0]
    except (SyntaxError, ValueError):
        return True
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return any(each.annotation is None for each in given[1 if part.owner else 0 :])

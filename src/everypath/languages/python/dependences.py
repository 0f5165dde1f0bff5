"""What the tests of Python code depend on: files that are read or imported, and for each function what it may use."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from everypath.cases.codec import Damaged
from everypath.cases.keys import digest
from everypath.cases.kinds import CALLS
from everypath.cases.model import CallCase, SomeSuite
from everypath.cases.store import stored_form
from everypath.ir.program import Class
from everypath.languages.base import EntryPoint, Loaded
from everypath.languages.depending import Fingerprint, Reads
from everypath.languages.python.frontend import Loaded as PythonProgram
from everypath.languages.python.frontend.finder import Finder, is_standard, shown
from everypath.languages.python.parts import Part, Universe, imports_of, parts_of
from everypath.records import dataclass

_UNKNOWABLE = re.compile(r"\b(import_module|__import__|iter_modules|walk_packages)\b")
"""Code with these words may import anything."""
_COMPUTED = frozenset("exec eval globals locals vars getattr __dict__ attrgetter methodcaller __getattribute__".split())
"""Code with these words may use anything of the program without naming it."""
_FILES = re.compile(r"\b(open|read_text|read_bytes|read_csv|get_data|files|Path|listdir|scandir|glob)\b")
_ENVIRONMENT = re.compile(r"\b(environ|getenv|expandvars|expanduser)\b")
_WORD = re.compile(r"[^\W\d]\w*")
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class _Text:
    """A file of the code under test."""

    path: Path
    file: str
    imports: tuple[str, ...]
    """the modules that it may import, by all of their names"""
    parts: tuple[Part, ...]
    constants: tuple[str, ...]
    """texts in it that may be names of files"""
    variables: tuple[str, ...]
    """names of variables of the environment in it"""
    unknowable: bool


class PythonDependences:
    """Answers for the programs of one run; each file is read once."""

    def __init__(self) -> None:
        self._texts: dict[tuple[Path, str], _Text | None] = {}
        self._located: dict[tuple[Path, str], Path | None] = {}
        self._programs: dict[int, tuple[Loaded, _Program | None]] = {}

    def reads(self, loaded: Loaded) -> Reads | None:
        """The files of the program, those that it imports, and what its text asks the world for."""
        program = self._program(loaded)
        return None if program is None else program.reads

    def fingerprint(self, loaded: Loaded, entry: EntryPoint) -> Fingerprint | None:
        """The texts of all that the entry may use, with the types that were found for its inputs."""
        program = self._program(loaded)
        return None if program is None else program.fingerprint(entry)

    def changed(
        self, path: Path, differs: Callable[[Path], bool], before: Callable[[Path], str | None], gone: Sequence[str]
    ) -> frozenset[str]:
        """What may use something that is different, in this file or in one that it imports."""
        # Few runs ask for it.
        from everypath.languages.python.changed import changed_functions

        return changed_functions(path, differs, before, gone)

    def written(self, remembered: Any, suite: SomeSuite, left_out: list[Any]) -> object:
        """The lines and branches that runs have reached, and the cases that were tried in vain."""
        _, reached, tried = remembered
        kept = {case.id for case in (*suite.cases, *left_out)}
        lines = [list(each) if isinstance(each, tuple) else each for each in sorted(reached, key=_order)]
        return {
            "reached": lines,
            "tried": [case.id for case in tried if case.id in kept],
            "failed": stored_form(CALLS).encode(list[CallCase], [case for case in tried if case.id not in kept]),
        }

    def read(self, data: Any, suite: SomeSuite, left_out: list[Any], lines: dict[int, int] | None) -> Any:
        """The same for the runtime; the scripts of the cases are written anew."""
        from everypath.languages.python.scripts.body import render_case

        try:
            found = [tuple(each) if isinstance(each, list) else each for each in data["reached"]]
            by_id: dict[str, Any] = {case.id: case for case in (*suite.cases, *left_out)}
            tried = [by_id[each] for each in data["tried"]] + stored_form(CALLS).decode(list[CallCase], data["failed"])
            reached = found if lines is None else [_moved(each, lines) for each in found]
        except (KeyError, TypeError) as error:
            raise Damaged(f"lacks {error}") from None
        scripts = {case: render_case(by_id[case], suite.plans, way) for case, way in suite.ways.items()}
        return scripts, set(reached), tried

    def _program(self, loaded: Loaded) -> _Program | None:
        known = self._programs.get(id(loaded))
        if known is None or known[0] is not loaded:
            known = self._programs[id(loaded)] = loaded, self._gathered(loaded)
        return known[1]

    def _gathered(self, loaded: Loaded) -> _Program | None:
        assert isinstance(loaded, PythonProgram)
        finder = loaded.finder
        if finder is None:
            return None
        texts: dict[Path, _Text] = {}
        missing: set[str] = set()
        others = _beside(finder)
        pending = [(module.name, module.path) for module in finder.modules() if module.user]
        while pending:
            name, path = pending.pop()
            if path in texts:
                continue
            text = self._text(name, path, finder)
            if text is None or text.unknowable:
                return None
            texts[path] = text
            for imported in text.imports:
                place = self._place(imported, finder)
                if place is None or not finder.is_user(imported, place):
                    missing.add(imported)
                elif place.suffix == ".py":
                    pending.append((imported, place))
                else:
                    others.add(place)
        return _Program(loaded, finder, tuple(texts[path] for path in sorted(texts)), others, missing)

    def _place(self, name: str, finder: Finder) -> Path | None:
        key = finder.root, name
        if key not in self._located:
            found = finder.locate(name)
            self._located[key] = found.resolve() if found is not None else None
        return self._located[key]

    def _text(self, name: str, path: Path, finder: Finder) -> _Text | None:
        key = path, name
        if key not in self._texts:
            try:
                source = path.read_text(encoding="utf-8")
                tree = ast.parse(source)
                imports = imports_of(tree, name, path)
                own = {i.partition(".")[0] for i in imports if (p := self._place(i, finder)) and finder.is_user(i, p)}
                self._texts[key] = _read(path, shown(path, finder.search), source, tree, imports, own)
            except (OSError, SyntaxError, ValueError, RecursionError):
                self._texts[key] = None
        return self._texts[key]


def _beside(finder: Finder) -> set[Path]:
    """Files that were read and are not the program's own: of other packages, and stubs."""
    modules = list(finder.modules())
    found = {each.path for each in modules if not each.user and not each.model and not is_standard(each.path)}
    stubs = (each.path.with_suffix(".pyi") for each in modules if each.stub)
    return found | {each for each in stubs if each.is_file()}


class _Program:
    """What one program consists of."""

    def __init__(
        self, loaded: PythonProgram, finder: Finder, texts: tuple[_Text, ...], others: set[Path], missing: set[str]
    ) -> None:
        self._loaded = loaded
        self._finder = finder
        self._texts = texts
        self._others = others
        self._missing = missing
        self._known: dict[str, Fingerprint] = {}
        """by entry; exploring adds to what is known of classes, and an entry is what it was before"""

    @cached_property
    def universe(self) -> Universe:
        """All parts of the program's own files."""
        return Universe([part for text in self._texts for part in text.parts])

    @cached_property
    def reads(self) -> Reads:
        """The files, those that would be found in their place, and variables of the environment."""
        files = {text.path for text in self._texts} | self._others
        folders = {self._finder.root, self._finder.search}
        absent = set()
        for name in self._missing:
            first = name.partition(".")[0]
            for folder in folders:
                absent |= {folder / f"{first}.py", folder / first / "__init__.py"} - files
        for text in self._texts:
            for constant in text.constants:
                named = {folder / constant for folder in (*folders, text.path.parent)}
                files |= {each for each in named if each.is_file()}
                absent |= {each for each in named if not each.exists()}
            stub = text.path.with_suffix(".pyi")
            absent |= set() if stub.is_file() else {stub}
        absent = {each for each in absent if not each.exists()}
        variables = {each for text in self._texts for each in text.variables}
        return Reads(tuple(map(str, sorted(files))), tuple(map(str, sorted(absent))), tuple(sorted(variables)))

    @cached_property
    def _around(self) -> list[str]:
        """What is not part of the program's own text: other files that are read, variables of the environment."""
        own = {str(text.path) for text in self._texts}
        told = [f"{name}={os.environ.get(name)}" for name in self.reads.variables]
        for file in self.reads.files:
            if file not in own:
                with suppress(OSError):
                    told.append(Path(file).read_bytes().hex())
        return told

    def fingerprint(self, entry: EntryPoint) -> Fingerprint:
        """The texts of what an entry may use, and what its inputs are taken for."""
        if entry.qualname not in self._known:
            self._known[entry.qualname] = self._fingerprint(entry)
        return self._known[entry.qualname]

    def _fingerprint(self, entry: EntryPoint) -> Fingerprint:
        assumed = (
            entry.kind,
            entry.qualname,
            str([_said(each) for each in entry.params]),
            str([(each.kind, each.message) for each in entry.problems]),
            str(entry.examples),
            str(sorted((name, [*map(str, types)]) for name, types in entry.alternatives.items())),
            str([(each.text, each.names, each.said) for each in entry.requires]),
        )
        names = {*entry.qualname.removesuffix(".setter").split("."), *_WORD.findall("".join(assumed))}
        told: set[str] = set()
        while True:
            parts, words = self.universe.used(names)
            found = {line for cls in self._loaded.program.classes.values() for line in _lines(cls, words)}
            if found == told:
                break
            told = found
            names |= {word for line in found for word in _WORD.findall(line)}
        if not _COMPUTED.isdisjoint(words):
            parts = self.universe.parts
        # Where parts stand, and in which order, makes no difference.
        parts = sorted(parts, key=lambda part: (part.shown, part.first))
        key = digest((*assumed, *sorted(told), *self._around, *(part.shown for part in parts)))
        return Fingerprint(key, tuple(part.place for part in parts))


def _lines(cls: Class, words: set[str]) -> Iterator[str]:
    """What is known of a class and of its methods, as far as names say that it may be used."""
    if cls.model:
        return
    if cls.name.rpartition(".")[2] in words:
        fields = [(each.name, str(each.type), each.guessed, each.wide, each.hidden) for each in cls.fields.values()]
        made = cls.constructor
        shown = made and ([_said(each) for each in made.params], made.sets, str(made.constants), made.by_value)
        yield f"{cls.name} {cls.bases} {fields} {shown} {cls.members} {cls.flags} {cls.abstract} {cls.external}"
    for method in cls.methods.values():
        if method.name in words and not method.model:
            yield f"{method.qualified} {[_said(each) for each in method.params]} {method.returns} {method.kind}"


def _said(param: Any) -> str:
    return f"{param.name}: {param.type} {param.kind} {param.default!r} {param.guessed} {param.wide} {param.keyed}"


def _read(path: Path, file: str, source: str, tree: ast.Module, imports: list[str], own: set[str]) -> _Text:
    opens, asks = _FILES.search(source) is not None, _ENVIRONMENT.search(source) is not None
    texts = {each for each in map(_text_of, ast.walk(tree)) if each} if opens or asks else set[str]()
    constants = {each for each in texts if _is_file_name(each)} if opens else set[str]()
    return _Text(
        path,
        file,
        tuple(imports),
        tuple(parts_of(file, source, tree, own | sys.stdlib_module_names)),
        tuple(sorted(constants)),
        tuple(sorted(each for each in texts if asks and each.isidentifier())),
        _UNKNOWABLE.search(source) is not None,
    )


def _text_of(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_file_name(text: str) -> bool:
    if not text.isprintable() or not text.strip(". /"):
        return False
    # File systems count bytes.
    return len(text.encode()) < _LONGEST_PATH


def _order(each: int | tuple[int, int]) -> tuple[int, ...]:
    return each if isinstance(each, tuple) else (each,)


def _moved(each: int | tuple[int, int], lines: dict[int, int]) -> int | tuple[int, int]:
    """A line or a branch where it is now; an end below zero is no line."""
    if isinstance(each, tuple):
        start, end = (lines.get(line, line) if line > 0 else line for line in each)
        return start, end
    return lines.get(each, each)

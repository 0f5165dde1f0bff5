"""ABS programs with the methods and main blocks that the targets of a command name in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from everypath.cases.describing import NOTHING_SPECIAL, Describer
from everypath.cases.model import Entry
from everypath.errors import BadInput, BadProgram, Span
from everypath.explore.search.subject import Subject
from everypath.ir import program as ir
from everypath.languages.abs.frontend.check import Source, check_program, read_sources
from everypath.languages.abs.frontend.program import MAIN as MAIN_METHOD
from everypath.languages.abs.frontend.program import Class, Main, Method, Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.languages.base import EntryPoint, Expanded, Loaded, SourceProblem
from everypath.languages.base import Source as BaseSource
from everypath.languages.definitions import Definition
from everypath.records import dataclass, replace

SUFFIX = ".abs"
MAIN = "main"
_MOST_LISTED = 12
_HIDDEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""Texts and comments: what they say is no declaration."""
_MODULE = re.compile(r"\bmodule\s+([A-Z][\w.]*)\s*;")
_USED = re.compile(r"\b(import|export)\b([^;]*);")
_FROM = re.compile(r"\bfrom\s+([A-Z][\w.]*)\s*$")
_QUALIFIED = re.compile(r"([A-Z]\w*(?:\.[A-Z]\w*)*)\.\w+")


@dataclass(frozen=True, slots=True)
class ActorTarget:
    """One method, or one main block, to explore."""

    target: str
    """as the user would write it"""
    entry: Entry
    program: Program
    """for a main block, the one that has only this main block"""
    sources: tuple[Source, ...]
    """the files of the program, those that the target names first"""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(source.file for source in self.sources)


@dataclass(frozen=True, slots=True)
class _Named:
    """A program with the place that it was named by."""

    place: str
    program: Program
    named: frozenset[str]
    """the modules of the files that the target names; others were found because these import them"""
    sources: tuple[Source, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(source.file for source in self.sources)

    @property
    def span(self) -> Span:
        """The first file."""
        return Span(self.files[0])

    @property
    def classes(self) -> list[Class]:
        """The classes that the named files declare, in the order of the source."""
        found = [c for name, c in self.program.classes.items() if name.rpartition(".")[0] in self.named]
        return sorted(found, key=lambda c: (self.files.index(c.span.file), c.span.line, c.span.column))

    @property
    def mains(self) -> list[Main]:
        """The main blocks of the named files."""
        return [main for main in self.program.mains if main.module in self.named]


class ActorProgram:
    """What some targets name in one file of a program."""

    problems: tuple[SourceProblem, ...] = ()
    definitions: tuple[Definition, ...] = ()
    effects: ir.Method | None = None

    def __init__(self, targets: Sequence[ActorTarget]) -> None:
        entry = targets[0].entry
        self.module = entry.module
        self.file = entry.file
        self.root = Path(entry.file).parent
        self.targets = {_qualname(target): target for target in targets}
        self.entries = tuple(_entry_point(name, target) for name, target in self.targets.items())

    @cached_property
    def program(self) -> ir.Program:
        """The program as IR; a main block is run as it is, so that this is only made where something asks for it."""
        targets = list(self.targets.values())
        # A program may have several main blocks; the one that is meant is alone in the program of its target.
        return lower(next((target for target in targets if not target.entry.cls), targets[0]).program)

    def subject(self, entry: EntryPoint) -> Subject:
        """A method by itself, as if no other task were there."""
        method = self.program.find_method(entry.cls, entry.method)
        assert method is not None
        return Subject(AbsSemantics(self.program), method, entry.cls)

    def describer(self) -> Describer:
        """Values of ABS are plain data and references."""
        return NOTHING_SPECIAL

    def target(self, qualname: str) -> ActorTarget:
        """One of the methods or main blocks."""
        return self.targets[qualname]


def actors_in(loaded: Loaded) -> ActorProgram:
    """A program that comes back to the language that loaded it."""
    assert isinstance(loaded, ActorProgram)
    return loaded


def expand(targets: Iterable[str]) -> Expanded:
    """The files in which the targets name something; one program that cannot be used costs the whole run."""
    groups: dict[tuple[str, str], list[ActorTarget]] = {}
    for target in find_targets(targets):
        groups.setdefault((target.target.partition("::")[0], target.entry.file), []).append(target)
    expanded = Expanded()
    for (place, file), found in groups.items():
        path, module = Path(file), found[0].entry.module
        others = tuple(name for name in found[0].files if name != file)
        source = BaseSource(place, path, file, module=file, root=path.parent, called=module, others=others)
        expanded.sources.append(source)
        expanded.loaded[source] = ActorProgram(found)
    return expanded


def load(target: str) -> ActorProgram:
    """Everything that a target names, whatever files it is in."""
    return ActorProgram(find_targets([target]))


def _qualname(target: ActorTarget) -> str:
    """The member that the target names, with its module where that is needed to tell it from others."""
    return target.target.partition("::")[2]


def _entry_point(qualname: str, target: ActorTarget) -> EntryPoint:
    entry = target.entry
    span = Span(entry.file, entry.line)
    if not entry.cls:
        return EntryPoint(*MAIN_METHOD, "main", qualname, entry.module, span)
    return EntryPoint(f"{entry.module}.{entry.cls}", entry.name, "method", qualname, entry.module, span)


def find_targets(targets: Iterable[str]) -> list[ActorTarget]:
    """The entries that the targets name, each once; bad input says which there are."""
    programs: dict[str, _Named] = {}
    found: dict[tuple[tuple[str, ...], str, str], ActorTarget] = {}
    for target in targets:
        place, _, member = target.partition("::")
        loaded = programs.get(place)
        if loaded is None:
            loaded = programs[place] = _named(place)
        for each in _entries(loaded, member):
            found.setdefault((each.files, f"{each.entry.module}.{each.entry.cls}", each.entry.name), each)
    return list(found.values())


def _named(place: str) -> _Named:
    """The program in the files of a place, `a.abs` or `a.abs,b.abs`, with the modules that they import."""
    sources = read_sources(_paths(place))
    modules = frozenset(name for source in sources for name in declared_modules(source.text))
    sources = (*sources, *_imported(sources))
    checked = check_program(sources)
    if not isinstance(checked, Program):
        raise BadProgram(checked)
    return _Named(place, checked, modules, sources)


def _paths(place: str) -> list[Path]:
    names = [place] if Path(place).exists() else place.split(",")
    for name in names:
        path = Path(name)
        if path.is_dir():
            raise BadInput("is a directory; name the files to test", Span(name))
        if path.suffix != SUFFIX:
            raise BadInput("is not an ABS file; a program is one or more .abs files", Span(name or place))
        if not path.exists():
            there = [p.name for p in path.parent.glob(f"*{SUFFIX}")] if path.parent.is_dir() else []
            raise BadInput(f"no such file{_advice(path.name, there) or '; check the path'}", Span(name))
    return [Path(name) for name in dict.fromkeys(names)]


def declared_modules(text: str) -> list[str]:
    """The names of the modules in a source text, as far as plain text tells."""
    return _MODULE.findall(_HIDDEN.sub(" ", text))


def _used_modules(text: str) -> Iterator[str]:
    for keyword, names in _USED.findall(_HIDDEN.sub(" ", text)):
        source = _FROM.search(names.strip())
        if source is not None:
            yield source[1]
        elif keyword == "import":
            for name in names.split(","):
                qualified = _QUALIFIED.fullmatch(name.strip())
                if qualified is not None:
                    yield qualified[1]


def _imported(given: Sequence[Source]) -> tuple[Source, ...]:
    """The files beside the given ones that declare a module which these need, and so on."""
    known = {name for source in given for name in declared_modules(source.text)}
    offered: dict[str, list[Source]] | None = None
    added: list[Source] = []
    pending = [*given]
    while pending:
        source = pending.pop(0)
        for name in dict.fromkeys(_used_modules(source.text)):
            if name in known or name.startswith("ABS."):
                continue
            if offered is None:
                offered = _offered(given)
            found = offered.get(name, [])
            if len(found) > 1:
                files = " and ".join(each.file for each in found)
                message = f"imports module {name}, which {files} declare; name the files of the program: a.abs,b.abs"
                raise BadInput(message, Span(source.file))
            if found:
                known.update(declared_modules(found[0].text))
                added += found
                pending += found
    return tuple(added)


def _offered(given: Sequence[Source]) -> dict[str, list[Source]]:
    """The modules of the other files in the same folders; a file that cannot be read offers none."""
    folders = dict.fromkeys(Path(source.file).parent for source in given)
    named = {Path(source.file).resolve() for source in given}
    found: dict[str, list[Source]] = {}
    for path in (path for folder in folders for path in sorted(folder.glob(f"*{SUFFIX}"))):
        if path.resolve() not in named and path.is_file():
            try:
                [source] = read_sources([path])
            except BadInput:
                continue
            for name in declared_modules(source.text):
                found.setdefault(name, []).append(source)
    return found


def _entries(loaded: _Named, member: str) -> list[ActorTarget]:
    """What a target names in its program."""
    if not member:
        return _everything(loaded)
    name = member.replace("::", ".")
    cls = _class(loaded, name)
    if cls is not None:
        return _public(loaded, cls)
    owner, _, method_name = name.rpartition(".")
    cls = _class(loaded, owner) if owner else None
    if cls is not None:
        method = cls.method(method_name)
        if method is not None:
            return [_method_target(loaded, cls, method)]
    if method_name == MAIN and (not owner or owner in loaded.program.modules):
        return [_main_target(loaded, owner)]
    if cls is not None:
        raise _no_method(cls, method_name)
    raise _no_class(loaded, owner or name, name)


def _everything(loaded: _Named) -> list[ActorTarget]:
    found = [_method_target(loaded, cls, m) for cls in loaded.classes for m in cls.methods if m.public]
    several = len(loaded.mains) > 1
    found += [_main_target(loaded, main.module if several else "") for main in loaded.mains]
    if not found:
        raise BadInput("nothing to test: no main block, and no class with a method of an interface", loaded.span)
    return found


def _public(loaded: _Named, cls: Class) -> list[ActorTarget]:
    found = [_method_target(loaded, cls, method) for method in cls.methods if method.public]
    if found:
        return found
    simple = _simple(cls)
    names = [f"{loaded.place}::{simple}.{method.name}" for method in cls.methods]
    advice = f"; name one: {', '.join(names[:_MOST_LISTED])}" if names else ""
    raise BadInput(f"class {simple} has no public method, one that an interface declares{advice}", cls.span)


def _class(loaded: _Named, name: str) -> Class | None:
    """A class by its simple name, those of the named files first, or by its qualified one."""
    own = [cls for cls in loaded.classes if _simple(cls) == name]
    if len(own) > 1:
        names = " and ".join(cls.name for cls in own)
        raise BadInput(f"{name} may be {names}; write the module too", own[0].span)
    found = own[0] if own else loaded.program.named_class(name)
    return found if found is not None and found.name.rpartition(".")[0] in loaded.program.modules else None


def _method_target(loaded: _Named, cls: Class, method: Method) -> ActorTarget:
    module = cls.name.rpartition(".")[0]
    alike = [c for c in loaded.classes if _simple(c) == _simple(cls)]
    written = cls.name if len(alike) > 1 else _simple(cls)
    entry = Entry(module, method.span.file, _simple(cls), method.name, "method", method.span.line)
    return ActorTarget(f"{loaded.place}::{written}.{method.name}", entry, loaded.program, loaded.sources)


def _main_target(loaded: _Named, module: str) -> ActorTarget:
    mains = [main for main in loaded.program.mains if main.module == module] if module else loaded.mains
    if not mains:
        elsewhere = [main for main in loaded.program.mains if main not in loaded.mains]
        advice = "add `{ ... }` at the end of a module"
        if elsewhere and not module:
            advice = f"module {elsewhere[0].module} has one: {elsewhere[0].span.file}::{MAIN}"
        where = f"module {module}" if module else "the program"
        raise BadInput(f"{where} has no main block: {advice}", loaded.span)
    main = mains[0]
    written = f"{module}.{MAIN}" if module else MAIN
    entry = Entry(main.module, main.span.file, None, MAIN, "main", main.span.line)
    program = replace(loaded.program, mains=(main,))
    return ActorTarget(f"{loaded.place}::{written}", entry, program, loaded.sources)


def _no_method(cls: Class, name: str) -> BadInput:
    names = [method.name for method in cls.methods]
    listed = ", ".join(names[:_MOST_LISTED])
    advice = _advice(name, names) or (f"; it has {listed}" if names else "; it has none")
    return BadInput(f"class {_simple(cls)} has no method {name!r}{advice}", cls.span)


def _no_class(loaded: _Named, name: str, member: str) -> BadInput:
    classes = [_simple(cls) for cls in loaded.classes]
    functions = [f.rpartition(".")[2] for f in loaded.program.functions if f.rpartition(".")[0] in loaded.named]
    if member in functions:
        return BadInput(f"{member} is a function; a target is a method of a class, or main", loaded.span)
    if any(i.rpartition(".")[2] == name for i in loaded.program.interfaces if i.rpartition(".")[0] in loaded.named):
        return BadInput(f"{name} is an interface; name a class that implements it: {', '.join(classes)}", loaded.span)
    holders = [cls for cls in loaded.classes if cls.method(member) is not None]
    if holders:
        return BadInput(f"{member} is a method; write {loaded.place}::{_simple(holders[0])}.{member}", loaded.span)
    listed = ", ".join(classes[:_MOST_LISTED]) + (" and more" if len(classes) > _MOST_LISTED else "")
    there = [*classes, *([MAIN] if loaded.mains else [])]
    advice = _advice(name, there) or (f"; it has {listed}" if classes else "; it has no classes")
    return BadInput(f"there is no class {name!r} in this program{advice}", loaded.span)


def _simple(cls: Class) -> str:
    return cls.name.rpartition(".")[2]


def _advice(name: str, existing: Sequence[str]) -> str:
    close = get_close_matches(name, existing, 3, 0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""

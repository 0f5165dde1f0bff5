"""From the targets of a command to the classes to generate for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.base import Expanded, Source
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.places import open_place
from everypath.languages.java.classfile.reader import ClassFile
from everypath.languages.java.frontend.load import JDK_TARGET, classes_in


def expand(targets: Sequence[str]) -> Expanded:
    """One source for each class."""
    found = Expanded()
    for target in targets:
        place, _, member = target.partition("::")
        try:
            _add(found, place, member)
        except BadClassFile as problem:
            raise BadInput(str(problem), Span(place)) from None
    return found


def _add(found: Expanded, place: str, member: str) -> None:
    if place.endswith(".class"):
        place, member = _class_file(Path(place), member)
    if place == JDK_TARGET:
        if not member:
            raise BadInput("name a class of the JDK, such as jdk::java.util.BitSet")
        found.sources.append(_source(place, member, _outermost(member, None)))
        return
    path = Path(place)
    if not path.exists():
        raise BadInput("there is no such folder or jar", Span(place))
    opened = open_place(path)
    names = [name.replace("/", ".") for name in opened.names()]
    if not names:
        raise BadInput("there are no classes in it", Span(place))
    outermost = _outermost(member, frozenset(names)) if member else None
    if outermost is not None:
        found.sources.append(_source(place, member, outermost))
        return
    inside = list(classes_in(opened, member))
    if not inside:
        raise BadInput(f"there is no class or package {member} in it", Span(place))
    found.folders = True
    for name in inside:
        found.sources.append(_source(place, name, name, named=False))


def _outermost(member: str, names: frozenset[str] | None) -> str | None:
    """The top-level class that a member belongs to; None if it is a package."""
    parts = member.partition("(")[0].split(".")
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        if name in names if names is not None else parts[count - 1][:1].isupper():
            return name.partition("$")[0]
    return None if names is not None else ".".join(parts)


def _class_file(path: Path, member: str) -> tuple[str, str]:
    """A class file is its class in the folder that its package begins in."""
    try:
        info = ClassFile(path.read_bytes()).info
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", Span(str(path))) from None
    except BadClassFile as problem:
        raise BadInput(str(problem), Span(str(path))) from None
    folder = path.parent
    for _ in range(info.name.count("/")):
        folder = folder.parent
    name = info.name.replace("/", ".")
    return str(folder), f"{name}.{member}" if member else name


def _source(place: str, member: str, outermost: str | None, named: bool = True) -> Source:
    cls = outermost or member
    path = Path(place)
    root = path if path.is_dir() else path.parent
    file = str(path / f"{cls.replace('.', '/')}.class") if path.is_dir() else place
    return Source(f"{place}::{member}", Path(file), file, cls, root, named)

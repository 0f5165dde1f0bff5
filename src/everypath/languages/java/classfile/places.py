"""Where classes come from: folders, jars, and the JDK; each is read when a class is first asked for."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.image import ModuleImage, UnreadableImage
from everypath.languages.java.classfile.reader import ClassFile
from everypath.languages.java.runtime import jdk


class Place(Protocol):
    """Something that holds classes."""

    label: str
    """as the user would write it; empty for the JDK"""

    def read(self, name: str) -> bytes | None:
        """The file of a class, by its internal name."""

    def names(self) -> Iterator[str]:
        """The internal names of all its classes."""


class Folder:
    """A folder with a tree of class files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.label = str(path)

    def read(self, name: str) -> bytes | None:
        """The file of a class; names are compared exactly, also where the file system does not."""
        path = self.path / f"{name}.class"
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise BadClassFile(f"{path} cannot be read: {error.strerror}") from None

    def names(self) -> Iterator[str]:
        """Every class below the folder, in the order of their names."""
        for path in sorted(self.path.rglob("*.class")):
            yield path.relative_to(self.path).with_suffix("").as_posix()


class Jar:
    """A jar, or a folder in it; of a class for several versions of Java, the one for all of them is taken.

    Classes whose internal names begin like one of `without` are left out.
    """

    def __init__(self, path: Path, folder: str = "", without: tuple[str, ...] = ()) -> None:
        self.label = str(path)
        self._without = without
        self._folder = folder
        try:
            # In memory: processes that are forked while paths are explored would share the place in an open file.
            self._zip = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
            self._members = set(self._zip.namelist())
        except (zipfile.BadZipFile, OSError) as error:
            raise BadClassFile(f"{path} cannot be read as a jar: {error}") from None

    def read(self, name: str) -> bytes | None:
        """The file of a class."""
        member = f"{self._folder}{name}.class"
        if member not in self._members or name.startswith(self._without):
            return None
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BadClassFile(f"{member} in {self.label} cannot be read: {error}") from None

    def names(self) -> Iterator[str]:
        """Every class in the jar, in the order of their names."""
        for member in sorted(self._members):
            inside = member.startswith(self._folder) and not member.startswith("META-INF/")
            if inside and member.endswith(".class"):
                yield member.removeprefix(self._folder).removesuffix(".class")


class Jdk:
    """The classes of an installed JDK, from `lib/modules`, or else from its `jmods`."""

    label = ""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._image: ModuleImage | None = None
        self._modules: list[zipfile.ZipFile] | None = None
        try:
            self._image = ModuleImage(home / "lib" / "modules")
        except (OSError, ValueError, UnreadableImage):
            self._image = None

    def read(self, name: str) -> bytes | None:
        """The file of a class."""
        if self._image is not None:
            try:
                return self._image.read(name)
            except UnreadableImage:
                self._image = None
        return self._read_jmod(name)

    def _read_jmod(self, name: str) -> bytes | None:
        if self._modules is None:
            files = sorted((self.home / "jmods").glob("*.jmod"), key=lambda path: path.stem != "java.base")
            self._modules = [zipfile.ZipFile(path) for path in files]
        for module in self._modules:
            try:
                return module.read(f"classes/{name}.class")
            except KeyError:
                continue
        return None

    def names(self) -> Iterator[str]:
        """Nobody generates tests for the whole JDK."""
        return iter(())


def find_jdk() -> Path | None:
    """Where the JDK is whose classes programs use: the one that runs their tests, if these can be read there."""
    found = jdk.find_jdk()
    home = Path(found.home) if found is not None else None
    return home if home is not None and ((home / "lib" / "modules").exists() or (home / "jmods").is_dir()) else None


class ClassPath:
    """Looks classes up in several places, the first that has one wins; each file is read once."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = list(places)
        self._known: dict[str, tuple[ClassFile, Place] | None] = {}

    def find(self, name: str) -> ClassFile | None:
        """The class of this internal name; None if it is nowhere, BadClassFile if its file is wrong."""
        found = self.locate(name)
        return None if found is None else found[0]

    def locate(self, name: str) -> tuple[ClassFile, Place] | None:
        """The class and the place that it is from."""
        if name not in self._known:
            self._known[name] = self._search(name)
        return self._known[name]

    def _search(self, name: str) -> tuple[ClassFile, Place] | None:
        for place in self.places:
            data = place.read(name)
            if data is None:
                continue
            try:
                return ClassFile(data), place
            except BadClassFile as problem:
                raise BadClassFile(f"{name}.class{' in ' + place.label if place.label else ''}: {problem}") from None
        return None


def open_place(path: Path) -> Place:
    """A folder or jar that the user named."""
    return Folder(path) if path.is_dir() else Jar(path)

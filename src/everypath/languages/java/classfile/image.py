"""Reads the JDK's own classes from the file `lib/modules`, which is a hash table of resources.

The file has a header, a redirect table, a table of offsets, the attributes of each resource, all strings, and then
the contents. A name is found with one hash, or with a second one whose seed the redirect table gives. Nothing is read
but what a lookup needs: the file is mapped into memory.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

_HEADER = struct.Struct("<7I")
_MAGIC = 0xCAFEDADA
_SEED = 0x01000193
_MODULE, _PARENT, _BASE, _EXTENSION, _OFFSET, _COMPRESSED, _SIZE = range(1, 8)


def _hash(text: bytes, seed: int = _SEED) -> int:
    for byte in text:
        seed = ((seed * _SEED) ^ byte) & 0xFFFFFFFF
    return seed & 0x7FFFFFFF


class UnreadableImage(Exception):
    """The file is of another kind than expected; classes are then read from `jmods`."""


class ModuleImage:
    """The classes in one such file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, _, _, _, self._length, locations, strings = _HEADER.unpack_from(self._data)
        if magic != _MAGIC:
            raise UnreadableImage(str(path))
        self._redirect = _HEADER.size
        self._offsets = self._redirect + 4 * self._length
        self._locations = self._offsets + 4 * self._length
        self._strings = self._locations + locations
        self._contents = self._strings + strings
        self._modules: dict[str, str | None] = {}

    def read(self, name: str) -> bytes | None:
        """The file of a class, by its internal name; None if the JDK has no such class."""
        package, _, _ = name.rpartition("/")
        module = self._module(package)
        return self._resource(f"/{module}/{name}.class") if module else None

    def _module(self, package: str) -> str | None:
        """The module that holds a package."""
        if package not in self._modules:
            data = self._resource(f"/packages/{package.replace('/', '.')}")
            found = None
            for at in range(0, len(data or b""), 8):
                assert data is not None
                empty, name = struct.unpack_from("<II", data, at)
                # A package may be named by several modules, of which one holds its classes.
                if not empty:
                    found = self._string(name)
            self._modules[package] = found
        return self._modules[package]

    def _string(self, offset: int) -> str:
        start = self._strings + offset
        return self._data[start : self._data.find(b"\0", start)].decode("utf-8")

    def _resource(self, name: str) -> bytes | None:
        encoded = name.encode("utf-8")
        index = _hash(encoded) % self._length
        (redirect,) = struct.unpack_from("<i", self._data, self._redirect + 4 * index)
        if redirect == 0:
            return None
        index = -1 - redirect if redirect < 0 else _hash(encoded, redirect) % self._length
        (offset,) = struct.unpack_from("<I", self._data, self._offsets + 4 * index)
        found = self._attributes(self._locations + offset)
        if self._full_name(found) != name:
            return None
        if found[_COMPRESSED]:
            raise UnreadableImage("its resources are compressed")
        start = self._contents + found[_OFFSET]
        return self._data[start : start + found[_SIZE]]

    def _attributes(self, at: int) -> list[int]:
        """What is known about a resource: each byte says which attribute follows, and how many bytes it has."""
        found = [0] * 8
        while self._data[at] >> 3:
            length = (self._data[at] & 7) + 1
            found[self._data[at] >> 3] = int.from_bytes(self._data[at + 1 : at + 1 + length], "big")
            at += 1 + length
        return found

    def _full_name(self, found: list[int]) -> str:
        module, parent, base, extension = (self._string(found[kind]) for kind in (_MODULE, _PARENT, _BASE, _EXTENSION))
        start = f"/{module}/" if module else ""
        middle = f"{parent}/" if parent else ""
        return f"{start}{middle}{base}{'.' + extension if extension else ''}"

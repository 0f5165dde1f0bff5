"""Who is who: objects and tasks named by how they came to be, so that equivalent executions use the same names."""

from __future__ import annotations


class Name:
    """The how-manieth thing that a task created.

    The same creation always gives the same object, so that equality and hash by identity are right.
    """

    __slots__ = ("_digest", "_text", "cog", "index", "known", "label", "parent")

    def __init__(self, parent: TaskName | None, index: int, label: str) -> None:
        self.parent = parent
        self.index = index
        self.label = label
        self.cog: Name = self
        """the processor it lives on, named by its first object, or by the main task"""
        self.known: dict[tuple[object, ...], Name] | None = None
        self._digest = b""
        self._text = ""

    def path(self) -> tuple[int, ...]:
        """The indices from the main task down to this."""
        found = []
        name: Name = self
        while name.parent is not None:
            found.append(name.index)
            name = name.parent
        return tuple(reversed(found))

    def __lt__(self, other: Name) -> bool:
        return (self.path(), self.label) < (other.path(), other.label)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if not self._text:
            self._text = self._described()
        return self._text

    def _described(self) -> str:
        # The path alone is not enough: in another order of messages the same task may create something else.
        return f"{self.label}@{'.'.join(map(str, self.path()))}#{self.digest().hex()}"

    def digest(self) -> bytes:
        """A short fingerprint of the whole history of creation."""
        if not self._digest:
            parts = [self.label.encode(), b"%d" % self.index, *(name.digest() for name in self._origin())]
            self._digest = _fingerprint(b"/".join(parts))
        return self._digest

    def _origin(self) -> list[Name]:
        """The names that this one's meaning depends on."""
        origin: list[Name] = [] if self.parent is None else [self.parent]
        return origin if self.cog is self else [*origin, self.cog]


class Reference(Name):
    """An object; `label` is the qualified name of its class."""

    __slots__ = ()


class InitialReference(Reference):
    """An object that is there from the start, named by the way to it, such as `this.next`."""

    __slots__ = ("way",)

    def __init__(self, way: str, class_name: str = "") -> None:
        super().__init__(None, 0, class_name)
        self.way = way

    def _described(self) -> str:
        return self.way

    def digest(self) -> bytes:
        """A short fingerprint of the way; what is found out about its class does not matter."""
        if not self._digest:
            self._digest = _fingerprint(b"way/" + self.way.encode())
        return self._digest


class TaskName(Name):
    """A task, and with it the future that holds its result; `label` is the method."""

    __slots__ = ("receiver",)

    def __init__(self, parent: TaskName | None, index: int, label: str, receiver: Reference | None) -> None:
        super().__init__(parent, index, label)
        self.receiver = receiver
        if receiver is not None:
            self.cog = receiver.cog

    def _origin(self) -> list[Name]:
        origin: list[Name] = [] if self.parent is None else [self.parent]
        return origin if self.receiver is None else [*origin, self.receiver]

    def child_object(self, index: int, class_name: str, cog: Name | None) -> Reference:
        """An object that this task creates, in a cog of its own (None) or in an existing one."""
        known = self._children()
        key = (index, class_name, cog)
        found = known.get(key)
        if found is None:
            found = known[key] = Reference(self, index, class_name)
            if cog is not None:
                found.cog = cog
        assert isinstance(found, Reference)
        return found

    def child_task(self, index: int, method: str, receiver: Reference) -> TaskName:
        """A task that this task asks an object for."""
        known = self._children()
        key = (index, method, receiver)
        found = known.get(key)
        if found is None:
            found = known[key] = TaskName(self, index, method, receiver)
        assert isinstance(found, TaskName)
        return found

    def _children(self) -> dict[tuple[object, ...], Name]:
        if self.known is None:
            self.known = {}
        return self.known


def _fingerprint(data: bytes) -> bytes:
    # Only concurrent programs need it, and it takes a while to load.
    from hashlib import blake2b

    return blake2b(data, digest_size=6).digest()

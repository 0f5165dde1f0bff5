"""Names of objects and tasks by how they came to be, so that equivalent executions use the same names.

Numbers in the order of creation would differ when independent steps change places. "The third thing that this task
creates" does not.
"""

from __future__ import annotations


class Name:
    """One of the things that a task has created, by its number among them.

    The same creation always gives the same object, so equality and hash by identity are right.
    """

    __slots__ = ("_digest", "_text", "cog", "index", "label", "parent")

    def __init__(self, parent: TaskName | None, index: int, label: str) -> None:
        self.parent = parent
        self.index = index
        self.label = label
        self.cog: Name = self
        """the processor it lives on, named by its first object, or by the main task"""
        self._digest = b""
        self._text = ""

    def path(self) -> tuple[int, ...]:
        """The indices from the main task down to this one."""
        found = []
        name: Name = self
        while name.parent is not None:
            found.append(name.index)
            name = name.parent
        return tuple(reversed(found))

    def __lt__(self, other: Name) -> bool:
        return (self.path(), self.label) < (other.path(), other.label)

    def __repr__(self) -> str:
        if not self._text:
            self._text = self._described()
        return self._text

    def _described(self) -> str:
        # The path alone is not enough: in another order of messages the same task may create something else.
        return f"{self.label}@{'.'.join(map(str, self.path()))}#{self.digest().hex()}"

    def digest(self) -> bytes:
        """A short fingerprint of the whole history of creation."""
        if not self._digest:
            self._digest = _fingerprint(self._history())
        return self._digest

    def _history(self) -> bytes:
        return b"/".join([self.label.encode(), b"%d" % self.index, *(name.digest() for name in self._origin())])

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

    def _history(self) -> bytes:
        # What is found out about its class does not matter.
        return b"way/" + self.way.encode()


class TaskName(Name):
    """A task, and with it the future that holds its result; `label` is the method."""

    __slots__ = ("_objects", "_tasks", "receiver")

    def __init__(self, parent: TaskName | None, index: int, label: str, receiver: Reference | None) -> None:
        super().__init__(parent, index, label)
        self.receiver = receiver
        if receiver is not None:
            self.cog = receiver.cog
        self._objects: dict[tuple[int, str, Name | None], Reference] = {}
        self._tasks: dict[tuple[int, str, Reference], TaskName] = {}

    def _origin(self) -> list[Name]:
        origin: list[Name] = [] if self.parent is None else [self.parent]
        return origin if self.receiver is None else [*origin, self.receiver]

    def child_object(self, index: int, class_name: str, cog: Name | None) -> Reference:
        """An object that this task creates, in a cog of its own (None) or in an existing one."""
        key = (index, class_name, cog)
        found = self._objects.get(key)
        if found is None:
            found = self._objects[key] = Reference(self, index, class_name)
            if cog is not None:
                found.cog = cog
        return found

    def child_task(self, index: int, method: str, receiver: Reference) -> TaskName:
        """A task that this task creates with a call to an object."""
        key = (index, method, receiver)
        found = self._tasks.get(key)
        if found is None:
            found = self._tasks[key] = TaskName(self, index, method, receiver)
        return found


def _fingerprint(data: bytes) -> bytes:
    # Only concurrent programs need it, and it takes a while to load.
    from hashlib import blake2b

    return blake2b(data, digest_size=6).digest()

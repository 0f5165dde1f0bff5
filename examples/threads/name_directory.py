"""Gives every name to one owner; two threads that register the same name can both succeed."""

from __future__ import annotations

import threading


class NameDirectory:
    """Addresses by name, first come, first served."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}

    def register(self, name: str, address: str) -> None:
        """Reserve a free name."""
        if name in self._addresses:
            raise ValueError(f"{name!r} is taken")
        self._addresses[name] = address

    def lookup(self, name: str) -> str | None:
        """The address behind a name."""
        return self._addresses.get(name)

    def unregister(self, name: str) -> bool:
        """Free a name; false if nobody had it."""
        return self._addresses.pop(name, None) is not None

    def __len__(self) -> int:
        return len(self._addresses)


class SafeNameDirectory:
    """Addresses by name, first come, first served."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._lock = threading.Lock()

    def register(self, name: str, address: str) -> None:
        """Reserve a free name."""
        with self._lock:
            if name in self._addresses:
                raise ValueError(f"{name!r} is taken")
            self._addresses[name] = address

    def lookup(self, name: str) -> str | None:
        """The address behind a name."""
        with self._lock:
            return self._addresses.get(name)

    def unregister(self, name: str) -> bool:
        """Free a name; false if nobody had it."""
        with self._lock:
            return self._addresses.pop(name, None) is not None

    def __len__(self) -> int:
        with self._lock:
            return len(self._addresses)

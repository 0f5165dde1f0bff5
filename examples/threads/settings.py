"""Settings that are parsed when one is first asked for; others can see them before they are complete."""

from __future__ import annotations

import threading


class Settings:
    """Names and values from lines such as `port=80`."""

    def __init__(self, text: str = "host=localhost\nport=80") -> None:
        self._text = text
        self._values: dict[str, str] | None = None
        self._lock = threading.Lock()

    def get(self, name: str = "port") -> str | None:
        """The value of a setting, if it was given."""
        return self._parsed().get(name)

    def names(self) -> list[str]:
        """All settings that were given."""
        return sorted(self._parsed())

    def _parsed(self) -> dict[str, str]:
        if self._values is None:
            with self._lock:
                if self._values is None:
                    self._values = {}
                    for line in self._text.splitlines():
                        name, _, value = line.partition("=")
                        self._values[name] = value
        return self._values


class SafeSettings:
    """Names and values from lines such as `port=80`."""

    def __init__(self, text: str = "host=localhost\nport=80") -> None:
        self._text = text
        self._values: dict[str, str] | None = None
        self._lock = threading.Lock()

    def get(self, name: str = "port") -> str | None:
        """The value of a setting, if it was given."""
        return self._parsed().get(name)

    def names(self) -> list[str]:
        """All settings that were given."""
        return sorted(self._parsed())

    def _parsed(self) -> dict[str, str]:
        if self._values is None:
            with self._lock:
                if self._values is None:
                    values = {}
                    for line in self._text.splitlines():
                        name, _, value = line.partition("=")
                        values[name] = value
                    self._values = values
        return self._values

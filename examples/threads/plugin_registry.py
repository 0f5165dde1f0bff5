"""A registry of which there is one; the first two threads to ask for it can get one each."""

from __future__ import annotations

import threading
from typing import ClassVar


class PluginRegistry:
    """Plugins by name."""

    _instance: ClassVar[PluginRegistry | None] = None

    def __init__(self) -> None:
        self._plugins: dict[str, object] = {}
        self._lock = threading.Lock()

    @classmethod
    def instance(cls) -> PluginRegistry:
        """The registry that everyone shares."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def register(self, name: str, plugin: object) -> None:
        """Add or replace a plugin."""
        with self._lock:
            self._plugins[name] = plugin

    def find(self, name: str) -> object:
        """The plugin of that name, if there is one."""
        with self._lock:
            return self._plugins.get(name)


class SafePluginRegistry:
    """Plugins by name."""

    _instance: ClassVar[SafePluginRegistry | None] = None
    _instance_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self) -> None:
        self._plugins: dict[str, object] = {}
        self._lock = threading.Lock()

    @classmethod
    def instance(cls) -> SafePluginRegistry:
        """The registry that everyone shares."""
        with cls._instance_lock:
            if cls._instance is None:
                cls._instance = cls()
            return cls._instance

    def register(self, name: str, plugin: object) -> None:
        """Add or replace a plugin."""
        with self._lock:
            self._plugins[name] = plugin

    def find(self, name: str) -> object:
        """The plugin of that name, if there is one."""
        with self._lock:
            return self._plugins.get(name)

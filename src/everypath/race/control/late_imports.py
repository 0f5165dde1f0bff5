"""Changes to modules that are loaded only if the code under test asks for them, made as soon as they are there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

Change = Callable[[ModuleType], None]


class LateImports:
    """Stands first among the finders of modules; lets the library find a module, and changes it once it has run."""

    def __init__(self, changes: dict[str, Change]) -> None:
        self._changes = changes

    def install(self) -> None:
        """Change what is loaded already, and from now on what will be."""
        for name, change in self._changes.items():
            module = sys.modules.get(name)
            if module is not None:
                change(module)
        sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Leave modules alone again."""
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """As the interpreter asks every finder."""
        change = self._changes.get(name)
        spec = PathFinder.find_spec(name, path, target) if change is not None else None
        if change is not None and spec is not None and spec.loader is not None:
            spec.loader = _ChangingLoader(spec.loader, change)
        return spec


class _ChangingLoader(Loader):
    """Loads a module as another loader does, then changes it."""

    def __init__(self, loader: Loader, change: Change) -> None:
        self._loader = loader
        self._change = change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the loader behind it."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As the loader behind it, and the change."""
        self._loader.exec_module(module)
        self._change(module)

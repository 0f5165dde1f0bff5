"""Library modules that have sources of ours: names that these define are taken from there."""

from __future__ import annotations

from pathlib import Path

from everypath.languages.python.frontend.model_sources import model_source
from everypath.languages.python.frontend.modules import ModuleSource, parse_module

OUTSIDE = frozenset("os platform random secrets time uuid".split())
"""Modules whose functions ask the world around the program, so that tests put others in their place."""
REPLACED = OUTSIDE | frozenset(
    "asyncio builtin_bases collections contextlib dataclasses functools gettext "
    "io itertools logging operator reprlib six.moves threading warnings".split()
)
_FOLDER = Path(__file__).parent.parent / "models" / "modules"


_parsed: dict[str, ModuleSource] = {}
"""Our sources never change, so that each is parsed once per process."""


class Replacements:
    """The sources of ours, each parsed when something of it is first named."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleSource] = {}

    def module(self, name: str) -> ModuleSource | None:
        """Our version of a library module."""
        if name not in REPLACED:
            return None
        if name not in _parsed:
            source = model_source(f"modules/{name}")
            _parsed[name] = parse_module(name, _FOLDER / f"{name}.py", f"<model {name}>", source, user=False)
            _parsed[name].model = True
        if name not in self._modules:
            self._modules[name] = _parsed[name].fresh()
        return self._modules[name]

    def defines(self, module: str, name: str) -> ModuleSource | None:
        """Our version of a module, if it defines the name."""
        source = self.module(module)
        return source if source is not None and not name.startswith("_") and name in source.bindings else None

"""Everypath: tests for every path through object-oriented code, up to bounds you choose.

`generate`, `cases`, `extend`, `race` and `load` are the Python interface (`app/api.py`, docs/api.md). They are loaded
when they are first asked for, so that importing the package costs next to nothing.
"""

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from everypath.app.api import Case, Races, Replayed, Suite, cases, extend, generate, load, race

__version__ = "0.1.0"
__all__ = ["Case", "Races", "Replayed", "Suite", "__version__", "cases", "extend", "generate", "load", "race"]
_FOLDERS = ("cases", "generate", "race")
"""Names of the interface that folders of the package have, too: these folders can be called."""


class _Interface(ModuleType):
    """The package; what it offers is loaded on demand."""

    def __getattr__(self, name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from everypath.app import api

        return getattr(api, name)


class _Folder(ModuleType):
    """A folder of the package that can be called as the function of the same name."""

    def __call__(self, *arguments: object, **settings: object) -> object:
        from everypath.app import api

        return getattr(api, self.__name__.rpartition(".")[2])(*arguments, **settings)


class _Slot:
    """Where the import system puts a folder that is also a function."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, package: ModuleType | None, _: type | None = None) -> object:
        assert package is not None
        found = package.__dict__.get(self.name)
        return _Interface.__getattr__(package, self.name) if found is None else found  # type: ignore[arg-type]

    def __set__(self, package: ModuleType, folder: ModuleType) -> None:
        folder.__class__ = _Folder
        package.__dict__[self.name] = folder


for _name in _FOLDERS:
    setattr(_Interface, _name, _Slot(_name))
sys.modules[__name__].__class__ = _Interface

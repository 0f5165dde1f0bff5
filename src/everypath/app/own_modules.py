"""Loads the package's own modules without looking around for them.

The import system looks for an extension, a package or a file of a module's name, asks its folder whether it has changed
since, and works out three times where the compiled form must be: for hundreds of small modules that takes a sixth of
the time until the first function is explored. Here a folder is read once, and a compiled form is used if it is plainly
the one of the file as it is. In all other cases the import system does what it always does.
"""

import os
import sys
from importlib._bootstrap_external import MAGIC_NUMBER
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

_HEAD = MAGIC_NUMBER + bytes(4)
"""How a compiled form begins that holds as long as its file has the same age and size."""
_TAG = f".{sys.implementation.cache_tag}.pyc"


class _Loader(SourceFileLoader):
    """Takes the compiled form from its usual place."""

    def get_code(self, fullname: str) -> "CodeType | None":
        folder, _, file = self.path.rpartition(os.sep)
        try:
            found = os.stat(self.path)
            with open(f"{folder}{os.sep}__pycache__{os.sep}{file[:-3]}{_TAG}", "rb", 0) as opened:
                data = opened.read()
        except OSError:
            return super().get_code(fullname)
        state = b"".join((int(each) & 0xFFFFFFFF).to_bytes(4, "little") for each in (found.st_mtime, found.st_size))
        if data[:16] != _HEAD + state:
            return super().get_code(fullname)
        try:
            code: CodeType = loads(memoryview(data)[16:])
        except (EOFError, ValueError, TypeError):
            return super().get_code(fullname)
        return code


class _Finder:
    """Knows the folders of the package."""

    def __init__(self, package: str, folder: str) -> None:
        self._prefix = package + "."
        self._home = folder[: -len(package)]
        self._names: dict[str, frozenset[str]] = {}
        """what there is in a folder"""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        """Where a module of the package is; None if it is nobody's or somebody else's."""
        if not name.startswith(self._prefix):
            return None
        place = self._home + name.replace(".", os.sep)
        folder, _, last = place.rpartition(os.sep)
        names = self._names.get(folder)
        if names is None:
            names = self._names[folder] = frozenset(os.listdir(folder) if os.path.isdir(folder) else ())
        if f"{last}.py" in names:
            return self._spec(name, f"{place}.py", None)
        start = f"{place}{os.sep}__init__.py"
        return self._spec(name, start, place) if last in names and os.path.isfile(start) else None

    def _spec(self, name: str, file: str, folder: str | None) -> ModuleSpec:
        spec = ModuleSpec(name, _Loader(name, file), origin=file)
        spec.has_location = True
        if folder is not None:
            spec.submodule_search_locations = [folder]
        return spec


def load_directly() -> None:
    """Have modules of this package loaded this way from now on."""
    package = __name__.partition(".")[0]
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.isdir(folder) and not sys.flags.optimize and sys.pycache_prefix is None:
        # Whoever else watches what is imported comes first.
        at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(at, _Finder(package, folder))

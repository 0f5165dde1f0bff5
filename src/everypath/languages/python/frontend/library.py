"""Models of library code: Python source that is compiled like any other code, and never imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from everypath.errors import Span
from everypath.ir.names import initialised_static
from everypath.ir.program import Class, Method, Program
from everypath.languages.python.frontend.constructs import Problems
from everypath.languages.python.frontend.finder import Finder
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.lowering import connect
from everypath.languages.python.frontend.model_sources import model_source
from everypath.languages.python.frontend.modules import FunctionBinding, ModuleSource, parse_module
from everypath.languages.python.frontend.signatures import GivenTypes

FUNCTIONS = "functions"
MODELS = {
    FUNCTIONS: "builtins", **{name: f"builtins.{name}" for name in ("list", "tuple", "slice")},
    **{name: name for name in ("generator", "coroutine", "async_generator")},
}  # fmt: skip
"""File of the models folder -> class of the IR that holds its functions as methods."""

_compiled: dict[str, Class] = {}


class _Methods(dict[str, Method]):
    """The methods of a class of models; each is compiled when it is first looked up, because a program needs few."""

    def __init__(self, compiler: _Compiler, file: str) -> None:
        self._compiler = compiler
        self._file = file

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._compiler.functions(self._file)

    def __missing__(self, name: str) -> Method:
        if name not in self._compiler.functions(self._file):
            raise KeyError(name)
        self._compiler.compile(self._file, [name])
        return self[name]

    def __setitem__(self, name: str, method: Method) -> None:
        # The file of a class has functions, whose first parameter is the object: methods of that class.
        if self._file != FUNCTIONS and initialised_static(name) is None:
            method.kind = "instance"
        super().__setitem__(name, method)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def _all(self) -> dict[str, Method]:
        self._compiler.compile(self._file, self._compiler.functions(self._file))
        return dict(super().items())

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def keys(self) -> Any:
        return self._all().keys()

    def values(self) -> Any:
        return self._all().values()

    def items(self) -> Any:
        return self._all().items()


def add_models(program: Program) -> None:
    """Put the models into a program; they are compiled once per process, and only those that are used."""
    if not _compiled:
        compiler = _Compiler()
        _compiled.update({name: compiler.model_class(file, name) for file, name in MODELS.items()})
    program.classes.update(_compiled)


class _Compiler:
    """Parses the files of models and compiles their functions on demand."""

    def __init__(self) -> None:
        self._folder = Path(__file__).parent.parent / "models"
        self._linker = Linker(Finder(self._folder, self._folder), Problems())
        self._modules: dict[str, ModuleSource] = {}
        connect(self._linker, GivenTypes())

    def model_class(self, file: str, name: str) -> Class:
        """The class that holds the functions of a file."""
        cls = Class(name, module=name, model=True, span=Span(f"<model {file}>"), methods=_Methods(self, file))
        self._linker.program.classes[name] = cls
        return cls

    def functions(self, file: str) -> list[str]:
        """What a file defines."""
        return [name for name, bound in self._module(file).bindings.items() if isinstance(bound, FunctionBinding)]

    def compile(self, file: str, names: Iterable[str]) -> None:
        """Compile functions of a file, with those that they call."""
        module = self._module(file)
        for name in names:
            self._linker.global_name(module, name)
        self._linker.run()
        problems = list(self._linker.problems.found)
        assert not problems, problems

    def _module(self, file: str) -> ModuleSource:
        if (module := self._modules.get(file)) is None:
            path = self._folder / f"{file}.py"
            module = parse_module(MODELS[file], path, f"<model {file}>", model_source(file), user=True)
            module.model = True
            self._modules[file] = module
            self._linker.finder.add(module)
        return module

"""Models of library code: Python source that is compiled like any other code, and never imported."""

from __future__ import annotations

from pathlib import Path

from everypath.frontends.python.finder import Finder
from everypath.frontends.python.link import Linker
from everypath.frontends.python.lowering import connect
from everypath.frontends.python.modules import parse_module
from everypath.frontends.python.problems import Problems
from everypath.frontends.python.signatures import GivenTypes
from everypath.ir.program import Class, Program

MODELS = {
    "functions": "builtins",
    "list": "builtins.list",
    "tuple": "builtins.tuple",
    "dict": "builtins.dict",
    "set": "builtins.set",
    "str": "builtins.str",
}
"""File of the models folder -> class of the IR that holds its functions as methods."""

_compiled: dict[str, Class] = {}


def model_source(name: str) -> str:
    """The text of one file of models."""
    folder = Path(__file__).parent / "models"
    loader = globals()["__spec__"].loader
    data: bytes = loader.get_data(str(folder / f"{name}.py"))
    return data.decode()


def add_models(program: Program) -> None:
    """Put the models into a program; they are compiled once per process."""
    if not _compiled:
        _compiled.update(_compile())
    program.classes.update(_compiled)


def _compile() -> dict[str, Class]:
    nowhere = Path(__file__).parent / "models"
    linker = Linker(Finder(nowhere, nowhere), Problems())
    connect(linker, GivenTypes())
    for file, name in MODELS.items():
        module = parse_module(name, nowhere / f"{file}.py", f"<model {file}>", model_source(file), user=True)
        module.model = True
        linker.finder.add(module)
        linker.module_class(module)
        for function in module.bindings:
            linker.global_name(module, function)
    linker.run()
    problems = list(linker.problems.found)
    assert not problems, problems
    for name in MODELS.values():
        if name != "builtins":
            for method in linker.program.classes[name].methods.values():
                if method.name not in linker.program.classes[name].statics.values():
                    method.kind = "instance"
    return {name: linker.program.classes[name] for name in MODELS.values()}

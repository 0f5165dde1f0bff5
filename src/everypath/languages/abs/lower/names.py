"""The names that things of an ABS program have in its IR."""

from __future__ import annotations

from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.types import STDLIB

FIELDS = "<fields>"
"""Only gives a new object its fields; of classes whose init block may wait, so that `INIT` is a task of its own."""
RECOVER = "<recover>"
"""Takes an exception that no method handles and says whether the object goes on; of classes with such a block."""
RUN = "run"
MAIN = ("<main>", "<main>")
"""Class and method of the main block."""
THIS = 0
"""The register of `this`."""

TRUE, FALSE = f"{STDLIB}.True", f"{STDLIB}.False"
UNIT, NIL, CONS = f"{STDLIB}.Unit", f"{STDLIB}.Nil", f"{STDLIB}.Cons"


def interface_class(interface: str) -> str:
    """The IR class of an interface; a class may have the interface's name, and none can be called `interface`."""
    return f"{interface}.interface"


def function_home(program: Program, function: str) -> tuple[str, str]:
    """IR class and method of a function: the class is named like the module, unless a class of ABS is."""
    module, _, name = function.rpartition(".")
    return (f"{module}.module" if module in program.classes else module), name

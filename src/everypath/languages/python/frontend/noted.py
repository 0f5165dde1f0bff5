"""What is noted while functions are translated, and settled when the whole program is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from everypath.ir.instructions import CallNative, CallStatic, Reg
from everypath.ir.program import Method
from everypath.languages.python.frontend.modules import ModuleSource
from everypath.records import dataclass


@dataclass(slots=True)
class SuperUse:
    """A use of `super()`: where its search begins, for which method, and the call made of it."""

    start: str
    name: str
    found: str
    """the class that holds the method, empty for none"""
    call: CallStatic | CallNative | None
    """None when the method is looked up by the class of the object in any case"""
    receiver: Reg
    args: tuple[Reg, ...] = ()


@dataclass(slots=True)
class Effect:
    """Something that happens when a module is imported."""

    module: ModuleSource
    node: ast.AST
    run: Callable[[Any], None]
    """emits the code, given the context of the method that does it"""
    changes: set[str] | None = None
    """the variables of the module that it may change, as far as the program reads them; None if it may be more"""


@dataclass(slots=True)
class Effects:
    """What importing the modules of a program does."""

    method: Method
    """does all of it, those of imported modules first"""
    bounded: Mapping[str, tuple[str, frozenset[str]]]
    """methods for single effects -> module, and its variables that such an effect may change; no others are changed"""
    settled: bool = False
    """whether it is known which of them can be followed"""

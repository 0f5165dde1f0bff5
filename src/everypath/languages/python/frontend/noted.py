"""What is noted while functions are translated, and settled when the whole program is known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from everypath.ir.instructions import CallNative, CallStatic, Reg
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

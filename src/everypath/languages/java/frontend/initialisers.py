"""What happens where the initialiser of a class fails: the JVM throws an error of its own, and never tries again."""

from __future__ import annotations

from everypath.ir import instructions as ins
from everypath.ir.instructions import Block, Handler
from everypath.ir.program import Method
from everypath.records import replace

FAILED = "initialiser failed"
"""the native that gives the error to throw for an exception and the class whose initialiser has thrown it"""


def guarded(method: Method) -> Method:
    """The initialiser with a handler around all of it."""
    thrown, cls, error = range(method.registers, method.registers + 3)
    code = (ins.Const(cls, method.cls), ins.CallNative(error, FAILED, (thrown, cls), span=method.span))
    block = Block("failed", code, ins.Throw(error, span=method.span))
    return replace(
        method,
        blocks={**method.blocks, block.label: block},
        registers=method.registers + 3,
        handlers=(*method.handlers, Handler(frozenset(method.blocks), block.label, thrown)),
    )

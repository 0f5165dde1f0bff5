"""Results of which a test only tells what kind of thing they are: functions made on the way, iterators, hashes."""

from __future__ import annotations

from everypath.cases.model import Opaque
from everypath.errors import Unsupported
from everypath.explore.state import State
from everypath.heap.values import BoundMethod, Hash, IteratorCell, Ref, Value
from everypath.ir.instructions import FunctionRef
from everypath.ir.names import is_nested_function
from everypath.ir.program import Program
from everypath.languages.python.natives.views import DictView
from everypath.languages.python.semantics.generators import GENERATOR
from everypath.languages.python.semantics.hashes import number


def opaque(state: State, program: Program, value: Value) -> Opaque | None:
    """What a test says about the value; None where there is more to see."""
    if isinstance(value, DictView):
        raise Unsupported(f"a {type(value).__name__} view in a test's result")
    if isinstance(value, BoundMethod):
        return Opaque("callable")
    if isinstance(value, Hash) and number(value) is None:
        return Opaque("integer")
    if isinstance(value, FunctionRef) and not value.name.isidentifier():
        return Opaque("callable")
    if not isinstance(value, Ref) or value.input:
        return None
    if is_nested_function(value.cls):
        return Opaque("callable")
    if value.cls == GENERATOR or isinstance(state.heap.cells[value], IteratorCell):
        return Opaque("iterator")
    known = program.classes.get(value.cls)
    if known is not None and known.model:
        if program.find_method(value.cls, "__next__") is not None:
            return Opaque("iterator")
        if program.find_method(value.cls, "__call__") is not None:
            return Opaque("callable")
    return None

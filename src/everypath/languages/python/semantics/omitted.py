"""Parameters whose default is something that the program keeps under a name: they may also be left out.

`def get(key, default=_MISSING)` compares with its marker by identity, and no other input is that object. A text or a
number is such a marker where the parameter is something else otherwise.
"""

from __future__ import annotations

from everypath.explore.outcomes import Finished, NotSupported
from everypath.explore.semantics import Run
from everypath.explore.state import State
from everypath.heap.values import Ref, Unread, Value
from everypath.ir.instructions import GetStatic, StaticDefault
from everypath.ir.names import is_hidden
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, BOOL, FLOAT, INT, STR, Scalar, Type, UnionType

_PLAIN: dict[type, Type] = {str: STR, int: INT, float: FLOAT, bool: BOOL}


def note_defaults(program: Program, state: State, method: Method, run: Run) -> dict[str, Scalar]:
    """The parameters that may be left out, each with the type of its default alone; the state knows the defaults."""
    found: dict[str, Scalar] = {}
    for param in method.params:
        place = _named(program, param.default) if isinstance(param.default, StaticDefault) else None
        if place is None:
            continue
        value = _evaluated(program, state, *place, run)
        if isinstance(value, (Ref, Unread)) or _stands_out(value, param.type):
            found[param.name] = Scalar(f"omitted {'.'.join(place)}")
            state.heap.inputs.omitted[found[param.name]] = (value, *place)
    return found


def _stands_out(value: object, type_: Type) -> bool:
    """Whether a text or number is of another type than the parameter and so can only be a marker."""
    options = type_.options if isinstance(type_, UnionType) else (type_,)
    return value.__class__ in _PLAIN and ANY not in options and _PLAIN[value.__class__] not in options


def _named(program: Program, default: StaticDefault) -> tuple[str, str] | None:
    """The variable that the default is the value of."""
    made_by = program.find_static(default.cls, default.name)
    if made_by is None:
        return None
    method = program.classes[made_by[0]].methods[made_by[1]]
    first = next(iter(method.blocks[method.entry].instructions), None)
    if len(method.blocks) != 1 or not isinstance(first, GetStatic) or is_hidden(first.name):
        return None
    owner = program.find_static(first.cls, first.name)
    return None if owner is None else (owner[0], first.name)


def _evaluated(program: Program, state: State, cls: str, name: str, run: Run) -> Value:
    """The value of a variable, computed now; None where that takes a choice."""
    if (cls, name) in state.statics:
        return state.statics[cls, name]
    trial = state.copy()
    owner = program.classes[cls]
    run(trial, owner.methods[owner.statics[name]])
    if isinstance(trial.outcome, NotSupported) and owner.module == cls:
        # What cannot be made is known by its name, and that is all that a marker needs.
        unread = Unread(cls, name, trial.outcome.message)
        state.statics = {**state.statics, (cls, name): unread}
        return unread
    if not isinstance(trial.outcome, Finished):
        return None
    if not isinstance(trial.outcome.value, Ref) and trial.outcome.value.__class__ not in _PLAIN:
        return None
    state.heap.cells = trial.heap.cells
    state.statics = {**trial.statics, (cls, name): trial.outcome.value}
    return trial.outcome.value

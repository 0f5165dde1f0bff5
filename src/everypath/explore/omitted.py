"""Parameters whose default is an object that the program keeps under a name: they may also be left out.

`def get(key, default=_MISSING)` compares with its marker by identity, and no other input is that object.
"""

from __future__ import annotations

from everypath.explore.machine import Machine
from everypath.explore.outcomes import Finished
from everypath.explore.state import State
from everypath.heap.values import Ref
from everypath.ir.instructions import GetStatic, StaticDefault
from everypath.ir.program import Method, Program
from everypath.ir.types import Scalar


def note_defaults(machine: Machine, state: State, method: Method) -> dict[str, Scalar]:
    """The parameters that may be left out, each with the type of its default alone; the state knows the defaults."""
    found: dict[str, Scalar] = {}
    for param in method.params:
        place = _named(machine.program, param.default) if isinstance(param.default, StaticDefault) else None
        if place is None:
            continue
        value = _evaluated(machine, state, *place)
        if isinstance(value, Ref):
            found[param.name] = Scalar(f"omitted {'.'.join(place)}")
            state.heap.inputs.omitted[found[param.name]] = (value, *place)
    return found


def _named(program: Program, default: StaticDefault) -> tuple[str, str] | None:
    """The variable that the default is the value of."""
    made_by = program.find_static(default.cls, default.name)
    if made_by is None:
        return None
    method = program.classes[made_by[0]].methods[made_by[1]]
    first = next(iter(method.blocks[method.entry].instructions), None)
    if len(method.blocks) != 1 or not isinstance(first, GetStatic) or first.name.startswith("<"):
        return None
    owner = program.find_static(first.cls, first.name)
    return None if owner is None else (owner[0], first.name)


def _evaluated(machine: Machine, state: State, cls: str, name: str) -> object:
    """The value of a variable, computed now; None where that takes a choice."""
    if (cls, name) in state.statics:
        return state.statics[cls, name]
    trial = state.copy()
    owner = machine.program.classes[cls]
    machine.start(trial, owner.methods[owner.statics[name]], [])
    machine.run(trial)
    if not isinstance(trial.outcome, Finished) or not isinstance(trial.outcome.value, Ref):
        return None
    state.heap.cells = trial.heap.cells
    state.statics = {**trial.statics, (cls, name): trial.outcome.value}
    return trial.outcome.value

"""How a test can build objects: constructor parameters, the fields they set, and harmless values for the rest."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.cases.model import BuildPlan, CallCase, Literal, ObjectState, Value
from everypath.ir.instructions import (
    CallValue,
    CallVirtual,
    ClassRef,
    FunctionRef,
    NativeRef,
    NoDefault,
    Param,
    StaticDefault,
)
from everypath.ir.program import Constructor, Program
from everypath.ir.types import BOOL, BYTES, FLOAT, INT, STR, UnionType

_FALLBACKS: dict[object, Value] = {
    INT: Literal(1),
    BOOL: Literal(False),
    STR: Literal("a"),
    FLOAT: Literal(1.0),
    BYTES: Literal(b"a"),
}
_SKIPPED = (ClassRef, FunctionRef, NativeRef)


def build_plans(program: Program, cases: Iterable[CallCase]) -> dict[tuple[str, str], BuildPlan]:
    """A plan for every class whose objects occur in the cases and has a constructor to use."""
    plans: dict[tuple[str, str], BuildPlan] = {}
    for case in cases:
        for state in (*case.inputs.heap.values(), *case.expected.heap.values()):
            if isinstance(state, ObjectState) and (state.module, state.cls) not in plans:
                plan = _plan(program, state.module, state.cls)
                if plan is not None:
                    plans[state.module, state.cls] = plan
    return plans


def _plan(program: Program, module: str, cls: str) -> BuildPlan | None:
    path = f"{module}.{cls}"
    constructor = program.constructor_of(path)
    if constructor is None:
        return None
    return _from_constructor(module, cls, constructor, _is_named_tuple(program, path), _asks(program, path))


def _asks(program: Program, cls: str) -> bool:
    """Whether the constructor of a class calls methods of objects, or functions that it gets."""
    method = program.find_method(cls, "__init__")
    blocks = method.blocks.values() if method is not None and not method.model else ()
    return any(isinstance(i, (CallVirtual, CallValue)) for block in blocks for i in block.instructions)


def _is_named_tuple(program: Program, cls: str) -> bool:
    generated = program.find_method(cls, "_replace")
    return generated is not None and generated.model and program.find_method(cls, "_asdict") is not None


def _from_constructor(module: str, cls: str, constructor: Constructor, only: bool, asks: bool) -> BuildPlan:
    params = tuple(
        (p.name, constructor.sets.get(p.name), not isinstance(p.default, NoDefault), _fallback(p))
        for p in constructor.params
        if p.kind not in ("star", "doublestar")
    )
    constants = tuple(
        (name, Literal(value)) for name, value in constructor.constants.items() if not isinstance(value, _SKIPPED)
    )
    return BuildPlan(cls, module, params, constants, only, asks, constructor.by_value)


def _fallback(param: Param) -> Value:
    default = param.default
    if not isinstance(default, (NoDefault, StaticDefault, ClassRef, FunctionRef, NativeRef)):
        return Literal(default)
    option = param.type.options[0] if isinstance(param.type, UnionType) else param.type
    return _FALLBACKS.get(option, Literal(None))

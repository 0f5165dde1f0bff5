"""Python for the machine: its operations, its exceptions, and how a call under test begins.

Parameters whose default is something that the program keeps under a name may also be left out: `def get(key,
default=_MISSING)` compares with its marker by identity, and no other input is that object. A text or a number is such
a marker where the parameter is something else otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from everypath.errors import Unsupported
from everypath.explore.calls import Calls
from everypath.explore.code import Later
from everypath.explore.objects import resolve, set_static, short
from everypath.explore.outcomes import Finished, NotSupported
from everypath.explore.semantics import IMPLICIT, Beginning, Run, Semantics
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Segment, State
from everypath.heap.inputs import Inputs
from everypath.heap.knowledge import NeedsCode
from everypath.heap.values import Data, DictCell, Ref, Unread, Value
from everypath.ir.instructions import ClassRef, FunctionRef, GetStatic, Param, StaticDefault
from everypath.ir.names import initialised_static, is_hidden
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, BOOL, FLOAT, INT, STR, Scalar, Type, UnionType, union
from everypath.languages.python.semantics import comparisons, kinds, operations
from everypath.languages.python.semantics.arguments import any_keywords
from everypath.languages.python.semantics.callables import callables_of
from everypath.languages.python.semantics.calling import PythonCalls
from everypath.languages.python.semantics.extended import holds_elements, new_collection
from everypath.languages.python.semantics.generators import observer_of
from everypath.languages.python.semantics.inputs import PYTHON_INPUTS
from everypath.languages.python.semantics.keys import compared
from everypath.languages.python.semantics.kinds import type_name
from everypath.options import Limits

_PLAIN: dict[type, Type] = {str: STR, int: INT, float: FLOAT, bool: BOOL}


def _attributes() -> ModuleType:
    from everypath.languages.python.semantics import attributes

    return attributes


def _items() -> ModuleType:
    from everypath.languages.python.semantics import items

    return items


def _type_tests() -> ModuleType:
    from everypath.languages.python.semantics import type_tests

    return type_tests


def _special_setters(program: Program) -> _Everything | frozenset[str]:
    """The attributes whose assignment may run code: properties, or any where a class has a `__setattr__`."""
    if any(method.name == "__setattr__" for method in program.methods()):
        return _Everything()
    setters = {name for cls in program.classes.values() for name in cls.setters}
    return frozenset(setters | {method.name for method in program.methods() if method.kind == "property"})


class PythonSemantics(Semantics):
    """The operations of Python for one program."""

    knowledge = PYTHON_INPUTS

    def calls(self, limits: Limits) -> Calls:
        return PythonCalls(self.program, limits)

    def operations(self) -> dict[str, Any]:
        return {
            "SPECIAL_SETTERS": self.program.derived(_special_setters),
            "INLINE_ARITHMETIC": frozenset("+-*"),
            "binary": operations.binary,
            "unary": operations.unary,
            "compare": comparisons.compare,
            "identity": comparisons.identity,
            "membership": comparisons.membership,
            "truth": operations.truth,
            "negation": operations.negation,
            "get_field": Later(_attributes, "get_field"),
            "set_field": Later(_attributes, "set_field"),
            "del_field": Later(_attributes, "del_field"),
            "get_static": kinds.get_static,
            "set_static": set_static,
            "get_item": Later(_items, "get_item"),
            "set_item": Later(_items, "set_item"),
            "del_item": Later(_items, "del_item"),
            "length": Later(_items, "length"),
            "type_test": Later(_type_tests, "type_test"),
            "new_collection": Later(_items, "new_collection"),
        }

    def runs_by_operation(self, name: str) -> bool:
        return name.startswith("__") or is_hidden(name)

    def fault(self, st: State, fault: Fault) -> Ref | Data:
        return st.heap.new_object(fault.cls, {"args": tuple(fault.arguments), **fault.fields, IMPLICIT: True})

    def thrown(self, st: State, value: Value) -> Ref | Data:
        value = resolve(st, value)
        program = self.program
        if isinstance(value, ClassRef):
            if program.find_method(value.name, "__init__") is not None:
                raise Unsupported(f"raise {short(value.name)} without calling it, when it has an __init__")
            return st.heap.new_object(value.name, {"args": ()})
        if isinstance(value, Ref) and "BaseException" in program.mro(type_name(st, value)):
            return value
        raise Fault("TypeError", "exceptions must derive from BaseException")

    def run_for_heap(self, st: State, need: NeedsCode) -> Invoke:
        return compared(st, need)

    def recover(self, calls: Calls, st: State, problem: Unsupported) -> Segment | None:
        """Go on with a module's variable that is only known by its name, if making it is what failed."""
        frame = st.frame
        while frame is not None and initialised_static(frame.code.method.name) is None:
            frame = frame.parent
        if frame is None or frame.parent is None:
            return None
        cls, name = frame.code.method.cls, initialised_static(frame.code.method.name)
        if name is None or self.program.classes[cls].module != cls or not name.isidentifier():
            return None
        st.frame = frame
        return calls.leave(st, Unread(cls, name, problem.message))

    def note_entry(self, inputs: Inputs, method: Method) -> None:
        inputs.callables = callables_of(method)
        inputs.keywords = any_keywords(method.params)

    def any_keywords(self, params: Sequence[Param]) -> dict[str, tuple[str, ...]]:
        return any_keywords(params)

    def parameter_types(self, state: State, method: Method, run: Run) -> dict[str, Type]:
        """A parameter whose default is a marker that the program keeps may also be left out."""
        omitted = note_defaults(self.program, state, method, run)
        return {p.name: union((p.type, omitted[p.name])) for p in method.params if p.name in omitted}

    def blank_object(self, state: State, cls: str) -> Ref:
        return new_collection(state, cls) or super().blank_object(state, cls)

    def construction(self, state: State, cls: str, constructor: Method, values: list[Value]) -> Beginning:
        """A class with a `__new__` is called through a model that runs it before the constructor."""
        new = self.program.find_method(cls, "__new__")
        if new is None or holds_elements(self.program, cls):
            return super().construction(state, cls, constructor, values)
        inputs = list(zip(constructor.params, values))[1:]
        named = tuple((param.name, value) for param, value in inputs if param.kind == "keyword")
        positional = tuple(value for param, value in inputs if param.kind in ("normal", "positional"))
        keywords = state.heap.new_object("dict", DictCell(named))
        given: list[Value] = [ClassRef(cls), FunctionRef(new.cls, new.name), positional, keywords]
        more = {param.kind: value for param, value in inputs if "star" in param.kind}
        if more:
            given += [more.get("star", ()), more.get("doublestar", state.heap.new_object("dict", DictCell(())))]
        else:
            given.append(True)
        maker = self.program.find_method("builtins", "make_object_from" if more else "make_object")
        return super().construction(state, cls, constructor, values) if maker is None else Beginning(maker, given)

    def constructor(self, cls: str) -> Method | None:
        program, method = self.program, self.program.find_method(cls, "__init__")
        if holds_elements(program, cls):
            # Its object begins empty; what the class of the language does with arguments, methods do as well.
            return None if method is None or method.model else method
        bases = [base for base in program.mro(cls) if base != "object"]
        unknown = [base for base in bases if base not in program.classes or base.startswith("builtin_bases.")]
        if unknown or program.find_method(cls, "__new__") is not None:
            reason = f"extends {unknown[0]}" if unknown else "has a __new__"
            raise Unsupported(f"--reachable cannot make objects of class {short(cls)}, which {reason}")
        return method

    def observer(self) -> Method | None:
        return observer_of(self.program)


class _Everything:
    """Contains every name."""

    def __contains__(self, name: object) -> bool:
        return True


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

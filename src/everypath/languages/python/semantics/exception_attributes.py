"""The attributes that Python's own classes give to exceptions."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.objects import program_of
from everypath.explore.state import State
from everypath.heap.values import Ref, Value
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.operations import elements
from everypath.languages.python.semantics.registry import DECLINED

CAUSE = "$cause"


def exception_attribute(st: State, exception: Ref, name: str) -> Value:
    """An attribute that the classes of the language give to exceptions; DECLINED when they have none."""
    cell = st.heap.fields(exception)
    order = program_of(st).mro(type_name(st, exception))
    args = cell.get("args", ())
    assert isinstance(args, tuple)
    if name == "__cause__":
        return cell.get(CAUSE)
    if name in ("__context__", "__traceback__", "__notes__", "with_traceback", "add_note", "__suppress_context__"):
        raise Unsupported(f"the attribute {name} of an exception")
    if "BaseExceptionGroup" in order and name in ("message", "exceptions") and len(args) == 2:
        return args[0] if name == "message" else elements(st, args[1])
    if "BaseExceptionGroup" in order and name in ("split", "subgroup", "derive"):
        raise Unsupported(f"the method {name} of an exception group")
    if ("StopIteration" in order and name == "value") or ("SystemExit" in order and name == "code"):
        return args[0] if args else None
    if "OSError" in order and name in ("errno", "strerror", "filename"):
        places = {"errno": 0, "strerror": 1, "filename": 2}
        return args[places[name]] if len(args) >= 2 and places[name] < len(args) else None
    if any(cls in order for cls in ("UnicodeError", "SyntaxError", "ImportError", "NameError", "AttributeError")):
        raise Unsupported(f"the attribute {name} of an exception")
    return DECLINED

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


_UNKNOWN = frozenset("__context__ __traceback__ __notes__ with_traceback add_note __suppress_context__".split())
"""what every exception has and nothing is known about"""
_WITH_MORE = ("UnicodeError", "SyntaxError", "ImportError", "NameError", "AttributeError")
"""classes that give further attributes to their objects"""
_ARGUMENTS = {
    ("StopIteration", "value"): (0, 0),
    ("SystemExit", "code"): (0, 0),
    ("OSError", "errno"): (0, 2),
    ("OSError", "strerror"): (1, 2),
    ("OSError", "filename"): (2, 2),
}
"""class and attribute -> the place of the argument that it is, and with how many arguments at least; None otherwise"""


def exception_attribute(st: State, exception: Ref, name: str) -> Value:
    """An attribute that the classes of the language give to exceptions; DECLINED when they have none."""
    fields = st.heap.fields(exception)
    order = program_of(st).mro(type_name(st, exception))
    args = fields.get("args", ())
    assert isinstance(args, tuple)
    if name == "__cause__":
        return fields.get(CAUSE)
    if name in _UNKNOWN:
        raise Unsupported(f"the attribute {name} of an exception")
    if "BaseExceptionGroup" in order:
        found = _of_group(st, args, name)
        if found is not DECLINED:
            return found
    for (cls, attribute), (place, least) in _ARGUMENTS.items():
        if attribute == name and cls in order:
            return args[place] if len(args) >= least and place < len(args) else None
    if any(cls in order for cls in _WITH_MORE):
        raise Unsupported(f"the attribute {name} of an exception")
    return DECLINED


def _of_group(st: State, args: tuple[Value, ...], name: str) -> Value:
    if name in ("message", "exceptions") and len(args) == 2:
        return args[0] if name == "message" else elements(st, args[1])
    if name in ("split", "subgroup", "derive"):
        raise Unsupported(f"the method {name} of an exception group")
    return DECLINED

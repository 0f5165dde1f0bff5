"""Functions as values: their names, and what `functools.wraps` copies from one to another."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.answers import keep_log, log_of, note_exact
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.values import InputFunction, Ref, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.names import written_name
from everypath.ir.program import Method
from everypath.languages.python.semantics.kinds import reference
from everypath.languages.python.semantics.registry import NATIVES, native
from everypath.records import replace

ATTRIBUTES = frozenset(
    "__name__ __qualname__ __doc__ __module__ __dict__ __defaults__ __kwdefaults__ __code__ __globals__ __closure__ "
    "__annotations__ __wrapped__".split()
)


def callables_of(method: Method) -> dict[str, Value]:
    """The parameters whose default is a function or class, which callers replace by other callables."""
    refs = (ClassRef, FunctionRef, NativeRef)
    return {param.name: param.default for param in method.params if isinstance(param.default, refs)}


def attribute(st: State, function: Value, name: str) -> Value:
    """An attribute that every function has."""
    renamed = st.statics.get(("<name>", _identity(function)))
    if name == "__name__":
        return renamed if renamed is not None else written_name(_identity(function))
    raise Unsupported(f"the attribute {name} of a function")


def input_attribute(st: State, function: InputFunction, name: str) -> Value:
    """An attribute of the function that a test passes."""
    if name == "__name__":
        log = log_of(st)
        keep_log(st, replace(log, named=log.named | {function}))
        return function.input.rpartition(".")[2]
    note_exact(st, function)
    if not hasattr(callables_of, name):
        raise Fault("AttributeError", f"'function' object has no attribute {name!r}")
    if name == "__doc__":
        return None
    raise Unsupported(f"the attribute {name} of a function")


def _identity(function: Value) -> str:
    return f"{function.cls}.{function.name}" if isinstance(function, FunctionRef) else reference(function).cls


@native("copy_name")
def copy_name(st: State, function: Value, wrapped: Value) -> Value:
    """Make a function look like the one that it wraps."""
    name = NATIVES["getattr"](st, wrapped, "__name__")
    if isinstance(function, Ref):
        st.heap.set_field(function, "__name__", name)
        st.heap.set_field(function, "__wrapped__", wrapped)
    elif isinstance(function, FunctionRef):
        rename(st, function, name)
    return None


def rename(st: State, function: FunctionRef, name: Value) -> None:
    """Assign the `__name__` of a function that holds no variables."""
    st.statics = {**st.statics, ("<name>", _identity(function)): name}

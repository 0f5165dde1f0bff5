"""What the engine does where a method looks at its promises: a path on which one does not hold gets a remark."""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import Span
from everypath.explore.objects import resolve
from everypath.explore.remarks import remark
from everypath.explore.semantics import MISUSE
from everypath.explore.signals import Invoke
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.values import Ref, Value
from everypath.languages.java.contracts.comments import UNNAMED
from everypath.languages.java.contracts.oracles import CHECKED, SIGNALLED
from everypath.languages.java.semantics.objects import java_program
from everypath.logic.terms import Term

_WORDS = {
    "ensures": "the postcondition can be broken",
    "invariant": "the invariant can be broken",
    "signals": "an exception can be thrown against what the method says",
}


def promised(
    st: State, holds: Value, kind: Value, text: Value, file: Value, line: Value, thrown: Value = None
) -> Value:
    """Look at a condition; what it allows to be thrown is thrown on purpose. Nothing is known about what is null."""
    found = resolve(st, holds)
    if found is None:
        return None
    if decide(st.pc, found) if isinstance(found, Term) else found:
        if isinstance(thrown, Ref):
            st.heap.set_field(thrown, MISUSE, True)
        return None
    assert isinstance(line, int)
    shown = str(text).replace(f"{UNNAMED} instanceof ", "")
    remark(st, "contract", f"{_WORDS[str(kind)]}: {shown}", Span(str(file), line))
    return None


def signalled(st: State, thrown: Value, owner: Value, name: Value, cls: Value, *arguments: Value) -> Value:
    """What a method says about an exception; null where it says nothing about its class."""
    program = java_program(st)
    assert isinstance(thrown, Ref) and isinstance(owner, str) and isinstance(name, str) and isinstance(cls, str)
    if not program.is_subclass(thrown.cls, cls):
        return None
    raise Invoke(program.classes[owner].methods[name], arguments)


NATIVES: dict[str, Callable[..., Value]] = {CHECKED: promised, SIGNALLED: signalled}

"""What `dict.keys()`, `values()` and `items()` return: a tuple of the content that remembers its dict."""

from __future__ import annotations

from everypath.explore.state import State
from everypath.heap import mappings
from everypath.heap.values import Ref, Value


class DictView(tuple[Value, ...]):
    """The content of a dict when the view was made; iterating starts from the dict's content at that time."""

    ref: Ref
    what: str
    """keys, values or items"""


# Their names are what messages of the language print.
_CLASSES = {what: type(f"dict_{what}", (DictView,), {"what": what}) for what in ("keys", "values", "items")}


def make_view(st: State, ref: Ref, what: str) -> DictView:
    """The view; an input dict gets an exact size for it."""
    entries = mappings.entries(st.heap, st.pc, ref)
    view: DictView = _CLASSES[what](pick(what, entry) for entry in entries)
    view.ref = ref
    return view


def pick(what: str, entry: tuple[Value, Value]) -> Value:
    """The part of an entry that the view shows."""
    return entry if what == "items" else entry[0] if what == "keys" else entry[1]

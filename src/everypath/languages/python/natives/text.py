"""Values as text: `str`, `repr`, `format` and the parts of f-strings."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import FunctionType

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, as_text, is_float
from everypath.heap.values import DictCell, IteratorCell, ListCell, OpenList, RangeValue, Ref, Unread, Value
from everypath.ir.instructions import ClassRef, NativeRef
from everypath.ir.names import interface_of
from everypath.languages.python.natives.concrete import NotConcrete, lower
from everypath.languages.python.natives.exceptions import is_exception
from everypath.languages.python.natives.iterators import DictView, model
from everypath.languages.python.natives.library import ask_kept
from everypath.languages.python.natives.table import (
    LARGEST,
    builtin,
    compute,
    on_known_values,
    plain_arguments,
    symbolic,
)
from everypath.languages.python.semantics.externals import real_exception
from everypath.languages.python.semantics.host_objects import Kept, is_foreign
from everypath.languages.python.semantics.kinds import reference, type_name, user_method
from everypath.languages.python.semantics.registry import DECLINED, native
from everypath.logic import terms
from everypath.logic.terms import StrLike, Term

_PLAIN_TEXTS = (BaseException.__str__, KeyError.__str__)
"""The `__str__` methods that print nothing but the arguments; those of other classes print more."""
SHORT = 3
"""Up to this width the length of a padded text is decided, since programs look into such texts."""


@symbolic("str")
def make_str(st: State, *args: Value, **keywords: Value) -> Value:
    """`str(value)`"""
    if len(args) != 1 or keywords:
        return DECLINED
    (value,) = args
    if isinstance(value, Term) and value.sort == "str":
        return value
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return _object_text(st, value)
    if isinstance(value, Kept):
        return ask_kept(st, "str", value)
    if is_foreign(value):
        return str(lower(st, value, pin="the text of a date"))
    return represent(st, value)


def _object_text(st: State, ref: Ref) -> Value:
    for name in ("__str__", "__repr__"):
        method = user_method(st, ref, name)
        if method is not None:
            raise Invoke(method, [ref], _must_be_text(name))
        if name == "__str__" and is_exception(st, ref):
            return exception_text(st, ref)
    return represent(st, ref)


def _must_be_text(name: str) -> Callable[[State, Value], Value]:
    def check(st: State, value: Value) -> Value:
        value = resolve(st, value)
        if type_name(st, value) != "str":
            raise Fault("TypeError", f"{name} returned non-string (type {short(type_name(st, value))})")
        return value

    return check


def exception_text(st: State, ref: Ref) -> Value:
    """`str(exception)` when its class does not define it."""
    args = _arguments(st, ref)
    real = real_exception(program_of(st), type_name(st, ref))
    if real is not None and real.__str__ not in _PLAIN_TEXTS:
        if isinstance(real.__str__, FunctionType):
            raise Unsupported(f"the text of a {real.__module__}.{real.__qualname__}")
        (plain,), _ = plain_arguments(st, "str", (args,), {})
        # A constructor in Python may take other arguments than those that it hands on, which the text is about.
        built_in = next(base for base in real.__mro__ if not hasattr(base.__init__, "__code__"))  # type: ignore[misc]
        return compute(st, "str", lambda: str(built_in(*plain)), (), {})
    if not args:
        return ""
    if len(args) > 1:
        return represent(st, args)
    (only,) = args
    if "KeyError" in st.heap.inputs.program.mro(type_name(st, ref)):
        return represent(st, resolve(st, only))
    only = resolve(st, only)
    if isinstance(only, Ref) and type(st.heap.cells[only]) is dict:
        return _object_text(st, only)
    return only if type_name(st, only) == "str" else represent(st, only)


def _arguments(st: State, exception: Ref) -> tuple[Value, ...]:
    args = resolve(st, st.heap.fields(exception).get("args", ()))
    assert isinstance(args, tuple)
    return args


@symbolic("repr")
def represent(st: State, value: Value) -> Value:
    """`repr(value)`; at most one method of the program is called for it."""
    value = resolve(st, value)
    if isinstance(value, Term):
        return _term_text(st, value)
    if isinstance(value, Ref):
        return _represent_object(st, value)
    if isinstance(value, DictView):
        return _bracketed(st, tuple(value), f"{type_name(st, value)}([", "])")
    if isinstance(value, tuple):
        return _bracketed(st, value, "(", ",)" if len(value) == 1 else ")")
    if isinstance(value, RangeValue):
        parts = (value.start, value.stop) if value.step == 1 else (value.start, value.stop, value.step)
        return _bracketed(st, parts, "range(", ")")
    if isinstance(value, int | float | str | bytes | None):
        return repr(value)
    if isinstance(value, Kept):
        return ask_kept(st, "repr", value)
    if is_foreign(value):
        return repr(lower(st, value, pin="the text of a date"))
    if isinstance(value, (ClassRef, NativeRef)):
        return _class_text(st, value)
    raise Unsupported(f"the text of a {type_name(st, value)}, which differs between runs")


def _class_text(st: State, value: ClassRef | NativeRef) -> str:
    """The text of a builtin class or one defined in a module; enumerations print differently and are refused."""
    known = getattr(builtins, value.name, None)
    if isinstance(known, type):
        return repr(known)
    if interface_of(value.name) is not None:
        raise Unsupported("the name of the class of an object that stands for any implementation")
    cls = program_of(st).classes.get(value.name)
    if cls is None or cls.model or ":" in value.name or value.name in st.heap.inputs.enumerations:
        raise Unsupported(f"the text of {value.name}")
    return f"<class '{value.name}'>"


def _term_text(st: State, value: Term) -> Value:
    if value.sort == "int":
        return terms.int_to_str(value)
    if value.sort == "bool":
        return terms.ite(value, "True", "False")
    if value.sort == "float":
        return repr(fixed(st, value, "the text of a float"))
    known = st.pc.value(value)
    if known is not None:
        return repr(known)
    return terms.repr_(value)


def _represent_object(st: State, ref: Ref) -> Value:
    cell = st.heap.cells[ref]
    if isinstance(cell, (ListCell, OpenList)):
        return _bracketed(st, sequences.items(st.heap, st.pc, ref), "[", "]")
    if isinstance(cell, DictCell):
        return _mapping_text(st, ref, cell)
    if isinstance(cell, IteratorCell):
        raise Unsupported("the text of an iterator, which differs between runs")
    method = user_method(st, ref, "__repr__")
    if method is not None:
        raise Invoke(method, [ref], _must_be_text("__repr__"))
    name = short(type_name(st, ref))
    if is_exception(st, ref):
        return _bracketed(st, _arguments(st, ref), f"{name}(", ")")
    raise Unsupported(f"the text of a {name} object without __str__ or __repr__, which differs between runs")


def _mapping_text(st: State, ref: Ref, cell: DictCell) -> Value:
    entries = mappings.entries(st.heap, st.pc, ref)
    if cell.kind == "set":
        if not entries:
            return "frozenset()" if cell.frozen else "set()"
        try:
            return repr(lower(st, ref))
        except NotConcrete:
            if len(entries) > 1:
                raise Unsupported("the text of a set with symbolic elements, whose order is unknown") from None
        around = ("frozenset({", "})") if cell.frozen else ("{", "}")
        return _bracketed(st, tuple(key for key, _ in entries), *around)
    if not entries:
        return "{}"
    flat = tuple(part for entry in entries for part in entry)
    return _bracketed(st, flat, "{", "}", (": ", ", "))


def _bracketed(
    st: State, items: tuple[Value, ...], opening: str, closing: str, separators: tuple[str, ...] = (", ",)
) -> Value:
    def join(texts: tuple[Value, ...]) -> Value:
        pieces: list[StrLike] = [opening]
        for i, text in enumerate(texts):
            if i:
                pieces.append(separators[(i - 1) % len(separators)])
            pieces.append(as_text(text))
        return terms.concat(*pieces, closing)

    items = tuple(resolve(st, item) for item in items)
    if any(calls_methods(st, item) for item in items):
        raise Invoke(
            model(st, "reprs"), [items], lambda state, ref: join(sequences.items(state.heap, state.pc, reference(ref)))
        )
    return join(tuple(represent(st, item) for item in items))


def calls_methods(st: State, value: Value, depth: int = 0) -> bool:
    """Whether the text of a resolved value depends on methods of the program."""
    if depth > 20:
        raise Unsupported("the text of a deeply nested value")
    if isinstance(value, tuple):
        return any(calls_methods(st, resolve(st, item), depth + 1) for item in value)
    if not isinstance(value, Ref):
        return False
    cell = st.heap.cells[value]
    if isinstance(cell, ListCell):
        return any(calls_methods(st, resolve(st, item), depth + 1) for item in cell.items)
    if isinstance(cell, DictCell):
        return any(calls_methods(st, resolve(st, part), depth + 1) for entry in cell.entries for part in entry)
    return type(cell) is dict


@symbolic("format")
def format_value(st: State, value: Value, spec: StrLike = "") -> Value:
    """`format(value, spec)`, which is also what `{value:spec}` in an f-string means."""
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        method = user_method(st, value, "__format__")
        if method is not None:
            raise Invoke(method, [value, spec], _must_be_text("__format__"))
    if spec == "":
        return value if isinstance(value, str) else make_str(st, value)
    if isinstance(spec, Term) or is_float(value):
        return DECLINED
    if isinstance(value, Term):
        if (spec == "d" and value.sort != "str") or (spec == "s" and value.sort == "str"):
            return terms.int_to_str(as_int(value)) if spec == "d" else value
        return _padded(st, value, spec)
    if isinstance(value, Ref | tuple | None):
        raise Fault("TypeError", f"unsupported format string passed to {short(type_name(st, value))}.__format__")
    return DECLINED


def _padded(st: State, value: Term, spec: str) -> Value:
    """A symbolic value in a field of some width; how much padding it needs is decided by its length."""
    kind = "s" if value.sort == "str" else "d"
    body = spec[:-1] if spec.endswith(kind) else spec
    fill, align = " ", "<" if kind == "s" else ">"
    if len(body) >= 2 and body[1] in "<>^":
        fill, align, body = body[0], body[1], body[2:]
    elif body[:1] and body[0] in "<>^":
        align, body = body[0], body[1:]
    if not body.isdigit() or body.startswith("0") or align == "^" or int(body) > SHORT:
        return _zero_filled(st, value, int(body)) if _zero_padded(kind, body) else _formatted(value, spec)
    text: StrLike = value if kind == "s" else terms.int_to_str(as_int(value))
    return pad(st, text, int(body), fill, align)


def _formatted(value: Term, spec: str) -> Value:
    """A text that is only known when the value is; what the program decides by it is left to the solver."""
    sample = {"int": 1, "bool": True, "str": "a"}.get(value.sort)
    if sample is None or spec.endswith("c"):
        return DECLINED
    try:
        format(sample, spec)
    except ValueError as error:
        raise Fault("ValueError", str(error)) from None
    return terms.formatted(value, spec)


def _zero_padded(kind: str, body: str) -> bool:
    return kind == "d" and body.isdigit() and body.startswith("0") and 0 < int(body) <= SHORT


def _zero_filled(st: State, value: Term, width: int) -> Value:
    number = as_int(value)
    if decide(st.pc, terms.lt(number, 0)):
        return terms.concat("-", pad(st, terms.int_to_str(terms.neg(number)), width - 1, "0", ">"))
    return pad(st, terms.int_to_str(number), width, "0", ">")


def pad(st: State, text: StrLike, width: int, fill: str, align: str) -> StrLike:
    """The text filled up to the width on one side."""
    if width > LARGEST:
        raise Unsupported(f"a text filled up to {width} characters")
    size = terms.str_len(text)
    missing = 0
    for candidate in range(width):
        if decide(st.pc, terms.eq(size, candidate)):
            missing = width - candidate
            break
    return terms.concat(text, fill * missing) if align == "<" else terms.concat(fill * missing, text)


@native("str_join_parts")
def str_join_parts(st: State, *parts: StrLike) -> Value:
    """The pieces of an f-string one after the other."""
    return terms.concat(*parts)


@builtin("print")
def print_(st: State, *values: Value, **keywords: Value) -> Value:
    """`print(...)` shows nothing while exploring; a file that is given is written to."""
    file = resolve(st, keywords.get("file"))
    if file is None or (type(file) is Unread and file.cls == "sys"):
        return None
    given = [keywords.get(name) for name in ("sep", "end", "flush")]
    raise Invoke(model(st, "print_to"), [values, *given, file])


@symbolic("ascii")
def make_ascii(st: State, value: Value) -> Value:
    """`ascii(value)`"""
    text = represent(st, value)
    return text if isinstance(text, Term) else on_known_values(st, "ascii", value)

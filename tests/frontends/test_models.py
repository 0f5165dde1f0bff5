"""The models of library code do what the library does."""

from __future__ import annotations

import io
import itertools
import time
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.explore.signals import Fault
from everypath.ir.check import check
from everypath.ir.program import Program
from everypath.languages.python.frontend import library
from everypath.languages.python.frontend.hierarchy import PYTHON
from everypath.languages.python.frontend.library import MODELS, add_models
from everypath.languages.python.frontend.model_sources import model_source
from everypath.languages.python.semantics.registry import NATIVES
from tests.natives.driver import new_state, plain, real


def functions(name: str) -> dict[str, Callable[..., Any]]:
    """The functions of a file of models, running in CPython."""
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(model_source(name), name, "exec"), namespace)
    return {k: v for k, v in namespace.items() if callable(v) and k != "Any"}


def natives(cls: type, names: str) -> dict[str, Callable[..., Any]]:
    """Methods that the engine has itself instead of a model, on plain objects."""

    def method(name: str) -> Callable[..., Any]:
        def run(receiver: Any, *args: Any) -> Any:
            state = new_state()
            inside = plain(state, receiver)
            try:
                value = NATIVES[f"{cls.__name__}.{name}"](state, inside, *(plain(state, arg) for arg in args))
            except Fault as fault:
                raise _real(fault.cls) from None
            if isinstance(receiver, (list, dict, set)):
                after = real(state, inside, {})
                receiver.clear()
                (receiver.extend if isinstance(receiver, list) else receiver.update)(after)
            return real(state, value, {})

        return run

    return {name: method(name) for name in names.split()}


BUILTINS = functions("functions")
LISTS = functions("list") | natives(list, "__contains__ reverse extend clear copy")
TUPLES = functions("tuple") | natives(tuple, "__contains__")
DICTS = natives(dict, "get setdefault pop popitem update copy clear")
SETS = natives(
    set,
    "update copy union intersection difference symmetric_difference issubset issuperset isdisjoint remove",
)
SLICES = functions("slice")
bounds = st.none() | st.integers(-4, 4)
lists = st.lists(st.integers(-3, 3), max_size=5)


def outcome(function: Callable[..., Any], *args: Any, **named: Any) -> tuple[str, Any]:
    try:
        return "value", function(*args, **named)
    except Exception as error:
        return "error", type(error)


def test_models_have_no_faults_and_are_marked() -> None:
    program = Program(PYTHON)
    add_models(program)
    assert set(program.classes) == set(MODELS.values())
    assert all(cls.model and all(m.model for m in cls.methods.values()) for cls in program.classes.values())
    assert [f for f in check(program) if "unknown class" not in str(f) and "Error" not in str(f)] == []


def test_models_are_compiled_once_and_quickly() -> None:
    library._compiled.clear()
    started = time.perf_counter()
    add_models(Program(PYTHON))
    assert time.perf_counter() - started < 0.5
    first = library._compiled["builtins"]
    add_models(Program(PYTHON))
    assert library._compiled["builtins"] is first


def test_only_what_is_looked_up_is_compiled() -> None:
    library._compiled.clear()
    program = Program(PYTHON)
    add_models(program)
    methods = program.classes["builtins.list"].methods
    assert "index" in methods and "no_such" not in methods and methods.get("no_such") is None
    assert not dict.__len__(methods)
    found = program.find_method("builtins.list", "index")
    assert found is not None and found.kind == "instance" and dict.__contains__(methods, "index")
    assert dict.__len__(methods) < len(methods) == len(methods.items()) == len(list(methods))


@settings(max_examples=60, deadline=None)
@given(lists, lists)
def test_sequences_compare_as_python_does(a: list[int], b: list[int]) -> None:
    assert BUILTINS["seq_eq"](a, b) == (a == b)
    assert BUILTINS["seq_lt"](a, b) == (a < b)
    assert BUILTINS["seq_le"](a, b) == (a <= b)
    assert BUILTINS["seq_gt"](a, b) == (a > b)
    assert BUILTINS["seq_ge"](a, b) == (a >= b)
    assert BUILTINS["dict_eq"](dict.fromkeys(a), dict.fromkeys(b)) == (set(a) == set(b))
    assert BUILTINS["dict_eq"](dict(enumerate(a)), dict(enumerate(b))) == (a == b)


@settings(max_examples=60, deadline=None)
@given(lists, st.booleans())
def test_sorting_is_stable(items: list[int], reverse: bool) -> None:
    pairs = [(abs(x), i) for i, x in enumerate(items)]
    mine = list(pairs)
    LISTS["sort"](mine, key=lambda p: p[0], reverse=reverse)
    assert mine == sorted(pairs, key=lambda p: p[0], reverse=reverse)
    plain = list(items)
    LISTS["sort"](plain, reverse=reverse)
    assert plain == sorted(items, reverse=reverse)


@settings(max_examples=60, deadline=None)
@given(lists)
def test_functions_over_iterables(items: list[int]) -> None:
    for name in ("sum", "any", "all", "min", "max"):
        assert outcome(BUILTINS[name], items) == outcome(getattr(__builtins__, name, None) or _real(name), items)
    assert BUILTINS["sum"](items, 5) == sum(items, 5)
    assert outcome(BUILTINS["max"], items, key=abs, default=9) == outcome(max, items, key=abs, default=9)
    assert outcome(BUILTINS["min"], items, key=abs, default=9) == outcome(min, items, key=abs, default=9)
    assert list(BUILTINS["map"](abs, items)) == list(map(abs, items))
    assert list(BUILTINS["map"](max, items, items)) == items
    assert list(BUILTINS["filter"](None, items)) == list(filter(None, items))
    assert BUILTINS["collect"](iter(items)) == items


def _real(name: str) -> Callable[..., Any]:
    import builtins

    return getattr(builtins, name)  # type: ignore[no-any-return]


@settings(max_examples=80, deadline=None)
@given(lists, st.integers(-3, 3), st.integers(-6, 6), st.integers(-6, 6))
def test_list_and_tuple_methods(items: list[int], value: int, start: int, stop: int) -> None:
    for args in ((value,), (value, start), (value, start, stop)):
        assert outcome(LISTS["index"], list(items), *args) == outcome(list.index, list(items), *args)
        assert outcome(TUPLES["index"], tuple(items), *args) == outcome(tuple.index, tuple(items), *args)
    for name in ("count", "__contains__"):
        assert LISTS[name](items, value) == getattr(items, name)(value)
        assert TUPLES[name](tuple(items), value) == getattr(items, name)(value)
    for name, args in (("remove", (value,)), ("reverse", ()), ("extend", (items,)), ("clear", ()), ("copy", ())):
        mine, real = list(items), list(items)
        assert outcome(LISTS[name], mine, *args) == outcome(getattr(list, name), real, *args)
        assert mine == real


@settings(max_examples=60, deadline=None)
@given(lists, lists, st.integers(-3, 3))
def test_dict_and_set_methods(a: list[int], b: list[int], key: int) -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("get", (key,)), ("get", (key, 7)), ("setdefault", (key, 7)), ("pop", (key,)), ("pop", (key, 7)),
        ("popitem", ()), ("update", (dict.fromkeys(b, 1),)), ("update", ([(x, 2) for x in b],)), ("copy", ()),
        ("clear", ()),
    ]  # fmt: skip
    for name, args in calls:
        mine, real = dict(enumerate(a)), dict(enumerate(a))
        assert outcome(DICTS[name], mine, *args) == outcome(getattr(dict, name), real, *args)
        assert list(mine.items()) == list(real.items())
    for name in SETS:
        if name == "remove":
            args = (key,)
        elif name == "copy":
            args = ()
        else:
            args = (set(b),)
        mine_set, real_set = set(a), set(a)
        assert outcome(SETS[name], mine_set, *args) == outcome(getattr(set, name), real_set, *args)
        assert mine_set == real_set


def test_joining_and_advancing() -> None:
    join = natives(str, "join")["join"]
    for parts in itertools.chain([[]], (["a"] * n for n in range(1, 4))):
        assert join("-", parts) == "-".join(parts)
    assert outcome(join, "-", [1]) == ("error", TypeError)
    iterator = iter([1])
    assert BUILTINS["advance"](iterator) == (True, 1)
    assert BUILTINS["advance"](iterator) == (False, None)


@given(bounds, bounds, bounds, st.integers(-1, 5))
def test_slices_have_the_indices_of_python(start: int | None, stop: int | None, step: int | None, length: int) -> None:
    cut = slice(start, stop, step)
    assert outcome(SLICES["indices"], cut, length) == outcome(cut.indices, length)


@given(st.lists(st.integers() | st.text(max_size=3) | st.none(), max_size=3), st.none() | st.text(max_size=2))
def test_print_to_a_stream(values: list[Any], separator: str | None) -> None:
    stream, real = io.StringIO(), io.StringIO()
    BUILTINS["print_to"](tuple(values), separator, separator, True, stream)
    print(*values, sep=separator, end=separator, file=real, flush=True)
    assert stream.getvalue() == real.getvalue()

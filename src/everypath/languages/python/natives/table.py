"""How natives enter the table: arguments are checked, and work on concrete values is left to Python itself.

Most builtins need no code here: when no argument is symbolic, the real function of the running Python
gives the result or the error. Only what must handle terms or heap objects is written out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from types import MethodDescriptorType
from typing import Any, NoReturn, TypeVar

from everypath.errors import LimitReached, Unsupported
from everypath.explore.natives import Native
from everypath.explore.objects import program_of, resolve
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.explore.watch import WATCH, survives, too_long
from everypath.heap.values import Hash, Value
from everypath.languages.python.natives.concrete import NotConcrete, fix_text, lift, lower
from everypath.languages.python.natives.iterators import collector, runs_user_code
from everypath.languages.python.semantics.externals import declare_exception
from everypath.languages.python.semantics.hashes import need_number
from everypath.languages.python.semantics.host_objects import Kept
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.registry import DECLINED, NATIVES, native
from everypath.logic.terms import Term

LARGEST = 1_000_000
_HEAVY = 20_000
"""Arguments of this weight are first tried in a process that can be killed."""

_FUNCTIONS = (abs, ascii, bin, bytes, chr, divmod, float, format, hex, int, oct, ord, pow, repr, round, str)
_METHODS: dict[type, str] = {
    str: (
        "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha "
        "isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower "
        "lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip "
        "split splitlines startswith strip swapcase title translate upper zfill"
    ),
    bytes: (
        "capitalize center count decode endswith find fromhex hex index isalnum isalpha isascii isdigit islower "
        "isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex "
        "rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill maketrans "
        "translate expandtabs"
    ),
    int: "as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes",
    float: "as_integer_ratio conjugate fromhex hex is_integer",
}


def _table() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {function.__name__: function for function in _FUNCTIONS}
    for cls, names in _METHODS.items():
        for name in names.split():
            found[f"{cls.__name__}.{name}"] = getattr(cls, name)
    for name in _METHODS[int].split():
        found[f"bool.{name}"] = getattr(bool, name)
    for name, function in vars(math).items():
        if not name.startswith("_") and callable(function):
            found[f"math.{name}"] = function
    return found


PURE: dict[str, Callable[..., Any]] = _table()
"""name in the table of natives -> the real function"""

_PADDING = frozenset(f"{cls}.{name}" for cls in ("str", "bytes") for name in ("center", "ljust", "rjust", "zfill"))
_HUGE_NUMBER = re.compile(r"[0-9]{6,}")


def too_large(name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether the result would take unreasonable space or time."""
    numbers = [a for a in (*args, *keywords.values()) if isinstance(a, int)]
    if name in _PADDING or name in ("str.expandtabs", "bytes.expandtabs", "bytes", "int.to_bytes", "bool.to_bytes"):
        return any(n > LARGEST for n in numbers[name == "int.to_bytes" :])
    if name == "pow":
        return len(args) == 2 and _large_power(*args)
    if name == "round":
        return any(abs(n) > 1000 for n in numbers[1:])
    if name in ("math.factorial", "math.comb", "math.perm"):
        return any(n > 2000 for n in numbers)
    if name.endswith(".replace") and len(args) >= 3 and all(isinstance(a, (str, bytes)) for a in args[:3]):
        return (len(args[0]) + 1) * max(1, len(args[2])) > 10 * LARGEST
    if name in ("format", "str.format", "str.format_map", "str.__mod__"):
        return any(isinstance(a, str) and _HUGE_NUMBER.search(a) for a in args[name == "format" :])
    if name == "bytes %":
        return _HUGE_NUMBER.search(args[0].decode("latin-1")) is not None
    return False


def _large_power(base: Any, exponent: Any) -> bool:
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return abs(base) > 1 and base.bit_length() * exponent > 100_000


def weight(value: Any) -> int:
    """About how many bytes or digits an operation on the value may have to look at."""
    cls = value.__class__
    if cls is int:
        return int(value.bit_length()) >> 3
    if cls is str or cls is bytes:
        return len(value)
    if cls is tuple or cls is list or cls is set or cls is frozenset:
        return sum(map(weight, value))
    if cls is dict:
        return sum(map(weight, value)) + sum(map(weight, value.values()))
    # Only what says so has digits that are not written down.
    return abs(value.adjusted()) if hasattr(cls, "adjusted") and value.is_finite() else 0


_ATOMS = frozenset((int, bool, float, str, bytes, type(None)))
_OVER_ITERABLES = frozenset("math.fsum math.prod math.dist math.sumprod bytes int.from_bytes".split())


_INHERITED = {"int": "bool"}
"""the classes whose objects have the methods of another one"""
_F = TypeVar("_F", bound=Callable[..., Value])


def builtin(*names: str) -> Callable[[_F], _F]:
    """Register a native that user code calls: arguments that do not fit are the language's type error."""

    def register(function: _F) -> _F:
        native(*names)(_checked(names[0], function))
        return function

    return register


def symbolic(*names: str) -> Callable[[_F], _F]:
    """Register what pure builtins do with arguments that are not all plain; DECLINED means not handled."""

    def register(function: _F) -> _F:
        for name in names:
            NATIVES[name] = _pure(name, _checked(name, function))
        return function

    return register


def register_pure() -> None:
    """Give every pure builtin that has no native of its own the one that only handles concrete values."""
    for name in PURE:
        if name not in NATIVES:
            NATIVES[name] = _pure(name, None)


def _checked(name: str, function: Callable[..., Value]) -> Native:
    def checked(st: State, *args: Value, **keywords: Value) -> Value:
        try:
            return function(st, *args, **keywords)
        except (TypeError, Fault) as problem:
            if isinstance(problem, Fault) and problem.cls != "TypeError":
                raise
            for value in args:
                if isinstance(value, Hash):
                    need_number(value)
            if isinstance(problem, Fault):
                raise
            from inspect import signature

            # Only after a failure, because looking at signatures is slow. If the arguments fit, the error is our own.
            try:
                signature(function).bind(st, *args, **keywords)
            except TypeError as error:
                raise Fault("TypeError", f"{name}() called with wrong arguments: {error}") from None
            raise

    return checked


def _pure(name: str, special: Native | None) -> Native:
    function = PURE[name]
    owner = name.partition(".")[0] if isinstance(function, MethodDescriptorType) else ""

    def run(st: State, *args: Value, **keywords: Value) -> Value:
        args = tuple(resolve(st, value) for value in args)
        for value in args:
            if value.__class__ not in _ATOMS:
                break
        else:
            if not keywords:
                return compute(st, name, function, args, keywords)
        keywords = {key: resolve(st, value) for key, value in keywords.items()}
        for place, value in enumerate(args if name in _OVER_ITERABLES else ()):
            if runs_user_code(st, value):
                _collect_first(st, run, place, args, keywords, sized=name == "bytes")
        kind = type_name(st, args[0]) if owner and args and isinstance(args[0], Term) else owner
        if kind not in (owner, _INHERITED.get(owner)):
            message = f"descriptor {function.__name__!r} for {owner!r} objects doesn't apply to a {kind!r} object"
            raise Fault("TypeError", message)
        if special is not None:
            result = special(st, *args, **keywords)
            if result is not DECLINED:
                return result
        return on_known_values(st, name, *args, **keywords)

    return run


def _collect_first(
    st: State, run: Native, place: int, args: tuple[Value, ...], keywords: dict[str, Value], sized: bool
) -> NoReturn:
    """Use up an iterator of the program before the builtin runs."""

    def go_on(state: State, items: Value) -> Value:
        return run(state, *args[:place], items, *args[place + 1 :], **keywords)

    raise Invoke(collector(st, args[place], sized), [args[place]], go_on)


def on_known_values(st: State, name: str, *args: Value, **keywords: Value) -> Value:
    """Run the pure builtin; terms among its arguments are fixed, and the result says so."""
    if any(isinstance(value, Kept) for value in (*args, *keywords.values())):
        # Few programs have such objects.
        from everypath.languages.python.natives import fenced

        return fenced.run(st, name, args, keywords, f"{name}()")
    return compute(st, name, PURE[name], *plain_arguments(st, name, args, keywords))


def plain_arguments(
    st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as plain Python objects, with terms fixed."""
    what = f"{name}() needs known values"
    fix_text(st, name, args, keywords, what)
    try:
        plain = tuple(lower(st, value, pin=what) for value in args)
        return plain, {key: lower(st, value, pin=what) for key, value in keywords.items()}
    except NotConcrete as problem:
        raise Unsupported(f"{name}() on {problem}") from None


def as_fault(st: State, what: str, error: BaseException) -> Fault:
    """The exception of a real function as one of the program, whose handlers know its class."""
    cls = declare_exception(program_of(st), type(error))
    if cls is None:
        raise Unsupported(f"{what} raising {type(error).__module__}.{type(error).__qualname__}")
    return Fault(cls, *(lift(st, value) for value in error.args), fields=exception_fields(st, error))


def exception_fields(st: State, error: BaseException) -> dict[str, Value]:
    """The attributes that the class of a library exception gives to its objects, those with plain values."""
    return {name: lift(st, value) for name, value in vars(error).items() if value.__class__ in _ATOMS}


def compute(
    st: State, name: str, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> Value:
    """The result of the real function; its exception becomes one of the program."""
    if too_large(name, args, keywords):
        raise Unsupported(f"the result of {name}() would be too large")
    if weight((*args, *keywords.values())) > _HEAVY and not survives(function, *args, **keywords):
        raise too_long(f"{name}()")
    try:
        result = WATCH.call(f"{name}()", function, *args, **keywords)
    except LimitReached:
        raise
    except (MemoryError, RecursionError):
        raise Unsupported(f"the result of {name}() would be too large") from None
    except Exception as error:
        raise as_fault(st, f"{name}()", error) from None
    return lift(st, result)

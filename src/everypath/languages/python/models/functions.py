"""Models of builtin functions; compiled by the front end, never imported."""

# ruff: noqa: SIM105, SIM110, RET503, SIM201, F821 - generator expressions would hide the loops that the models are about.
# mypy: disable-error-code="misc"
from __future__ import annotations

from typing import Any

answer_of_function: Any
answered: Any
any_text: Any
spread: Any
unsupported: Any
written_for: Any


def sum(iterable: Any, /, start: Any = 0) -> Any:
    """Left to right, as the builtin does."""
    total = start
    for item in iterable:
        total = total + item
    return total


def any(iterable: Any, /) -> Any:
    """Stops at the first true item."""
    for item in iterable:
        if item:
            return True
    return False


def all(iterable: Any, /) -> Any:
    """Stops at the first false item."""
    for item in iterable:
        if not item:
            return False
    return True


@written_for("min <", "max >")
def min(*values: Any, key: Any = None, **options: Any) -> Any:
    """The first of the smallest, or of the largest."""
    items = values[0] if len(values) == 1 else values
    found = False
    best = None
    best_key = None
    for item in items:
        item_key = item if key is None else key(item)
        if not found or item_key < best_key:
            found = True
            best = item
            best_key = item_key
    if found:
        return best
    if "default" in options:
        return options["default"]
    raise ValueError("min() arg is an empty sequence")


def sorted(iterable: Any, /, **how: Any) -> Any:
    """A new list; stable."""
    result = list(iterable)
    result.sort(**how)
    return result


def map(function: Any, first: Any, /, *more: Any) -> Any:
    """Computed item by item, when asked for."""
    if len(more) == 0:
        return map_one(function, iter(first))
    return map_many(function, zip(first, *more))


def map_one(function: Any, items: Any) -> Any:
    """`map` over one iterator."""
    for item in items:
        try:
            value = function(item)
        except StopIteration:
            return
        yield value


def map_many(function: Any, rows: Any) -> Any:
    """`map` over several iterators."""
    for row in rows:
        try:
            value = function(*row)
        except StopIteration:
            return
        yield value


def filter(function: Any, iterable: Any, /) -> Any:
    """Computed item by item, when asked for."""
    return filter_items(function, iter(iterable))


def filter_items(function: Any, items: Any) -> Any:
    """`filter` over an iterator."""
    for item in items:
        if item if function is None else function(item):
            yield item


def seq_eq(a: Any, b: Any) -> Any:
    """Equality of two lists or two tuples."""
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if not (a[i] is b[i] or a[i] == b[i]):
            return False
    return True


@written_for("seq_lt <", "seq_le <=", "seq_gt >", "seq_ge >=")
def seq_lt(a: Any, b: Any) -> Any:
    """Lexicographic order of two lists or two tuples."""
    shorter = len(a)
    # Written with the sign that is not replaced.
    if shorter > len(b):
        shorter = len(b)
    for i in range(shorter):
        if not (a[i] is b[i] or a[i] == b[i]):
            return a[i] < b[i]
    return len(a) < len(b)


def seq_contains(items: Any, value: Any) -> Any:
    """Membership by identity or equality, first to last."""
    for item in items:
        if item is value or item == value:
            return True
    return False


def dict_eq(a: Any, b: Any) -> Any:
    """Equality of two dicts, in any order."""
    if len(a) != len(b):
        return False
    for key in a:
        if key not in b:
            return False
        if not (a[key] is b[key] or a[key] == b[key]):
            return False
    return True


def first_answer(attempts: Any) -> Any:
    """What the first method says that does not decline."""
    for function, receiver, other in attempts:
        answer = function(receiver, other)
        if answer is not NotImplemented:
            return answer
    return NotImplemented


def advance(iterator: Any) -> Any:
    """One step of a user's iterator: whether there was an item, and the item."""
    try:
        return (True, iterator.__next__())
    except StopIteration:
        return (False, None)


def iterate_items(items: Any) -> Any:
    """The elements of an object that only has `__getitem__`."""
    position = 0
    while True:
        try:
            item = items[position]
        except IndexError:
            return
        yield item
        position += 1


def iterate_calls(function: Any, sentinel: Any) -> Any:
    """`iter(function, sentinel)`"""
    while True:
        value = function()
        if value == sentinel:
            return
        yield value


def attribute_or(function: Any, args: Any, default: Any) -> Any:
    """`getattr` with a default, where reading the attribute runs code."""
    try:
        return function(*args)
    except AttributeError:
        return default


def attribute_exists(function: Any, args: Any) -> Any:
    """`hasattr`, where reading the attribute runs code."""
    try:
        function(*args)
    except AttributeError:
        return False
    return True


def make_object(cls: Any, new: Any, args: Any, named: Any, initialised: Any) -> Any:
    """A call of a class that has a `__new__`."""
    made = new(cls, *args, **named)
    if initialised and isinstance(made, cls):
        made.__init__(*args, **named)
    return made


def extend_with(items: Any, iterator: Any) -> Any:
    """Elements are added one by one, and stay there if an exception ends it."""
    for item in iterator:
        items.append(item)


def make_object_from(cls: Any, new: Any, args: Any, named: Any, more: Any, further: Any) -> Any:
    """The same with a `*` and a `**` among the arguments."""
    return make_object(cls, new, (*args, *more), {**named, **further}, True)


def named_descriptor(descriptor: Any, owner: Any, name: Any) -> Any:
    """A class attribute that is told its name when the class is made."""
    descriptor.__set_name__(owner, name)
    return descriptor


def collect(iterable: Any) -> Any:
    """All elements, where asking for them runs code of the program."""
    result = []
    for item in iterable:
        result.append(item)
    return result


def collect_sized(iterable: Any) -> Any:
    """All elements of an object that is first asked how many there are."""
    result: list[Any] = []
    iterator = iter(iterable)
    try:
        len(iterable)
    except TypeError:
        pass
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return result
        result.append(item)


def substituted(matches: Any, function: Any, text: Any, counted: Any) -> Any:
    """`re.sub` or `re.subn` where a function gives what each match is replaced by."""
    parts = []
    last = 0
    for match in matches:
        parts.append(text[last : match.start()])
        parts.append(function(match))
        last = match.end()
    parts.append(text[last:])
    result = text[:0].join(parts)
    return (result, len(matches)) if counted else result


def mapping_items(mapping: Any) -> Any:
    """The entries that a dict takes over from another mapping."""
    result = []
    for key in mapping.keys():
        result.append((key, mapping[key]))
    return result


def reprs(items: Any) -> Any:
    """The text of each item, where it depends on methods of the program."""
    result = []
    for item in items:
        result.append(repr(item))
    return result


def call_spread(function: Any, args: Any, named: Any) -> Any:
    """`function(*args, **named)`"""
    call = spread
    return call(function, args, named)


def ask_function(function: Any, args: Any, named: Any) -> Any:
    """A call of a function that is an input."""
    return answer_of_function(function, args, named)


async def ask_function_later(function: Any, args: Any, named: Any) -> Any:
    """The same for a function whose result is awaited."""
    return answer_of_function(function, args, named)


def equal_keys(known: Any, key: Any) -> Any:
    """Whether two keys are equal as the program compares them."""
    if known is key or known == key:
        return True
    return False


def dealt_out(exception: Any, kinds: Any) -> Any:
    """What an `except*` clause gets of an exception, and what is left for those after it."""
    if isinstance(exception, BaseExceptionGroup) or exception is None:
        return group_split(exception, kinds)
    if isinstance(exception, kinds):
        if not isinstance(exception, Exception):
            unsupported("`except*` of an exception that is no Exception")
        return ExceptionGroup("", [exception]), None
    return None, exception


def group_split(group: Any, kinds: Any) -> Any:
    """A group divided by the classes of its exceptions, nested ones included."""
    if not isinstance(group, BaseExceptionGroup):
        return (group, None) if isinstance(group, kinds) else (None, group)
    inside: list[Any] = []
    outside: list[Any] = []
    for member in group.exceptions:
        matching, rest = group_split(member, kinds)
        if matching is not None:
            inside.append(matching)
        if rest is not None:
            outside.append(rest)
    if not outside:
        return group, None
    if not inside:
        return None, group
    return ExceptionGroup(group.message, inside), ExceptionGroup(group.message, outside)


def regrouped(original: Any, raised: Any, rest: Any) -> Any:
    """What a `try` with `except*` raises in the end, None for nothing."""
    if not raised:
        return rest
    if not isinstance(original, BaseExceptionGroup):
        return raised[0]
    if rest is not None:
        raised.append(rest)
    return ExceptionGroup("", raised)


def input(prompt: Any = "", /) -> Any:
    """What somebody types is an input of the test."""
    return answered("builtins.input", any_text("builtins.input"))


def print_to(values: Any, sep: Any, end: Any, flush: Any, file: Any) -> None:
    first = True
    for value in values:
        if not first:
            file.write(" " if sep is None else sep)
        first = False
        file.write(str(value))
    file.write("\n" if end is None else end)
    if flush:
        file.flush()

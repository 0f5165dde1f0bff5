"""Readable names for paths: what is special about the input, then how the call ends.

Everything that could be said about a path is collected, the most telling first. Of that a name takes, one word at a
time, what tells the case from most of the others that end in the same way, until it is the only one left, or the
name is long enough. Cases that even then share a name are numbered.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence

from everypath.cases import model
from everypath.records import replace

LONGEST = 64
_MOST_WORDS = 3
"""Features of the input that a name mentions before it resorts to a number."""
_TIMES = {1: "once", 2: "twice"}
_MOST_BITS = 64
"""Integers of more bits are not spelled out."""
_LONGEST_PHRASE = 40
_AGAINST_ZERO = {
    ast.Lt: "negative",
    ast.Gt: "positive",
    ast.Eq: "zero",
    ast.NotEq: "not_zero",
    ast.GtE: "not_negative",
    ast.LtE: "not_positive",
}
_MEASURES = ("ordinal", "microseconds")
"""The numbers that stand for dates and times: two of them can be compared in words, but none reads well."""
_RELATIONS = {
    ast.Lt: "below",
    ast.Gt: "above",
    ast.Eq: "equals",
    ast.NotEq: "differs_from",
    ast.GtE: "at_least",
    ast.LtE: "at_most",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}
_OPPOSITE = ((ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {a: b for pair in _OPPOSITE for a, b in (pair, pair[::-1])}
_SWAPPED = ((ast.Lt, ast.Gt), (ast.LtE, ast.GtE), (ast.Eq, ast.Eq), (ast.NotEq, ast.NotEq))
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {a: b for pair in _SWAPPED for a, b in (pair, pair[::-1])}
_OPERATORS = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Mod: "mod", ast.FloorDiv: "div"}


def name_cases(cases: Sequence[model.CallCase]) -> list[model.CallCase]:
    """The cases with names, unique among the cases of the same entry."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, case in enumerate(cases):
        groups.setdefault((case.entry.module, case.entry.qualified), []).append(index)
    named = list(cases)
    for indices in groups.values():
        for index, name in zip(indices, _names([cases[i] for i in indices]), strict=True):
            named[index] = replace(cases[index], name=name)
    return named


def _names(cases: Sequence[model.CallCase]) -> list[str]:
    """Names for the cases of one entry: the fewest features that tell each from the others."""
    features = [_features(case) for case in cases]
    having: dict[str, int] = {}
    endings = [_ending(case) for case in cases]
    for index, (words, ending) in enumerate(zip(features, endings, strict=True)):
        for word in (*words, f"={ending}"):
            having[word] = having.get(word, 0) | (1 << index)
    everyone = (1 << len(cases)) - 1
    taken: Counter[str] = Counter()
    names: list[str] = []
    for words, ending in zip(features, endings, strict=True):
        chosen = _choose(words, ending, having, everyone)
        name = _assembled([word for word in words if word in chosen], ending)
        taken[name] += 1
        unique = name if taken[name] == 1 else f"{name}_{taken[name]}"
        while unique != name and taken[unique]:
            taken[name] += 1
            unique = f"{name}_{taken[name]}"
        if unique != name:
            taken[unique] += 1
        names.append(unique)
    return names


def _choose(words: Sequence[str], ending: str, having: dict[str, int], everyone: int) -> set[str]:
    """Pick the words that, with the ending, leave the fewest other cases; earlier words win ties."""
    chosen: set[str] = set()
    rest = having[f"={ending}"]
    length = len(ending)
    while len(chosen) < _MOST_WORDS:
        # Sets of cases are bits of integers, because each word of each case is tried in every round.
        best, best_left = None, rest
        for word in words:
            left = rest & having[word]
            fits = length + 1 + len(word) <= LONGEST
            if word not in chosen and fits and left.bit_count() < best_left.bit_count():
                best, best_left = word, left
        if best is None:
            break
        chosen.add(best)
        rest = best_left
        length += 1 + len(best)
    if not chosen:
        # The ending alone tells it apart; one word about the input still says when it happens.
        rarest = [w for w in words if having[w] != everyone and not w.startswith("via_line")]
        if rarest:
            chosen.add(min(rarest, key=lambda w: having[w].bit_count()))
    return chosen


def _assembled(words: Sequence[str], ending: str) -> str:
    if not words:
        return ending
    when = "when_" if re.search(r"_is_(not_)?", words[0]) else ""
    name = f"{when}{'_'.join(words)}_{ending}"
    return name if len(name) <= LONGEST + len("when_") else name[:LONGEST].rstrip("_")


def _ending(case: model.CallCase) -> str:
    outcome = case.expected.outcome
    if isinstance(outcome, model.Raised):
        return f"raises_{_snake(outcome.cls)}"
    if case.entry.kind == "constructor":
        return "is_created"
    if case.entry.kind == "setter":
        return "is_set"
    return f"returns_{_described(outcome, case)}"


def _described(outcome: model.Returned, case: model.CallCase) -> str:
    value = outcome.value
    if isinstance(value, model.Pointer):
        if value == case.inputs.receiver:
            return "self"
        parameter = next((name for name, given, _ in case.inputs.arguments if given == value), None)
        if parameter is not None:
            return _slug(parameter)
        state = case.expected.heap.get(value.id)
        empty = isinstance(state, (model.SequenceState, model.MappingState)) and not _size(state)
        return f"empty_{_kind(state)}" if empty else _kind(state)
    return _short(value)


def _short(value: model.Value) -> str:
    match value:
        case model.Literal(value=None):
            return "none"
        case model.Literal(value=bool() as flag):
            return "true" if flag else "false"
        case model.Literal(value=int() | float() as amount):
            text = _number(amount)
            return text if len(text) <= 12 else "large_number"
        case model.Literal(value=str() as text):
            if not text:
                return "empty_text"
            words = _slug(text)
            return words if words and len(words) <= 16 and words == text.lower() else "text"
        case model.Literal():
            return "bytes"
        case model.TupleValue(items=items):
            shown = "_".join(_short(item) for item in items)
            return shown if items and len(shown) <= 16 else ("tuple" if items else "empty_tuple")
        case model.Named(name=name):
            return _snake(name)
        case model.Written(expression=expression):
            return _snake(expression.partition("(")[0])
    return "object"


def _features(case: model.CallCase) -> list[str]:
    """What could be said about a path, the most telling first."""
    # Later decisions are closer to what makes the path different.
    decided = [phrase for condition in reversed(case.condition) for phrase in phrases(condition)]
    found = [*_aliasing(case), *_missing_inputs(case), *decided, *_loops(case), *_arguments(case), *_fields(case)]
    lines = (step.line for step in case.trace if step.file == case.entry.file)
    return list(dict.fromkeys([*found, *(f"via_line_{line}" for line in lines)]))


def _aliasing(case: model.CallCase) -> list[str]:
    """The same object in several places."""
    heap = case.inputs.heap
    given = [value.id for _, value, _ in case.inputs.arguments if isinstance(value, model.Pointer)]
    receiver = case.inputs.receiver
    if isinstance(receiver, model.Pointer):
        given.append(receiver.id)
    known = {**heap, **case.inputs.ready}
    words = [f"same_{_kind(known.get(target))}" for target, times in Counter(given).items() if times > 1]
    inner: Counter[str] = Counter()
    for owner, state in heap.items():
        for target in (part.id for part in model.parts(state) if isinstance(part, model.Pointer)):
            inner[target] += 1
            if target == owner:
                words.append(f"{_kind(state)}_holds_itself")
    words += [f"shared_{_kind(heap.get(target))}" for target, times in inner.items() if times > 1]
    words += [f"linked_{_kind(heap.get(target))}" for target in given if inner[target] and target in heap]
    return words


def _missing_inputs(case: model.CallCase) -> list[str]:
    words = []
    for name, value, _ in case.inputs.arguments:
        state = case.inputs.heap.get(value.id) if isinstance(value, model.Pointer) else None
        if value == model.Literal(None):
            words.append(f"{_slug(name)}_is_none")
        elif value == model.Literal("") or (state is not None and not _size(state)):
            words.append(f"empty_{_slug(name)}")
    return [word for word in words if not word.endswith("_")]


def _size(state: model.HeapState) -> int:
    """Elements of a container; an object is never empty."""
    match state:
        case model.SequenceState(items=items):
            return len(items)
        case model.MappingState(entries=entries):
            return len(entries)
        case model.StreamState(text=text):
            return len(text)
    return 1


def _arguments(case: model.CallCase) -> list[str]:
    words = []
    for name, value, _ in case.inputs.arguments:
        if isinstance(value, model.Literal) and value.value is not None:
            words.append(f"{_slug(name)}_{_short(value)}")
        state = case.inputs.heap.get(value.id) if isinstance(value, model.Pointer) else None
        if isinstance(state, model.SequenceState):
            words.append(f"{_slug(name)}_of_length_{len(state.items)}")
    return words


def _fields(case: model.CallCase) -> list[str]:
    """Plain fields of the objects given."""
    words = []
    given = [("", case.inputs.receiver), *((f"{_slug(name)}_", value) for name, value, _ in case.inputs.arguments)]
    for prefix, value in given:
        state = case.inputs.heap.get(value.id) if isinstance(value, model.Pointer) else None
        if isinstance(state, model.ObjectState):
            words += [f"{prefix}{_slug(f)}_{_short(v)}" for f, v in state.fields if isinstance(v, model.Literal)]
    return words


def _loops(case: model.CallCase) -> list[str]:
    """How often the busiest line ran again; a loop's head runs once more than its body."""
    lines = Counter(step.line for step in case.trace if step.file == case.entry.file)
    again = max(lines.values(), default=1) - 1
    return [f"loop_{_TIMES.get(again, f'{again}_times')}"] if again else ["no_loop"]


def _kind(state: object) -> str:
    if isinstance(state, (model.ObjectState, model.UnusedState)):
        return _snake(state.cls)
    if isinstance(state, model.StreamState):
        return "stream"
    return state.kind if isinstance(state, model.SequenceState) else "dict"


def _snake(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition(".")[2])
    return _slug(spaced) or "object"


def phrases(condition: str) -> list[str]:
    """The readable parts of a condition; empty where it does not read well as words."""
    try:
        expression = ast.parse(condition.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [phrase for phrase in _conjuncts(expression) if phrase and len(phrase) <= _LONGEST_PHRASE]


def _slug(text: str) -> str:
    """The text reduced to lower-case words."""
    return re.sub(r"[^0-9a-z]+", "_", text.lower()).strip("_")


def _number(value: int | float) -> str:
    """A number as a word."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a_large_negative_number" if value < 0 else "a_large_number"
    text = (
        repr(abs(value)).replace(".", "_point_").replace("e-", "e_minus_").replace("e+", "e").removesuffix("_point_0")
    )
    return f"minus_{text}" if value < 0 else text


def _conjuncts(node: ast.expr, positive: bool = True) -> list[str]:
    match node:
        case ast.BoolOp(op=ast.And(), values=values) if positive:
            return [phrase for value in values for phrase in _conjuncts(value)]
        case ast.BoolOp(op=ast.Or(), values=values) if not positive:
            return [phrase for value in values for phrase in _conjuncts(value, positive=False)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _conjuncts(operand, not positive)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return [_comparison(left, type(op) if positive else _NEGATED[type(op)], right)]
        case ast.Call(func=ast.Name(id="isinstance"), args=[value, cls]):
            return [f"{_words(value)}_{'is' if positive else 'is_not'}_{_words(cls)}" if _words(value) else ""]
        case ast.Attribute(value=value, attr=attr) if not positive and not _is_self(value):
            return [_joined(_words(value), f"not_{_slug(attr)}")]
        case _:
            words = _words(node)
            return [(words if positive else f"not_{words}") if words else ""]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _comparison(left: ast.expr, kind: type[ast.cmpop], right: ast.expr) -> str:
    match left, right:
        case (ast.Call(func=ast.Name(id=first), args=[one]), ast.Call(func=ast.Name(id=second), args=[other])):
            if first in _MEASURES and first == second:
                left, right = one, other
    if _constant(left) is not None and _constant(right) is None and kind in _MIRRORED:
        left, kind, right = right, _MIRRORED[kind], left
    value = _constant(right)
    if isinstance(value, int) and not isinstance(value, bool):
        # Bounds on integers read best against zero.
        if (kind, value) == (ast.LtE, -1):
            kind, value = ast.Lt, 0
        elif (kind, value) == (ast.GtE, 1):
            kind, value = ast.Gt, 0
        measured = _length_of(left)
        if measured:
            return _length(measured, kind, value)
        words = _words(left)
        if value == 0 and words and kind in _AGAINST_ZERO:
            return f"{words}_{_AGAINST_ZERO[kind]}"
    first, second = _words(left), _words(right)
    return f"{first}_{_RELATIONS[kind]}_{second}" if first and second else ""


def _length(subject: str, kind: type[ast.cmpop], value: int) -> str:
    if (kind, value) in ((ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)):
        return f"empty_{subject}"
    if (kind, value) in ((ast.NotEq, 0), (ast.Gt, 0)):
        return f"non_empty_{subject}"
    if kind is ast.Eq:
        return f"{subject}_of_length_{value}"
    return f"{subject}_length_{_RELATIONS[kind]}_{_number(value)}"


def _length_of(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[subject]):
            return _words(subject)
    return ""


def _constant(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _words(node: ast.expr) -> str:
    """An expression as words, empty if it has no short reading."""
    match node:
        case ast.Name(id=name):
            return _slug(name)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return _slug(attr)
        case ast.Attribute(value=value, attr=attr):
            return _joined(_words(value), _slug(attr))
        case ast.Constant(value=None):
            return "none"
        case ast.Constant(value=str() as text):
            return _slug(text)[:16] or ("empty" if not text else "")
        case ast.Constant(value=bool() as flag):
            return "true" if flag else "false"
        case ast.Constant(value=int() | float() as value):
            return _number(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return _number(-value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _joined("minus", _words(operand))
        case ast.Subscript(value=value, slice=index):
            return _joined(_words(value), _words(index))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second = _words(left), _words(right)
            return f"{first}_{_OPERATORS[type(op)]}_{second}" if first and second else ""
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name not in _MEASURES:
            return _joined(_slug(name), _words(argument))
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[], keywords=[]):
            return _joined(_words(value), _slug(attr))
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[argument], keywords=[]):
            return _joined(_joined(_words(value), _slug(attr)), _words(argument))
    return ""


def _joined(first: str, second: str) -> str:
    return f"{first}_{second}" if first and second else ""

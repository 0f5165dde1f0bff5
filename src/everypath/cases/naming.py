"""Readable names for paths: what is special about the input, then how the call ends.

Everything that could be said about a path is collected, the most telling first. Of that a name takes, one word at a
time, what tells the case from most of the others that end in the same way, until it is the only one left, or the
name is long enough. Cases that even then share a name are numbered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count

from everypath.cases import model
from everypath.cases.phrases import number, phrases, slug, spelled
from everypath.records import replace

LONGEST = 60
"""The most characters in the name of a whole test."""
_SHORTEST = 24
"""The least number of characters that are left for the path."""
_SAY_NOTHING = ("text", "bytes", "large_number", "a_large_number", "a_large_negative_number")
_QUIET = "runs"
"""The name of the only path of something that returns nothing."""
_COMPUTED = re.compile(r"_(plus|minus|times|mod|div)_(?!\d)")
"""A part of the words for a value that the path computes."""
_BLOCKS = ("with", "failing")
"""How the result of an entry is looked at that is entered and left, in the end with an error."""
_SPARE = 12
"""How many characters longer a name may be if that saves it a number."""
_MOST_SIGNS = 6
_MOST_WORDS = 3
"""The most features of the input that a name mentions before it gets a number."""

Decided = Callable[[model.CallCase], Sequence[str]]
"""Gives the source conditions that held on the path of a case, the last one first; only its language knows them."""


def name_cases(cases: Sequence[model.CallCase], decided: Decided = lambda case: ()) -> list[model.CallCase]:
    """The cases with names, unique among the cases of the same entry."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, case in enumerate(cases):
        groups.setdefault((case.entry.module, case.entry.qualified), []).append(index)
    named = list(cases)
    for indices in groups.values():
        for index, name in zip(indices, _names([cases[i] for i in indices], decided), strict=True):
            named[index] = replace(cases[index], name=name)
    return named


def _names(cases: Sequence[model.CallCase], decided: Decided) -> list[str]:
    """Names for the cases of one entry: each with the fewest features that tell it from the others."""
    conditions = [decided(case) for case in cases]
    features = [_features(case, held) for case, held in zip(cases, conditions, strict=True)]
    longest = max(_SHORTEST, LONGEST - len(f"test_{slug(cases[0].entry.name)}_"))
    endings = [_ending(case) for case in cases]
    having = _having(features, endings)
    everyone = (1 << len(cases)) - 1
    taken: set[str] = set()
    names: list[str] = []
    for case, held, words, ending in zip(cases, conditions, features, endings, strict=True):
        chosen, ending = _told_apart(words, ending, having, everyone, longest, _cause(case, held))
        name = _assembled([word for word in words if word in chosen], ending, longest)
        names.append(_unique(name, case, taken, longest))
    return names


def _having(features: Sequence[Sequence[str]], endings: Sequence[str]) -> dict[str, int]:
    """For each word and ending, the cases that have it, as bits."""
    having: dict[str, int] = {}
    for index, (words, ending) in enumerate(zip(features, endings, strict=True)):
        for word in (*words, f"={ending}"):
            having[word] = having.get(word, 0) | (1 << index)
    return having


def _told_apart(
    words: Sequence[str], ending: str, having: dict[str, int], everyone: int, longest: int, cause: str
) -> tuple[set[str], str]:
    """The words of a name, and the ending for which there is room."""
    # What the path computes is said only where nothing else tells the case from the others.
    simple = [word for word in words if not _COMPUTED.search(word)]
    chosen = _choose(simple, ending, having, everyone, longest, cause)
    if _left(chosen, ending, having) > 1:
        more = _choose(words, ending, having, everyone, longest, cause)
        chosen = more if _left(more, ending, having) < _left(chosen, ending, having) else chosen
    if _left(chosen, ending, having) > 1:
        # Where not all fits, what happens says more than what comes out.
        short = ending.partition("_")[0] if ending.startswith("raises") else ""
        more = _choose(words, ending, having, everyone, longest + len(ending) - len(short), cause)
        if _left(more, ending, having) < _left(chosen, ending, having):
            return more, short
    return chosen, ending


def _unique(name: str, case: model.CallCase, taken: set[str], longest: int) -> str:
    """The name; if another case has it, with the arguments of this call, and with a number if that is not enough."""
    given = [f"{slug(p)}_{said}" for p, value, _ in case.inputs.arguments if (said := _exactly(value))]
    longer = [f"{name}_for_{words}" for words in given if words not in name]
    fitting = [each for each in longer if each not in taken and len(each) <= longest + _SPARE]
    taken.update(longer)
    if name not in taken:
        taken.add(name)
        return name
    numbered = (f"{name}_{number}" for number in count(2))
    unique = next(iter(fitting), "") or next(each for each in numbered if each not in taken)
    taken.add(unique)
    return unique


def _exactly(value: model.Value) -> str:
    """A literal in words that no other literal has."""
    match value:
        case model.Literal(value=str() as text):
            return spelled(text, _MOST_SIGNS) if text else "empty_text"
        case model.Literal(value=None | bool() | int() | float()):
            return _short(value)
    return ""


def _cause(case: model.CallCase, decided: Sequence[str]) -> str:
    """The condition under which the code raises the exception that ends the path; empty if there is none."""
    outcome = case.expected.outcome
    if not isinstance(outcome, model.Raised) or outcome.implicit or not decided:
        return ""
    return next(iter(phrases(decided[0])), "")


def _choose(
    words: Sequence[str], ending: str, having: dict[str, int], everyone: int, longest: int, cause: str
) -> set[str]:
    """Pick the cause, then words that leave the fewest other cases with the ending; earlier words win ties."""
    chosen: set[str] = set()
    rest = having[f"={ending}"]
    length = len(ending)
    if cause in words and length + 1 + len(cause) <= longest and having[cause] != everyone:
        chosen.add(cause)
        rest &= having[cause]
        length += 1 + len(cause)
    while len(chosen) < _MOST_WORDS:
        # Sets of cases are bits of integers, because each word of each case is tried in every round.
        best, best_left = None, rest
        for word in words:
            left = rest & having[word]
            fits = length + 1 + len(word) <= longest
            if word not in chosen and fits and left.bit_count() < best_left.bit_count():
                best, best_left = word, left
        if best is None:
            break
        chosen.add(best)
        rest = best_left
        length += 1 + len(best)
    if not chosen:
        # The ending alone tells it apart; one word about the input still says when it happens.
        rarest = [w for w in words if having[w] != everyone and length + 1 + len(w) <= longest]
        if rarest:
            chosen.add(min(rarest, key=lambda w: having[w].bit_count()))
    return chosen


def _left(chosen: set[str], ending: str, having: dict[str, int]) -> int:
    """How many cases have the ending and all of these words."""
    rest = having[f"={ending}"]
    for word in chosen:
        rest &= having[word]
    return rest.bit_count()


def _assembled(words: Sequence[str], ending: str, longest: int) -> str:
    if not words:
        return ending or _QUIET
    whole = "_".join(filter(None, (*words, ending)))
    with_when = f"when_{whole}" if re.search(r"_is_(not_)?", words[0]) else whole
    name = with_when if len(with_when) <= longest else whole
    return name if len(name) <= longest else name[:longest].rpartition("_")[0]


def _ending(case: model.CallCase) -> str:
    outcome = case.expected.outcome
    if isinstance(outcome, model.Raised):
        return f"raises_{_snake(outcome.cls)}"
    if case.entry.kind == "constructor":
        return "is_created"
    if case.entry.kind == "setter":
        return "is_set"
    if case.entry.procedure and outcome.value == model.Literal(None):
        return ""
    return f"{'gives' if case.entry.observed in _BLOCKS else 'returns'}_{_described(outcome, case)}"


def _described(outcome: model.Returned, case: model.CallCase) -> str:
    value = outcome.value
    if isinstance(value, model.Pointer):
        if value == case.inputs.receiver:
            return "self"
        parameter = next((name for name, given, _ in case.inputs.arguments if given == value), None)
        if parameter is not None:
            return slug(parameter)
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
            text = number(amount)
            return text if len(text) <= 12 else "large_number"
        case model.Literal(value=str() as text):
            if not text:
                return "empty_text"
            words = spelled(text)
            return words if words and len(words) <= 16 else "text"
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


def _features(case: model.CallCase, decided: Sequence[str]) -> list[str]:
    """What can be said about a path, the most telling first."""
    # Later decisions are closer to what makes the path different.
    conditions = [phrase for condition in reversed(case.condition) for phrase in phrases(condition)]
    conditions += _missing_inputs(case)
    # `non_empty_items` says better than `items`, or `not_items`, whether there is something in a collection.
    sizes = {phrase.removeprefix("non_").removeprefix("empty_") for phrase in conditions if "empty_" in phrase}
    told = [phrase for condition in decided for phrase in phrases(condition)]
    told = [phrase for phrase in told if phrase.removeprefix("not_") not in sizes]
    block = ["failing_block"] if case.entry.observed == _BLOCKS[1] else []
    found = [*block, *_aliasing(case), *_missing_inputs(case), *told, *conditions, *_arguments(case), *_fields(case)]
    return list(dict.fromkeys(found))


def _aliasing(case: model.CallCase) -> list[str]:
    """Words for an object that is in several places."""
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
            words.append(f"{slug(name)}_is_none")
        elif value == model.Literal("") or (state is not None and not _size(state)):
            words.append(f"empty_{slug(name)}")
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
        if isinstance(value, model.Literal) and value.value is not None and (said := _short(value)) not in _SAY_NOTHING:
            words.append(f"{slug(name)}_{said}")
        if isinstance(value, model.Written) and 0 < len(written := slug(value.expression.partition("(")[2])) <= 16:
            words.append(f"{slug(name)}_{'minus_' * ('-' in value.expression)}{written}")
        state = case.inputs.heap.get(value.id) if isinstance(value, model.Pointer) else None
        if isinstance(state, model.SequenceState):
            words.append(f"{slug(name)}_of_length_{len(state.items)}")
    return words


def _fields(case: model.CallCase) -> list[str]:
    """Words for plain fields of the given objects."""
    words = []
    given = [("", case.inputs.receiver), *((f"{slug(name)}_", value) for name, value, _ in case.inputs.arguments)]
    for prefix, value in given:
        state = case.inputs.heap.get(value.id) if isinstance(value, model.Pointer) else None
        if isinstance(state, model.ObjectState):
            words += [f"{prefix}{slug(f)}_{_short(v)}" for f, v in state.fields if isinstance(v, model.Literal)]
    return words


def _kind(state: object) -> str:
    if isinstance(state, (model.ObjectState, model.UnusedState)):
        return _snake(state.cls)
    if isinstance(state, model.StreamState):
        return "stream"
    return state.kind if isinstance(state, model.SequenceState) else "dict"


def _snake(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition(".")[2])
    return slug(spaced) or "object"

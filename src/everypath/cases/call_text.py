"""The call of a case in one line, as a person would tell it: `Cache(1), then put('a', 1), then oldest()`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from everypath.cases.model import (
    Arguments,
    CallCase,
    Heap,
    HeapState,
    Instance,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    Returned,
    SequenceState,
    TupleValue,
    Value,
    Written,
)

_LONGEST = 40
"""Characters of one value; what is longer is cut."""
_WHOLE = 160
_BRACKETS = {"list": "[]", "tuple": "()", "set": "{}"}


def call_text(case: CallCase) -> str:
    """The calls that make the inputs, then the call under test."""
    inputs, entry = case.inputs, case.entry
    roots = [*([] if inputs.receiver is None else [inputs.receiver]), *(value for _, value, _ in inputs.arguments)]
    text = _Text(inputs.heap, {step.target for step in inputs.steps}, entry.words, roots)
    calls: list[str] = []
    for step in inputs.steps:
        # The types that tell methods of one name apart say nothing beside the arguments.
        method = step.method.partition("(")[0]
        made = f"{method or _shown(step.cls)}({text.arguments(step.arguments)})"
        # Only what is no receiver needs a name.
        named = not method and Pointer(step.target) != inputs.receiver
        calls.append(f"{_variable(step.target)} = {made}" if named else made)
    receiver = ""
    if isinstance(inputs.receiver, Pointer) and inputs.receiver.id in inputs.heap:
        receiver = text.value(inputs.receiver)
    given = text.arguments(inputs.arguments)
    calls += text.definitions
    if receiver and receiver not in text.names.values():
        calls.append(receiver)
    name, qualified = entry.name.partition("(")[0], entry.qualified.partition("(")[0]
    match entry.kind:
        case "property":
            calls.append(name)
        case "setter":
            calls.append(f"{name} = {given}")
        case "constructor":
            calls.append(f"{entry.cls}({given})")
        case "static" | "class":
            calls.append(f"{qualified}({given})")
        case _:
            calls.append(f"{name}({given})")
    return _cut(", then ".join(calls), _WHOLE)


def outcome_text(case: CallCase) -> str:
    """How the call ends, in one line: `returns 3`, `raises ValueError: empty`."""
    outcome = case.expected.outcome
    if isinstance(outcome, Returned):
        return _cut(f"returns {_Text(case.expected.heap, set(), case.entry.words).value(outcome.value)}", _WHOLE)
    return _cut(f"raises {outcome.cls}: {outcome.message}" if outcome.message else f"raises {outcome.cls}", _WHOLE)


def size(case: CallCase) -> tuple[int, int, int]:
    """How much there is to read about the inputs: calls, objects, characters."""
    return len(case.inputs.steps), len(case.inputs.heap), len(call_text(case))


class _Text:
    """Writes the values of one case."""

    def __init__(self, heap: Heap, made: set[str], words: tuple[str, str, str], roots: Sequence[Value] = ()) -> None:
        self.names = _names(heap, _shared(heap, roots, made))
        """objects that are met in several places -> what they are called"""
        self.definitions: list[str] = []
        """how these are made, as far as they were met"""
        self._defined: set[str] = set()
        self._quoted = repr if words[0] == "None" else _double_quoted
        self._words = dict(zip((None, True, False), words))
        self._heap = heap
        self._made = made
        self._inside: list[str] = []
        """the objects that are being written"""

    def arguments(self, arguments: Arguments) -> str:
        shown: list[str] = []
        for name, value, kind in arguments:
            if kind == "star" and isinstance(value, TupleValue):
                shown += map(self.value, value.items)
            else:
                prefix = {"keyword": f"{name}=", "doublestar": "**"}.get(kind, "")
                shown.append(f"{prefix}{self.value(value)}")
        return ", ".join(shown)

    def value(self, value: Value) -> str:
        match value:
            case Literal(value=None | True | False as atom):
                return self._words[atom]
            case Literal(value=atom):
                return _cut(self._quoted(atom), _LONGEST)
            case TupleValue(items=items):
                return f"({self._row(items)}{',' * (len(items) == 1)})"
            case Pointer(id=target):
                return self._object(target)
            case Named(name=name):
                return name
            case Written(expression=expression):
                return _cut(expression, _LONGEST)
            case Instance(name=name):
                return f"<{name}>"
            case Opaque(kind=kind):
                return f"<{kind}>"
            case _:
                return "..."

    def _row(self, values: Sequence[Value]) -> str:
        return ", ".join(map(self.value, values))

    def _held(self, fields: Sequence[tuple[str, Value]]) -> list[str]:
        """Fields by name; of a collection of a library, whose elements are numbered, the elements or entries."""
        if fields and fields[0][0].startswith("$key"):
            values = [self.value(value) for _, value in fields]
            return [f"{key}: {value}" for key, value in zip(values[::2], values[1::2])]
        return [
            self.value(value) if name.startswith("$") else f"{name.lstrip('_')}={self.value(value)}"
            for name, value in fields
        ]

    def _object(self, target: str) -> str:
        state = self._heap.get(target)
        name = self.names.get(target)
        if name is not None:
            if target not in self._defined:
                self._defined.add(target)
                assert state is not None
                self.definitions.append(f"{name} = {self._state(target, state)}")
            return name
        if state is None or target in self._inside:
            return _variable(target) if target in self._made else "..."
        return self._state(target, state)

    def _state(self, target: str, state: HeapState) -> str:
        """How an object is written down."""
        self._inside.append(target)
        match state:
            case ObjectState(cls=cls, fields=fields):
                written = f"{_shown(cls)}({', '.join(self._held(fields))})"
            case SequenceState(kind=kind, items=items):
                brackets = _BRACKETS.get(kind, "[]")
                written = f"{brackets[0]}{self._row(items)}{brackets[1]}"
            case MappingState(entries=entries):
                pairs = (f"{self.value(key)}: {self.value(value)}" for key, value in entries)
                written = f"{{{', '.join(pairs)}}}"
            case _:
                written = _variable(target)
        self._inside.pop()
        return written


def _shared(heap: Heap, roots: Sequence[Value], made: set[str]) -> list[str]:
    """The objects that are met more than once on the way from some values, and are made by no call."""
    met: Counter[str] = Counter()
    agenda = list(reversed(roots))
    while agenda:
        match agenda.pop():
            case TupleValue(items=items):
                agenda += reversed(items)
            case Pointer(id=target) if isinstance(heap.get(target), (ObjectState, SequenceState, MappingState)):
                met[target] += 1
                if met[target] == 1:
                    agenda += reversed(_held_by(heap[target]))
    return [target for target, times in met.items() if times > 1 and target not in made]


def _held_by(state: HeapState) -> list[Value]:
    match state:
        case ObjectState(fields=fields):
            return [value for _, value in fields]
        case SequenceState(items=items):
            return list(items)
        case MappingState(entries=entries):
            return [value for entry in entries for value in entry]
    return []


def _names(heap: Heap, targets: Sequence[str]) -> dict[str, str]:
    """Names after the classes, with numbers where there are several of one."""
    names: dict[str, str] = {}
    for target in targets:
        state = heap[target]
        kind = _shown(state.cls) if isinstance(state, ObjectState) else getattr(state, "kind", "object")
        name = kind.rpartition(".")[2].lstrip("_").lower()
        count = 1 + sum(each.rstrip("0123456789") == name for each in names.values())
        names[target] = f"{name}{count}" if count > 1 else name
    return names


def _shown(cls: str) -> str:
    """A class as its language writes it: what is compiled has dollar signs between classes inside of each other."""
    return cls.replace("$", ".")


def _double_quoted(atom: object) -> str:
    if not isinstance(atom, str):
        return repr(atom)
    # With a double quote in it, the text is certain to be put in single ones.
    return '"' + repr(f'{atom}"')[1:-2].replace("\\'", "'").replace('"', '\\"') + '"'


def _variable(target: str) -> str:
    return target.rpartition(".")[2].lower()


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."

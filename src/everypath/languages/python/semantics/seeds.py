"""Values for known inputs that the code itself suggests: what docstrings show, and mixtures of what it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from everypath.explore.search.subject import Known
from everypath.explore.search.uncovered import defaults_of, small_inputs
from everypath.heap.inputs import SIMPLEST
from everypath.ir.instructions import CallStatic, CallVirtual, Const, FunctionRef, GetField, GetStatic, Instruction
from everypath.ir.names import resumable_body, static_initialiser
from everypath.ir.program import Method, Program
from everypath.ir.types import BOOL, FLOAT, INT, Type
from everypath.languages.python.natives.patterns import examples
from everypath.paths import Plain

if TYPE_CHECKING:
    from random import Random

MIXTURES = 96
VARIATIONS = 32
FEW = 2
"""How many mixtures are tried where there are only numbers: a solver reaches what those reach."""
_MOST = 48
_EXPRESSION = re.compile(r"[\[(|*+?^$\\]")
_SEPARATED = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]")
_LONGEST = 24
_LARGEST = 10**6


Example = Iterable[tuple[str, Plain]]
"""Parameters and their arguments in a call that a docstring shows."""


def seeds(program: Program, entry: Method, examples: Sequence[Example], solutions: Iterable[Known]) -> Iterator[Known]:
    """Inputs that docstrings show, small ones, those that others found, variations, and mixtures."""
    defaults = defaults_of(entry)
    yield from (shown(example, defaults) for example in examples)
    yield from small_inputs(defaults)
    yield from solutions
    yield from varied(examples, program, entry)
    yield from mixtures(program, entry)


def shown(example: Example, defaults: Mapping[str, Plain]) -> Known:
    """The inputs of a call that a docstring shows; all others have their default or are the simplest of their type."""
    values = {**defaults, **dict(example)}

    def value(type: Type, name: str) -> Plain:
        found = values.get(name, SIMPLEST[type])
        return float(found) if type == FLOAT and isinstance(found, int) and found.__class__ is int else found

    return value


def varied(examples: Sequence[Example], program: Program, entry: Method) -> Iterator[Known]:
    """Inputs close to those that docstrings show: parts of their texts twice, left out, or others in their place."""
    from random import Random

    texts = mentioned(program, entry)[1] if examples else []
    for number in range(VARIATIONS if any(isinstance(v, str) for e in examples for _, v in e) else 0):
        example = dict(examples[number % len(examples)])
        chance = Random(number)
        for name, value in example.items():
            if isinstance(value, str):
                example[name] = _edited(value, [*texts, "a", "1", " "], chance)
        yield shown(example.items(), defaults_of(entry))


def _edited(text: str, pieces: Sequence[str], chance: Random) -> str:
    parts = _SEPARATED.findall(text) or [""]
    at = chance.randrange(len(parts))
    match chance.randrange(4):
        case 0:
            parts[at:at] = parts[max(0, at - 1) : at + 1]
        case 1:
            del parts[at]
        case 2:
            parts[at] = chance.choice(pieces)
        case _:
            parts.insert(at, chance.choice(pieces))
    return "".join(parts)


def mixtures(program: Program, entry: Method) -> Iterator[Known]:
    """Values put together from the numbers, texts and regular expressions in the code that an entry uses.

    They are the same ones each time. Texts stand alone and mixed with others by turns.
    """
    from random import Random

    numbers, texts = mentioned(program, entry)
    pieces = [*texts, "a", "b", "1", " ", "\t", "  "]
    defaults = defaults_of(entry)
    floats = [0.0, 1.0, -1.5, 0.5, 10.0, *(float(n) for n in numbers if abs(n) < 1e9)]
    for number in range(MIXTURES if texts else FEW):

        def value(type: Type, name: str, number: int = number) -> Plain:
            chance = Random(f"{number} {name}")
            if name in defaults and number % 3 and chance.random() < 0.7:
                return defaults[name]
            if type == INT:
                return chance.choice((-1, 0, 1, 2, 3, 5, 10, *numbers))
            if type == BOOL:
                return chance.random() < 0.5
            if type == FLOAT:
                return chance.choice((chance.choice(floats), round(chance.random() * chance.choice((1, 100)), 2)))
            if number % 2 and number // 2 < len(texts):
                return texts[(number // 2 + sum(name.encode())) % len(texts)]
            between = chance.choice(("\n", "\n", "", " "))
            return between.join(
                "".join(chance.choices(pieces, k=chance.randint(1, 3))) for _ in range(chance.randint(1, 3))
            )

        yield value


def mentioned(program: Program, entry: Method) -> tuple[list[int], list[str]]:
    """Numbers around those that the code mentions, and short texts that it mentions or looks for, nearest first."""
    numbers: dict[int, None] = {}
    texts: dict[str, None] = {}
    for method in _used(program, entry):
        for instruction in _instructions(method):
            if not isinstance(instruction, Const):
                continue
            value = instruction.value
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
                numbers.update(dict.fromkeys((value, value + 1, value - 1)))
            elif isinstance(value, str) and value:
                texts.update(dict.fromkeys(_pieces(value)))
    return [*numbers][:_MOST], [*texts][:_MOST]


def _used(program: Program, entry: Method) -> Iterator[Method]:
    """The entry and what it may reach in the program's own code, the nearest first."""
    named: dict[str, list[Method]] = {}
    for cls in program.classes.values():
        if not cls.model and not cls.external:
            for name, method in cls.methods.items():
                named.setdefault(name, []).append(method)
    agenda = [entry]
    seen = {entry.qualified}
    for method in agenda:
        yield method
        for name in _names(method):
            for found in named.get(name, ()):
                if found.qualified not in seen:
                    seen.add(found.qualified)
                    agenda.append(found)


def _names(method: Method) -> Iterator[str]:
    yield resumable_body(method.name)
    for instruction in _instructions(method):
        match instruction:
            case CallStatic(name=name) | CallVirtual(name=name):
                yield name
            case GetStatic(name=name) | GetField(name=name):
                yield static_initialiser(name)
                yield name
            case Const(value=FunctionRef(name=name)):
                yield name


def _instructions(method: Method) -> Iterator[Instruction]:
    for block in method.blocks.values():
        yield from block.instructions


def _pieces(text: str) -> Iterable[str]:
    if len(text) <= _LONGEST and " " not in text.strip():
        yield text
    if _EXPRESSION.search(text):
        yield from examples(text, "search")

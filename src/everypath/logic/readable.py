"""Models with values that a person would choose: small numbers and short strings.

A greedy search: the variables take turns. Each gets the most readable value for which the variables that are not
settled yet can be moved so that all constraints hold (`witness.settle`), and is then settled itself. Truth values come
first, because separate objects are simpler than shared ones. The solver is asked only for values that are still ugly,
and a few times at most.

A test should also fail on a slightly wrong program. Numbers therefore lie on the borders that the path draws, and
numbers that the path leaves free differ from each other and from zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, islice
from typing import Any

from everypath.errors import SolverUnknown
from everypath.logic import texts
from everypath.logic.bounds import Bounds
from everypath.logic.comparisons import and_, compare, ge, ite, le, not_, or_
from everypath.logic.equality import same
from everypath.logic.evaluate import Witness, evaluate
from everypath.logic.integers import bool_to_int, combine, floordiv, floormod, linear, split
from everypath.logic.moves import truth
from everypath.logic.nodes import Comparison, Linear, Node, Parts, Term, Value, Var, operands, variables
from everypath.logic.strings import matches, str_len
from everypath.logic.witness import Occurrences, constraints_on, settle
from everypath.records import dataclass

_AGAIN: dict[str, Callable[..., Term | Value]] = {
    "floordiv": floordiv,
    "floormod": floormod,
    "int_of_bool": bool_to_int,
}


class Reading:
    """Simplifies terms for given values of some variables."""

    __slots__ = ("_known", "_memo")

    def __init__(self, known: Witness) -> None:
        self._known = known
        self._memo: dict[Term, Term | Value] = {}

    def __call__(self, term: Any) -> Any:
        if not isinstance(term, Term):
            return term
        found = self._memo.get(term)
        if found is None:
            found = self._memo[term] = self._read(term)
        return found

    def _read(self, term: Term) -> Term | Value:
        if isinstance(term, Var):
            return self._known.get(term, term)
        if variables(term).isdisjoint(self._known):
            return term
        if isinstance(term, (Linear, Comparison)):
            return self._sum(term)
        assert isinstance(term, Node)
        args = term.args
        if term.op == "ite":
            guard = self(args[0])
            if not isinstance(guard, Term):
                return self(args[1] if guard else args[2])  # type: ignore[no-any-return]
            return ite(guard, self(args[1]), self(args[2]))
        if term.op == "and":
            return and_(*map(self, args))
        if term.op == "or":
            return or_(*map(self, args))
        if term.op == "not":
            return not_(self(args[0]))
        again = _AGAIN.get(term.op)
        # Other operations are left as they are: their operands rarely depend on what is known.
        return term if again is None else again(*map(self, args))

    def _sum(self, term: Linear | Comparison) -> Term | Value:
        const = term.const
        parts: Parts = ()
        for atom, k in term.parts:
            own, more = split(self(atom))
            const += k * own
            parts = combine(parts, more, k)
        return linear(const, parts) if isinstance(term, Linear) else compare(term.op, const, parts)


Solve = Callable[[Sequence[Term]], Witness | None]

MAX_QUESTIONS = 6
"""How often the solver is asked for a nicer value, per model."""
MAX_ATTEMPTS = 100
"""Attempts at a shorter string or a smaller integer before it is taken as it is."""
MAX_LETTERS = 40
"""At most this many characters of one string are exchanged for letters or digits."""
LARGEST_BORDER = 1000
"""A border beyond this is not worth the large number; it may also be the size of something."""
LARGE, LONG = 100, 30
"""Integers and strings beyond these sizes are worth a question to the solver."""

MAX_PRECISION = 16
"""A float that needs this many decimal digits is taken as it is."""

_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -0.5, 1.5, -2.0, 10.0, 0.25, 5.0, -10.0, 100.0)
_HOUR = 3_600_000_000
_ROUND = {"microseconds": (0, _HOUR, 2 * _HOUR, -_HOUR, -2 * _HOUR, 24 * _HOUR, -24 * _HOUR, 60_000_000)}
"""Numbers that are easy to read where they stand for a time: whole hours, days and minutes."""
_SMALL = (0, 1, -1, 2, 3, -2, 4, 5, -3, 6, 7, 8, 9, 10, -4, -5)


@dataclass(frozen=True, slots=True)
class Telling:
    """Which values should be chosen such that a slightly wrong program behaves differently."""

    inputs: frozenset[Var] = frozenset()
    """numbers and texts that should lie on a border of the path, or differ from each other"""
    sizes: frozenset[Var] = frozenset()
    """sizes of collections that should not be zero if the path allows it"""
    results: tuple[Term, ...] = ()
    """comparisons that the path leaves open, but whose borders count as well"""
    turn: int = 0
    """the number of the path; different paths prefer different borders"""


NOTHING_TOLD = Telling()


def readable_model(
    constraints: tuple[Term, ...],
    occurs: Occurrences,
    start: Witness,
    bounds: Bounds,
    prefer: Sequence[Var],
    solve: Solve | None,
    telling: Telling = NOTHING_TOLD,
) -> Witness:
    """A model near `start`, made more readable variable by variable; a settled variable never moves again."""
    everything = frozenset[Var]().union(*map(variables, constraints))
    told = telling.inputs
    # Separate objects and small collections come first: numbers that are settled could stand in their way.
    rest = sorted(everything.union(told).difference(prefer), key=lambda v: (v.sort != "bool", v in told, v.index))
    order = list(dict.fromkeys((*prefer, *rest)))
    model: Witness = {variable: start.get(variable, variable.default) for variable in order}
    model.update(dict.fromkeys(telling.sizes - everything, 1))
    values = _Values(model, occurs, bounds, telling)
    questions = MAX_QUESTIONS
    read = False
    for variable in order:
        if variable.sort == "bool":
            # False means "not the same object" and "not null": there is nothing simpler to look for.
            if not values.model[variable]:
                values.settled.add(variable)
                continue
        elif not read:
            # The truth values come first; those that are settled now make the other constraints shorter.
            read = True
            if values.settled:
                values.occurs = _read(constraints, {truth: values.model[truth] for truth in values.settled})
        values.improve(variable)
        if solve is not None and questions and variable in everything and values.ugly(variable):
            questions -= 1
            values.ask(variable, constraints, solve)
        values.settled.add(variable)
    # The constraints were simplified and moved by heuristics; what counts is that the original ones hold.
    for constraint in constraints:
        if not truth(constraint, values.model):
            raise SolverUnknown(f"no enabled layer finds values for: {constraint}")
    return values.model


def _read(constraints: Iterable[Term], truths: Witness) -> Occurrences:
    """The constraints by variable, simplified with these truth values."""
    reading = Reading(truths)
    occurs: Occurrences = {}
    for constraint in constraints:
        plain = reading(constraint)
        if isinstance(plain, Term):
            for part in operands(plain) if plain.op == "and" else (plain,):
                for variable in variables(part):
                    occurs[variable] = (part, occurs.get(variable))
    return occurs


class _Values:
    """The model so far, and the ways to make the value of one of its variables more readable."""

    def __init__(self, model: Witness, occurs: Occurrences, bounds: Bounds, telling: Telling) -> None:
        self.model = model
        self.occurs = occurs
        self.settled: set[Var] = set()
        self._bounds = bounds
        self._telling = telling

    def _move(self, variable: Var, value: Value) -> bool:
        """Give a variable this value if moving others that are not settled makes up for it; return whether it did."""
        better = settle(((variable, value),), self.model, self.occurs, self.settled)
        if better is not None:
            self.model = better
        return better is not None

    def _exchange(self, variable: Var, place: int, character: str) -> bool:
        """Exchange one character of a text, if the constraints allow it."""
        text = str(self.model[variable])
        return self._move(variable, text[:place] + character + text[place + 1 :])

    def improve(self, variable: Var) -> None:
        """Find a more readable value of the variable, moving only variables that are not settled."""
        told = variable in self._telling.inputs
        if not told or not self._tell(variable):
            self._make_smaller(variable)
        if told and variable.sort == "str" and self._telling.turn % 2:
            self._across(variable)

    def ask(self, variable: Var, constraints: tuple[Term, ...], solve: Solve) -> None:
        """Ask the solver for a nicer value."""
        kept = [same(other, self.model[other]) for other in self.model if other in self.settled]
        if variable.sort == "str":
            wanted = and_(le(str_len(variable), LONG), matches(variable, "ascii"))
        else:
            wanted = and_(ge(variable, -LARGE), le(variable, LARGE))
        try:
            found = solve([*constraints, *(term for term in (*kept, wanted) if isinstance(term, Term))])
        except SolverUnknown:
            return
        if found is not None:
            self.model = {**self.model, **found}
            if variable.sort == "str":
                # A text of the solver's is as long as it happens to be.
                self._make_plainer(variable)

    def ugly(self, variable: Var) -> bool:
        """Whether the value is worth a question to the solver."""
        value = self.model[variable]
        if isinstance(value, str):
            return len(value) > LONG or not value.isascii() or not value.isprintable()
        return not isinstance(value, float) and abs(value - _nearest(*self._bounds.interval(variable))) > LARGE

    def _tell(self, variable: Var) -> bool:
        """Find a value on a border of the path, or else one that no other variable has."""
        if variable.sort in ("str", "float"):
            return self._be_different(variable)
        if variable.sort != "int":
            return False
        turn = self._telling.turn
        low, high = self._bounds.interval(variable)
        taken = {self.model[other] for other in self.settled}
        fresh = (value for value in range(2, 3 + len(taken)) if value not in taken)
        # Paths start at different borders, so that together their tests check several of them.
        borders = list(self._borders(variable))
        first = turn % len(borders) if borders else 0
        borders = borders[first:] + borders[:first]
        # Zero is a border that hides what is done with it, so it is taken on some paths only.
        candidates = chain(filter(None, borders), islice(fresh, 1), borders)
        for value in chain(borders, candidates) if turn % 2 == 0 else candidates:
            if (low is None or value >= low) and (high is None or value <= high) and self._move(variable, value):
                return True
        return False

    def _borders(self, variable: Var) -> Iterator[int]:
        """The last values that still satisfy an inequality between this variable and settled ones."""
        for constraint in chain(constraints_on(variable, self.occurs), self._telling.results):
            if not isinstance(constraint, Comparison) or constraint.op != "<=":
                continue
            factor = next((k for atom, k in constraint.parts if atom is variable), 0)
            others = variables(constraint) - {variable}
            if not factor or not others <= self.settled:
                continue
            summands = (int(evaluate(a, self.model)) * k for a, k in constraint.parts if a is not variable)
            rest = constraint.const + sum(summands)
            # Division rounds such that the value is the last one inside the border.
            value = -rest // factor if factor > 0 else -(-rest // -factor)
            if abs(value) <= LARGEST_BORDER and (not others or value >= 0):
                yield value

    def _be_different(self, variable: Var) -> bool:
        """Take a letter or a float that no other variable has, if the path allows it."""
        taken = {self.model[other] for other in self.settled}
        values: Iterable[Value] = map(chr, range(ord("a"), ord("z") + 1)) if variable.sort == "str" else count(1.5)
        value = next((value for value in values if value not in taken), None)
        return value is not None and self._move(variable, value)

    def _make_smaller(self, variable: Var) -> None:
        for value in self._candidates(variable):
            if value == self.model[variable] or self._move(variable, value):
                return
        if variable.sort == "int":
            self._come_closer(variable)
        elif variable.sort == "float":
            self._shorten_digits(variable)
        elif variable.sort == "str":
            self._make_plainer(variable)

    def _candidates(self, variable: Var) -> Iterator[Value]:
        if variable.sort == "bool":
            yield from (False, True)
        elif variable.sort == "str":
            yield from texts.likely(texts.constants_in(constraints_on(variable, self.occurs)))
        elif variable.sort == "float":
            yield from _likely_floats(*self._bounds.float_range(variable)[:2])
        else:
            low, high = self._bounds.interval(variable)
            near = _nearest(low, high)
            for offset in (*_ROUND.get(variable.name.partition("(")[0], ()), *_SMALL):
                value = near + offset
                if (low is None or value >= low) and (high is None or value <= high):
                    yield value

    def _make_plainer(self, variable: Var) -> None:
        """Shorten a text as far as the constraints allow, and make its characters letters and digits."""
        self._shorten_text(variable)
        for place, character in enumerate(str(self.model[variable])[:MAX_LETTERS]):
            if not (character.isascii() and character.isalnum()):
                # A blank is better than a character that cannot be seen.
                plain = "a0" if character.isprintable() else "a0 "
                any(self._exchange(variable, place, other) for other in plain)

    def _shorten_text(self, variable: Var) -> None:
        attempts = MAX_ATTEMPTS
        progress = True
        while progress:
            progress = False
            for text in texts.shorter(str(self.model[variable])):
                attempts -= 1
                if attempts < 0:
                    return
                if self._move(variable, text):
                    progress = True
                    break

    def _across(self, variable: Var) -> None:
        """Let a text have characters on other borders of the path, such as the last letter instead of the first."""
        borders = sorted(texts.borders_in(constraints_on(variable, self.occurs)), reverse=True)
        for place, character in enumerate(str(self.model[variable])[:MAX_LETTERS] if borders else ""):
            others = [other for other in borders if other != character and texts.alike(other, character)]
            any(self._exchange(variable, place, other) for other in others)

    def _come_closer(self, variable: Var) -> None:
        """Take ever smaller steps towards zero, or towards the bound that is nearest to it."""
        near = _nearest(*self._bounds.interval(variable))
        # Steps are halved whenever one fails, as in a bisection.
        step = abs(int(self.model[variable]) - near) // 2
        # Where one step after the other succeeds, the conditions are periodic and the way would be endless.
        attempts = 3 * step.bit_length() + 8
        while step and attempts:
            attempts -= 1
            value = int(self.model[variable])
            closer = value - step if value > near else value + step
            if abs(closer - near) < abs(value - near) and self._move(variable, closer):
                step = min(step, abs(closer - near))
            else:
                step //= 2

    def _shorten_digits(self, variable: Var) -> None:
        """Give a float as few decimal digits as will do."""
        value = float(self.model[variable])
        for digits in range(1, MAX_PRECISION) if math.isfinite(value) else ():
            plain = float(f"{value:.{digits}g}")
            if plain == value or self._move(variable, plain + 0.0):
                return


def _likely_floats(low: float, high: float) -> Iterator[float]:
    """Plain values within a range, those near zero first."""
    for value in _FLOATS:
        if low <= value <= high:
            yield value
    end = low if low > 0 else high if high < 0 else 0.0
    away = 1.0 if end > 0 else -1.0
    if end and math.isfinite(end):
        whole = float(math.ceil(end) if end > 0 else math.floor(end))
        for value in (whole, whole + away, whole + 10 * away, 2 * whole, _shortest(low, high)):
            if low <= value <= high:
                yield value + 0.0


def _shortest(low: float, high: float) -> float:
    """The number with the fewest decimal digits in a range that does not contain zero."""
    # Few runs need it.
    from decimal import ROUND_CEILING, Decimal

    if high < 0:
        return -_shortest(-high, -low)
    least = Decimal(low)
    for exponent in range(least.adjusted(), least.adjusted() - MAX_PRECISION, -1):
        step = Decimal(1).scaleb(exponent)
        value = float((least / step).to_integral_value(ROUND_CEILING) * step)
        if low <= value <= high:
            return value
    return low


def _nearest(low: int | None, high: int | None) -> int:
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0

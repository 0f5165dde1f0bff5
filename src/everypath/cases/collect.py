"""Collects the paths of one entry into a suite.

Every way in which a path can end is counted, and reported once for each place. A path that has finished becomes a
case. Two paths may differ in nothing that a test shows, for example in choices inside the model of a library function;
of those, the one with the plainer inputs is kept.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from everypath.cases import model
from everypath.cases.concretise import Concrete, concretise
from everypath.cases.conditions import describe
from everypath.cases.describing import Describer
from everypath.cases.frontiers import UNSOLVED, Leaves
from everypath.cases.keys import digest
from everypath.cases.suspects import fits_no_overload, given_params, is_overridden, mark_made_anew, suspect
from everypath.errors import SolverUnknown, Unsupported
from everypath.explore import traces
from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught, Undecided
from everypath.explore.remarks import remarks_of
from everypath.explore.search.exploration import Call
from everypath.explore.search.freedom import Freedom
from everypath.explore.search.starts import Found
from everypath.explore.state import Interrupted, State, unchain
from everypath.explore.traces import branches_taken
from everypath.logic.condition import Infeasible
from everypath.paths import KnownInputs
from everypath.records import dataclass, field, replace

Rank = tuple[int, tuple[int, ...]]
_Plainness = tuple[int, int, int, int, int, Rank]
"""shared objects, results that say nothing, the size of the objects, inputs that say nothing, characters of texts, and
the choices that led here
"""
_Key = tuple[object, frozenset[object], object]
"""what is executed, which inputs are one object, and how the call ends"""
_MOST_CHARACTERS = 1_000_000
"""The most characters in all texts of one case."""
_STEP = 1_000
"""The weight of a call before the call under test: it is harder to read than any number of elements."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """A type error about values whose types were guessed: it is not known whether such values ever occur."""

    names: tuple[str, ...]
    """the parameters, and the fields as `Class.field`, whose types were guessed"""
    line: int
    error: str


@dataclass(slots=True)
class Collector:
    """Takes the last states of paths and keeps one case for each path and aliasing."""

    entry: model.Entry
    suite: model.CallSuite
    describer: Describer
    """what only the language of the entry has"""
    seen: dict[_Key, int] = field(default_factory=dict)
    """path and aliasing -> place of its case"""
    round: int = 0
    """which of several starts the paths come from"""
    call: Call | None = None
    """the call at the last of them"""
    firsts: list[Rank] = field(default_factory=list)
    """for each case, the earliest choices that lead along its path"""
    kept: list[_Plainness] = field(default_factory=list)
    """for each case, how plain its inputs are"""
    impossible: int = 0
    """paths that turned out to have no possible inputs"""
    fixed: list[model.Problem] = field(default_factory=list)
    """why inputs were fixed before anything ran"""
    refuted: list[Refuted] = field(default_factory=list)
    """the guesses that errors have refuted, each once"""
    refusals: set[str] = field(default_factory=set)
    """the ids of cases that end with such an error"""
    serves: tuple[str, ...] = ()
    """what the next path has of that which a selection asks for"""
    freedom: Freedom | None = None
    """which fields callers can set as they like; without it, all are"""
    known: frozenset[str] = frozenset()
    """keys of the cases of an earlier search, which this one goes on from"""
    leaves: Leaves = field(default_factory=Leaves)
    """where paths were left"""

    def add(self, found: Found) -> None:
        """Count the outcome; a finished path becomes a case unless an equal one is there."""
        stats, state = self.suite.stats, found.state
        if found.call is not self.call:
            self.round += 1
            self.call = found.call
        if not isinstance(found.start, KnownInputs):
            # Larger bounds are nothing to a path on known inputs.
            self.leaves.see(found.start, state)
        match state.outcome:
            case Finished() | Uncaught() if found.call.made is not None and state.arranged is None:
                # An input could not be made, or broke the invariant: the call under test was never reached.
                self.impossible += 1
                self._note_raising(state)
            case Finished() | Uncaught():
                stats.paths += 1
                self._case(found)
            case Cut(kind="unwanted"):
                # It waits among the leaves.
                pass
            case Cut(kind=kind, message=message):
                stats.cut[kind] = stats.cut.get(kind, 0) + 1
                if kind == "time":
                    advice = message if "--" in message else "the time for exploring is over; raise --time to go on"
                    self._report("cut", advice)
                elif kind in ("depth", "operation", "memory"):
                    span = state.span()
                    told = f"{message}; {_depth_advice(message)}" if kind == "depth" else message
                    self.suite.report(model.Problem("cut", span.file, span.line, told))
            case NotSupported(span=span, message=message):
                self.suite.report(model.Problem("unsupported", span.file, span.line, message))
            case Undecided(span=span, message=message):
                self._undecided(span.file, span.line, message)
            case None:
                raise AssertionError("the path has not ended")

    def _note_raising(self, state: State) -> None:
        """Tell that a condition on the inputs cannot be computed for some of them."""
        outcome = state.outcome
        # A condition that does not hold ends its path with a failed assertion.
        broken = state.heap.inputs.program.profile.assertion_error
        if isinstance(outcome, Uncaught) and outcome.implicit and outcome.cls != broken:
            raised = outcome.cls.rpartition(".")[2]
            self._report("note", f"what callers promise raises {raised} for some inputs, which are left out")

    def finish(self, assumptions: Sequence[str] = ()) -> None:
        """Report which bound or which assumptions are to blame, if no path has reached its end.

        Other bounds were reported on the way.
        """
        self._sort()
        self.suite.frontier = self.leaves.frontiers()
        stats = self.suite.stats
        if stats.cut["loop"] and not (stats.paths or stats.unsupported or self.known):
            advice = "no path ends within the bound on loops and recursion; raise --loops"
            self._report("cut", advice)
        ended = stats.paths or sum(stats.cut.values()) or stats.unsupported or stats.unknown
        if assumptions and not ended:
            listed = " and ".join(assumptions)
            message = f"no input satisfies {listed} together with the code's own conditions; assume less"
            self._report("assumption", message)

    def _sort(self) -> None:
        """Put the cases in the order of their choices, so that the order in which paths were explored does not show."""
        cases = self.suite.cases
        for key, at in self.seen.items():
            cases[at] = replace(cases[at], key=digest(key))
        start = len(cases) - len(self.firsts)
        order = sorted(range(len(self.firsts)), key=self.firsts.__getitem__)
        if order != list(range(len(order))):
            name = f"{self.entry.module}::{self.entry.qualified}"
            moved = [replace(cases[start + at], id=f"{name}#{start + place + 1}") for place, at in enumerate(order)]
            ids = {cases[start + at].id: moved[place].id for place, at in enumerate(order)}
            self.refusals = {ids.get(case, case) for case in self.refusals}
            cases[start:] = moved

    def _undecided(self, file: str, line: int, message: str) -> None:
        self.suite.stats.unknown += 1
        advice = "raise --solver-timeout or narrow the inputs with --int-range"
        self.suite.report(model.Problem("unknown", file, line, f"{message}; {advice}"))

    def _report(self, kind: str, message: str) -> None:
        """A problem of the whole entry."""
        entry = self.entry
        self.suite.report(model.Problem(kind, entry.file, entry.line, f"{entry.qualified}: {message}"))

    def reached(self, found: Found, wanted: Container[model.Place]) -> model.Place | None:
        """Take a path whose inputs were made by calls, if it ends with a wanted error: callers can cause that one."""
        if not isinstance(found.state.outcome, (Finished, Uncaught)) or found.state.arranged is None:
            return None
        error = suspect(found.state, self.entry)
        if (
            error is None
            or error.place not in wanted
            or is_overridden(found.state, found.call)
            or _is_undeclared(found.state)
            or any(_about_guesses(found, error.message))
        ):
            return None
        try:
            concrete = concretise(_as_declared(found.state), found.call, self.describer)
        except (Unsupported, Infeasible, SolverUnknown, RecursionError):
            return None
        if self._bound(found, concrete):
            return None
        key = self._key(found.state, concrete)
        at = self.seen.setdefault(key, len(self.suite.cases))
        made = self._make(found, concrete, at + 1)
        # The error is real whatever the guess was: the same error on a guess is withdrawn.
        self.refuted = [each for each in self.refuted if (each.line, each.error) != (error.line, error.message)]
        if at < len(self.suite.cases):
            self.suite.cases[at] = replace(made, serves=self.suite.cases[at].serves)
        else:
            rank = (self.round, found.path.choices)
            self.firsts.append(rank)
            self.kept.append(_plainness(concrete, rank))
            self.suite.cases.append(made)
            self.suite.stats.cases += 1
        return error.place

    def _bound(self, found: Found, concrete: Concrete) -> tuple[str, ...]:
        """What the path depends on and callers cannot simply have: fields, objects, the method itself."""
        if found.call.method.hidden:
            return (f"{self.entry.qualified} is not public",)
        if self.freedom is None:
            return ()
        if withheld := self.freedom.withheld(self.entry.module, self.entry.qualified):
            return (withheld,)
        unavailable = self.freedom.unavailable(found.state, found.call) or self.freedom.given_later(found.state)
        return self.freedom.bound(concrete.looked_at) if unavailable is None else (unavailable,)

    @staticmethod
    def _key(state: State, concrete: Concrete) -> _Key:
        """Equal for paths that make one test; where aliasing is enumerated, each aliasing is a case of its own."""
        aliases = frozenset() if state.heap.disjunctive else concrete.aliases
        told, kind = tuple((each.kind, each.message) for each in remarks_of(state)), _kind(state, concrete)
        return traces.signature(state), aliases, (kind, told) if told else kind

    def _case(self, found: Found) -> None:
        state = found.state
        try:
            concrete = concretise(_as_declared(state), found.call, self.describer)
        except Unsupported as problem:
            span = problem.span if problem.span.line else state.span()
            self.suite.report(model.Problem("unsupported", span.file, span.line, problem.message))
            self.leaves.see(found.start, state, UNSOLVED)
            return
        except Infeasible:
            # Only the solution of the whole path shows that the inputs cannot be like that.
            self.suite.stats.paths -= 1
            self.impossible += 1
            return
        except SolverUnknown as problem:
            self._undecided(self.entry.file, self.entry.line, problem.message)
            self.leaves.see(found.start, state, UNSOLVED)
            return
        except RecursionError:
            self._report("unsupported", "the objects of a path are nested too deeply for a readable test")
            self.leaves.see(found.start, state, UNSOLVED)
            return
        if _is_too_long(concrete):
            self._report("unsupported", f"a path has more than {_MOST_CHARACTERS} characters, too many for a test")
            self.leaves.see(found.start, state, UNSOLVED)
            return
        key = self._key(state, concrete)
        if self.known and digest(key) in self.known:
            self.suite.stats.duplicates += 1
            return
        if key in self.seen:
            self.suite.stats.duplicates += 1
            self._keep_smaller(self.seen[key], found, concrete)
            return
        rank = (self.round, found.path.choices)
        self.firsts.append(rank)
        self.kept.append(_plainness(concrete, rank))
        self.seen[key] = len(self.suite.cases)
        self.suite.cases.append(self._make(found, concrete, len(self.suite.cases) + 1))
        self.suite.stats.cases += 1

    def _keep_smaller(self, at: int, found: Found, concrete: Concrete) -> None:
        """Keep the plainer of two inputs that follow the same path: the one that shares and holds less."""
        rank = (self.round, found.path.choices)
        number = at - len(self.suite.cases)
        self.firsts[number] = min(self.firsts[number], rank)
        plain = _plainness(concrete, rank)
        if plain < self.kept[number]:
            self.kept[number] = plain
            self.suite.cases[at] = self._make(found, concrete, at + 1)

    def _make(self, found: Found, concrete: Concrete, number: int) -> model.CallCase:
        state = found.state
        name = f"{self.entry.module}::{self.entry.qualified}"
        finding, unreached = self._judge(found, concrete, f"{name}#{number}")
        # Not by its alias: that would try to note on every case what it is an alias for.
        return model.Case(
            id=f"{name}#{number}",
            entry=replace(self.entry, observed=self.describer.observed(state)),
            inputs=concrete.inputs,
            expected=_in_file(concrete.expected, state, self.entry.file),
            condition=tuple(describe(state)),
            trace=tuple(model.Step(file, line) for file, line in traces.lines(state)),
            start=found.start,
            choices=found.path.choices,
            covers=tuple(dict.fromkeys(branches_taken(state))),
            serves=self.serves,
            finding=finding,
            unreached=unreached,
        )

    def _judge(self, found: Found, concrete: Concrete, case: str) -> tuple[model.Finding | None, model.Finding | None]:
        """The error of a path as a finding; or, in second place, as one that callers are not known to cause.

        An error about a guess says something about the guess only, unless calls lead to it.
        """
        error = suspect(found.state, self.entry)
        self.refusals.discard(case)
        if error is None or is_overridden(found.state, found.call) or _is_undeclared(found.state):
            return None, None
        if fits_no_overload(found.state, found.call):
            return None, None
        names, about_content = _about_guesses(found, error.message)
        if about_content:
            return None, None
        if names:
            self.refusals.add(case)
            refuted = Refuted(names, error.line, error.message)
            if all((refuted.names, refuted.line) != (other.names, other.line) for other in self.refuted):
                self.refuted.append(refuted)
            return None, replace(error, needs=names) if all("." in name for name in names) else None
        mark = mark_made_anew(found.state)
        needs = self._bound(found, concrete) if mark is None else (f"another object of {mark}",)
        return (None, replace(error, needs=needs)) if needs else (error, None)


def _as_declared(state: State) -> State:
    """The last state of a path; inputs whose values are all declared get one of these, if the path admits it."""
    if not state.heap.inputs.admitted:
        return state
    # Few programs list the values of their inputs.
    from everypath.cases.declared import as_declared

    return as_declared(state)


def _is_undeclared(state: State) -> bool:
    if not state.heap.inputs.admitted:
        return False
    from everypath.cases.declared import is_undeclared

    return is_undeclared(state)


def _about_guesses(found: Found, message: str) -> tuple[tuple[str, ...], bool]:
    """The guesses that the error of a path refutes, and whether it is about what a guessed collection holds."""
    # Only errors raise these questions, and many functions have none.
    from everypath.explore.guesses import is_about_guessed_content, refuted_guesses, to_blame

    params = given_params(found.call)
    names = to_blame(refuted_guesses(found.state, params), params, message)
    about_content = is_about_guessed_content(found.state, params)
    if found.state.heap.inputs.program.profile.typed:
        # Only what collections of callers hold is not promised; what fields hold is a question of the object's state.
        return (), about_content or any("." not in name for name in names)
    return names, about_content


def _depth_advice(message: str) -> str:
    """What to do about a path that is too deep: only the number of blocks can be raised, not the nesting of calls."""
    if "nested" in message:
        return "check that the recursion ends, and where, for these inputs"
    return "if that is no endless loop or recursion, raise --depth"


def _plainness(concrete: Concrete, rank: Rank) -> _Plainness:
    inputs, outcome = concrete.inputs, concrete.expected.outcome
    # A result that is empty says little about how it was computed.
    hollow = _hollow(outcome.value, concrete.expected.heap) if isinstance(outcome, model.Returned) else 0
    return len(concrete.aliases), hollow, _size(inputs), _dull(inputs), _characters(inputs), rank


def _hollow(value: model.Value, heap: model.Heap) -> int:
    """The number of empty values in a result."""
    match value:
        case model.TupleValue(items=items):
            return sum(_hollow(item, heap) for item in items)
        case model.Pointer(id=target) if isinstance(heap.get(target), (model.SequenceState, model.MappingState)):
            return not any(True for _ in model.parts(heap[target]))
        case model.Literal(value=atom):
            return not isinstance(atom, bool) and not atom
    return 0


def _dull(inputs: model.Inputs) -> int:
    """The number of inputs that are empty, or the same as another one; infinite floats and NaN are worse than zero."""
    atoms = _atoms([value for _, value, _ in inputs.arguments], inputs.heap)
    found = [(atom.__class__, atom) for atom in atoms if not isinstance(atom, bool) and atom is not None]
    unusual = sum(2 for _, atom in found if isinstance(atom, float) and not math.isfinite(atom))
    return sum(not atom for _, atom in found) + unusual + len(found) - len(set(found))


def _characters(inputs: model.Inputs) -> int:
    """The length of all texts among the inputs."""
    return _length(_atoms([value for _, value, _ in inputs.arguments], inputs.heap))


def _length(atoms: list[model.Atom]) -> int:
    return sum(len(text) for text in atoms if isinstance(text, str))


def _atoms(values: list[model.Value], heap: model.Heap) -> list[model.Atom]:
    """The literals among these values and in the objects."""
    values = [*values, *(value for state in heap.values() for value in model.parts(state))]
    return [value.value for value in values if isinstance(value, model.Literal)]


def _is_too_long(concrete: Concrete) -> bool:
    """Whether a case has more text than anybody would read or wait for."""
    expected = concrete.expected
    result = [expected.outcome.value] if isinstance(expected.outcome, model.Returned) else []
    return _characters(concrete.inputs) + _length(_atoms(list(result), expected.heap)) > _MOST_CHARACTERS


def _size(inputs: model.Inputs) -> int:
    total = len(inputs.heap) + _STEP * len(inputs.steps)
    for state in inputs.heap.values():
        if isinstance(state, model.SequenceState):
            total += len(state.items)
        elif isinstance(state, model.MappingState):
            total += len(state.entries)
    return total


def _in_file(expected: model.Expected, state: State, file: str) -> model.Expected:
    """The expectation, which tells the line of an error only if that is one of the entry's own file."""
    outcome, raised = state.outcome, expected.outcome
    if not isinstance(raised, model.Raised) or not isinstance(outcome, Uncaught) or outcome.span.file == file:
        return expected
    return replace(expected, outcome=replace(raised, line=0))


def _kind(state: State, concrete: Concrete) -> object:
    outcome = concrete.expected.outcome
    if not isinstance(outcome, model.Returned):
        # Seen from where its method begins, so that a comment above it does not make it another path.
        raising = (each for each in reversed(unchain(state.trace)) if isinstance(each, Interrupted))
        methods = (each.mark.method for each in raising if each.span.line == outcome.line)
        begins = next((method.span.line for method in methods), 0)
        return outcome.cls, outcome.line - begins
    value = outcome.value
    return ("returned", value.value if isinstance(value, model.Literal) and isinstance(value.value, bool) else None)

"""Draws the symbolic execution tree: explores a function once more, and keeps what each choice decided.

A search forgets the states that it has left, because it needs no more than the choices of a path. For the tree they
matter: whatever is known after a choice and was not known before it is what the choice decided. Sides of branches
that are impossible are noted as well, with the condition that cannot hold.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from everypath.cases.conditions import describe
from everypath.cases.trees import CUT, INFEASIBLE, INNER, OPEN, RAISED, RETURNED, UNKNOWN, UNSUPPORTED, Node, Tree
from everypath.errors import NOWHERE, Span
from everypath.explore import traces
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut, Finished, NotSupported, Outcome, Uncaught, Undecided
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.state import Segment, State
from everypath.heap.alternatives import Alias, Bind, Narrow
from everypath.heap.choice import Alternative, Assume
from everypath.heap.solver import HEAPS
from everypath.heap.values import Unknown
from everypath.logic import terms
from everypath.logic.terms import Term
from everypath.options import Options
from everypath.paths import OpenInputs, QueuedTasks, RealRun, Start
from everypath.records import dataclass

Choices = tuple[int, ...]
_MOST_NODES = 3_000
_SECONDS = 10.0


class _Watched(Machine):
    """Notes where each choice is made, and what was found to be impossible."""

    place: Span = NOWHERE
    """where the last choice was made"""
    refuted: list[tuple[Span, str]]
    """what could not hold on the way to it"""
    excluded: dict[int, str]
    """alternatives of the last choice that are impossible"""

    def _fork(self, st: State, alternatives: Sequence[Alternative], label: str, index: int) -> None:
        self.place = self._blame(st, label, index)
        super()._fork(st, alternatives, label, index)
        left = {each.choices[0] for each in st.successors or () if each.choices is not None}
        self.excluded = {
            number: _condition(alternative) for number, alternative in enumerate(alternatives) if number not in left
        }

    def _branch(
        self, st: State, condition: bool | Term, yes: Segment, no: Segment, yes_spent: bool, no_spent: bool
    ) -> Segment | None:
        place, before = self._here(st), self.infeasible
        following = super()._branch(st, condition, yes, no, yes_spent, no_spent)
        if self.infeasible == before:
            self.place, self.excluded = place, {}
        elif isinstance(condition, Term):
            other = terms.not_(condition) if following is yes else condition
            self.refuted.append((place, str(other)))
        return following

    def _null_branch(
        self, st: State, unknown: Unknown, null: Segment, other: Segment, null_spent: bool, other_spent: bool
    ) -> Segment | None:
        place, before = self._here(st), self.infeasible
        following = super()._null_branch(st, unknown, null, other, null_spent, other_spent)
        if self.infeasible == before:
            self.place, self.excluded = place, {}
        else:
            absent = "is not" if following is null else "is"
            self.refuted.append((place, f"{unknown.name} {absent} None"))
        return following

    def _here(self, st: State) -> Span:
        """The line of the user's own code that a branch belongs to."""
        frame = st.frame
        if frame is None or not frame.code.method.model:
            mark = st.trace[0] if st.trace is not None else None
            method, label = getattr(mark, "method", None), getattr(mark, "label", "")
            return NOWHERE if method is None else method.blocks[label].terminator.span
        while frame.code.method.model and frame.parent is not None and frame.resume is not None:
            place, frame = frame.resume, frame.parent
        return frame.code.instruction(place.label, place.calling).span


def _condition(alternative: Alternative) -> str:
    match alternative:
        case Assume(condition=condition):
            return str(condition)
        case Alias(unknown=unknown, ref=ref):
            return f"{unknown.name} is {ref.name}"
        case Bind(unknown=unknown, value=value):
            return f"{unknown.name} is {value!r}"
        case Narrow(unknown=unknown, options=options):
            return f"{unknown.name} is {' or '.join(map(str, options))}"
        case _:
            return "another alternative"


def execution_trees(
    subject: Subject, options: Options, cases: Mapping[Start, Mapping[Choices, str]], seconds: float = _SECONDS
) -> list[Tree]:
    """A tree for every start of the cases (start -> choices -> id of the case).

    From arbitrary inputs everything is explored; from other starts only the paths of the cases are followed.
    """
    until = time.monotonic() + seconds
    drawn = []
    for start, known in _widest(cases).items():
        if not isinstance(start, (RealRun, QueuedTasks)):
            whole = isinstance(start, OpenInputs) and not start.guess
            drawn.append(_Drawing(subject, options, start, known, whole).tree(until))
    return drawn


def _widest(cases: Mapping[Start, Mapping[Choices, str]]) -> dict[Start, Mapping[Choices, str]]:
    """The cases by their start, where one with the widest bounds stands for all that differ in nothing else.

    A suite that was extended has cases from several bounds, which are paths of one tree.
    """
    widest: dict[object, Start] = {}
    found: dict[object, dict[Choices, str]] = {}
    for start, known in cases.items():
        key = (start.invariant, start.guess) if isinstance(start, OpenInputs) else start
        other = widest.setdefault(key, start)
        if isinstance(start, OpenInputs) and isinstance(other, OpenInputs) and _width(start) > _width(other):
            widest[key] = start
        found.setdefault(key, {}).update(known)
    return {widest[key]: known for key, known in found.items()}


def _width(start: OpenInputs) -> tuple[int, int, int]:
    return start.bounds.loops, start.bounds.lengths, start.bounds.depth


@dataclass(slots=True)
class _Waiting:
    """A state that is still to be run, and the node that it will become."""

    state: State
    node: Node
    known: Counter[str]


class _Drawing:
    """Draws one tree."""

    def __init__(
        self, subject: Subject, options: Options, start: Start, cases: Mapping[Choices, str], whole: bool
    ) -> None:
        assert not isinstance(start, (RealRun, QueuedTasks))
        limits = start.bounds.within(options.limits)
        disjunctive = options.heap in HEAPS and HEAPS[options.heap].disjunctive
        self.machine = _Watched(subject.guessing(start.guess).semantics, limits, disjunctive)
        # A path that is cut is to be seen up to the condition that would have led it on.
        self.machine.whole_cuts = True
        self.machine.refuted, self.machine.excluded = [], {}
        self.begun = begin(subject, options, start, self.machine)
        self.cases = cases
        self.prefixes = None if whole else {choices[:end] for choices in cases for end in range(len(choices) + 1)}
        self.start = start
        self.nodes = 0
        self.signatures: dict[object, str] = {}
        """the blocks that a path executes -> the case that stands for it"""
        self.finished: list[tuple[Node, object]] = []

    def tree(self, until: float) -> Tree:
        """Explore depth-first; what is left when there are too many nodes stays open."""
        root = Node(OPEN)
        agenda = [_Waiting(self.begun.state, root, Counter())]
        complete = self.prefixes is None
        while agenda:
            waiting = agenda.pop()
            if self.nodes >= _MOST_NODES or time.monotonic() > until:
                complete = False
                continue
            self.nodes += 1
            agenda += reversed(self._run(waiting))
        for node, signature in self.finished:
            if not node.case and signature in self.signatures:
                node.case, node.same = self.signatures[signature], True
        return Tree(_title(self.start), root, complete)

    def _run(self, waiting: _Waiting) -> list[_Waiting]:
        machine, state, node = self.machine, waiting.state, waiting.node
        machine.refuted = []
        if state.outcome is None:
            machine.deadline = time.monotonic() + _SECONDS
            machine.run(state)
        node = self._with_refuted(node)
        if state.outcome is not None or state.successors is None:
            self._end(node, state)
            return []
        successors, state.successors = state.successors, None
        node.kind, node.file, node.line = INNER, machine.place.file, machine.place.line
        if not successors:
            node.kind, node.told = INFEASIBLE, "no alternative is possible"
        excluded, following = dict(machine.excluded), []
        machine.excluded = {}
        for successor in successors:
            child, known = self._child(successor, waiting.known)
            if self.prefixes is None or successor.choice_sequence() in self.prefixes:
                node.children.append(child)
                following.append(_Waiting(successor, child, known))
        for number, condition in excluded.items():
            node.children.append(Node(INFEASIBLE, node.file, node.line, number, (condition,)))
        node.children.sort(key=lambda child: child.choice)
        return following

    def _with_refuted(self, node: Node) -> Node:
        """Put the sides that were impossible beside the path; the rest of it goes on from the last one."""
        for place, condition in self.machine.refuted:
            node.kind, node.file, node.line = INNER, place.file, place.line
            following = Node(OPEN)
            node.children = [following, Node(INFEASIBLE, place.file, place.line, decided=(condition,))]
            node = following
        return node

    def _child(self, state: State, before: Counter[str]) -> tuple[Node, Counter[str]]:
        known = before if not hasattr(state, "heap") else Counter(describe(state))
        decided = tuple((known - before).keys())
        choice = state.choices[0] if state.choices is not None else -1
        return Node(OPEN, choice=choice, decided=decided), known

    def _end(self, node: Node, state: State) -> None:
        span = state.span()
        node.file, node.line = span.file, span.line
        node.kind, node.bound, node.told = _ending(state.outcome)
        if isinstance(state.outcome, Uncaught):
            node.line = state.outcome.span.line or node.line
        if node.kind in (RETURNED, RAISED):
            signature = traces.signature(state)
            node.case = self.cases.get(state.choice_sequence(), "")
            self.finished.append((node, signature))
            if node.case:
                self.signatures.setdefault(signature, node.case)


def _ending(outcome: Outcome | None) -> tuple[str, str, str]:
    """Kind of leaf, bound and text for the way in which a path has ended."""
    match outcome:
        case Finished():
            return RETURNED, "", ""
        case Uncaught(cls=cls):
            return RAISED, "", cls.rpartition(".")[2]
        case Cut(kind=kind, message=message):
            return CUT, kind, message
        case NotSupported(message=message):
            return UNSUPPORTED, "", message
        case Undecided(message=message):
            return UNKNOWN, "", message
        case _:
            return INFEASIBLE, "", ""


def _title(start: Start) -> str:
    match start:
        case OpenInputs(invariant=str(name)):
            return f"arbitrary inputs for which {name}() holds"
        case OpenInputs(guess=guess) if guess:
            return "arbitrary inputs, where " + ", ".join(f"{name} is {kind}" for name, kind in guess)
        case OpenInputs():
            return "arbitrary inputs"
        case _:
            made = type(start).__name__ == "MadeInputs"
            return "inputs that are made by calls" if made else "known numbers and texts"

"""How to get to a line: the shortest test that executes it, from any entry of some targets.

Entries are tried by the length of the call chain that leads from them to the line, found backwards along the calls;
from each the search goes forward, guided by the distance to the line. The function with the line itself may already
prove that nobody gets there: it is tried with arbitrary arguments, so what it excludes no caller can bring about.
Where a bound on loops is in the way it is raised, as for branches that are missing. What cannot be followed is run: at
last the entries are searched for all branches, and calls that were observed to come by the line are an answer, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.cases.accounts import Wanted
from everypath.cases.model import SomeCase, SomeSuite
from everypath.errors import BadInput, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.guidance.points import code_lines
from everypath.explore.search.guidance.selections import call_graph, make_guide
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.traces import Place
from everypath.generate.guided import resolved
from everypath.generate.results import Listener, Run
from everypath.generate.run import generate
from everypath.ir.program import Method
from everypath.ir.types import ANY
from everypath.languages.base import EntryPoint, Language, Loaded, Module, SourceProblem
from everypath.logic.clock import now
from everypath.options import POINTS, Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import dataclass, field, replace

_PROOF = 0.2
"""The share of the time for showing that the line cannot be reached from the function that has it."""
_FOLLOWING = 0.35
"""The share of the time for paths that are followed; the rest is for calls that are only run."""
_GLANCE = 0.05
"""The share of the rest for the paths of each entry, before calls are run."""
_FURTHER = 2
"""So many iterations beyond the bound are tried for a line that is not found."""


@dataclass(frozen=True, slots=True)
class Way:
    """An entry from which calls lead to the line."""

    target: str
    entry: EntryPoint
    calls: int
    """the length of the shortest chain of calls"""


@dataclass(slots=True)
class Reached:
    """The answer to "how do I get here?"."""

    point: Place
    ways: list[Way] = field(default_factory=list)
    """the entries that were tried, in order"""
    module: Module | None = None
    case: SomeCase | None = None
    """the shortest test that was found"""
    proof: str = ""
    """the function that excludes the line whatever its arguments are"""
    left: list[Wanted] = field(default_factory=list)
    """what became of the line from each entry, where there is no test"""
    refused: list[SourceProblem] = field(default_factory=list)
    """why entries that may lead to the line were not searched at all"""
    skipped: int = 0
    """entries that were not searched, for which there was no time as a rule"""
    loops: int = 1
    """the bound on loops within which this was found out"""
    bounded: bool = False
    """whether a bound has kept paths from the line that a larger one may allow"""

    @property
    def infeasible(self) -> bool:
        """Whether no entry can reach the line within the bounds."""
        proved = bool(self.left) and not self.refused and all(each.verdict == "infeasible" for each in self.left)
        return self.case is None and not self.skipped and bool(self.proof or proved)


def reach(file: str, line: int, targets: Sequence[str], options: Options, language: Language) -> Reached:
    """Look for the shortest test that executes the line; BadInput where that makes no sense."""
    began, seconds = now(), options.total_time or options.limits.time
    sources = language.expand(list(targets) or [file]).sources
    load = language.loader(options)
    loaded = [(source.place, each) for source in sources if (each := load(source.target)).entries]
    (point,) = resolved([each for _, each in loaded], [(file, line)])
    every = [way for place, each in loaded for way in _ways(place, each, point)]
    ways = [way for way in every if not way.entry.problems]
    refused = [way.entry.problems[0] for way in every if way.entry.problems]
    if not ways and refused:
        raise BadInput(f"what leads to this point cannot be searched: {refused[0]}", Span(*point))
    if not ways:
        raise BadInput("no call leads from the targets to this point; name one that uses it with --from", Span(*point))
    best = _best_followed(point, ways, [each for _, each in loaded], options, language, began + _FOLLOWING * seconds)
    left = began + seconds - now()
    if best.case is None and (best.bounded or not best.infeasible) and left > 0:
        _run(best, ways, replace(options, total_time=left), language)
    best.refused = refused
    return best


def _best_followed(
    point: Place, ways: Sequence[Way], programs: Sequence[Loaded], options: Options, language: Language, deadline: float
) -> Reached:
    """What following paths tells about the line, with larger bounds on loops where those are in the way."""
    best = Reached(point)
    for further in range(_FURTHER + 1):
        found = _followed(point, ways, programs, _further(options, further), language, deadline)
        if found.case is not None or found.infeasible or not best.infeasible:
            best = found
        if found.case is not None or not found.bounded or now() > deadline:
            break
    return best


def _further(options: Options, further: int) -> Options:
    """The options with a larger bound on loops; the head of the test tells it."""
    if not further:
        return options
    loops = options.limits.loops + further
    words = list(options.said)
    if "--loops" in words:
        at = words.index("--loops")
        del words[at : at + 2]
    return replace(options, limits=replace(options.limits, loops=loops), said=(*words, "--loops", str(loops)))


def _followed(
    point: Place, ways: Sequence[Way], programs: Sequence[Loaded], options: Options, language: Language, deadline: float
) -> Reached:
    """What following paths tells about the line, within the bound on loops that the options have."""
    found = Reached(point, loops=options.limits.loops)
    select = f"{POINTS}{point[0]}:{point[1]}"
    # What the head of the test tells is how `generate` makes it.
    wanted = replace(options, select=select, said=(*options.said, "--select", select))
    proof = next(_proofs(programs, point, wanted), None)
    if proof is not None:
        found.proof, found.bounded = proof
        return found
    for calls in sorted({way.calls for way in ways}):
        same = [way for way in ways if way.calls == calls]
        left = deadline - now()
        if left <= 0:
            found.skipped += len(same)
            continue
        found.ways += same
        run = generate([way.target for way in same], replace(wanted, total_time=left), Listener(), (language,))
        # An entry for which the time was over, or that was refused, says nothing.
        asked = sum(bool(suite.wanted) for module in run.modules.values() for suite in module.suites)
        found.skipped += max(0, len(same) - asked)
        _take_shortest(found, run)
        if found.case is not None:
            break
    found.bounded = any(each.reason for each in found.left if each.verdict == "infeasible")
    return found


def _run(found: Reached, ways: Sequence[Way], options: Options, language: Language) -> None:
    """Look for all branches of the entries, for which calls are run as well that nobody can follow."""
    # Paths were followed before; here they only keep the search from what everybody reaches.
    limits = replace(options.limits, time=_GLANCE * (options.total_time or 0.0))
    select = replace(options, limits=limits, select="branches", said=(*options.said, "--select", "branches"))
    before, found.left = found.left, []
    # Whole modules: for some functions of one, only their own lines would be looked for.
    modules = list(dict.fromkeys(way.target.partition("::")[0] for way in ways))
    run = generate(modules, select, Listener(), (language,))
    allowed = {way.entry.case_entry().qualified for way in ways}
    for module in run.modules.values():
        for suite in module.suites:
            suite.cases = [case for case in suite.cases if case.entry.qualified in allowed]
    _take_shortest(found, run)
    found.left = before
    found.ways = list(ways)


def _ways(place: str, loaded: Loaded, point: Place) -> Iterator[Way]:
    for entry in loaded.entries:
        subject = loaded.subject(entry)
        calls = _chain(call_graph(subject), subject.method, point)
        if calls is not None:
            yield Way(f"{place}::{entry.qualname}", entry, calls)


def _chain(calls: CallGraph, method: Method, point: Place) -> int | None:
    """The length of the shortest chain of calls from a method to one with the line."""
    level, seen, length = [method], {id(method)}, 0
    while level:
        if any(point in code_lines(each) for each in level):
            return length
        following = {id(callee): callee for each in level for callee in calls.callees(each) if id(callee) not in seen}
        level, length = list(following.values()), length + 1
        seen |= following.keys()
    return None


def _proofs(programs: Sequence[Loaded], point: Place, options: Options) -> Iterator[tuple[str, bool]]:
    """Functions with the line that exclude it whatever their arguments are, and whether only within a bound."""
    for loaded in programs:
        entry = next((entry for entry in loaded.entries if not entry.problems), None)
        if entry is None:
            return
        for method in loaded.program.methods():
            if not method.model and point in code_lines(method):
                # Where types are only guessed, callers may pass what was not tried.
                if method.kind == "class" or any(p.guessed or p.wide or p.type == ANY for p in method.params):
                    return
                subject = Subject(loaded.subject(entry).semantics, method, method.cls, before=loaded.effects)
                excluded = _excluding(subject, options)
                if excluded is None:
                    return
                yield method.qualified.rpartition(".")[2], excluded


def _excluding(subject: Subject, options: Options) -> bool | None:
    """Whether a bound is needed to prove that the line is on no path from arbitrary arguments; None without a proof."""
    limited = replace(options, limits=replace(options.limits, time=_PROOF * options.limits.time))
    begun = begin(subject, limited, OpenInputs(bounds_of(options.limits)))
    guide = make_guide(subject, limited)
    for path in begun.paths(guide):
        ended = isinstance(path.state.outcome, (Finished, Uncaught))
        guide.ended(path.state, ended)
        if guide.criterion.satisfied:
            return None
    verdicts = guide.criterion.verdicts()
    if any(verdict.found != "infeasible" for verdict in verdicts):
        return None
    return any(verdict.reason for verdict in verdicts)


def _take_shortest(found: Reached, run: Run) -> None:
    """Of the tests that a run has made, the shortest one that executes the line is the answer."""
    suites = [(module, suite) for module in run.modules.values() for suite in module.suites]
    best: tuple[tuple[int, int], Module, SomeSuite, SomeCase] | None = None
    for module, suite in suites:
        found.left += [each for each in suite.wanted if each.verdict != "covered"]
        for case in suite.cases:
            size = (len(case.trace), len(repr(case.inputs)))
            there = any((step.file, step.line) == found.point for step in case.trace)
            if there and (best is None or size < best[0]):
                best = (size, module, suite, case)
    if best is not None:
        _, module, suite, case = best
        suite.cases = [case]
        module.suites, module.targets = [suite], (suite.target,)
        found.module, found.case = module, case

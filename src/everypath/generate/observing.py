"""After a module is explored: what could not be followed is run, and what the runs show becomes cases.

A case that was observed never takes the place of one that was predicted: it is kept because it reaches something that
no other case does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.cases.model import Expected, Opaque, Problem, Raised, Returned, SomeCase, SomeSuite, Suite
from everypath.generate.finishing import unique_name
from everypath.generate.results import Run
from everypath.languages.base import (
    MISTAKE,
    EntryPoint,
    Failed,
    Loaded,
    Module,
    NotRun,
    Passed,
    Refused,
    Runtime,
    Sought,
    Source,
)
from everypath.languages.definitions import Inner
from everypath.options import Options, told
from everypath.planning.plan import Selection
from everypath.records import replace


def observe_module(
    run: Run, runtime: Runtime, module: Module, options: Options, seconds: float, selection: Selection
) -> None:
    """Add the cases of a module that only runs can show."""
    if seconds <= 0 or not module.programs or not _may_be_observed(options):
        return
    suites = {suite.target.partition("::")[2]: suite for suite in module.suites}
    loaded = module.programs[0]
    elsewhere = runtime.left_open(loaded)
    followed = [entry for entry in loaded.entries if _is_settled(entry, suites.get(entry.qualname), options, runtime)]
    settled = [entry for entry in followed if entry.qualname not in elsewhere]
    if len(followed) == len(loaded.entries) and not (options.guided or elsewhere or any(_uncalled(loaded, module))):
        # Every path of every entry is there, and of the functions that they make, whatever is around them.
        return
    members = tuple(target.partition("::")[2] for target in module.targets)
    sought = Sought(
        members if all(members) else (),
        _left_out(loaded, module.source, selection),
        tuple(entry.qualname for entry in settled),
        tuple(module.left_out),
    )
    seen = runtime.observe(loaded, sought, seconds)
    run.problems.extend(_untold(seen.problems, module.suites))
    by_entry: dict[str, list[SomeCase]] = {}
    for case in seen.cases:
        by_entry.setdefault(_qualname(case), []).append(case)
    for qualname, cases in by_entry.items():
        suite = suites.get(qualname)
        if suite is None:
            suite = Suite(f"{module.source.place}::{qualname}", told(options))
            module.suites.append(suite)
            run.settle_refusal(qualname, suite)
        _add(run, runtime, module, loaded, suite, cases)


def _may_be_observed(options: Options) -> bool:
    """Whether calls that were only run can be what was asked for."""
    if not options.validate or options.predicted_only:
        return False
    # A real run is looked for by the lines that it executes; that says nothing about paths. And nobody has checked
    # whether the inputs of a real call are among those that callers promise.
    return not (options.particular or options.assume or options.invariant is not None)


def tell_uncalled(run: Run, module: Module) -> None:
    """Name the functions inside of others that no test calls: the paths of what is around them say nothing of them."""
    for loaded in module.programs:
        for outer, inner in _uncalled(loaded, module):
            what = f"{outer}: no test calls {inner.name}, a function that it makes"
            run.problems.append(Problem("note", module.source.file, inner.first, what))


def _uncalled(loaded: Loaded, module: Module) -> Iterator[tuple[str, Inner]]:
    """The functions inside of entries into which no case leads, each with the name of its entry."""
    lines = {step.line for suite in module.suites for case in suite.cases for step in case.trace}
    asked = {entry.qualname for entry in loaded.entries}
    for definition in loaded.definitions:
        for inner in definition.inside if definition.qualname in asked else ():
            if lines.isdisjoint(range(inner.first, inner.last + 1)):
                yield definition.qualname, inner


def _left_out(loaded: Loaded, source: Source, selection: Selection) -> frozenset[str]:
    """The functions and classes of a module for which no test is asked."""
    functions = [definition.qualname for definition in loaded.definitions]
    classes = {name.rpartition(".")[0] for name in functions if "." in name}
    unchanged = (name for name in functions if not selection.changed(source, name))
    # Nobody has checked whether the inputs of a real call are among those that callers promise.
    promised = {
        each.qualname for each in loaded.entries if each.requires or any(p.kind == MISTAKE for p in each.problems)
    }
    return (
        frozenset(unchanged) | promised | {name for name in (*functions, *classes) if selection.excludes(source, name)}
    )


def _qualname(case: SomeCase) -> str:
    return case.id.partition("::")[2].rpartition("#")[0]


def _untold(problems: Iterable[Problem], suites: Iterable[SomeSuite]) -> list[Problem]:
    """The problems of a kind that nobody has told about their function yet, which a message names first."""
    known = {(each.kind, each.message.partition(": ")[0]) for suite in suites for each in suite.problems}
    return [each for each in problems if (each.kind, each.message.partition(": ")[0]) not in known]


def _is_settled(entry: EntryPoint, suite: SomeSuite | None, options: Options, runtime: Runtime) -> bool:
    """Whether every path of an entry was followed, up to the bounds, so that nothing is left to look for."""
    if suite is None or entry.problems:
        return False
    stats = suite.stats
    lost = stats.unsupported or stats.unknown or stats.concretised or suite.problems or not stats.complete
    cut = dict(stats.cut)
    if not options.guided and not runtime.beyond_loops:
        # All paths up to the bound on loops were asked for, and these are all.
        cut.pop("loop", None)
    return not lost and not any(cut.values())


def _add(
    run: Run, runtime: Runtime, module: Module, loaded: Loaded, suite: SomeSuite, cases: Iterable[SomeCase]
) -> None:
    """Name and run observed cases, and append those that pass to the suite."""
    taken = {case.name for case in suite.cases}
    numbered = [
        replace(case, id=f"{case.id.rpartition('#')[0]}#{number}") for number, case in enumerate(cases, _next(suite))
    ]
    apart: SomeSuite = Suite(suite.target, suite.options, numbered)
    run.language.complete(loaded, apart)
    suite.plans.update({key: plan for key, plan in apart.plans.items() if key not in suite.plans})
    named = [replace(case, name=unique_name(case.name, taken)) for case in apart.cases]
    untried = 0
    verdicts = list(runtime.run(loaded, apart, named))
    if any(isinstance(each, Failed) for each in verdicts):
        settled = [each for each in verdicts if isinstance(each, (Passed, NotRun))]
        done = {each.case.id for each in settled}
        again = [_weaker(case) for case in named if case.id not in done]
        verdicts = [*settled, *runtime.run(loaded, replace(apart, cases=again), again)]
    for verdict in verdicts:
        match verdict:
            case Passed(case=case, way=way):
                suite.cases.append(replace(case, validated=True))
                suite.stats.cases += 1
                module.ways[case.id] = way
            case Refused(problem=problem) | Failed(problem=problem):
                run.problems.append(replace(problem, kind="unstable"))
            case NotRun():
                untried += 1
    if untried:
        what = f"{untried} calls that reach more were not run to the end, because the time is over; give more time"
        run.problems.append(Problem("note", module.source.file, 0, f"{suite.target.partition('::')[2]}: {what}"))


def _weaker(case: SomeCase) -> SomeCase:
    """The case without what differs from run to run: that the call ends in the same way still counts."""
    outcome = case.expected.outcome if isinstance(case.expected, Expected) else None
    if isinstance(outcome, Returned):
        return replace(case, expected=Expected(Returned(Opaque("anything"))))
    if isinstance(outcome, Raised):
        return replace(case, expected=Expected(replace(outcome, message=None)))
    return case


def _next(suite: SomeSuite) -> int:
    """A number that no case of the suite has."""
    numbers = [case.id.rpartition("#")[2] for case in suite.cases]
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)

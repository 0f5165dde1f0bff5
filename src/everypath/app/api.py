"""The Python interface: generate, extend and race from a program, with cases as values that can be run again.

    import everypath

    suite = everypath.generate("shop/cart.py::Cart.merge", loops=2)
    for case in suite:
        print(case.name, case.inputs, case.expected)

Settings are those of the command line, by their names; `docs/api.md` has worked examples. The values behind all this
(`Case.record`, `Suite.records`) are those of `everypath.cases.model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from everypath.app.commands import Given, options_of
from everypath.app.keywords import options_with, values_of
from everypath.app.origins import read_settings
from everypath.app.settings import GENERATE
from everypath.cases import store
from everypath.cases.call_text import call_text
from everypath.cases.kinds import AnySuite, is_actor_suite, is_call_suite
from everypath.cases.model import CallCase, CallSuite, Finding, Problem, SomeCase, SomeSuite
from everypath.errors import BadInput
from everypath.generate.parking import Parking
from everypath.generate.results import Run
from everypath.generate.run import generate as run_generation
from everypath.languages.base import Module
from everypath.languages.every import one_language
from everypath.options import BOUNDS, WHOLE_FORMATS, Options
from everypath.paths import Frontier, Leaf, OpenInputs, bounds_of
from everypath.paths import Path as Way
from everypath.records import asdict, dataclass, replace

if TYPE_CHECKING:
    from everypath.cases.races import RaceFinding, RaceReport

_FIRST_BATCH = 1
_ROOT = Leaf((), "unwanted")
"""Everything is still to be explored."""
Target = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A case that was run again on the real runtime."""

    passed: bool
    difference: str | None = None
    """how it ended other than recorded, if so"""


class Case:
    """One path of a function: inputs that follow it, and what must come out."""

    __slots__ = ("_suite", "record")

    def __init__(self, record: SomeCase, suite: SomeSuite) -> None:
        self.record = record
        """everything that is known about it"""
        self._suite = suite

    @property
    def id(self) -> str:
        """What tells it from all other cases."""
        return self.record.id

    @property
    def name(self) -> str:
        """What is special about its path, in words."""
        return self.record.name

    @property
    def function(self) -> str:
        """The function or method under test, as `Class.method` or `function`."""
        return self.record.entry.qualified

    @property
    def call(self) -> str:
        """The call under test with its arguments, and calls that come before it, as one line of code."""
        inputs = self.record.inputs
        return call_text(cast("CallCase", self.record)) if getattr(inputs, "kind", "") == "calls" else repr(inputs)

    @property
    def inputs(self) -> object:
        """The inputs: receiver, arguments and every object that they reach; for actors, these and their queues."""
        return self.record.inputs

    @property
    def expected(self) -> object:
        """The result or the exception, and every object as it is afterwards."""
        return self.record.expected

    @property
    def condition(self) -> tuple[str, ...]:
        """What holds for all inputs that take the path."""
        return self.record.condition

    @property
    def finding(self) -> Finding | None:
        """Why a person should look at it, if one should."""
        return self.record.finding

    @property
    def validated(self) -> bool:
        """Whether it was run, and ended as expected."""
        return self.record.validated

    def replay(self) -> Replayed:
        """Run it again on the real runtime, in a process of its own, on the code as it is now."""
        [replayed] = _replayed(self._suite, [self.record])
        return replayed

    def __repr__(self) -> str:
        return f"<Case {self.id}: {self.name}>"


class Suite:
    """The cases of some targets, by function, and where their search stopped."""

    def __init__(
        self,
        targets: Sequence[str],
        options: Options,
        run: Run | None,
        records: Sequence[SomeSuite],
        parking: Parking | None = None,
    ) -> None:
        self.targets = tuple(targets)
        self.options = options
        self.records = list(records)
        """one suite of `everypath.cases.model` for each function"""
        self._run = run
        self._parking = parking
        """where its paths were left, to go on from without the way there"""

    def __iter__(self) -> Iterator[Case]:
        return (Case(case, suite) for suite in self.records for case in suite.cases)

    def __len__(self) -> int:
        return sum(len(suite.cases) for suite in self.records)

    @property
    def cases(self) -> list[Case]:
        """All cases, in the order of the functions."""
        return list(self)

    @property
    def findings(self) -> list[Case]:
        """The cases that a person should look at."""
        return [case for case in self if case.finding is not None]

    @property
    def problems(self) -> list[Problem]:
        """What could not be done: where, what, and what to do about it."""
        own = [] if self._run is None else self._run.problems
        return [*own, *(problem for suite in self.records for problem in suite.problems)]

    @property
    def frontier(self) -> list[Way]:
        """The paths that were cut, or not followed yet; `extend(suite, leaf=...)` goes on from one of them."""
        return [
            Way(each.start, leaf.choices) for suite in self.records for each in suite.frontier for leaf in each.leaves
        ]

    def text(self, format: str | None = None, path: Target | None = None) -> str:
        """The cases as a file of tests or as JSON, or the findings as SARIF, as it would lie at `path`."""
        if self._run is None:
            raise BadInput("a suite that was loaded has no program at hand; extend it, or generate it again")
        writer = one_language(self.targets).writer(format or self.options.format)
        place = None if path is None else Path(fspath(path))
        modules: list[Module] = list(self._run.modules.values())
        if writer.whole:
            return writer.render(modules, place, self._run.problems).text
        return "\n".join(writer.render([module], place).text for module in modules if any(module.cases))

    def files(self, folder: Target) -> Iterator[tuple[str, str]]:
        """The files of tests, one for each module, as they would lie in a folder: their names and texts."""
        writer = one_language(self.targets).writer(self.options.format)
        modules: list[Module] = [] if self._run is None else [*self._run.modules.values()]
        for module in modules:
            name = writer.file_name(module.source)
            if any(module.cases):
                yield name, writer.render([module], Path(fspath(folder)) / name).text

    def write(self, path: Target, format: str | None = None) -> Path:
        """Write the tests of one module, or a run as JSON or SARIF, into a file; what people wrote in it is kept."""
        from everypath.app.heads import refuse_foreign
        from everypath.app.origins import read_text
        from everypath.app.outputs import behind_links, check_writable, write_text

        place = Path(fspath(path))
        check_writable(place)
        refuse_foreign(place, format or self.options.format)
        if self._run is not None and len(self._run.modules) > 1 and format not in WHOLE_FORMATS:
            raise BadInput("these are the tests of several modules, which do not go into one file")
        for module in self._run.modules.values() if self._run is not None else ():
            module.earlier = read_text(place).strip()
        write_text(behind_links(place), self.text(format, place))
        return place

    def save(self, folder: Target | None = None) -> list[Path]:
        """Store the suites of all functions, for `load`, `everypath replay` and `everypath extend`."""
        into = None if folder is None else Path(fspath(folder))
        return [store.save(cast("AnySuite", suite), into) for suite in self.records if suite.cases or suite.frontier]

    def extend(self, leaf: Way | None = None, **settings: Any) -> Suite:
        """This suite with the cases that larger bounds bring, or that lie behind one leaf of its frontier."""
        return extend(self, leaf=leaf, **settings)

    def next(self, **settings: Any) -> Case | None:
        """Add one more case and give it; None if there is none, also after a bound was raised twenty times."""
        from everypath.app.growing import MOST_ROUNDS, Widening, may_have_more

        known = {case.id for case in self}
        searched = not may_have_more(self.records)
        widening = Widening()
        for _ in range(MOST_ROUNDS):
            if searched:
                larger = widening.next(self.records, values_of(self.options))
                if not larger:
                    return None
                settings |= larger
            grown = _extended(self, self.options, None, enough=1, **settings)
            self.options, self.records, self._run = grown.options, grown.records, grown._run
            self._parking = grown._parking
            new = [case for case in self if case.id not in known]
            if new:
                return new[0]
            searched = True
        return None

    def widen(self, bound: str) -> Suite:
        """This suite with what is found when a bound that has cut paths (`switch`, `loop`) is raised by one."""
        from everypath.app.growing import wider

        larger = wider(self.records, values_of(self.options), bound)
        if not larger:
            option = BOUNDS.get(bound)
            advice = f"; {option} lets them go further" if option else ""
            raise BadInput(f"no path was cut by a {bound} bound that can be raised by one{advice}")
        return self.extend(None, **larger)

    def __repr__(self) -> str:
        return f"<Suite of {', '.join(self.targets)}: {len(self)} cases, {len(self.findings)} findings>"


def generate(target: Target | Iterable[Target], options: Options | None = None, **settings: Any) -> Suite:
    """The cases of every path of a target, as `everypath generate` finds them; nothing is written.

    Settings are the options of that command, such as `loops=2` or `heap="lazy"`; `options` are for those who have
    them already. BadInput says what is wrong with a target or a setting.
    """
    targets = _names(target)
    asked = options_with(targets, options, settings)
    parking = Parking()
    run = run_generation(targets, asked, languages=(one_language(targets),), parking=parking)
    return Suite(targets, asked, run, run.suites, parking)


def cases(target: Target | Iterable[Target], options: Options | None = None, **settings: Any) -> Iterator[Case]:
    """The cases of a target as they are found: the first one after the first path, then in growing batches.

    Whoever has enough just stops asking.
    """
    targets = _names(target)
    asked = options_with(targets, options, settings)
    grown = Suite(targets, asked, None, [])
    batch, known = _FIRST_BATCH, set[str]()
    while True:
        before = len(grown)
        grown = _extended(grown, asked, None, enough=batch)
        for case in grown:
            if case.id not in known:
                known.add(case.id)
                yield case
        batch *= 2
        if len(grown) == before:
            break
    # Known inputs, other types and real runs are tried where paths alone have left something out.
    for case in _extended(grown, asked, None):
        if case.id not in known:
            yield case


def extend(suite: Suite, leaf: Way | None = None, **settings: Any) -> Suite:
    """A suite with the cases of an earlier one, all as they were, and those that larger bounds add to them.

    With `leaf`, one of its `frontier`, only what lies behind that path is explored; without any larger bound that is
    one more iteration.
    """
    options = suite.options
    if leaf is not None and not settings:
        # A suite that was extended and stored has leaves beyond the bounds that it was first made with.
        bounds = getattr(leaf.start, "bounds", None)
        loops = options.limits.loops if bounds is None else max(options.limits.loops, bounds.loops)
        options = _with_loops(options, loops + 1)
    return _extended(suite, options, leaf, **settings)


def _extended(suite: Suite, options: Options, leaf: Way | None, enough: int | None = None, **settings: Any) -> Suite:
    asked = options_with(suite.targets, options, settings)
    if asked.limits.loops < suite.options.limits.loops:
        raise BadInput(f"loops={asked.limits.loops} is less than what the suite was made with; extending only adds")
    known = {each.target: each for each in suite.records}

    def earlier(target: str) -> SomeSuite | None:
        if target in known:
            return known[target]
        # Nothing of it is known yet: then all its paths wait behind the first state.
        start = Frontier(OpenInputs(bounds_of(asked.limits)), (_ROOT,))
        return CallSuite(target, asdict(asked), frontier=[start]) if enough is not None else None  # type: ignore[return-value]

    language = one_language(suite.targets)
    parking = Parking(suite._parking)
    run = run_generation(suite.targets, asked, None, (language,), earlier, leaf, enough, parking)
    parking.earlier = None
    return Suite(suite.targets, asked, run, run.suites, parking)


def load(path: Target) -> Suite:
    """A suite that `everypath generate` or `Suite.save` has stored: by its file, or by the name of its target."""
    from everypath.app.growing import recorded

    found = recorded(fspath(path))
    if found.suite is None:
        raise BadInput(f"{fspath(path)} is a file of tests; `generate` makes its suite again")
    language = one_language(found.targets)
    options = options_of(Given(found.targets, found.values, frozenset()), language)
    return Suite(found.targets, options, None, [found.suite])


class Races:
    """What a search for thread-safety faults has come to."""

    def __init__(self, reports: Sequence[RaceReport]) -> None:
        self.reports = list(reports)
        """one for each class: its findings, and what was exercised"""

    @property
    def findings(self) -> list[RaceFinding]:
        """The faults of all classes."""
        return [finding for report in self.reports for finding in report.findings]

    def test(self, finding: RaceFinding) -> str:
        """A finding as a test that fails every time."""
        from everypath.languages.python.writers.race_writer import finding_code

        return finding_code(finding)

    def __repr__(self) -> str:
        return f"<Races: {len(self.reports)} classes, {len(self.findings)} findings>"


def race(target: Target | Iterable[Target], **settings: Any) -> Races:
    """The thread-safety faults of the classes of a target, as `everypath race` finds them; nothing is written.

    Settings are the fields of `everypath.options.RaceOptions`, such as `time=10` or `setup="Cache(2)"`.
    """
    from everypath.app.race import search_classes
    from everypath.options import RaceOptions

    try:
        options = RaceOptions(**settings)
    except TypeError as error:
        raise BadInput(f"{error}; the settings are the fields of RaceOptions") from None
    return Races(search_classes(_names(target), options))


def _replayed(suite: SomeSuite, cases: Sequence[SomeCase]) -> list[Replayed]:
    """Run recorded cases again."""
    kind = cast("AnySuite", suite)
    if not suite.cases or not (is_call_suite(kind) or is_actor_suite(kind)):
        raise BadInput("only cases of calls and of actor programs are run again; a fault of threads is a test")
    language = one_language([suite.target])
    # Old files know fewer settings.
    defaults = {setting.name: setting.default for setting in GENERATE}
    said = suite.options.get("said", ())
    words = [str(each) for each in said] if isinstance(said, (list, tuple)) else []
    values = {**defaults, **read_settings(suite.target, words)}
    options = options_of(Given((suite.target,), values, frozenset()), language)
    with language.working():
        loaded = language.loader(options)(suite.target)
        again = list(language.runtime(options).run_again(loaded, replace(suite, cases=list(cases)), cases))
    found = {each.case.id: each.wrong for each in again}
    return [Replayed(found.get(case.id) is None, found.get(case.id)) for case in cases]


def _names(target: Target | Iterable[Target]) -> list[str]:
    given = [target] if isinstance(target, (str, PathLike)) else list(target)
    if not given:
        raise BadInput("no target is given; a target is FILE_OR_MODULE[::Class[.method] | ::function]")
    return [fspath(each) for each in given]


def _with_loops(options: Options, loops: int) -> Options:
    return replace(options, limits=replace(options.limits, loops=loops))

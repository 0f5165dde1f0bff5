"""The one run over the targets of any language.

For each module: load its sources, explore each entry into a suite of cases, run the cases for real and keep those that
behave as predicted, make sure that they also pass together, and tell the listener, who writes the file. Only one
module's cases are in memory at a time if the listener has the run forget them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from everypath.cases.model import CallSuite, Problem, SomeSuite, Suite
from everypath.errors import BadInput, Span, Unsupported
from everypath.explore.machine import MEMORY_CUT
from everypath.explore.watch import WATCH
from everypath.generate.edits import Bases, changed, edited, stamp
from everypath.generate.exploring import contradictions, explore_entry
from everypath.generate.finishing import finish_entry, keep_validated, select_in_module, settle_module
from everypath.generate.results import Listener, Run, Told
from everypath.generate.surviving import Ready, interrupt, load_source, note_defect, problem_of
from everypath.languages.base import MISTAKE, EntryPoint, Language, Loaded, Module, Runtime, Source
from everypath.languages.every import LANGUAGES, one_language
from everypath.logic.clock import now
from everypath.options import POINTS, Options, told
from everypath.paths import Path
from everypath.planning.plan import Plan, Shares, make_plan
from everypath.records import replace
from everypath.report.lines import counted
from everypath.report.summary import Row
from everypath.workers.interrupts import interruptible, postponed
from everypath.workers.reserve import dismiss, kept_workers

if TYPE_CHECKING:
    from everypath.generate.extending import Growth
    from everypath.generate.keeping import Keeping
    from everypath.generate.parking import Parking


Earlier = Callable[[str], SomeSuite | None]
"""Gives the suite of a target that a run goes on from, if there is one."""


def generate(
    targets: Sequence[str],
    options: Options,
    listener: Listener | None = None,
    languages: Sequence[Language] = LANGUAGES,
    earlier: Earlier | None = None,
    only: Path | None = None,
    enough: int | None = None,
    parking: Parking | None = None,
) -> Run:
    """Explore, concretise and validate every entry of the targets; an interrupt keeps what was found.

    Where there is an `earlier` suite of an entry, its cases stay and what it lacks is added to it; with `only`, what
    lies behind that leaf of its frontier, and no more than `enough` cases. What is left of it goes to the `parking`.
    """
    language = one_language(targets, languages)
    listener = listener or Listener()
    run = Run(language)
    with postponed(), language.working(), kept_workers():
        with interruptible():
            plan = make_plan(targets, options, language)
            more = listener.planned(plan)
            if more:
                plan = make_plan([*more, *targets], options, language)
                listener.planned(plan)
            work = _Work(run, plan, options, listener)
            work.earlier, work.only, work.enough, work.parking = earlier, only, enough, parking
            if options.store or parking is not None:
                dependences = language.dependences()
                work.bases = Bases(dependences)
            if options.store and earlier is None:
                # Programs that call this one keep nothing unless they say where.
                from everypath.generate.keeping import keeping

                work.keeping = keeping(dependences, options, listener.told)
            work.prepare()
        work.do()
    return run


_WORTH = 0.5
"""Seconds of work before other processes are asked to help: they need a third of that to be of use."""
_Entry = tuple[EntryPoint, str, int]
"""An entry, the target that names it, and how many entries of its source are still to come, itself included."""


class _Work:
    """The work of one run."""

    def __init__(self, run: Run, plan: Plan, options: Options, listener: Listener) -> None:
        self.run = run
        self.plan = plan
        self.options = options
        self.listener = listener
        self.load = run.language.loader(options)
        self.runtime: Runtime = run.language.runtime(options)
        self.shares = Shares(plan, options)
        self.early: dict[Source, Ready | None] = {}
        """sources that were loaded before their turn"""
        self.stamps = {file: stamp(file) for source in plan.sources for file in (source.file, *source.others)}
        """when each file was last written"""
        self.settings: dict[tuple[str, str], Options] = {}
        """the options of entries that have their own, by module and qualified name"""
        self.jobs = options.jobs
        self.begun = now()
        self.earlier: Earlier | None = None
        self.only: Path | None = None
        self.enough: int | None = None
        self.parking: Parking | None = None
        self.keeping: Keeping | None = None
        """what earlier runs have found"""
        self.bases: Bases | None = None
        """what tells whether a function is the one that an earlier suite is about"""

    def prepare(self) -> None:
        """Refuse what can be refused before anything is explored."""
        for left in self.plan.left:
            self.run.failed |= left.named
            problem = Problem("refused", left.target, 0, left.reason)
            self.run.rows.append(Row(left.target, left.module, "", refused=problem))
        if self.options.assume or self.options.invariant is not None:
            from everypath.generate.assumed import options_by_entry

            # An assumption that is about no entry at all must be refused before anything is explored.
            self.early = {source: self._load(source) for source in self.plan.sources}
            self.settings = options_by_entry(filter(None, self.early.values()), self.options)
        if self.options.requires:
            from everypath.generate.assumed import check_requires

            self.early = self.early or {source: self._load(source) for source in self.plan.sources}
            check_requires(filter(None, self.early.values()), self.options)
        if self.options.summary:
            from everypath.generate.summarised import summarise

            self.early = self.early or {source: self._load(source) for source in self.plan.sources}
            loaded = [ready.loaded for ready in self.early.values() if ready is not None]
            self.run.problems += summarise(loaded, self.run.language, self.options)
        if self.options.select == "mutants":
            from everypath.generate.mutants import check_mutants

            check_mutants(self.run.language, self.options)
        if self.options.select.startswith(POINTS):
            from everypath.generate.guided import check_points

            self.early = self.early or {source: self._load(source) for source in self.plan.sources}
            check_points(filter(None, self.early.values()), self.options)

    def do(self) -> None:
        """Work module by module; a request to end counts while work is done, not while its results are kept."""
        names = [name for name in self.plan.modules if not self._stands(name)]
        for at, name in enumerate(names):
            if self.run.interrupted:
                break
            if self._worth_spreading(len(names) - at):
                # Most runs are over before.
                from everypath.generate.spreading import spread_modules

                spread_modules(self, names[at:])
                break
            module = self.do_module(name)
            if at == len(names) - 1:
                dismiss()
            self.conclude(module)
        order = {name: number for number, name in enumerate(self.plan.modules)}
        self.run.rows.sort(key=lambda row: order.get(row.module, -1))

    def conclude(self, module: Module) -> None:
        """Hand a module over, and keep what was found about it for later runs."""
        self.listener.module_done(self.run, module)
        if self.keeping is not None and not self.options.check and self.earlier is None:
            try:
                self.keeping.save(module, self.plan.modules[module.name])
            except OSError as error:
                self.listener.told(f"cannot keep what was found in {self.keeping.folder}: {error.strerror or error}")
                self.keeping = None

    def _stands(self, name: str) -> bool:
        """Whether nothing has changed since an earlier run, and the file of a module is as that one left it."""
        sources = self.plan.modules[name]
        if self.keeping is None or self.earlier is not None or self.options.diff is not None:
            return False
        whole = self.keeping.whole(sources)
        if whole is None or not self.listener.stands(sources, whole.written, whole.stored, len(whole.rows)):
            return False
        self.run.rows += whole.rows
        self.run.problems += whole.problems
        return True

    def do_module(self, name: str) -> Module:
        """All that there is to do about a module, but for writing its file."""
        sources = self.plan.modules[name]
        module = self.run.modules[name] = Module(sources[0], self.options, tuple(source.target for source in sources))
        module.grows = self.earlier is not None
        problems, failed = len(self.run.problems), self.run.failed
        if self._restored(module, sources):
            return module
        try:
            with interruptible():
                seen: set[str] = set()
                for source in sources:
                    self._generate_source(module, source, seen)
                select_in_module(module, self.options)
                if self.earlier is not None:
                    from everypath.generate.extending import carry

                    carry(self.run, module, self.earlier)
                elif self._observes:
                    self.listener.working(f"calling what was not reached in {module.source.title}")
                    self._observe(module)
                if any(definition.inside for loaded in module.programs for definition in loaded.definitions):
                    from everypath.generate.observing import tell_uncalled

                    tell_uncalled(self.run, module)
                self.runtime.until = module.until = self.shares.settling()
                self.listener.working(f"running all tests of {module.source.title}")
                settle_module(self.run, self.listener, self.runtime, module, self.options)
                if self.options.select == "mutants":
                    from everypath.generate.mutants import select_by_mutants

                    self.runtime.until = self.shares.killing(len(module.suites))
                    select_by_mutants(self.runtime, module)
        except KeyboardInterrupt:
            self._stop(module)
        module.interrupted = self.run.interrupted
        for suite in module.suites:
            suite.ways = {case.id: module.ways[case.id] for case in suite.cases if case.id in module.ways}
        self._tell_edits(module, sources)
        self.run.conclude(name)
        self.runtime.forget()
        if self.keeping is not None and self.earlier is None:
            self.keeping.finish(module, sources, self.run, problems, failed)
        return module

    def _restored(self, module: Module, sources: Sequence[Source]) -> bool:
        """Whether nothing has changed since an earlier run, and a module has what came of it then."""
        if self.keeping is None or self.earlier is not None or self.options.diff is not None:
            return False
        whole = self.keeping.whole(sources)
        if whole is None or not self.keeping.restored(module, sources, whole):
            return False
        for source in sources:
            ready = self.early.pop(source) if source in self.early else self._load(source)
            module.programs += [ready.loaded] if ready is not None else []
        self.run.results.clear()
        self.run.rows += whole.rows
        self.run.problems += [each for each in whole.problems if each not in self.run.problems]
        module.notes.whole = whole
        return True

    def become_helper(self, listener: Listener) -> None:
        """Work for a run of its own, and alone: called in a process that does a part of the work."""
        if self.jobs > 1:
            self.jobs = 1
            self.runtime = self.run.language.runtime(self.options)
            self.load = self.run.language.loader(self.options)
        # What earlier items of this process left is with the run already.
        self.runtime.forget()
        self.listener = listener
        self.run = replace(Run(self.run.language), unusable=set(self.run.unusable))

    def _worth_spreading(self, items: int) -> bool:
        """Whether the rest of the work is shared with other processes: only if there is enough of it."""
        return self.jobs > 1 and items > 1 and self.earlier is None and now() - self.begun > _WORTH

    @property
    def _observes(self) -> bool:
        """Whether real calls are looked for."""
        return self.options.validate and not self.options.predicted_only and not self.run.interrupted

    def _observe(self, module: Module) -> None:
        # Most runs leave nothing to be observed.
        from everypath.generate.observing import observe_module

        usable = module.name not in self.run.unusable
        seconds = self.shares.observing() if usable else 0.0
        self.runtime.until = self.shares.watch.until(seconds if self.options.total_time else 4 * seconds)
        try:
            observe_module(self.run, self.runtime, module, self.options, seconds, self.plan.selection)
        except BadInput as error:
            # No case was found before, so that nobody has tried to import it.
            problem = self._unimportable(module.programs[0], error)
            self.run.failed |= module.source.named
            if module.suites:
                module.suites[0].problems.append(problem)
            else:
                self.run.refuse(module.source, "", problem)
                self.run.problems.append(problem)

    def _tell_edits(self, module: Module, sources: Sequence[Source]) -> None:
        """Report the files of a module that were edited during the run."""
        for file in dict.fromkeys(file for source in sources for file in (source.file, *source.others)):
            if self.stamps.get(file) != stamp(file):
                self.run.problems.append(edited(file))
                self.run.failed = module.edited = True

    def _load(self, source: Source) -> Ready | None:
        with self.shares.watch.computing():
            return load_source(self.run, self.plan, self.load, source)

    def _stop(self, module: Module) -> None:
        """Keep what was run; whether all tests pass together was not tried, so state is restored between them."""
        self.run.interrupted = True
        module.restore_state = True
        for suite in module.suites:
            keep_validated(self.run, suite, self.options)

    def _generate_source(self, module: Module, source: Source, seen: set[str]) -> None:
        if self.run.interrupted:
            return
        self.listener.working(f"reading {source.title}")
        ready = self.early.pop(source) if source in self.early else self._load(source)
        self.shares.begin(source)
        if ready is None:
            return
        if self.options.summary:
            from everypath.generate.summarised import install

            install(ready.loaded, self.options)
        module.programs.append(ready.loaded)
        todo: list[_Entry] = []
        wanted = [self.plan.selection.changed(source, entry.qualname) for entry in ready.entries]
        if self.options.diff is not None:
            lacks = self.listener.lacks(source)
            wanted = [one or lacks(entry.case_entry().qualified) for one, entry in zip(wanted, ready.entries)]
        for number, entry in enumerate(ready.entries):
            if entry.qualname in seen:
                continue
            seen.add(entry.qualname)
            if wanted[number]:
                todo.append((entry, f"{source.place}::{entry.qualname}", sum(wanted[number:])))
            else:
                module.untouched.add(entry.case_entry().qualified)
        for at, each in enumerate(todo):
            if self.run.interrupted:
                break
            if self._worth_spreading(len(todo) - at) and source.module not in self.run.unusable:
                from everypath.generate.spreading import spread_entries

                spread_entries(self, module, source, ready.loaded, todo[at:])
                break
            self.do_entry(module, source, ready.loaded, *each)

    def do_entry(
        self, module: Module, source: Source, loaded: Loaded, entry: EntryPoint, target: str, left: int
    ) -> None:
        """Explore one entry of a module and run its cases."""
        options = self.settings.get((source.module, entry.qualname), self.options)
        seconds = self.shares.seconds(left)
        problem = self._obstacle(source, entry, seconds)
        if problem is not None:
            self.run.refuse(source, entry.qualname, problem)
            # It may be as it was, and nobody has found out: earlier tests of it are not to blame.
            module.untouched.add(entry.case_entry().qualified)
            return
        if self._kept(module, loaded, entry):
            return
        growth = self._growth(target)
        basis = self.bases.of(source, loaded, entry) if self.bases is not None else ""
        if growth is not None and growth.earlier.basis not in ("", basis):
            self.run.problems.append(changed(entry))
            self.run.refuse(source, entry.qualname, self.run.problems[-1])
            # They may no longer hold, but nobody has asked to make them anew.
            module.untouched.add(entry.case_entry().qualified)
            return
        suite: SomeSuite = Suite(target, told(options), basis=basis)
        suite.problems += contradictions(entry)
        self.run.results.append(suite)
        module.suites.append(suite)
        before = self.runtime.remembered()
        self.runtime.forget()
        limited = replace(options, limits=replace(options.limits, time=self.shares.exploring(seconds)))
        with self.shares.watch.computing():
            self._explore(loaded, entry, limited, suite, growth)
        self.runtime.until = self.shares.running(seconds - suite.stats.seconds)
        if self.keeping is not None:
            self.keeping.expect(suite)
        self._finish(module, loaded, entry, limited, suite, growth)
        if suite.wanted:
            from everypath.generate.guided import settle_wanted

            settle_wanted(suite)
        self.run.failed |= source.named and source.module in self.run.unusable
        if self.keeping is not None and growth is None and not self.run.interrupted:
            self.keeping.note(module, loaded, entry, suite, self.runtime.remembered())
        self.runtime.remember(before)

    def _kept(self, module: Module, loaded: Loaded, entry: EntryPoint) -> bool:
        """Whether an entry has its cases from an earlier run."""
        if self.keeping is None or self.earlier is not None:
            return False
        known = self.keeping.entry(module, self.plan.modules[module.name], loaded, entry)
        if known is None:
            return False
        suite, remembered, note = known
        try:
            # What was not imported in this run may not be importable any more.
            if not module.notes.unchanged and suite.cases and self.options.validate:
                list(self.runtime.run(loaded, suite, suite.cases[:1]))
        except BadInput:
            return False
        self.keeping.take(module, entry, suite, note)
        self.runtime.remember(remembered)
        self.run.results.append(suite)
        return True

    def _growth(self, target: str) -> Growth | None:
        """What an entry has already, if the run goes on from an earlier one."""
        if self.earlier is None:
            return None
        earlier = self.earlier(target)
        if earlier is None:
            self.listener.told(f"{target} has no stored suite, so that it is explored from the beginning")
            return None
        # Most runs go on from nothing.
        from everypath.generate.extending import Growth

        return Growth(earlier, self.only, self.enough)

    def _obstacle(self, source: Source, entry: EntryPoint, seconds: float) -> Problem | None:
        """The reason why an entry cannot be explored at all, if there is one."""
        if entry.problems:
            self.run.failed |= entry.problems[0].kind == MISTAKE
            return problem_of(entry.problems[0])
        place = entry.span.file, entry.span.line
        if source.module in self.run.unusable:
            return Problem("import", *place, f"{entry.qualname}: its module cannot be imported")
        if not seconds:
            problem = Problem("cut", *place, f"{entry.qualname}: --total-time was over before its turn")
            self.run.problems.append(problem)
            return problem
        return None

    def _explore(
        self, loaded: Loaded, entry: EntryPoint, options: Options, suite: SomeSuite, growth: Growth | None
    ) -> None:
        progress = Told(self.listener, suite)
        progress(0, 0, 0)
        try:
            if options.validate:
                self.runtime.announce(loaded, entry)
            with WATCH.on(options.fence.memory_mb):
                slot = self.parking.slot(suite) if self.parking is not None else None
                explorer = self.run.language.explorer()
                if growth is not None:
                    growth.explore(explorer, loaded, entry, options, suite, progress, slot)
                elif explorer is not None:
                    explorer(loaded, entry, options, suite, progress)
                else:
                    explore_entry(loaded, entry, options, cast("CallSuite", suite), progress, slot=slot)
        except KeyboardInterrupt:
            suite.stats.complete = False
            interrupt(self.run, self.listener, len(suite.cases))
        except BadInput:
            raise
        except Unsupported as error:
            span = error.span if error.span.file else entry.span
            message = f"{entry.qualname}: {error.message}"
            suite.stats.unsupported.append(Problem("unsupported", span.file, span.line, message))
        except MemoryError:
            suite.stats.cut["memory"] = suite.stats.cut.get("memory", 0) + 1
            suite.report(Problem("cut", entry.span.file, entry.span.line, MEMORY_CUT.message))
        except Exception as error:
            note_defect(self.run, suite, entry, error)

    def _finish(
        self,
        module: Module,
        loaded: Loaded,
        entry: EntryPoint,
        options: Options,
        suite: SomeSuite,
        growth: Growth | None,
    ) -> None:
        old = growth.earlier.cases if growth is not None else ()
        if options.validate and suite.cases:
            self.listener.working(f"running {counted(len(suite.cases), 'case')}")
        try:
            finish_entry(self.run, self.listener, self.runtime, module, loaded, suite, options, old)
        except BadInput as error:
            suite.problems.append(self._unimportable(loaded, error))
        except Exception as error:
            note_defect(self.run, suite, entry, error)
            keep_validated(self.run, suite, options)
        if growth is not None:
            growth.join(suite)
            module.ways.update(growth.earlier.ways)

    def _unimportable(self, loaded: Loaded, error: BadInput) -> Problem:
        """Note that the module cannot be imported: nothing of it can be tested, but other modules can."""
        self.run.unusable.add(loaded.module)
        span = error.span if error.span.file else Span(loaded.file)
        advice = "tests are run before they are written, so make the module importable"
        return Problem("import", span.file, span.line, f"{error.message}; {advice}")

"""Python as one of the languages: functions and methods, validated on the interpreter that runs this one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, cast

from everypath.languages.python.runtime.starting import FIRST_SEED, worker_command
from everypath.workers.reserve import prepare

if TYPE_CHECKING:
    from everypath.cases.model import CallSuite, SomeSuite
    from everypath.cases.spelling import Spelling
    from everypath.languages.base import Draw, Expanded, Explore, Load, Loaded, Runtime, Writer
    from everypath.languages.definitions import Definition, Part
    from everypath.languages.depending import Dependences
    from everypath.languages.python.frontend import Loaded as PythonProgram
    from everypath.options import Options


class Python:
    """Programs in Python."""

    name = "Python"
    code = "Python code"
    suffixes: tuple[str, ...] = (".py",)
    formats: tuple[str, ...] = ("pytest", "hypothesis", "json", "sarif")
    settings = frozenset(
        "types assume strategy allow_io case_seconds memory select tests file_tests paths_per_test exclude total_time"
        " check diff reachable invariant predicted_only private requires mark_findings".split()
    )

    mutates = True
    concurrent = False
    statements = "__main__"

    def claims(self, target: str) -> bool:
        """A file, or the import name of a module; folders and packages are taken because nobody else claims them."""
        return target.partition("::")[0].endswith(self.suffixes)

    def spelling(self) -> Spelling:
        """Conditions are made in Python's words."""
        from everypath.cases.spelling import PYTHON

        return PYTHON

    def start_early(self) -> None:
        """Start the interpreter that runs cases.

        The one for the last run of all tests together is started when there is a program for it: three processes
        that load at the same time would get in each other's way.
        """
        prepare(worker_command(FIRST_SEED))

    def working(self) -> AbstractContextManager[None]:
        """Nothing special is needed."""
        return nullcontext()

    def expand(self, targets: Sequence[str]) -> Expanded:
        """A file is one module, a folder or a package is all that it holds."""
        from everypath.languages.python.targets import expand

        return expand(targets)

    def outline(self, text: bytes) -> list[Part]:
        """Functions and other statements in their order."""
        from everypath.languages.python.frontend.outline import parts_of

        return parts_of(text)

    def definitions(self, text: bytes) -> tuple[Definition, ...]:
        """Functions and methods, those under a condition included."""
        from everypath.languages.python.frontend.outline import definitions_of

        return definitions_of(text)

    def loader(self, options: Options) -> Load:
        """Translates a module, or what a target names in it, with everything that it imports."""
        from everypath.languages.python.frontend import Sources, load_target

        fence = options.fence if options.validate else None
        return partial(
            load_target,
            types=options.types,
            sources=Sources(options.total_time),
            fence=fence,
            private=options.private,
            requires=options.requires,
            asserts=options.asserts == "require",
        )

    def explorer(self) -> Explore | None:
        """Functions are explored as sequential code."""
        return None

    def drawer(self) -> Draw | None:
        """As all sequential code."""
        return None

    def complete(self, loaded: Loaded, suite: SomeSuite) -> None:
        """Names say what is special about a path; constructors say how objects are built."""
        from everypath.cases.defaults import build_plans
        from everypath.cases.naming import name_cases
        from everypath.languages.python.solving.changes import with_changes

        calls = cast("CallSuite", suite)
        entry = next((each for each in loaded.entries if suite.target.endswith(f"::{each.qualname}")), None)
        if entry is not None:
            calls.cases = with_changes(loaded.program, entry, calls.cases)
        calls.plans = build_plans(loaded.program, calls.cases)
        calls.cases = list(name_cases(calls.cases, cast("PythonProgram", loaded).decisions.of))

    def runtime(self, options: Options) -> Runtime:
        """CPython, in processes of its own."""
        from everypath.languages.python.runtime.validation import PythonRuntime

        return PythonRuntime(options)

    def dependences(self) -> Dependences | None:
        """The text of every function that one may use, by name."""
        from everypath.languages.python.dependences import PythonDependences

        return PythonDependences()

    def writer(self, format: str) -> Writer:
        """Files for pytest, plain or with Hypothesis, or one file for the whole run."""
        if format in ("json", "sarif"):
            from everypath.cases.kinds import CALLS
            from everypath.languages.whole_formats import whole_writer

            return whole_writer(format, CALLS)
        if format == "hypothesis":
            from everypath.languages.python.writers.hypothesis_writer import HypothesisWriter

            return HypothesisWriter()
        from everypath.languages.python.writers.pytest_writer import PytestWriter

        return PytestWriter()

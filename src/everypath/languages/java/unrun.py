"""What stands for a runtime where cases are not to be run: no JVM is needed then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from everypath.cases.model import SomeCase, SomeSuite
from everypath.languages.base import Again, EntryPoint, Loaded, Module, NotRun, Recorded, Seen, Settled, Sought, Verdict


class NoRuntime:
    """Runs nothing."""

    batch = 100
    until = float("inf")
    beyond_loops = False

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        """There is nothing to get ready."""

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Verdict]:
        """No case is run."""
        return [NotRun(case) for case in cases]

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Again]:
        """No case is run."""
        return []

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Recorded]:
        """No case is run."""
        return []

    def left_open(self, loaded: Loaded) -> Collection[str]:
        """Nothing was run."""
        return ()

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        """Nothing is seen."""
        return Seen()

    def settle(self, module: Module) -> Settled:
        """Nothing is known to disturb anything."""
        return Settled()

    def remembered(self) -> None:
        """Nothing is remembered."""

    def remember(self, what: None) -> None:
        """Nothing is remembered."""

    def forget(self) -> None:
        """There is nothing to forget."""

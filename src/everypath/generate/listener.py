"""What a run tells whoever asked for it, while it is under way."""

from __future__ import annotations

from typing import Protocol

from everypath.generate.results import Run
from everypath.languages.base import Module
from everypath.planning.plan import Plan


class Listener(Protocol):
    """Hears of a run; it may refuse a plan, and says which old tests are to be kept."""

    def planned(self, plan: Plan) -> None:
        """What will be done, before anything is explored; an error that is raised here ends the run."""

    def progress(self, target: str, paths: int, cases: int, cuts: int) -> None:
        """How far the exploration of a target has come; told on every path."""

    def interrupted(self, cases: int) -> None:
        """The user wants the run to end; so many cases are still to be run."""

    def module_done(self, run: Run, module: Module) -> None:
        """The cases of a module are complete; the run may be told to forget them."""

    def keeps(self, module: Module) -> bool:
        """Whether the stored cases of functions that did not change go with the new ones."""


class Silent:
    """A listener that does nothing."""

    def planned(self, plan: Plan) -> None:
        """Any plan is fine."""

    def progress(self, target: str, paths: int, cases: int, cuts: int) -> None:
        """Nobody watches."""

    def interrupted(self, cases: int) -> None:
        """Nobody asks."""

    def module_done(self, run: Run, module: Module) -> None:
        """The run keeps its cases."""

    def keeps(self, module: Module) -> bool:
        """There are no old tests."""
        return False

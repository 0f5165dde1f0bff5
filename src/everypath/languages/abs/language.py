"""ABS as one of the languages: actors that send each other messages, explored in every order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from everypath.cases.actors import ActorSuite
    from everypath.cases.model import SomeSuite
    from everypath.cases.spelling import Spelling
    from everypath.languages.base import Draw, Expanded, Explore, Load, Loaded, Runtime, Writer
    from everypath.languages.definitions import Definition, Part
    from everypath.options import Options


class Abs:
    """Programs in ABS."""

    name = "ABS"
    code = "an ABS program"
    suffixes: tuple[str, ...] = (".abs",)
    formats: tuple[str, ...] = ("abs", "json", "sarif")
    settings = frozenset(
        "switches actors queue order policy apet poll every_order spare_actor input_errors bound_concrete"
        " bound_references oldest_first static_independence".split()
    )
    mutates = False
    concurrent = True
    statements = ""

    def claims(self, target: str) -> bool:
        """ABS files have a suffix of their own."""
        return target.partition("::")[0].endswith(self.suffixes)

    def spelling(self) -> Spelling:
        """Conditions as in ABS."""
        from everypath.cases.spelling import Spelling

        return Spelling(
            nothing="null", receiver="this", conjunction="&&", disjunction="||", negation="!",
            conditional="when {test} then {then} else {otherwise}", calls={"len": "length({0})"},
        )  # fmt: skip

    def start_early(self) -> None:
        """Cases run on the interpreter in this process."""

    def working(self) -> AbstractContextManager[None]:
        """Integers of any length can be shown."""
        from everypath.cases.digits import any_digits

        return any_digits()

    def expand(self, targets: Sequence[str]) -> Expanded:
        """Each file in which the targets name something, with the program that it belongs to."""
        from everypath.languages.abs.targets import expand

        return expand(targets)

    def outline(self, text: bytes) -> list[Part]:
        """Nothing asks for parts of ABS files: they are checked as whole programs."""
        return []

    def definitions(self, text: bytes) -> tuple[Definition, ...]:
        """As for the outline."""
        return ()

    def loader(self, options: Options) -> Load:
        """Checks the program of a target."""
        from everypath.languages.abs.targets import load

        return load

    def explorer(self) -> Explore | None:
        """Methods over all orders of messages, main blocks on the interpreter."""
        from everypath.languages.abs.closed import explore

        return explore

    def drawer(self) -> Draw | None:
        """Trees tell also which task goes on."""
        from everypath.languages.abs.drawing import draw

        return draw

    def complete(self, loaded: Loaded, suite: SomeSuite) -> None:
        """Findings are those of the outcome; names were given when the cases were collected."""
        from everypath.cases.actor_wording import judge

        judge(cast("ActorSuite", suite))

    def runtime(self, options: Options) -> Runtime:
        """The interpreter, which follows a schedule exactly."""
        from everypath.languages.abs.validation import AbsRuntime

        return AbsRuntime()

    def dependences(self) -> None:
        """Everything is done anew in each run."""

    def writer(self, format: str) -> Writer:
        """ABS modules, or one file for the whole run."""
        if format in ("json", "sarif"):
            from everypath.cases.kinds import ACTORS
            from everypath.languages.whole_formats import whole_writer

            return whole_writer(format, ACTORS)
        from everypath.languages.abs.emitted import AbsWriter

        return AbsWriter()

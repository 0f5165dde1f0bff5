"""Tests that are worth most: as few as kill the same simple mutants of the functions under test as all do.

The mutants are those of the functions for which tests are made, and of the private functions of their module that these
tests execute. Every test that shows a finding is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from everypath.cases.accounts import Mutated, Wanted
from everypath.cases.frontiers import leave_open
from everypath.cases.minimise import fewest_with
from everypath.cases.model import SomeCase, SomeSuite
from everypath.errors import BadInput
from everypath.languages.base import Language, Module, Runtime
from everypath.languages.definitions import Definition
from everypath.options import Options


class Mutating(Protocol):
    """What the runtime of a language that `mutates` can do besides."""

    def kills(self, module: Module, owners: Sequence[Definition]) -> Sequence[Mutated]:
        """Run the cases of a module with every simple mutant of some of its functions."""


def check_mutants(language: Language, options: Options) -> None:
    """Refuse a selection by mutants where there can be none."""
    if not language.mutates:
        raise BadInput(f"--select mutants: no mutants are made of {language.code}; choose another selection")
    if not options.validate:
        raise BadInput("--select mutants runs the tests with mutants, which --no-validate excludes")


def select_by_mutants(runtime: Runtime, module: Module) -> None:
    """Keep as few cases of a module as kill what all kill, and account for every mutant."""
    if not any(True for _ in module.cases):
        return
    owners = list(_owners(module))
    found = cast("Mutating", runtime).kills(module, owners)
    killed: dict[str, list[int]] = {}
    for number, each in enumerate(found):
        for case in each.killed_by:
            killed.setdefault(case, []).append(number)
    cases = list(module.cases)
    # Without a mutant that tells tests apart, one of each function says that it runs at all.
    alone = {suite.cases[0].id for suite in module.suites if suite.cases and not killed.keys() & _ids(suite.cases)}
    needed = alone | {case.id for case in cases if case.finding is not None}
    kept = set(fewest_with(cases, killed, needed))
    for suite in module.suites:
        left = [case for case in suite.cases if case.id not in kept]
        leave_open(suite, left)
        suite.stats.left_out += len(left)
        module.left_out += left
        suite.cases = [case for case in suite.cases if case.id in kept]
    for each in found:
        _suite_of(module, each, owners).wanted.append(_account(module, each, kept))


def _ids(cases: Sequence[SomeCase]) -> set[str]:
    return {case.id for case in cases}


def _owners(module: Module) -> Iterator[Definition]:
    """The functions that are mutated."""
    entries = {case.entry.qualified.removeprefix(f"{module.name}.") for case in module.cases}
    executed = {step.line for case in module.cases for step in case.trace if step.file == module.source.file}
    seen: set[str] = set()
    for loaded in module.programs:
        for each in loaded.definitions:
            private = not each.public and any(line in executed for line in range(each.first, each.last + 1))
            if each.qualname not in seen and (each.qualname in entries or private):
                seen.add(each.qualname)
                yield each


def _suite_of(module: Module, each: Mutated, owners: Sequence[Definition]) -> SomeSuite:
    """The suite that tells of a mutant: that of its function, else of the first that kills it or is there."""
    for suite in module.suites:
        if suite.target.endswith(f"::{each.owner}"):
            return suite
    killing = (suite for suite in module.suites if any(case.id in each.killed_by for case in suite.cases))
    return next(killing, module.suites[0])


def _account(module: Module, each: Mutated, kept: set[str]) -> Wanted:
    item = f"{module.source.file}:{each.line}: {each.change}"
    case = next((case for case in each.killed_by if case in kept), "")
    if case:
        return Wanted(item, "killed", case)
    if not each.tried:
        return Wanted(item, "not run", "", "the time was over")
    return Wanted(item, "survived", "", "no test fails with it")

"""Runs and explores program texts in tests."""

from __future__ import annotations

from pathlib import Path

from everypath.cases.actors import ActorExpected
from everypath.concurrency.orders import Order
from everypath.concurrency.system import Policy
from everypath.languages.abs.frontend.check import Source, check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.explore import Outcomes, at_random, explore_main, first, machine_for, run
from everypath.languages.abs.runtime.outcomes import outcome

EXAMPLES = Path(__file__).parents[2] / "examples" / "actors"


def program(text: str) -> Program:
    """The checked program in a module of its own."""
    found = check_program([Source("a.abs", text if text.startswith("module") else f"module M; {text}")])
    assert isinstance(found, Program), "\n".join(map(str, found))
    return found


def example(name: str) -> Program:
    """A program of examples/actors."""
    found = check_program(read_sources([EXAMPLES / f"{name}.abs"]))
    assert isinstance(found, Program), "\n".join(map(str, found))
    return found


def ended(text: str | Program, seed: int | None = None, policies: dict[str, Policy] | None = None) -> ActorExpected:
    """How one schedule ends."""
    machine = machine_for(program(text) if isinstance(text, str) else text, policies, seed or 0)
    state, _ = run(machine, first if seed is None else at_random(seed), 100_000)
    return outcome(machine, state)


def clean(found: ActorExpected) -> bool:
    """Whether nothing went wrong."""
    return not found.failures and found.deadlock is None


def printed(text: str, **options: int) -> str:
    """What one schedule prints; nothing may go wrong."""
    found = ended(text, **options)
    assert clean(found), found
    return found.output


def outcomes(text: str | Program, order: Order = Order.INDEPENDENT, merged: bool = True, **options: object) -> Outcomes:
    """All outcomes; the search must be complete."""
    found = explore_main(
        program(text) if isinstance(text, str) else text,
        order,
        merged=merged,
        seconds=20.0,
        **options,  # type: ignore[arg-type]
    )
    assert found.complete
    return found


def all_printed(text: str, **options: object) -> set[str]:
    """Everything that some schedule prints."""
    return {found.outcome.output for found in outcomes(text, **options).found}  # type: ignore[arg-type]

"""The command `run`: executes one schedule of an ABS program and tells how it ended."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from everypath.app.exit_codes import BAD_INPUT, DONE, FINDINGS, NOTHING_USEFUL
from everypath.cases.actor_wording import wait_lines
from everypath.cases.actors import ActorExpected, Deadlock, shown_value
from everypath.cases.digits import any_digits
from everypath.concurrency.system import Policy
from everypath.errors import BadInput, LimitReached, Span
from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.explore import at_random, first, machine_for, run
from everypath.languages.abs.runtime.outcomes import outcome
from everypath.report.streams import complain


@any_digits()
def run_command(files: Sequence[str], seed: int | None, policies: Sequence[tuple[str, str]], steps: int | None) -> int:
    """Run the program's main block; the exit code of DESIGN section 11."""
    program = load(files)
    if program is None:
        return BAD_INPUT
    if program.main is None:
        raise BadInput("there is no main block: add `{ ... }` at the end of a module", Span(files[-1]))
    for other in program.mains[1:]:
        complain(f"note: the main block of module {program.main.module} runs, not that of module {other.module}")
    machine = machine_for(program, {name: Policy(kind) for name, kind in policies}, seed or 0)
    choose = first if seed is None else at_random(seed)
    try:
        state, done = run(machine, choose, steps, _show)
    except LimitReached as limit:
        complain(f"{limit.span}: stopped: {limit.message}")
        return FINDINGS
    ended = outcome(machine, state) if next(machine.moves(state), None) is None else None
    if ended is None:
        left = len(state.tasks)
        complain(f"stopped after {done} steps; {left} {'tasks have' if left != 1 else 'task has'} not ended")
        return NOTHING_USEFUL
    return report(ended)


def load(files: Sequence[str]) -> Program | None:
    """The program in these files; None after telling everything that is wrong with them."""
    for file in files:
        if Path(file).suffix != ".abs":
            raise BadInput(f"{file}: `run` takes ABS files, such as program.abs")
    found = check_program(read_sources([Path(file) for file in files]))
    if isinstance(found, Program):
        return found
    for problem in found:
        complain(str(problem))
    return None


def report(ended: ActorExpected) -> int:
    """Tell what went wrong, if anything."""
    for failure in ended.failures:
        what = "assertion failed" if failure.assertion else f"uncaught {shown_value(failure.exception, comma=',')}"
        complain(f"{Span(failure.file, failure.line)}: {what} in {failure.task}")
    if ended.deadlock is not None:
        _tell(ended.deadlock)
    return FINDINGS if ended.failures or ended.deadlock is not None else DONE


def _tell(deadlock: Deadlock) -> None:
    count = len(deadlock.waits)
    complain(f"deadlock: {count} task{'s' if count != 1 else ''} can never go on")
    for line in wait_lines(deadlock, {}):
        complain(f"  {line}")
    if deadlock.cycle:
        complain(f"  wait cycle: {' -> '.join((*deadlock.cycle, deadlock.cycle[0]))}")


def _show(text: str) -> None:
    sys.stdout.write(text)

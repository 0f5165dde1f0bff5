"""Summaries that a user wrote (`--summary FILE`): they take the place of functions of a program, after being checked.

That two cases hold for the same inputs is an error. Inputs for which none holds are told. Where the function is there
and can be run, the summary must agree with it: each of its cases is solved for inputs and run for real.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from everypath.cases.collect import Collector
from everypath.cases.conditions import describe
from everypath.cases.model import CallSuite, Problem, SomeSuite
from everypath.errors import BadInput, Span
from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.search.summaries.lowering import lowered, lowered_check
from everypath.explore.search.summaries.written import Written, read_summaries
from everypath.explore.semantics import Semantics
from everypath.ir.instructions import CallNative, Const, Param, Throw
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY
from everypath.languages.base import EntryPoint, Language, Loaded
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import asdict, replace

_SECONDS = 10.0
_SHOWN = 3
_RANGES = (None, (11, 999), (-999, -11))
"""Where the integers lie with which a summary is tried on the function."""
_BUILTINS = "builtins"
"""the class in which programs look for functions of libraries"""


def written_in(options: Options) -> list[Written]:
    """The summaries in all files that the options name."""
    found: list[Written] = []
    for file in options.summary:
        try:
            text = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"the summaries cannot be read: {error}", Span(file)) from None
        found += read_summaries(file, text)
    return found


def summarise(programs: Iterable[Loaded], language: Language, options: Options) -> list[Problem]:
    """Put the summaries in place of the functions that they name; tells for which inputs they have no case.

    BadInput for a summary of nothing that the programs call, and for one that contradicts itself or the function.
    """
    loaded = list(programs)
    notes: list[Problem] = []
    for written in written_in(options):
        used = False
        for each in loaded:
            method = _summarised(each.program, written)
            if method is None and not _is_called(each.program, written.name):
                continue
            params = _params(written, method)
            if not used:
                semantics = each.subject(each.entries[0]).semantics if each.entries else None
                if semantics is not None:
                    notes += _check_cases(semantics, written, params, method)
                if method is not None and options.validate:
                    _check_code(language, options, written, params, method)
            used = True
            put_in_place(each.program, written, method, params)
        if not used and loaded:
            raise BadInput(f"no code of the targets defines or calls {written.name}", written.span)
    return notes


def install(loaded: Loaded, options: Options) -> None:
    """Put summaries that were checked before in place of the functions that they name."""
    for written in written_in(options):
        method = _summarised(loaded.program, written)
        if method is not None or _is_called(loaded.program, written.name):
            put_in_place(loaded.program, written, method, _params(written, method))


def put_in_place(program: Program, written: Written, method: Method | None, params: tuple[Param, ...]) -> None:
    """Let calls of the function execute the summary."""
    made = lowered(written, program, params, method)
    if method is not None:
        program.classes[method.cls].methods[method.name] = made
        program.summarised.add(method.span.file)
    elif _BUILTINS in program.classes:
        program.classes[_BUILTINS].methods[written.name] = replace(made, cls=_BUILTINS)
    else:
        raise BadInput(f"{written.name} is not part of the program", written.span)


def _summarised(program: Program, written: Written) -> Method | None:
    """The method of the program that a summary is about; None if there is none of this name."""

    def names(method: Method) -> bool:
        qualified = f"{method.cls}.{method.name.partition('(')[0]}"
        return qualified == written.name or qualified.endswith(f".{written.name}")

    found = [method for method in program.methods() if names(method)]
    if len(found) > 1:
        fitting = [method for method in found if len(method.params) == len(written.params)]
        if len(fitting) != 1:
            listed = ", ".join(method.qualified for method in found[:_SHOWN])
            raise BadInput(f"{written.name} may be {listed}; write more of its name", written.span)
        found = fitting
    return found[0] if found else None


def _is_called(program: Program, name: str) -> bool:
    """Whether some code calls a function of a library by this name."""
    for method in program.methods():
        for block in method.blocks.values():
            if any(isinstance(each, CallNative) and each.name == name for each in block.instructions):
                return True
    return False


def _params(written: Written, method: Method | None) -> tuple[Param, ...]:
    if method is None:
        return tuple(Param(name, ANY) for name in written.params)
    if len(method.params) != len(written.params):
        takes = ", ".join(param.name for param in method.params)
        message = f"{written.name} takes ({takes}), and the summary is about ({', '.join(written.params)})"
        raise BadInput(message, written.span)
    return tuple(replace(param, name=name) for param, name in zip(method.params, written.params))


def _check_cases(
    semantics: Semantics, written: Written, params: tuple[Param, ...], method: Method | None
) -> list[Problem]:
    """Look for inputs of two cases, which is an error, and of none, which is told."""
    options = Options(limits=Limits(time=_SECONDS))
    check = lowered_check(written, semantics.program, params, method)
    subject = Subject(semantics, check, check.cls)
    gaps: dict[str, None] = {}
    never = set(range(len(written.cases)))
    for found in begin(subject, options, OpenInputs(bounds_of(options.limits))).paths():
        outcome = found.state.outcome
        where = ", ".join(describe(found.state)) or "all inputs"
        if isinstance(outcome, Uncaught):
            error = outcome.cls.rpartition(".")[2]
            said = f"a condition of the summary of {written.name} raises {error} ({where}); test what it needs first"
            raise BadInput(said, outcome.span if outcome.span.line else written.span)
        if not isinstance(outcome, Finished) or not isinstance(outcome.value, int):
            never.clear()
            continue
        holding = [number for number in range(len(written.cases)) if outcome.value >> number & 1]
        never.difference_update(holding)
        if len(holding) > 1:
            first, second = (written.cases[number].span for number in holding[:2])
            message = f"the cases at lines {first.line} and {second.line} both hold where {where}"
            raise BadInput(f"the summary of {written.name} contradicts itself: {message}", second)
        if not holding:
            gaps.setdefault(where)
    if never:
        span = written.cases[min(never)].span
        raise BadInput(f"the summary of {written.name} contradicts itself: this case holds for no inputs", span)
    if not gaps or method is None:
        return []
    listed = "; ".join(list(gaps)[:_SHOWN]) + (f"; and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else "")
    message = f"the summary of {written.name} has no case where {listed}; paths with such a call are not followed"
    return [Problem("note", written.span.file, written.span.line, message)]


def _check_code(
    language: Language, options: Options, written: Written, params: tuple[Param, ...], method: Method
) -> None:
    """Run the function on inputs of each case, if it is there and can be run."""
    if _is_stub(method):
        return
    try:
        loaded, entry, target = _entry_of(language, options, method)
    except BadInput:
        return
    subject = loaded.subject(entry)
    made = lowered(written, subject.program, params, subject.method)
    runtime = language.runtime(options)
    limits = replace(options.limits, time=_SECONDS)
    for values in _RANGES:
        # One solution of a case may agree by accident.
        limited = replace(options, limits=limits, solver=replace(options.solver, int_range=values))
        suite = CallSuite(target, asdict(options))
        collector = Collector(entry.case_entry(), suite, loaded.describer())
        for found in begin(replace(subject, method=made), limited, OpenInputs(bounds_of(limits))).paths():
            collector.add(found)
        collector.finish(())
        for again in runtime.run_again(loaded, cast("SomeSuite", suite), suite.cases):
            if again.wrong:
                where = " and ".join(again.case.condition) or "all inputs"
                message = f"the summary of {written.name} contradicts the function where {where}: {again.wrong}"
                raise BadInput(message, written.span)


def _entry_of(language: Language, options: Options, method: Method) -> tuple[Loaded, EntryPoint, str]:
    cls = method.cls.rpartition(".")[2]
    for member in (method.name, f"{cls}.{method.name}"):
        target = f"{method.span.file}::{member}"
        try:
            loaded = language.loader(options)(target)
        except BadInput:
            continue
        entry = next((e for e in loaded.entries if e.method == method.name and not e.problems), None)
        if entry is not None:
            return loaded, entry, target
    raise BadInput(f"{method.qualified} cannot be called alone", method.span)


def _is_stub(method: Method) -> bool:
    """Whether a function only says that it is elsewhere: it raises, or returns a constant."""
    blocks = list(method.blocks.values())
    if len(blocks) != 1:
        return False
    return isinstance(blocks[0].terminator, Throw) or all(isinstance(each, Const) for each in blocks[0].instructions)

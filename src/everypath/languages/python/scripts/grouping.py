"""Which cases share one test function, parametrised or one after the other, and what every function is called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from everypath.cases.minimise import is_alone, sharing
from everypath.cases.model import CallCase, Entry, Literal, Returned, TupleValue, Value, Written
from everypath.languages.python.scripts.graph import is_nan
from everypath.languages.python.scripts.variables import snake_case, unique
from everypath.records import dataclass

SMALLEST_TABLE = 3
"""Fewer cases than this read better as separate functions."""


@dataclass(frozen=True, slots=True)
class Single:
    """A case with a test function of its own."""

    function: str
    case: CallCase


@dataclass(frozen=True, slots=True)
class Table:
    """Cases of one function that differ in literals only, as one parametrised test."""

    function: str
    operator: str
    """how results are compared: `==`, or `is` for None and booleans"""
    rows: tuple[tuple[str, CallCase], ...]
    """(id of the row, case)"""


@dataclass(frozen=True, slots=True)
class Several:
    """Cases of one function that follow each other in one test."""

    function: str
    cases: tuple[CallCase, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """Cases of one function as examples of what holds for all its inputs."""

    function: str
    cases: tuple[CallCase, ...]
    known: tuple[CallCase, ...]
    """all that is known about the function, also what cannot be an example"""


Unit = Single | Table | Several | Property


def arrange_units(
    cases: Sequence[CallCase],
    paths_per_test: int = 1,
    findings_alone: bool = False,
    examples: Collection[str] = (),
) -> list[Unit]:
    """What a file holds, in order: properties that have the `examples`, then findings, then the rest as given."""
    ordered = [c for c in cases if c.finding is not None] + [c for c in cases if c.finding is None]
    taken: set[str] = set()
    properties = list(_properties(ordered, examples, taken)) if examples else []
    rest = [case for case in ordered if case.id not in examples]
    if paths_per_test > 1:
        return [*properties, *_shared(rest, paths_per_test, findings_alone, taken)]
    return [*properties, *_apart(rest, taken)]


def _apart(ordered: Sequence[CallCase], taken: set[str]) -> list[Unit]:
    """A test for each case, but for those that differ in literals only."""
    tables: dict[_TableKey, list[CallCase]] = {}
    for case in ordered:
        key = _table_key(case)
        if key is not None:
            tables.setdefault(key, []).append(case)
    tables = {key: rows for key, rows in tables.items() if len(rows) >= SMALLEST_TABLE}
    clashing = _clashing_entries(ordered)
    units: list[Unit] = []
    for case in ordered:
        key = _table_key(case)
        if key is None or key not in tables:
            units.append(Single(_function_name(case, case.name or case.id, clashing, taken), case))
        elif tables[key][0] is case:
            function = _function_name(case, "", clashing, taken)
            ids: set[str] = set()
            rows = tuple((unique(_identifier(row.name or row.id), ids), row) for row in tables[key])
            units.append(Table(function, key[1], rows))
    return units


def _properties(ordered: Sequence[CallCase], examples: Collection[str], taken: set[str]) -> Iterator[Property]:
    groups: dict[str, list[CallCase]] = {}
    for case in ordered:
        groups.setdefault(case.entry.qualified, []).append(case)
    clashing = _clashing_entries(ordered)
    for group in groups.values():
        chosen = tuple(case for case in group if case.id in examples)
        if chosen:
            yield Property(_function_name(chosen[0], "", clashing, taken), chosen, tuple(group))


def _shared(ordered: Sequence[CallCase], paths_per_test: int, findings_alone: bool, taken: set[str]) -> list[Unit]:
    clashing = _clashing_entries(ordered)
    numbers: dict[tuple[Entry, bool], int] = {}
    units: list[Unit] = []
    alone = [case for case in ordered if findings_alone and case.finding is not None]
    others = [case for case in ordered if case not in alone] if alone else ordered
    for cases in (*((case,) for case in alone), *sharing(others, paths_per_test)):
        case = cases[0]
        found = case.finding is not None
        first = numbers.get((case.entry, found), 0) + 1
        last = numbers[case.entry, found] = first + len(cases) - 1
        if len(cases) == 1:
            units.append(Single(_function_name(case, case.name or case.id, clashing, taken), case))
        else:
            path = f"{'findings' if found else 'paths'}_{first}_to_{last}"
            units.append(Several(_function_name(case, path, clashing, taken), cases))
    return units


def cases_of(unit: Unit) -> tuple[CallCase, ...]:
    """The cases of a test function, in their order."""
    if isinstance(unit, Single):
        return (unit.case,)
    return tuple(case for _, case in unit.rows) if isinstance(unit, Table) else unit.cases


def node_ids(units: Sequence[Unit]) -> dict[str, str]:
    """For each case, the part of its pytest node id after `file::`."""
    found: dict[str, str] = {}
    for unit in units:
        if isinstance(unit, Table):
            found.update((case.id, f"{unit.function}[{row}]") for row, case in unit.rows)
        else:
            found.update((case.id, unit.function) for case in cases_of(unit))
    return found


_TableKey = tuple[Entry, str, tuple[tuple[str, str], ...]]
"""Entry, how results are compared, and which arguments are given in which way."""


def _table_key(case: CallCase) -> _TableKey | None:
    """What the rows of a table have in common, or None for a case that needs a body of its own."""
    outcome = case.expected.outcome
    if case.finding is not None or case.inputs.receiver is not None or not isinstance(outcome, Returned):
        return None
    if case.inputs.heap or case.expected.heap or is_alone(case) or not case.inputs.arguments:
        return None
    if any(kind == "star" or kind == "doublestar" for _, _, kind in case.inputs.arguments):
        return None
    if not all(_literal(value) for _, value, _ in case.inputs.arguments) or not _literal(outcome.value):
        return None
    value = outcome.value
    single = isinstance(value, Literal) and (value.value is None or isinstance(value.value, bool))
    passed = tuple((name, kind) for name, _, kind in case.inputs.arguments)
    return case.entry, "is" if single else "==", passed


def _literal(value: Value) -> bool:
    if isinstance(value, TupleValue):
        return all(_literal(item) for item in value.items)
    return isinstance(value, Written) or (isinstance(value, Literal) and not is_nan(value))


def _clashing_entries(cases: Sequence[CallCase]) -> frozenset[str]:
    """Method names that occur in more than one class, so that the class must be told."""
    homes: dict[str, set[str | None]] = {}
    for case in cases:
        homes.setdefault(_method(case.entry), set()).add(case.entry.cls)
    return frozenset(name for name, classes in homes.items() if len(classes) > 1)


def _method(entry: Entry) -> str:
    if entry.kind == "constructor":
        return snake_case((entry.cls or entry.name).rpartition(".")[2])
    return _identifier(f"set_{entry.name}" if entry.kind == "setter" else entry.name)


def _function_name(case: CallCase, path: str, clashing: frozenset[str], taken: set[str]) -> str:
    method = _method(case.entry)
    words = ["test"]
    if method in clashing and case.entry.cls and case.entry.kind != "constructor":
        words.append(snake_case(case.entry.cls))
    words.append(method)
    if path:
        words.append(_identifier(path))
    return unique("_".join(words), taken)


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_") or "path"

"""What a run came to, one row for each function, and the end of a run on the terminal: what matters most comes first.

Findings, then cases and coverage, what was cut and the options that go further, at last problems and notes.
Rows are kept when the tests themselves are written and gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, TextIO

from everypath.cases.accounts import Stats, Wanted
from everypath.cases.findings import Group, grouped, needed, reached_by, unreached
from everypath.cases.model import Finding, Place, Problem, SomeSuite
from everypath.options import BOUNDS
from everypath.records import dataclass
from everypath.report.lines import Lines, counted, place, problem_line, sentence

if TYPE_CHECKING:
    from rich.console import Console

    from everypath.cases.actors import ActorSuite

_COLUMNS = ("target", "cases", "findings", "branches", "cut", "infeasible", "unsupported", "unknown", "seconds")
NO_BOUNDS: Mapping[str, object] = MappingProxyType({})
_NOWHERE = "<unknown>"
_HEADINGS = ("module", "function", "cases", "findings", "branches", "cut", "problems")
_LEFT = 2
"""How many columns are aligned to the left; the others are numbers."""


@dataclass(frozen=True, slots=True)
class Row:
    """The result for one function, or the reason why there is none."""

    target: str
    module: str
    function: str
    """empty if the reason is about the whole module"""
    cases: int = 0
    observed: int = 0
    """how many of the cases expect what runs have shown, because it could not be predicted"""
    findings: tuple[Group, ...] = ()
    unreached: tuple[Finding, ...] = ()
    """errors that callers are not known to cause"""
    stats: Stats | None = None
    problems: tuple[Problem, ...] = ()
    refused: Problem | None = None
    dependences: int = 0
    """how often the order of messages alone decides the result"""
    wanted: tuple[Wanted, ...] = ()
    """what a selection asked for"""
    branches: tuple[int, int] = (0, 0)
    """how many branches of the function the cases take, and how many there are"""

    @property
    def obstacle(self) -> Problem | None:
        """The reason why there can be no tests at all, if there is one."""
        imports = (problem for problem in self.problems if problem.kind == "import" and not self.cases)
        return self.refused or next(imports, None)


def row_of(suite: SomeSuite, module: str = "") -> Row:
    """The row of a suite; of the cases it keeps only their number and the findings."""
    findings, apart = tuple(grouped(suite.cases)), tuple(unreached(suite.cases))
    function = suite.target.partition("::")[2]
    stopped = (*suite.stats.unsupported, *suite.stats.concretised)
    problems = (*suite.problems, *stopped, *_behind(suite, function, stopped))
    dependences = len(suite.dependences)
    observed = sum(case.observed for case in suite.cases)
    return Row(
        suite.target,
        module,
        function,
        len(suite.cases),
        observed,
        findings,
        apart,
        suite.stats,
        problems,
        None,
        dependences,
        tuple(suite.wanted),
        branches_taken(suite),
    )


def _behind(suite: SomeSuite, function: str, stopped: Sequence[Problem]) -> list[Problem]:
    """Branches without a case in a function where nothing is told: what stopped its paths is told about a callee."""
    taken = {branch for case in suite.cases for branch in case.covers}
    missing = [branch for branch in suite.branches if branch not in taken]
    if not missing or not stopped:
        return []
    file = missing[0].rpartition(":")[0]
    own = [int(line) for branch in suite.branches for line in branch.rpartition(":")[2].split("->")]
    if any(problem.file == file and min(own) <= problem.line <= max(own) for problem in stopped):
        return []
    first = min(int(branch.rpartition(":")[2].partition("->")[0]) for branch in missing)
    count = f"{len(missing)} of {len(suite.branches)} branches from here on have no case"
    place_told = place(stopped[0].file, stopped[0].line)
    return [Problem(stopped[0].kind, file, first, f"{count} in {function}; see what is told of {place_told}")]


def branches_taken(suite: SomeSuite | ActorSuite) -> tuple[int, int]:
    """How many branches of its function the cases of a suite take, and how many there are."""
    taken = {branch for case in suite.cases for branch in case.covers}
    return len(taken.intersection(suite.branches)), len(suite.branches)


def share_text(shares: Iterable[tuple[int, int]]) -> str:
    """How many of all there are; empty where there are none."""
    pairs = list(shares)
    every = sum(all_of for _, all_of in pairs)
    return f"{sum(some for some, _ in pairs)} of {every}" if every else ""


def cut_text(stats: Stats) -> str:
    """How many paths the bounds stopped, and which bounds."""
    parts = [f"{count} {kind}" for kind, count in stats.cut.items() if count]
    return f"{sum(stats.cut.values())} ({', '.join(parts)})" if parts else "0"


def print_rows(
    rows: Sequence[Row],
    stream: TextIO | None = None,
    console: Console | None = None,
    *,
    by_module: bool = False,
    all_errors: bool = False,
    bounds: Mapping[str, object] = NO_BOUNDS,
) -> None:
    """Print the end of a run: findings; a table `by_module`, else all counts of each function; what else is to be told.

    With `all_errors`, also those that callers are not known to bring about. `bounds` are the values of those options
    that say how far paths go, by what they stop.
    """
    lines = Lines(stream, console)
    told = [row for row in rows if row.refused is None]
    refused = [row for row in told if row.obstacle is not None]
    # The table says why there are no tests for some; without it, that goes before everything else.
    first = {} if by_module else dict.fromkeys(map(_obstacle, refused))
    lines.all((problem_line(problem, _NOWHERE) for problem in first), "yellow")
    lines.all(map(_finding_line, _distinct(told)), "bold red")
    lines.all(map(_apart_line, _apart(told) if all_errors else ()))
    if by_module:
        lines.all(_table_lines(rows, lines.room))
    else:
        lines.counts(_COLUMNS, [_counts(row) for row in told])
    lines.all(_shares(told, 1 if by_module else 2))
    lines.all(chain.from_iterable(map(_wanted_lines, told)))
    lines.all(cut_lines((row.stats for row in told if row.stats is not None), bounds))
    listed = [row for row in told if not (by_module and row in refused)]
    lines.all((problem_line(problem, _NOWHERE) for problem in _problems(listed, first)), "yellow")


def _obstacle(row: Row) -> Problem:
    assert row.obstacle is not None
    return row.obstacle


def _apart_line(error: Finding) -> str:
    return f"{_place(error)}: unreached: {error.message}; {needed(error)}"


def _problems(rows: Sequence[Row], told: Collection[Problem]) -> Iterable[Problem]:
    """The problems of all functions, each once, without those that were told already."""
    return dict.fromkeys(problem for row in rows for problem in row.problems if problem not in told)


_FEW = 12
"""Up to so many wanted items without a case are shown."""
_ALL = 4
"""Up to so many wanted items are all shown, with their cases."""


_VERDICTS = ("covered", "infeasible", "not reached", "killed", "survived", "not run")
"""What can become of something wanted; the last three are about mutants."""


def _wanted_lines(row: Row) -> list[str]:
    """What became of the items that a selection asked for: all if they are few, else those that have no case."""
    if not row.wanted:
        return []
    count = Counter(each.verdict for each in row.wanted)
    kinds = ", ".join(f"{count[kind]} {kind}" for kind in _VERDICTS if count[kind])
    stats = row.stats or Stats()
    mutants = any(count[kind] for kind in _VERDICTS[3:])
    effort = f"; {counted(stats.traces, 'trace')} followed, {counted(stats.states, 'state')}" if not mutants else ""
    good = ("covered", "killed")
    shown = row.wanted if len(row.wanted) <= _ALL else [each for each in row.wanted if each.verdict not in good]
    lines = [f"{row.function or row.target}: of {len(row.wanted)} {'mutants' if mutants else 'wanted'} {kinds}{effort}"]
    for each in shown[:_FEW]:
        by = f" by {each.case.partition('::')[2] or each.case}" if each.case else ""
        lines.append(f"  {each.item}: {each.verdict}{by}{f': {each.reason}' if each.reason else ''}")
    if len(shown) > _FEW:
        lines.append(f"  and {len(shown) - _FEW} more, see --format json")
    return lines


def cut_lines(all_stats: Iterable[Stats], bounds: Mapping[str, object]) -> list[str]:
    """What each bound has cut, and the option that goes further."""
    total: Counter[str] = Counter()
    for stats in all_stats:
        total.update(stats.cut)
    found: dict[str, int] = {}
    for kind, count in total.items():
        if count:
            told = _how_cut(kind, bounds.get(kind))
            found[told] = found.get(told, 0) + count
    return [f"{counted(count, 'path')} {told}" for told, count in found.items()]


def _how_cut(kind: str, value: object) -> str:
    option = BOUNDS.get(kind)
    if option is None:
        return f"cut: {kind}"
    if isinstance(value, bool):
        return f"cut: what needs an {kind}; {option} follows them"
    if isinstance(value, str):
        return f"cut by {value}; a larger number goes further"
    known = "" if value is None else f" {str(value).removesuffix('.0')}"
    return f"cut by {option}{known}; a larger number goes further"


def _shares(rows: Sequence[Row], least: int) -> list[str]:
    """For each module with at least so many functions, how many of its cases were observed, if any."""
    modules: dict[str, list[Row]] = {}
    for row in rows:
        modules.setdefault(row.module, []).append(row)
    found = []
    for module, those in modules.items():
        cases, observed = sum(row.cases for row in those), sum(row.observed for row in those)
        if observed and len(those) >= least:
            found.append(f"{module}: {observed} of {cases} cases were observed ({100 * observed / cases:.0f} %)")
    return found


def _counts(row: Row) -> list[str]:
    stats = row.stats or Stats()
    return [
        row.target,
        _cases(row, stats),
        _found(len(row.findings), len(row.unreached)),
        share_text([row.branches]),
        cut_text(stats),
        str(stats.infeasible),
        str(len(stats.unsupported)),
        str(stats.unknown),
        f"{stats.seconds:.2f}",
    ]


def _cases(row: Row, stats: Stats) -> str:
    """The number of cases, of how many, and how many of them were observed."""
    number = f"{row.cases} of {row.cases + stats.left_out}" if stats.left_out else str(row.cases)
    return f"{number} ({row.observed} observed)" if row.observed else number


def _found(findings: int, apart: int) -> str:
    """The number of findings, and of errors that callers are not known to cause."""
    return f"{findings} ({apart} unreached)" if apart else str(findings)


def _distinct(rows: Sequence[Row]) -> list[Group]:
    """The findings of all functions, each once; if several functions lead to one, with what one of them needs."""
    found: dict[Place, Group] = {}
    for row in rows:
        for group in row.findings:
            found.setdefault(group.finding.place, group)
    return list(found.values())


def _apart(rows: Sequence[Row]) -> list[Finding]:
    reached = {group.finding.place for row in rows for group in row.findings}
    found = {error.place: error for row in rows for error in row.unreached if error.place not in reached}
    return list(found.values())


def _place(finding: Finding) -> str:
    return place(finding.file, finding.line) or _NOWHERE


def _finding_line(group: Group) -> str:
    finding = group.finding
    how = f"; reached by {reached_by(group.inputs)}" if group.inputs else ""
    return f"{_place(finding)}: {finding.kind}: {finding.message}{how}"


def _table_lines(rows: Sequence[Row], room: int | None) -> list[str]:
    """The table of a run over several modules, with a line of totals; where it does not fit, two lines for each row."""
    cells = [_cells(row) for row in rows]
    told = [row for row in rows if row.obstacle is None]
    modules = len({row.module for row in rows})
    totals = [
        counted(modules, "module"),
        f"{counted(len(told), 'function')}, {len(rows) - len(told)} refused",
        str(sum(row.cases for row in told)),
        _found(len(_distinct(told)), len(_apart(told))),
        _share(told),
        str(sum(sum(row.stats.cut.values()) for row in told if row.stats is not None)),
        str(sum(len(row.problems) for row in told)),
    ]
    numbers = [line for line in cells if len(line) == len(_HEADINGS)]
    widths = [max(len(line[i]) for line in (list(_HEADINGS), totals, *numbers)) for i in range(len(_HEADINGS))]
    for line in cells:
        widths[0], widths[1] = max(widths[0], len(line[0])), max(widths[1], len(line[1]))
    if room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        return [part for line in (*cells, totals) for part in _stacked(line)]
    ruler = "  ".join("-" * width for width in widths)
    written = [_aligned(list(_HEADINGS), widths), ruler, *(_aligned(line, widths) for line in cells)]
    return [*written, ruler, _aligned(totals, widths)]


def _share(rows: Iterable[Row]) -> str:
    """As `share_text`, in one word."""
    return share_text(row.branches for row in rows).replace(" of ", "/")


def _stacked(cells: Sequence[str]) -> tuple[str, str]:
    """A row of the table as a name and a sentence."""
    module, function, *rest = cells
    name = f"{module}: {function}"
    if len(cells) < len(_HEADINGS):
        return name, f"  {' '.join(rest)}"
    return name, f"  {sentence(('', *_HEADINGS[_LEFT:]), ('', *rest)).removeprefix(': ')}"


def _cells(row: Row) -> list[str]:
    obstacle = row.obstacle
    if obstacle is not None or row.stats is None:
        return [row.module, row.function or "-", f"refused: {_reason(obstacle)}"]
    found = _found(len(row.findings), len(row.unreached))
    cut, problems = sum(row.stats.cut.values()), len(row.problems)
    return [row.module, row.function, str(row.cases), found, _share([row]), str(cut), str(problems)]


def _reason(problem: Problem | None) -> str:
    if problem is None:
        return ""
    kind = "" if problem.kind == "refused" else f"{problem.kind}: "
    return " ".join(f"{place(problem.file, problem.line)}: {kind}{problem.message}".split())


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = [
        cell.ljust(width) if column < _LEFT or len(cells) < len(widths) else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths))
    ]
    return "  ".join(shown).rstrip()

"""How an interleaving is written down: its schedule line by line, its timeline in two columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from everypath.cases.races import Switch, Turn
from everypath.records import dataclass, replace

THREADS = ("A", "B")
_OCCURRENCE = re.compile(r" #(\d+)$")
_LEG = re.compile(r"([AB])(?: until (.+?): (.+))?$", re.DOTALL)
_OPERATIONS = ("read ", "write ", "update ", "acquire ", "release ", "wait on ", "notify ")
_FRAMES = ("enter ", "leave ")
"""Where functions begin and end is clear from the lines."""
_BARS = {None: " | ", 0: "<- ", 1: "-> "}
"""Between the columns: plainly, or where the first or the second thread takes over."""
_TWO_COLUMNS = 56
"""Where lines must be shorter, the threads share one column."""
_KEPT_ROWS = 5
"""Rows shown at both ends of a long stretch of one thread."""

SourceLine = Callable[[str, int], str]
"""The text of a line of a file, empty if there is none."""


def switch_text(switch: Switch) -> str:
    """A leg as a generated test writes it, such as `A until Counter.add: write self.n`."""
    thread = THREADS[switch.thread]
    if switch.function is None or switch.operation is None:
        return thread
    text = f"{thread} until {switch.function}: {switch.operation}"
    # Code that itself ends like a number of occurrences needs one, or it would be read back as such.
    if switch.occurrence != 1 or _OCCURRENCE.search(text):
        text += f" #{switch.occurrence}"
    return text


def parse_switch(text: str) -> Switch:
    """The leg that `switch_text` writes this way; ValueError says what is wrong."""
    leg = _LEG.match(text)
    if leg is None:
        raise ValueError(f"{text!r} is no leg of a schedule; write 'A', or 'A until Class.method: read self.name'")
    thread, function, operation = leg.groups()
    if function is None:
        return Switch(THREADS.index(thread))
    counted = _OCCURRENCE.search(operation)
    if counted is None:
        return Switch(THREADS.index(thread), function, operation)
    return Switch(THREADS.index(thread), function, operation[: counted.start()], int(counted[1]))


Outcome = tuple[str, ...]
"""What both threads and the final state came to, one line each."""


def outcomes(observed: Outcome, serial: Sequence[Outcome]) -> list[tuple[str, Outcome]]:
    """What was seen and what serial orders give, each under its name; orders that give the same are one."""
    if len(set(serial)) == 1:
        return [("observed", observed), ("in either order", serial[0])]
    names = ("A, then B", "B, then A") if len(serial) == 2 else [f"serial order {i + 1}" for i in range(len(serial))]
    return [("observed", observed), *zip(names, serial)]


def affected(pairs: Sequence[tuple[str, str]]) -> str:
    """All pairs of methods that a fault affects, empty where the title has named the only one."""
    return ", ".join(f"{one} with {two}" if one != two else f"two of {one}" for one, two in pairs if len(pairs) > 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a timeline in one of the two columns."""

    thread: int
    text: str
    switched: bool = False
    """the other thread was running just before"""


def operation_rows(turns: Iterable[Turn]) -> list[Row]:
    """What each thread does, operation by operation, with the numbers of the lines; repeated ones once."""
    rows: list[Row] = []
    for turn in turns:
        if turn.text.startswith(_FRAMES):
            continue
        number = f"{turn.line}: " if turn.line and _is_operation(turn) else ""
        rows.append(Row(turn.thread, f"{number}{_one_line(turn.text)}"))
    return _marked(rows)


def source_rows(turns: Sequence[Turn], source: SourceLine) -> list[Row]:
    """The source lines that each thread executes; where a switch cuts in, also the operations on the line."""
    rows: list[Row] = []
    groups = _by_line([turn for turn in turns if not turn.text.startswith(_FRAMES)])
    main = _main_file(turns)
    for position, group in enumerate(groups):
        first = group[0]
        text = source(first.file, first.line).strip() if first.line else ""
        if not text or not _is_operation(first):
            rows += operation_rows(group)
            continue
        place = f"{first.line}" if first.file == main else f"{first.file.rpartition('/')[2]}:{first.line}"
        rows.append(Row(first.thread, f"{place}: {_one_line(text)}"))
        if _at_a_switch(groups, position):
            done = dict.fromkeys(_one_line(turn.text) for turn in group)
            rows.append(Row(first.thread, f"{' ' * len(place)}    ({', '.join(done)})"))
    return _marked(rows)


def columns(rows: Sequence[Row], width: int) -> list[str]:
    """The rows as text: a column for each thread, or one for both where lines must be short."""
    if width >= _TWO_COLUMNS:
        return two_columns(rows, width)
    lines: list[str] = []
    for row in _shortened(rows):
        lines += [f"-- thread {'AB'[row.thread]} --"] if row.switched or not lines else []
        lines += _wrapped(row.text, width)
    return lines


def two_columns(rows: Sequence[Row], width: int) -> list[str]:
    """The rows as text, the first thread on the left, long ones wrapped and long stretches cut in the middle."""
    column = max((width - len(_BARS[None])) // 2, 20)
    lines = [_line("thread A", "thread B", column, None), _line("-" * column, "-" * column, column, None)]
    for row in _shortened(rows):
        mark: int | None = row.thread if row.switched else None
        for part in _wrapped(row.text, column):
            left, right = (part, "") if row.thread == 0 else ("", part)
            lines.append(_line(left, right, column, mark))
            mark = None
    return lines


def _line(left: str, right: str, column: int, mark: int | None) -> str:
    return f"{left:<{column}}{_BARS[mark]}{right}".rstrip()


def _wrapped(text: str, column: int) -> list[str]:
    """The text in pieces that fit, cut between words where possible; what goes on is indented below its beginning."""
    indent = " " * min(len(text) - len(text.lstrip(" ")) + 4, column // 2)
    pieces: list[str] = []
    while len(text) > column:
        space = text.rfind(" ", len(indent) + 1, column + 1)
        cut = space if space > column // 2 else column
        pieces.append(text[:cut].rstrip())
        text = indent + text[cut:].lstrip()
    return [*pieces, text]


def _marked(rows: Sequence[Row]) -> list[Row]:
    """The same rows, those marked before which the threads switched."""
    marked: list[Row] = []
    for row in rows:
        switched = bool(marked) and marked[-1].thread != row.thread
        marked.append(replace(row, switched=switched))
    return marked


def _shortened(rows: Sequence[Row]) -> list[Row]:
    stretches: list[list[Row]] = []
    for row in rows:
        if row.switched or not stretches:
            stretches.append([])
        stretches[-1].append(row)
    kept: list[Row] = []
    for stretch in stretches:
        left_out = len(stretch) - 2 * _KEPT_ROWS
        if left_out > 1:
            middle = Row(stretch[0].thread, f"... {left_out} more ...")
            stretch = [*stretch[:_KEPT_ROWS], middle, *stretch[-_KEPT_ROWS:]]
        kept += stretch
    return kept


def _by_line(turns: Sequence[Turn]) -> list[list[Turn]]:
    groups: list[list[Turn]] = []
    for turn in turns:
        last = groups[-1][-1] if groups else None
        if last is not None and _same_line(last, turn) and turn.line and _is_operation(last) == _is_operation(turn):
            groups[-1].append(turn)
        else:
            groups.append([turn])
    return groups


def _is_operation(turn: Turn) -> bool:
    return turn.text.startswith(_OPERATIONS)


def _same_line(one: Turn, other: Turn) -> bool:
    return (one.thread, one.file, one.line) == (other.thread, other.file, other.line)


def _at_a_switch(groups: Sequence[list[Turn]], position: int) -> bool:
    thread = groups[position][0].thread
    around = [groups[i][0].thread for i in (position - 1, position + 1) if 0 <= i < len(groups)]
    return any(other != thread for other in around)


def _main_file(turns: Sequence[Turn]) -> str:
    """The file in which most happens: its lines need no name."""
    files = [turn.file for turn in turns if turn.line]
    return max(dict.fromkeys(files), key=files.count, default="")


def _one_line(text: str) -> str:
    return " ".join(text.split())

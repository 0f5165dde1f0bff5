"""Schedules of actor programs as text: who runs what in which order, one schedule alone or two side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.cases.actor_wording import differences
from everypath.cases.actors import ActorCase

_BAR = " | "
_KEPT_BEFORE = 3
"""How many equal steps are shown before two schedules part."""
_MOST_AFTER = 30
"""How many steps are shown from where two schedules part."""
_TWO_COLUMNS = 56
"""Where lines must be shorter, one schedule is put below the other."""


def schedule_lines(case: ActorCase, names: Mapping[str, str], width: int) -> list[str]:
    """The steps in order, as many on a line as fit; steps of one task in a row are shown once, with their number."""
    lines: list[str] = []
    line = "schedule:"
    for text in _counted([names.get(turn.task, turn.task) for turn in case.schedule]):
        added = f"{line}{' ' if line.endswith(':') else ', '}{text}"
        if len(added) > width and not line.endswith(":"):
            lines.append(f"{line},")
            added = f"{' ' * len('schedule:')} {text}"
        line = added
    return [*lines, line]


def _counted(texts: Sequence[str]) -> list[str]:
    found: list[tuple[str, int]] = []
    for text in texts:
        if found and found[-1][0] == text:
            found[-1] = (text, found[-1][1] + 1)
        else:
            found.append((text, 1))
    return [text if times == 1 else f"{text} x {times}" for text, times in found]


def compared(first: ActorCase, second: ActorCase, names: Mapping[str, str], width: int) -> list[str]:
    """Two schedules of the same input and what differs at the end, side by side where there is room for it."""
    show = side_by_side if width >= _TWO_COLUMNS else _one_below_the_other
    return show(first, second, names, width)


def _one_below_the_other(first: ActorCase, second: ActorCase, names: Mapping[str, str], width: int) -> list[str]:
    schedules = [[names.get(turn.task, turn.task) for turn in case.schedule] for case in (first, second)]
    rows = _rows(schedules[0], schedules[1], _common(*schedules))
    ends = [(f"{what} is {one}", f"{what} is {other}") for what, one, other in differences(first, second, names)]
    lines: list[str] = []
    for side, case in enumerate((first, second)):
        lines += [case.id, *(f"  {row[side]}" for row in rows if row[side]), *(f"  -> {end[side]}" for end in ends)]
    return lines


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many steps two schedules begin alike."""
    return next((i for i, (one, other) in enumerate(zip(left, right)) if one != other), min(len(left), len(right)))


def side_by_side(first: ActorCase, second: ActorCase, names: Mapping[str, str], width: int) -> list[str]:
    """Two schedules of the same input in two columns, and what differs at the end."""
    left, right = ([names.get(turn.task, turn.task) for turn in case.schedule] for case in (first, second))
    column = max((width - len(_BAR)) // 2, 20)
    rows = _rows(left, right, _common(left, right))
    ends = [(f"{what} is {one}", f"{what} is {other}") for what, one, other in differences(first, second, names)]
    widest = max(len(cell) for row in [*rows, *ends, (first.id, second.id)] for cell in row)
    column = min(column, max(widest, 20))
    lines = [_line(first.id, second.id, column), _line("-" * column, "-" * column, column)]
    lines += [line for one, other in rows for line in _wrapped(one, other, column)]
    if ends:
        lines.append(_line("-" * column, "-" * column, column))
        lines += [line for one, other in ends for line in _wrapped(one, other, column)]
    return lines


def _rows(left: Sequence[str], right: Sequence[str], same: int) -> list[tuple[str, str]]:
    """The numbered steps; a long equal beginning and a long rest are left out."""
    start = same - _KEPT_BEFORE if same > 2 * _KEPT_BEFORE else 0
    rows = [(f"... {start} equal steps ...",) * 2] if start else []
    end = min(max(len(left), len(right)), same + _MOST_AFTER)
    digits = len(str(end))
    for i in range(start, end):
        mark = "*" if i == same else " "
        cells = [f"{i + 1:>{digits}}{mark} {side[i]}" if i < len(side) else "" for side in (left, right)]
        rows.append((cells[0], cells[1]))
    more = [len(side) - end for side in (left, right)]
    if max(more) > 0:
        rows.append((_more(more[0]), _more(more[1])))
    return rows


def _more(count: int) -> str:
    return f"... {count} more steps ..." if count > 0 else ""


def _wrapped(left: str, right: str, column: int) -> list[str]:
    """Both cells, broken into as many lines as the longer one needs."""
    pieces = [[text[i : i + column] for i in range(0, len(text), column)] or [""] for text in (left, right)]
    height = max(map(len, pieces))
    cells = [[*side, *[""] * (height - len(side))] for side in pieces]
    return [_line(one, other, column) for one, other in zip(*cells, strict=True)]


def _line(left: str, right: str, column: int) -> str:
    return f"{left:<{column}}{_BAR}{right}".rstrip()

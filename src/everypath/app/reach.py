"""The command `reach`: the shortest test that executes a line, or why there is none."""

from __future__ import annotations

from pathlib import Path

from everypath.app.exit_codes import DONE, FINDINGS, NOTHING_USEFUL
from everypath.app.heads import head_of, refuse_foreign
from everypath.app.origins import read_text
from everypath.app.outputs import behind_links, check_writable, write_text
from everypath.errors import BadInput, Span
from everypath.generate.reach import Reached, reach
from everypath.languages.every import one_language
from everypath.options import POINTS, Options
from everypath.report.lines import counted
from everypath.report.streams import complain, say


def reach_command(file: str, line: int, starts: tuple[str, ...], options: Options) -> int:
    """Search, and print the test; the exit code is 1 where it is proved that there is none."""
    language = one_language(starts or (file,))
    if options.output is not None:
        check_writable(Path(options.output))
        _refuse_others(Path(options.output), language.formats[0])
    found = reach(file, line, starts, options, language)
    if found.case is None or found.module is None:
        for text in _why_not(found):
            complain(text)
        return FINDINGS if found.infeasible else NOTHING_USEFUL
    found.module.earlier = "" if options.output is None else read_text(Path(options.output)).strip()
    written = language.writer(language.formats[0]).render([found.module], _place(options))
    way = next(way for way in found.ways if way.entry.qualname == found.case.entry.qualified)
    chain = "directly" if not way.calls else f"through {counted(way.calls, 'call')}"
    complain(f"{_shown(found)}: reached {chain} from {way.entry.qualname}, in {len(found.case.trace)} lines")
    if options.output is None:
        say(written.text.removesuffix("\n"))
    else:
        write_text(behind_links(Path(options.output)), written.text)
        complain(f"wrote {options.output}")
    return DONE


def _refuse_others(path: Path, format: str) -> None:
    """The one test would take the place of all others: only a file that holds such a test is made again."""
    refuse_foreign(path, format)
    head = head_of(path)
    if head is not None and head.origin is not None and not any(map(_is_point, head.origin.settings)):
        raise BadInput("holds all tests of its functions, not those of a line; choose another -o", Span(str(path)))


def _is_point(word: str) -> bool:
    return word.startswith(POINTS)


def _place(options: Options) -> Path | None:
    return None if options.output is None else Path(options.output)


def _shown(found: Reached) -> str:
    return f"{found.point[0]}:{found.point[1]}"


def _why_not(found: Reached) -> list[str]:
    """What is known about a line for which there is no test."""
    within = f"within --loops {found.loops}"
    if found.proof:
        return [f"{_shown(found)}: no entry reaches it {within}: {found.proof} excludes it whatever its arguments are"]
    names = ", ".join(way.entry.qualname for way in found.ways)
    if found.infeasible:
        return [f"{_shown(found)}: no entry reaches it {within}: proved for {names}"]
    reasons = dict.fromkeys(each.reason or each.verdict for each in found.left if each.verdict != "infeasible")
    told = [f"{_shown(found)}: not reached, and not excluded either, from {names or 'any entry'}"]
    told += [f"  {reason}" for reason in reasons]
    told += [f"  not searched: {problem}" for problem in found.refused]
    if found.skipped:
        told.append(f"  there was no time for {counted(found.skipped, 'function')}; raise --total-time")
    return told

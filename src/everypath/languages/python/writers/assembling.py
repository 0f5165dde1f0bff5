"""Puts a file of tests together: its head, its tests, and what a person has written into the file before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import not_

from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.writers.ownership import SHARED, Block, Earlier, marked, signed


def assembled(
    docstring: Sequence[str],
    imports: Imports,
    made: Sequence[Block],
    earlier: Earlier,
    order: Sequence[str] = (),
    import_path: str | None = None,
    several: bool = False,
) -> str:
    """The text of a file: findings first, then the other tests in the order of the source, then a person's own.

    What was made for `several` targets is in the order of these.
    """
    theirs = {block.name: block for block in earlier.theirs if block.name}
    stay = [block for block in earlier.ours if block.name not in theirs]
    ours = _in_order([*made, *stay], order) if stay or several else made
    ours = _as_before(ours, earlier.order)
    extra = _kept_imports(imports, earlier)
    head = imports.lines(import_path=import_path)
    lines = [*earlier.top, *docstring]
    for part in (earlier.head, [*head, *(["", *extra] if extra else [])]):
        lines += ["", *part] if part else []
    serving = _statements(head)
    end = signed([*serving, *ours], earlier.sums) if ours else []
    there = {block.text for block in serving}
    written = [block for block in earlier.theirs if block.text not in there]
    for part in (*_bodies(ours, written, theirs), earlier.end, end):
        lines += ["", "", *part] if part else []
    return "\n".join(lines) + "\n"


def _bodies(ours: Sequence[Block], written: Sequence[Block], theirs: Mapping[str, Block]) -> Iterator[list[str]]:
    """What serves all tests, the tests (as a person has changed them, where one has), and what a person has added."""
    tests = [block for block in ours if block.owner != SHARED]
    generated = {block.name for block in tests}
    added = [marked(block, replaces=False) for block in written if block.name not in generated]
    serving = [not block.is_test for block in written if block.name not in generated]
    yield from (block.text.splitlines() for block in ours if block.owner == SHARED)
    yield from compress(added, serving)
    for block in tests:
        own = theirs.get(block.name)
        yield block.text.splitlines() if own is None else marked(own, replaces=True)
    yield from compress(added, map(not_, serving))


def told(earlier: Earlier) -> str:
    """What the user should know about what was in the file before."""
    said = []
    kept = [block.name for block in earlier.theirs if block.is_test]
    if kept:
        said.append(f"kept {_listed(kept)} as written by hand")
    if earlier.gone:
        said.append(f"removed {_listed(earlier.gone)}, whose functions are gone")
    return "".join(f"; {each}" for each in said)


def _listed(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _in_order(blocks: Sequence[Block], order: Sequence[str]) -> list[Block]:
    """Findings first, then by function as the source has them; tests of one function as they come."""
    place = {owner: number for number, owner in enumerate(order)}
    # A function that the text does not define, such as a generated constructor, stays beside what it was made with.
    known = [place.get(block.owner) for block in blocks]
    last = -1
    numbers = []
    for number in known:
        last = last if number is None else number
        numbers.append(last)
    ranked = sorted(zip(blocks, numbers), key=lambda each: (not each[0].finding, each[1]))
    return [block for block, _ in ranked]


def _as_before(blocks: Sequence[Block], before: Sequence[str]) -> Sequence[Block]:
    """The functions in the order that they had in the file before, however code was moved since.

    The tests of one that was not there come behind those of the function that is in front of it now.
    """
    now = list(dict.fromkeys(block.owner for block in blocks))
    there = set(now)
    merged = [owner for owner in before if owner in there]
    if not merged or merged == now:
        return blocks
    for number, owner in enumerate(now):
        if owner not in merged:
            merged.insert(merged.index(now[number - 1]) + 1 if number else 0, owner)
    place = {owner: number for number, owner in enumerate(merged)}
    return sorted(blocks, key=lambda block: (not block.finding, place[block.owner]))


def _kept_imports(imports: Imports, earlier: Earlier) -> list[str]:
    """Have the file import what kept tests need; give the statements that it would not write by itself."""
    extra: dict[str, None] = {}
    for each in earlier.imports:
        if each.plain and not each.head:
            imports.module(each.module)
        elif each.plain and imports.spelling(each.module, each.head) == each.local:
            imports.name(each.module, each.head)
        else:
            extra[each.text] = None
    return list(extra)


def _statements(head: Sequence[str]) -> list[Block]:
    """What the head of a file does besides importing."""
    tree = ast.parse("\n".join(head))
    others = (node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom)))
    return [Block("", "\n".join(head[node.lineno - 1 : node.end_lineno]), SHARED) for node in others]

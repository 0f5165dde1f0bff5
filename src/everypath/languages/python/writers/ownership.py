"""Which tests of a generated file are ours and which a person has written or edited, so that none of theirs is lost.

A file ends with a checksum for each test, by the function that the test is about. A statement at the top of the file
whose checksum is not among them is a person's: it is kept when the file is made again. Checksums are about what
a statement means and about the comments in it, so that a formatter may change the layout.

    # Checksums of the tests as generated; those that were changed or added since are kept.
    # Cart.add: 5f1c09aa 83b0d112
"""

from __future__ import annotations

import ast
import re
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Sequence

from everypath.errors import BadInput
from everypath.languages.python.scripts.layout import wrapped
from everypath.records import dataclass, field

TITLE = "# Checksums of the tests as generated; those that were changed or added since are kept."
_WIDTH = 88
_CHECKSUMS = re.compile(r"# (?P<owner>\S+)(?P<findings> findings)?:(?P<sums>(?: [0-9a-f]{8})+)")
_ODD = re.compile(r"[^\w.:<>()-]")
_UNSEEN = frozenset(("ctx", "kind", "type_comment"))
"""Fields of the syntax tree that say nothing, or not the same in every version of Python."""
MARK = "# kept: "
"""Begins the comment above what a person has written."""
SHARED = "(all)"
"""The owner of what serves all tests of a file."""

_Owners = dict[str, tuple[str, bool]]
"""checksum -> owner, and whether it is a test of a finding"""


@dataclass(frozen=True, slots=True)
class Block:
    """A statement at the top level of a file, with the comments above it."""

    name: str
    """of the function or class; empty for other statements"""
    text: str
    owner: str = ""
    """what its test is about, if it is as it was generated"""
    finding: bool = False
    """whether its test is about a finding; these come first in a file"""
    names: frozenset[str] = frozenset()
    """every name that it mentions"""

    @property
    def is_test(self) -> bool:
        """Whether pytest collects it."""
        return self.name.startswith(("test", "Test"))


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a file imports."""

    module: str
    head: str
    """what is imported from the module; empty for the module itself"""
    local: str
    plain: bool
    """whether it is written as one name of one module, which other files would write in the same way"""
    text: str


@dataclass(slots=True)
class Earlier:
    """What stays of the file that is made again."""

    theirs: list[Block] = field(default_factory=list)
    """written or edited by a person"""
    ours: list[Block] = field(default_factory=list)
    """as generated, about functions that are not generated for again"""
    gone: list[str] = field(default_factory=list)
    """names of tests as generated whose functions no longer exist"""
    imports: list[Import] = field(default_factory=list)
    """what these need"""
    top: list[str] = field(default_factory=list)
    """comments above the docstring"""
    head: list[str] = field(default_factory=list)
    """comments among the imports"""
    end: list[str] = field(default_factory=list)
    """comments after the last statement"""
    sums: list[str] = field(default_factory=list)
    """the lines with checksums"""

    @property
    def order(self) -> list[str]:
        """What its tests are about, in the order of the file; findings come first there, and so do not count."""
        found = [match for match in map(_CHECKSUMS.fullmatch, self.sums) if match is not None]
        plain = [match["owner"] for match in found if match["findings"] is None]
        return list(dict.fromkeys((*plain, *(match["owner"] for match in found))))


def owner_name(text: str) -> str:
    """What a function or class is called among the checksums: one word that can do no harm in a comment."""
    return _ODD.sub("_", text)


def signed(blocks: Iterable[Block], before: Iterable[str] = ()) -> list[str]:
    """The end of a file: the checksums of what was generated, by function.

    Lines that were there `before` stay where all that they tell still holds: a file that grows has new lines only.
    """
    by_owner: dict[str, list[str]] = {}
    for block in blocks:
        owner = f"{block.owner} findings" if block.finding else block.owner
        by_owner.setdefault(owner, []).append(_checksum(block.text))
    known: dict[str, list[str]] = {}
    for line in before:
        known.setdefault(line[2:].rpartition(":")[0], []).append(line)
    told = [TITLE]
    for owner, sums in by_owner.items():
        for line in known.get(owner, ()):
            listed = line.rpartition(":")[2].split()
            if sums[: len(listed)] == listed:
                told.append(line)
                del sums[: len(listed)]
        if not sums:
            continue
        told += wrapped(" ".join(sums), _WIDTH, f"# {owner}: ", f"# {owner}: ")
    return told


def read_earlier(text: str, goes_on: Callable[[str], bool], exists: Callable[[str], bool]) -> Earlier:
    """What of a file stays when it is made again.

    `goes_on` says of an owner whether its tests stay as they are, `exists` whether there still is such a function.
    """
    tree = _parsed(text)
    owners = _owners(text)
    if not owners and any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body):
        advice = "remove it to make it anew, or choose another -o"
        raise BadInput(f"does not tell which of its tests were generated and which you have written; {advice}")
    earlier = Earlier(sums=list(filter(_CHECKSUMS.fullmatch, text.splitlines())))
    imports: list[Import] = []
    # People also write below the checksums.
    lines = ["" if line == TITLE or _CHECKSUMS.fullmatch(line) else line for line in text.splitlines()]
    for node, above, block in _blocks(tree, lines, owners):
        if node is tree.body[0] and ast.get_docstring(tree) is not None:
            earlier.top = above
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports += _imported(node, block.text)
            earlier.head += above
        elif not block.owner:
            earlier.theirs.append(block)
        elif block.owner != SHARED:
            if goes_on(block.owner):
                earlier.ours.append(block)
            elif not exists(block.owner):
                earlier.gone.append(block.name)
    earlier.end = _written(lines[tree.body[-1].end_lineno or 0 :]) if tree.body else []
    needed = frozenset[str]().union(*(block.names for block in (*earlier.theirs, *earlier.ours)))
    earlier.imports = [each for each in imports if each.local in needed]
    return earlier


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        raise BadInput(f"is no valid Python{line}; repair or remove it, it is not overwritten") from None


def lacking(text: str) -> set[str]:
    """The owners of which a file does not hold all tests as they were generated: some were edited, or are gone."""
    try:
        tree = _parsed(text)
    except BadInput:
        return set()
    owners = _owners(text)
    lines = ["" if line == TITLE or _CHECKSUMS.fullmatch(line) else line for line in text.splitlines()]
    there = {_checksum(block.text) for _, _, block in _blocks(tree, lines, owners) if block.owner}
    return {owner for each, (owner, _) in owners.items() if each not in there}


def marked(block: Block, replaces: bool) -> list[str]:
    """The lines of a person's block, which say so."""
    lines = block.text.splitlines()
    if any(line.startswith(MARK) for line in lines):
        return lines
    return [f"{MARK}{'edited' if replaces else 'written'} by hand", *lines]


def _owners(text: str) -> _Owners:
    matches = filter(None, map(_CHECKSUMS.fullmatch, text.splitlines()))
    return {
        each: (match["owner"], match["findings"] is not None) for match in matches for each in match["sums"].split()
    }


def _blocks(tree: ast.Module, lines: Sequence[str], owners: _Owners) -> Iterator[tuple[ast.stmt, list[str], Block]]:
    """The statements of a file, each with the comments above it."""
    ended = 0
    for node in tree.body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        above = _written(lines[ended : first - 1])
        ended = node.end_lineno or node.lineno
        body = "\n".join(lines[first - 1 : ended])
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        source = body if is_import else "\n".join([*above, body])
        names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        owner, finding = ("", False) if is_import else owners.get(_checksum(source), ("", False))
        yield node, above, Block(getattr(node, "name", ""), source, owner, finding, names)


def _written(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _imported(node: ast.Import | ast.ImportFrom, text: str) -> Iterator[Import]:
    for alias in node.names:
        local = alias.asname or alias.name.partition(".")[0]
        if isinstance(node, ast.Import):
            plain = alias.asname is None and "." not in alias.name
            yield Import(alias.name, "", local, plain, text)
        else:
            plain = not node.level and alias.name != "*"
            yield Import(node.module or "", alias.name, local, plain, text)


def _checksum(source: str) -> str:
    """Of the meaning of a statement and of its comments, whatever their layout."""
    comments = [line[line.index("#") :].rstrip() for line in source.splitlines() if "#" in line]
    shown = f"{_shape(ast.parse(source))}{comments}"
    return f"{crc32(shown.encode('utf-8', 'backslashreplace')):08x}"


def _shape(part: object) -> str:
    """A syntax tree as text, without what differs between versions of Python or says where things stand."""
    if isinstance(part, ast.AST):
        fields = [f"{name}={_shape(value)}" for name, value in ast.iter_fields(part) if _says_something(name, value)]
        return f"{type(part).__name__}({','.join(fields)})"
    if isinstance(part, list):
        return f"[{','.join(map(_shape, part))}]"
    return repr(part)


def _says_something(name: str, value: object) -> bool:
    return name not in _UNSEEN and (isinstance(value, (ast.AST, str, bytes, int, float)) or bool(value))

"""Parses every source text once in a run, whoever needs its syntax.

Planning only looks at the syntax of a file, before the front end translates it. The front end changes what it
translates (private names are written out, members of stub files are added), so it takes the tree away.
"""

from __future__ import annotations

import ast

_MOST = 32
"""Trees are large: a plan over more files than that is not worth keeping them all."""
_trees: dict[bytes, ast.Module] = {}
"""source -> a tree that nobody has changed"""


def shared_tree(source: bytes) -> ast.Module:
    """The syntax of a text, to be looked at; raises what `ast.parse` raises."""
    if source not in _trees:
        while len(_trees) >= _MOST:
            del _trees[next(iter(_trees))]
        _trees[source] = ast.parse(source)
    return _trees[source]


def own_tree(source: bytes, file: str) -> ast.Module:
    """The syntax of a text, for the caller to change; raises what `ast.parse` raises."""
    return _trees.pop(source) if source in _trees else ast.parse(source, filename=file)

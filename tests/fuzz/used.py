"""Leaves out what a program's function does not use: translating it is half of the work on a program."""

from __future__ import annotations

import ast

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def only_used(source: str) -> str:
    """The program without functions and classes that `f` cannot come by.

    A subclass stays with its base, since an input may be an object of either, and so does what other statements use.
    """
    tree = ast.parse(source)
    definitions = {node.name: node for node in tree.body if isinstance(node, _Definition)}
    mentioned = {name: _names(node) for name, node in definitions.items()}
    bases = {
        name: frozenset().union(*map(_names, node.bases))
        for name, node in definitions.items()
        if isinstance(node, ast.ClassDef)
    }
    kept = {"f"}
    waiting = [_names(node) for node in tree.body if not isinstance(node, _Definition)] + [mentioned["f"]]
    while waiting:
        new = (waiting.pop() & definitions.keys()) - kept
        kept |= new
        extending = {name for name, above in bases.items() if above & kept} - kept
        waiting += [mentioned[name] for name in new] + ([frozenset(extending)] if extending else [])
    lines = source.splitlines(keepends=True)
    for name, node in definitions.items():
        if name not in kept:
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            lines[start - 1 : node.end_lineno] = [""] * ((node.end_lineno or start) - start + 1)
    return "".join(lines)


def _names(node: ast.AST) -> frozenset[str]:
    """Every word of a piece of code that may be a name: annotations may be texts."""
    return frozenset(
        word
        for each in ast.walk(node)
        for word in (
            (each.id,)
            if isinstance(each, ast.Name)
            else each.value.replace("[", " ").replace("]", " ").split()
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
            else ()
        )
    )

"""Which constructs of Python's grammar are translated, and what is said about those that are not."""

from __future__ import annotations

import ast

UNSUPPORTED: dict[str, str] = {
    "AsyncFor": "`async for` is not supported",
    "AsyncFunctionDef": "`async def` is not supported",
    "AsyncWith": "`async with` is not supported",
    "Await": "`await` is not supported",
    "ClassDef": "a class defined inside a function is not supported; move it to module level",
    "Delete": "`del` of a name that is not a variable of the function is not supported",
    "GeneratorExp": "a generator expression that is not consumed at once is not supported; use a list comprehension",
    "Starred": "`*` or `**` together with keyword arguments in a call is not supported; pass them one by one",
    "TemplateStr": "template strings are not supported",
    "TryStar": "`except*` is not supported",
    "Yield": "a generator function (`yield`) is not supported; return a list",
    "YieldFrom": "a generator function (`yield from`) is not supported; return a list",
}


def missing(node: ast.AST) -> str:
    """What to say about a construct that has no translation."""
    name = type(node).__name__
    return UNSUPPORTED.get(name, f"{name} is not supported")

"""Which constructs of Python's grammar are translated, and what is said about those that are not."""

from __future__ import annotations

UNSUPPORTED: dict[str, str] = {
    "AsyncFor": "`async for` is not supported",
    "AsyncFunctionDef": "`async def` is not supported",
    "AsyncWith": "`async with` is not supported",
    "Await": "`await` is not supported",
    "ClassDef": "a class defined inside a function is not supported; move it to module level",
    "Delete": "`del` of a variable is not supported",
    "GeneratorExp": "a generator expression that is not consumed at once is not supported; use a list comprehension",
    "Starred": "`*` or `**` together with keyword arguments in a call is not supported; pass them one by one",
    "TryStar": "`except*` is not supported",
    "Yield": "a generator function (`yield`) is not supported; return a list",
    "YieldFrom": "a generator function (`yield from`) is not supported; return a list",
}

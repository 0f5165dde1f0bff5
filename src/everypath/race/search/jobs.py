"""Calls made executable: rewritten like the code under test, so that what an operator does to the object is seen."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType
from typing import Any

from everypath.race.observe.importing import install
from everypath.race.observe.rewrite import rewrite_call
from everypath.race.running import Job

CALL_FILE, _FUNCTION = "<call>", "call"


@lru_cache(maxsize=4096)
def _compiled(source: str) -> tuple[CodeType, bool]:
    return rewrite_call(source, CALL_FILE, _FUNCTION)


def job(source: str, names: dict[str, Any]) -> Job:
    """What runs the call in the given scope; a statement has the value None."""
    install()
    code, is_expression = _compiled(source)

    def run() -> Any:
        if is_expression:
            return eval(code, names)
        exec(code, names)
        return None

    return run

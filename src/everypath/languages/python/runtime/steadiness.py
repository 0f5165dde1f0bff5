"""Whether a run that was not as predicted ends like that every time, or depends on the order of sets.

That order changes from process to process unless the hashes of strings are fixed, so the run is repeated with others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from everypath.cases.model import CallCase
from everypath.languages.python.runtime.runner import Setting, run_cases
from everypath.languages.python.runtime.verdict import Verdict
from everypath.options import FenceOptions

_SEEDS = (1, 2, 3, 5, 8)
_MOST = 30
"""Cases that are repeated at most; where more fail, the others most likely fail for the same reason."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def unsteady(
    failed: Sequence[tuple[CallCase, Verdict]], scripts: Mapping[str, str], root: Path, options: FenceOptions
) -> frozenset[str]:
    """The cases that end in another way when strings have other hashes, by their ids."""
    pending = [(case, _end(verdict)) for case, verdict in failed[:_MOST] if case.id in scripts]
    changing: set[str] = set()
    for seed in _SEEDS:
        if not pending:
            break
        verdicts = run_cases([case for case, _ in pending], scripts, Setting(root, options, (), seed))
        changing |= {case.id for case, end in pending if _end(verdicts[case.id]) != end}
        pending = [(case, end) for case, end in pending if case.id not in changing]
    return frozenset(changing)


def _end(verdict: Verdict) -> tuple[str, str, frozenset[int]]:
    return verdict.status, _ADDRESS.sub("", verdict.text), verdict.lines

"""What a run notes about a module for later runs, while it goes on."""

from __future__ import annotations

from everypath.records import dataclass, field


@dataclass(slots=True)
class Notes:
    """Filled and read by `generate/keeping.py`; everybody else only carries it along."""

    unchanged: int = 0
    """functions whose tests were taken from an earlier run"""
    entries: dict[str, object] = field(default_factory=dict)
    """qualified name -> what came of a function"""
    whole: object = None
    """what came of the module, if it would come of it again"""

"""Python as one of the languages: functions and methods, validated on the interpreter that runs this one."""

from __future__ import annotations

from everypath.languages.python.runtime.starting import FIRST_SEED, OTHER_SEED, worker_command
from everypath.workers.reserve import prepare


class Python:
    """Programs in Python."""

    name = "Python"
    code = "Python code"
    formats: tuple[str, ...] = ("pytest", "json")
    settings = frozenset(
        "types assume strategy allow_io case_seconds memory select tests file_tests paths_per_test exclude total_time"
        " check diff reachable invariant".split()
    )

    def claims(self, target: str) -> bool:
        """A file, a folder, or the import name of a module or package."""
        return target.partition("::")[0].endswith(".py")

    def start_early(self) -> None:
        """Start the interpreters, one of them for the last run of all tests together."""
        prepare(worker_command(FIRST_SEED))
        prepare(worker_command(OTHER_SEED))

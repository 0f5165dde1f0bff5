"""The exit codes, and the one rule that decides them for every command."""

from __future__ import annotations

from everypath.records import dataclass

DONE = 0
FINDINGS = 1
"""Something was found that a person should look at, or files are out of date."""
BAD_INPUT = 2
"""What was given cannot be used as it is, or a defect of ours stood in the way."""
NOTHING_USEFUL = 3
"""A limit or a problem stopped the work before it gave anything."""
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended, as far as its exit code tells."""

    interrupted: bool = False
    unusable: bool = False
    """whether something that was asked for could not be done at all"""
    findings: bool = False
    useful: bool = True
    """whether there are results, even if there is nothing to find in them"""
    stopped: bool = False
    """whether a limit or a problem kept results away"""


def exit_code(ending: Ending) -> int:
    """The code of a command: the first that applies, from what a script must not overlook to what is fine."""
    if ending.interrupted:
        return INTERRUPTED
    if ending.unusable:
        return BAD_INPUT
    if ending.findings:
        return FINDINGS
    # Limits that stopped some paths are normal as long as others gave results.
    return NOTHING_USEFUL if ending.stopped and not ending.useful else DONE

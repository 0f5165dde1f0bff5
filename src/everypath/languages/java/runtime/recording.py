"""What cases do when they run on the JVM, line by line: their classes are rewritten so that they tell it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everypath.cases.model import CallCase
from everypath.cases.recordings import LINES, Recording
from everypath.languages.java.runtime.runner import Setting, run_cases
from everypath.languages.java.scripts.body import render_case
from everypath.languages.java.scripts.program import JavaProgram


def recordings(cases: Sequence[tuple[CallCase, int]], program: JavaProgram, setting: Setting) -> dict[str, Recording]:
    """The steps of cases that pass, each with the way to build its inputs, by the ids of the cases.

    Only classes of the target's place tell their steps: of classes of the JDK and of libraries nobody has the source.
    """
    if not setting.own:
        return {}
    sources = {
        case.id: render_case(case, program.hierarchy, f"Case{number}", way) for number, (case, way) in enumerate(cases)
    }
    endings = run_cases(sources, setting, record=True)
    return {
        case: Recording(LINES, tuple(_placed(step, program) for step in ending.steps), ending.left_out)
        for case, ending in endings.items()
        if ending.passed and ending.steps
    }


def _placed(step: dict[str, Any], program: JavaProgram) -> dict[str, Any]:
    """A step with its file as cases name it, instead of the class."""
    if "class" not in step:
        return step
    found = program.hierarchy.find(step["class"])
    told = {key: value for key, value in step.items() if key != "class"}
    return {**told, "file": program.file_of(found) if found is not None else step["class"]}

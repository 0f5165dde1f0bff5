"""The format `hypothesis`: cases as examples of properties, which are tried with Hypothesis before they are written."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import cast

from everypath.cases.model import CallCase
from everypath.languages.base import Module, Source
from everypath.languages.python.runtime.runner import PASSED, UNRUN, Setting, Verdict, run_cases
from everypath.languages.python.scripts.body import VALIDATION_FUNCTION
from everypath.languages.python.scripts.grouping import Property, arrange_units
from everypath.languages.python.scripts.imports import HYPOTHESIS, Imports
from everypath.languages.python.writers.properties import Properties, PropertyTest, properties_of
from everypath.languages.python.writers.pytest_writer import PytestWriter, file_name, plans_of
from everypath.records import replace

_SECONDS = 10.0
"""Trying one property may take so long."""
_MOMENT = 1.0
"""There are so many seconds for trying all properties of a module, however little time is left."""
_TRIAL = """

def {trial}(phase):
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis.configuration import set_hypothesis_home_dir

    set_hypothesis_home_dir(tmp_path)
    # The same inputs in every run: what is written must not depend on luck.
    tried = settings(
        max_examples=100, derandomize=True, database=None, deadline=None, print_blob=False,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )
    tried({function})()
"""
_NOT_THERE = "; not tried, because Hypothesis is not installed here"


class HypothesisWriter(PytestWriter):
    """Writes a property for each function that can have one, and plain tests for all other cases."""

    format = "hypothesis"
    tries = True

    def file_name(self, source: Source) -> str:
        """Not the name of plain tests, which may be there as well."""
        return file_name(source.module).replace("_generated.py", "_properties.py")

    def properties(self, module: Module) -> Properties:
        """The properties that hold for what Hypothesis draws, so far as it was asked."""
        properties = properties_of(module, plans_of(module))
        if not module.options.validate or not _is_installed():
            return properties
        return properties.without(_failing(module, properties), cast("list[CallCase]", list(module.cases)))

    def remark(self, properties: Properties | None) -> str:
        """How many functions have no property; the file tells why."""
        if properties is None:
            return ""
        count = len(properties.reasons)
        left = f"; no property for {count} function{'s' * (count > 1)}, the file says why" if count else ""
        return left + ("" if _is_installed() else _NOT_THERE)


def _is_installed() -> bool:
    return find_spec(HYPOTHESIS) is not None


def _failing(module: Module, properties: Properties) -> dict[str, str]:
    """The functions whose properties do not hold, and why: what is drawn may reach what no path has shown."""
    cases = cast("list[CallCase]", list(module.cases))
    plans = plans_of(module)
    units = arrange_units(cases, examples=properties.examples)
    found = {unit.cases[0].id: unit for unit in units if isinstance(unit, Property)}
    scripts = {}
    for case, unit in found.items():
        imports = Imports(cases, properties=True)
        body = PropertyTest(unit, imports, plans, properties).lines()
        trial = _TRIAL.format(trial=VALIDATION_FUNCTION, function=unit.function)
        scripts[case] = "\n".join([*imports.lines(), "", "", *body, trial])
    fence = replace(module.options.fence, case_seconds=max(_SECONDS, module.options.fence.case_seconds))
    tried = [unit.cases[0] for unit in found.values()]
    # Where time is short, a moment is better than nothing.
    until = max(module.until, time.monotonic() + _MOMENT)
    verdicts = run_cases(tried, scripts, Setting(module.source.root, fence, until=until))
    wrong = [case for case in tried if verdicts[case.id].status != PASSED]
    return {case.entry.qualified: _why_not(verdicts[case.id]) for case in wrong}


def _why_not(verdict: Verdict) -> str:
    if verdict.status == UNRUN:
        return "there was no time to try it"
    return f"for other inputs it ends otherwise ({''.join(verdict.text.splitlines()[:1])})"

"""Names of test cases: the method, and what is special about the path."""

from __future__ import annotations

from everypath.cases.model import CallSuite
from everypath.cases.naming import name_cases as named
from everypath.languages.base import Loaded


def name_cases(loaded: Loaded, suite: CallSuite) -> None:
    """Give each case a name; the words of conditions are not known from bytecode."""
    suite.cases = list(named(suite.cases, lambda _: ()))

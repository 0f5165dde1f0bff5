"""What came of cases that were run again, as JUnit XML: the form in which build servers read results of tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from everypath.report.attempt import Attempt

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, not even escaped."""


def render_junit(name: str, attempts: Sequence[Attempt]) -> str:
    """One suite of tests, in which a case that ended other than recorded is a failure."""
    totals = {
        "tests": str(len(attempts)),
        "failures": str(sum(each.problem is not None and not each.broken for each in attempts)),
        "errors": str(sum(each.broken for each in attempts)),
        "skipped": "0",
        "time": _seconds(sum(each.seconds for each in attempts)),
    }
    root = ElementTree.Element("testsuites", {"name": "everypath replay", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _plain(name), **totals})
    for each in attempts:
        entry = each.case.entry
        group = f"{entry.module}.{entry.cls}" if entry.cls else entry.module
        told = {"classname": _plain(group), "name": _plain(f"{entry.name}: {each.case.name or each.case.id}")}
        told |= {"file": _plain(entry.file)} | ({"line": str(entry.line)} if entry.line else {})
        case = ElementTree.SubElement(suite, "testcase", {**told, "time": _seconds(each.seconds)})
        if each.problem is not None:
            text = _plain(each.problem) or "it ended other than recorded"
            kind = "error" if each.broken else "failure"
            ElementTree.SubElement(case, kind, {"message": text.splitlines()[0], "type": "replay"}).text = text
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _seconds(number: float) -> str:
    return f"{number:.3f}"

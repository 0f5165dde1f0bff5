"""A call that cannot be followed says what the matter is and what to do, not only where."""

from __future__ import annotations

import pytest

from everypath.languages.python.semantics.refusals import refusal


@pytest.mark.parametrize(
    ("name", "says", "advises"),
    [
        ("open", "works with files", "parameter"),
        ("os.path.exists", "works with files", "parameter"),
        ("sys.exit", "ends the process", "raise"),
        ("sys.getrefcount", "looks into the interpreter", "keep it out"),
        ("time.strftime", "clock", "time.time"),
        ("random.Random", "chance", "functions of the module"),
        ("urllib.request.urlopen", "network", "answer"),
        ("hashlib.sha256", "no model", "docs/python.md"),
        ("opener.run", "no model", "docs/python.md"),
    ],
)
def test_what_is_said(name: str, says: str, advises: str) -> None:
    text = refusal(name)
    assert text.startswith(f"calling {name}(), which ")
    assert says in text and advises in text.partition(";")[2]

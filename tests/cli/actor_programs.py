"""Runs commands on ABS programs inside this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from everypath.app.arguments import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "actors"
COUNTER = """\
module Counting;
export *;
interface Counter { Unit add(Int n); Unit double(); Int total(); }
class Counter implements Counter {
    Int total = 1;
    Unit add(Int n) { this.total = this.total + n; }
    Unit double() { this.total = this.total * 2; }
    Int total() { return this.total; }
    Unit hidden() { skip; }
}
"""
MAIN = """\
{
    Counter c = new Counter();
    c!add(3);
    c!double();
}
"""


def command(*arguments: str) -> Result:
    """A command of the command line; a traceback is an error of the test."""
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def generated(*arguments: str) -> dict[str, Any]:
    """The JSON object that `generate` prints."""
    result = command("generate", *arguments, "--format", "json")
    assert result.stdout, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found

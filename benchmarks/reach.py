"""How do I get here? Twenty lines of five modules of the standard library: `python benchmarks/reach.py [MODULE...]`.

Each line is asked for with `everypath reach`, from everything public in its module, in `SECONDS` (15) of wall clock. A
plain `generate --select branches` of the module has the same time for all lines of it, and `crosshair cover`, where it
is installed (`CROSSHAIR` names the program), has it for the function from which the line is reached.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

SECONDS = float(os.environ.get("SECONDS", "15"))
LINES = (
    ("textwrap", "end = hyphen + 1", "TextWrapper.wrap"),
    ("textwrap", 'chunks[i+1] = "  "', "TextWrapper.wrap"),
    ("textwrap", "cur_line.append(reversed_chunks.pop())", "TextWrapper.wrap"),
    ("textwrap", 'raise ValueError("placeholder too large for max width")', "TextWrapper.wrap"),
    ("textwrap", "lines.append(indent + self.placeholder.lstrip())", "TextWrapper.wrap"),
    ("graphlib", "return stack[node2stacki[node] :] + [node]", "TopologicalSorter.prepare"),
    ("graphlib", 'raise CycleError(f"nodes are in a cycle", cycle)', "TopologicalSorter.prepare"),
    ("graphlib", "self._ready_nodes.append(successor)", "TopologicalSorter.done"),
    ("graphlib", 'raise ValueError(f"node {node!r} was already marked done")', "TopologicalSorter.done"),
    ("colorsys", "return m2", "hls_to_rgb"),
    ("colorsys", "return m1 + (m2-m1)*(TWO_THIRD-hue)*6.0", "hls_to_rgb"),
    ("colorsys", "return m1", "hls_to_rgb"),
    ("colorsys", "h = 4.0+gc-rc", "rgb_to_hls"),
    ("calendar", "return year-1, 12", "Calendar.itermonthdays3"),
    ("calendar", "return year+1, 1", "Calendar.itermonthdays3"),
    ("calendar", "year = 2000 + year % 400", "monthrange"),
    ("calendar", "raise IllegalMonthError(month)", "Calendar.monthdayscalendar"),
    ("fractions", "t = na * (db // g) + nb * s", "Fraction.__add__"),
    ("fractions", "return bound1", "Fraction.limit_denominator"),
    ("fractions", "return floor + 1", "Fraction.__round__"),
)
"""Module, the text of the line, and the function from which it is reached."""
EVERYPATH = str(Path(sys.executable).parent / "everypath")


def file_of(module: str) -> Path:
    """The source of a module."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin)


def number_of(file: Path, text: str) -> int:
    """The number of the first line with this text; another interpreter may have none."""
    lines = [line.strip() for line in file.read_text().splitlines()]
    return lines.index(text) + 1 if text in lines else 0


def ran(command: list[str], seconds: float) -> tuple[str, int, float]:
    """What a command has printed, its exit code (-1 if it was ended) and its seconds."""
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        return done.stdout + done.stderr, done.returncode, time.monotonic() - started
    except subprocess.TimeoutExpired:
        return "", -1, time.monotonic() - started


def asked(module: str, line: int, seconds: float) -> str:
    """What `everypath reach` says; with a grace for starting, for running tests, and for a busy machine."""
    command = [EVERYPATH, "reach", f"{file_of(module).name}:{line}", "--from", module, "--time", f"{seconds}"]
    said, code, took = ran([*command, "--total-time", f"{seconds}"], 3 * seconds + 10)
    words = {0: "reached", 1: "unreachable", 3: "open", -1: "over time"}
    return f"{words.get(code, said.strip().splitlines()[-1][:40] if said.strip() else 'error')} {took:.1f} s"


def is_public(name: str) -> bool:
    """Whether anybody may call a function of this name."""
    return not name.startswith("_") or name.endswith("__")


def by_branches(module: str, seconds: float) -> set[int]:
    """The lines of a module that the tests of a plain guided run execute."""
    command = [EVERYPATH, "generate", module, "--select", "branches", "--total-time", f"{seconds}", "--format", "json"]
    said, _, _ = ran(command, 3 * seconds + 10)
    try:
        documents = json.JSONDecoder().raw_decode(said[said.index("{") :])[0]
    except ValueError:
        return set()
    suites = documents.get("suites", [documents])
    # Tests of private functions are no way there from what the module offers.
    cases = [case for suite in suites for case in suite["cases"] if is_public(case["entry"]["name"])]
    steps = (step for case in cases for step in case["trace"])
    places = (str(step).rpartition(":") for step in steps)
    return {int(line) for file, _, line in places if file.endswith(f"{module}.py")}


_EXECUTED = """
import sys, {module}
from {module} import *
from fractions import Fraction
from decimal import Decimal
reached = set()
def trace(frame, event, argument):
    if frame.f_code.co_filename == {module}.__file__:
        reached.add(frame.f_lineno)
        return trace
for call in {calls!r}:
    sys.settrace(trace)
    try:
        eval(call)
    except BaseException:
        pass
    finally:
        sys.settrace(None)
print(sorted(reached))
"""


def by_crosshair(program: str, module: str, entry: str, seconds: float) -> set[int]:
    """The lines that the examples of `crosshair cover` execute."""
    options = [f"--per_condition_timeout={seconds}", "--example_output_format=eval_expression"]
    said, _, _ = ran([program, "cover", *options, f"{module}.{entry}"], 3 * seconds + 10)
    python = str(Path(program).parent / "python")
    calls = [line.strip() for line in said.splitlines() if line.strip()]
    told, _, _ = ran([python, "-c", _EXECUTED.format(module=module, calls=calls)], 20)
    try:
        return set(ast.literal_eval(told.strip().splitlines()[-1]))
    except (ValueError, SyntaxError, IndexError):
        return set()


def main(modules: list[str]) -> None:
    """Print the table."""
    program = os.environ.get("CROSSHAIR", "")
    known: dict[str, set[int]] = {}
    theirs: dict[tuple[str, str], set[int]] = {}
    print(f"{'line':62} {'reach':>20} {'branches':>9} {'crosshair':>10}")
    sums = [0, 0, 0]
    for module, text, entry in LINES:
        if modules and module not in modules:
            continue
        line = number_of(file_of(module), text)
        if module not in known:
            known[module] = by_branches(module, SECONDS)
        if program and (module, entry) not in theirs:
            theirs[module, entry] = by_crosshair(program, module, entry, SECONDS)
        said = asked(module, line, SECONDS)
        other = line in theirs.get((module, entry), ())
        for at, got in enumerate((said.startswith("reached"), line in known[module], other)):
            sums[at] += got
        shown = "-" if not program else "yes" if other else "no"
        name = f"{module}:{line}: {text}"[:62]
        print(f"{name:62} {said:>20} {'yes' if line in known[module] else 'no':>9} {shown:>10}", flush=True)
    print(f"reached: {sums[0]}, by branches {sums[1]}, by crosshair {sums[2]}")


if __name__ == "__main__":
    main(sys.argv[1:])

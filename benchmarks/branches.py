"""Runs examples for a source file and prints, as JSON, the branches of that file that they take.

`branches.py pytest SOURCE TEST_FILE` runs an emitted test file; `branches.py calls SOURCE FUNCTION ARGUMENTS_FILE`
calls the function once for each line of the file, which holds a dictionary of arguments.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import operator
import os
import sys
import tempfile
from pathlib import Path

import coverage


def run_pytest(test_file: str) -> None:
    """Runs the tests; failing ones take branches too."""
    import pytest

    with contextlib.redirect_stdout(sys.stderr):
        pytest.main(["-q", "-p", "no:cacheprovider", test_file])


def run_calls(source: Path, function: str, arguments_file: str) -> None:
    """Calls the function; what it raises is its business."""
    module = importlib.import_module(source.stem)
    called = operator.attrgetter(function)(module)
    for line in Path(arguments_file).read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(Exception):
            called(**eval(line, {**vars(module), "float": float, "nan": float("nan"), "inf": float("inf")}))


def main() -> None:
    """Measures branches of the source file alone."""
    kind, source_name, *rest = sys.argv[1:]
    source = Path(source_name).resolve()
    sys.path.insert(0, str(source.parent))
    measured = coverage.Coverage(branch=True, data_file=None, include=[str(source)], config_file=False)
    measured.start()
    if kind == "pytest":
        run_pytest(rest[0])
    else:
        run_calls(source, rest[0], rest[1])
    measured.stop()
    handle, report = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            measured.json_report(outfile=report)
        files = json.loads(Path(report).read_text(encoding="utf-8"))["files"]
    except coverage.CoverageException:
        files = {}
    finally:
        os.unlink(report)
    found = [branch for data in files.values() for branch in data.get("executed_branches", ())]
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""What the stubs say about the library, and that they agree with the library itself."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

from everypath.languages.python.frontend import typeshed

RESULTS = {
    "heapq.heappushpop": "any",
    "math.gcd": "int",
    "time.time": "float",
    "datetime.datetime.date": "datetime.date",
    "datetime.datetime.year": "int",
    "datetime.timedelta": "datetime.timedelta",
    "re.compile": "re.Pattern",
    "os.path.basename": "str | bytes",
    "io.StringIO": "io.StringIO",
    "io.StringIO.getvalue": "str",
    "builtins.str.split": "list[str]",
    "collections.deque": "collections.deque",
    "random.randint": "int",
    "sqlite3.Connection.total_changes": "int",
    "sqlite3.Cursor.fetchone": "any",
    "no_such_module.function": "any",
}


@pytest.mark.parametrize("path", RESULTS)
def test_results(path: str) -> None:
    assert str(typeshed.result_type(path)) == RESULTS[path]


def test_parameters_of_a_method_leave_its_object_out() -> None:
    found = typeshed.signature("sqlite3.Connection.execute")
    assert found is not None
    assert [(p.name, p.kind, p.required, str(found.param_type(p))) for p in found.params] == [
        ("sql", "positional", True, "str"),
        ("parameters", "positional", False, "any"),
    ]


def test_overloads_are_told_apart() -> None:
    assert [len(found.params) for found in typeshed.signatures("itertools.islice")] == [2, 4]


def test_type_variables_leave_elements_open() -> None:
    found = typeshed.signature("heapq.nsmallest")
    assert found is not None
    assert [str(found.param_type(p)) for p in found.params] == ["int", "list[any]", "function(any) -> any"]


def test_functions_defined_as_methods_of_a_hidden_object() -> None:
    found = typeshed.signature("random.choice")
    assert found is not None and [p.name for p in found.params] == ["seq"]


def test_members_include_inherited_ones() -> None:
    members = typeshed.members("http.client.HTTPSConnection")
    assert {"getresponse", "request", "__init__"} <= set(members)
    assert members["__init__"].owner == "http.client.HTTPSConnection"


def test_kinds_of_members() -> None:
    kinds = {
        "datetime.date.today": "classmethod",
        "datetime.date.year": "property",
        "datetime.date": "constructor",
        "datetime.date.weekday": "method",
        "str.maketrans": "",
    }
    for path, kind in kinds.items():
        found = typeshed.signature(path)
        assert (found.kind if found else "") == kind


def test_what_never_returns() -> None:
    found = typeshed.signature("sys.exit")
    assert found is not None and found.never_returns()


def test_protocols() -> None:
    assert typeshed.is_protocol("typing.Sized")
    assert not typeshed.is_protocol("sqlite3.Connection")


@pytest.mark.parametrize("module", ["heapq", "textwrap", "shlex", "statistics", "json"])
def test_required_parameters_agree_with_the_library(module: str) -> None:
    real = importlib.import_module(module)
    compared = 0
    for name, function in vars(real).items():
        if name.startswith("_") or not inspect.isroutine(function) or getattr(function, "__module__", "") != module:
            continue
        try:
            params = inspect.signature(function).parameters.values()
        except ValueError:
            continue
        ways = typeshed.signatures(f"{module}.{name}")
        needed = [p for p in params if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        assert not ways or len(needed) in [sum(p.required for p in way.params) for way in ways]
        compared += bool(ways)
    assert compared


def test_programs_without_library_calls_load_no_stubs() -> None:
    code = "import sys, everypath.languages.python.frontend.typeshed; print('typeshed_client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

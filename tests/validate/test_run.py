"""What a run over many functions costs: as many interpreters as a run over one, and as much parsing."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from everypath.generate.run import generate
from everypath.languages.python.runtime.runner import Setting, _program
from everypath.options import FenceOptions, Options
from everypath.workers import reserve
from everypath.workers.process import Process

FUNCTION = """
def f{number}(x: int) -> int:
    if x > {number}:
        return 1
    return 2
"""


def written(folder: Path, functions: int, name: str = "sample") -> str:
    path = folder / f"{name}.py"
    path.write_text("".join(FUNCTION.format(number=number) for number in range(functions)))
    return str(path)


@pytest.mark.parametrize("functions", [1, 5, 20])
def test_two_interpreters_serve_all_functions(functions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One runs the cases, another one runs them together, in another order of sets."""
    monkeypatch.chdir(tmp_path)
    before = Process.started
    run = generate([written(tmp_path, functions)], Options())
    assert sum(len(suite.cases) for suite in run.suites) == 2 * functions
    assert all(case.validated for suite in run.suites for case in suite.cases)
    assert Process.started - before == 2
    assert not reserve._waiting


def test_two_interpreters_serve_all_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    targets = [written(tmp_path, 2, name) for name in "abcd"]
    before = Process.started
    run = generate(targets, Options())
    assert sum(len(suite.cases) for suite in run.suites) == 16
    assert Process.started - before == 2


@pytest.mark.parametrize("options", [Options(), Options(exclude=("f0",)), Options(total_time=60.0)])
@pytest.mark.parametrize("functions", [1, 5, 20])
def test_a_file_is_parsed_once(
    functions: int, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = written(tmp_path, functions)
    source = Path(target).read_bytes()
    parse, parsed = ast.parse, []

    def counted(text: str | bytes, *arguments: object, **named: object) -> ast.AST:
        parsed.append(text)
        return parse(text, *arguments, **named)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", counted)
    generate([target], options)
    assert parsed.count(source) == 1


def test_each_interpreter_loads_the_program_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    load, loaded = reserve.Worker.load, []

    def counted(worker: reserve.Worker, program: bytes) -> None:
        loaded.append(worker.pid)
        load(worker, program)

    monkeypatch.setattr(reserve.Worker, "load", counted)
    generate([written(tmp_path, 3)], Options())
    assert len(loaded) == len(set(loaded)) == 2


def test_the_same_program_is_always_written_in_the_same_bytes(tmp_path: Path) -> None:
    """They are compared, so they must depend on nothing but the values."""
    file, setting = written(tmp_path, 1), Setting(tmp_path, FenceOptions())
    name, interned = "".join(("sam", "ple")), sys.intern("sample")
    assert name is not interned
    assert _program(setting, {name: file}) == _program(setting, {interned: file})

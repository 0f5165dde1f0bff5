"""Runs the tests of pytest-style files without pytest's own start, so that a mutant costs milliseconds.

Understands what generators write: plain functions, `parametrize` and `xfail`. Where pytest sees it differently on the
original program, the measurement stops with an error.
"""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

SECONDS = 0.5
WALL_SECONDS = 20.0
MEMORY = 4 << 30


def install(name: str, code: CodeType) -> None:
    """Puts the program in place, as if it had been imported."""
    module = ModuleType(name)
    module.__file__ = code.co_filename
    sys.modules[name] = module
    exec(code, module.__dict__)


def collect(files: list[Path]) -> list[Callable[[], object]]:
    """The tests of the files, in the order in which pytest collects them."""
    found: list[Callable[[], object]] = []
    for file in files:
        module = ModuleType(file.stem)
        module.__file__ = str(file)
        sys.modules[file.stem] = module
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
        for name, value in list(vars(module).items()):
            if name.startswith("test") and callable(value):
                found += variants(value)
    return found


def variants(function: Callable[..., object]) -> Iterator[Callable[[], object]]:
    """One call for each set of parameters."""
    marks = list(getattr(function, "pytestmark", ()))
    fails = any(mark.name == "xfail" for mark in marks)
    axes = [[named(mark.args[0], row) for row in mark.args[1]] for mark in marks if mark.name == "parametrize"]
    for rows in itertools.product(*reversed(axes)):
        arguments = {key: value for row in rows for key, value in row.items()}
        yield partial(expect_failure, function, arguments) if fails else partial(function, **arguments)


def named(names: str | tuple[str, ...] | list[str], row: Any) -> dict[str, Any]:
    """The parameters of one row by name."""
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = row.values if type(row).__name__ == "ParameterSet" else row if len(keys) > 1 else (row,)
    return dict(zip(keys, values))


def expect_failure(function: Callable[..., object], arguments: dict[str, Any]) -> object:
    """An `xfail` test must fail."""
    try:
        function(**arguments)
    except Exception:
        return None
    raise AssertionError("passes, though it is expected to fail")


def failing(name: str, code: CodeType, files: list[Path], skipped: frozenset[int]) -> set[int]:
    """The numbers of the tests that fail on the program, found in a process of its own.

    A test that does not end counts as failing and keeps later ones from running. When the program or a test file
    cannot even be imported, every test fails.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            attempt(name, code, files, skipped, writer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode().split()
    os.waitpid(child, 0)
    if told[:1] != ["ready"]:
        return {-1}
    failed = {int(word[1:]) for word in told if word.startswith("f")}
    begun = [int(word[1:]) for word in told if word.startswith("b")]
    if told[-1].startswith("b"):
        failed.add(begun[-1])
    return failed


def attempt(name: str, code: CodeType, files: list[Path], skipped: frozenset[int], writer: int) -> None:
    """The child's side: says when a test begins, and when it fails."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    install(name, code)
    tests = collect(files)
    os.write(writer, b"ready ")
    for number, test in enumerate(tests):
        if number in skipped:
            continue
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        os.write(writer, f"b{number} ".encode())
        try:
            test()
        except BaseException:
            os.write(writer, f"f{number} ".encode())
        else:
            os.write(writer, f"p{number} ".encode())

"""Runs programs by brute force, and the tests that were written for them under pytest; tells which branches each took.

Started as a process of its own, with a folder in which `programs.json` lists the modules and the calls to try. What it
finds goes to `observed.json`. The way through a program is read off the interpreter, opcode by opcode, and knows
nothing of how the engine sees it.
"""

from __future__ import annotations

import ast
import dis
import json
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from tests.fuzz.state import State

MOST_STEPS = 20_000
MOST_MEMORY = 1 << 29
"""A list that is added to itself in a loop over it takes all memory long before it takes all steps."""
MOST_SECONDS = 0.5
"""Numbers that are multiplied with themselves in a loop take all time in few steps."""
Way = tuple[object, ...]


class Endless(BaseException):
    """A run that takes too many steps to be of use."""


class Recorder:
    """Notes which way each conditional jump of a program's code goes while its function `f` runs."""

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.patterns = [
            (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.pattern)
        ]
        self.jumps: dict[CodeType, dict[int, bool]] = {}
        self.begin()

    def begin(self) -> None:
        """Forget everything about the last run."""
        self.way: list[object] = []
        self.lines: set[int] = set()
        self.rounds: dict[tuple[int, int], int] = {}
        self.depths: dict[str, int] = {}
        self.deepest = self.steps = self.active = 0
        self.pending: dict[FrameType, int] = {}

    def jumps_of(self, code: CodeType) -> dict[int, bool]:
        """Where the code jumps on a condition, and whether back; what happens inside a pattern is one question."""
        if code not in self.jumps:
            self.jumps[code] = {
                each.offset: "BACKWARD" in each.opname
                for each in dis.get_instructions(code)
                if ("JUMP" in each.opname and "IF" in each.opname) or each.opname in ("FOR_ITER", "JUMP_BACKWARD")
                if not self._in_pattern(each)
            }
        return self.jumps[code]

    def _in_pattern(self, instruction: dis.Instruction) -> bool:
        place = instruction.positions
        if place is None or place.lineno is None or place.col_offset is None:
            return False
        start = (place.lineno, place.col_offset)
        return any(start >= (p[0], p[1]) and start < (p[2] or 0, p[3] or 0) for p in self.patterns)

    def trace(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        """The global trace function."""
        if frame.f_code.co_filename != self.file or (not self.active and frame.f_code.co_qualname != "f"):
            return None
        frame.f_trace_opcodes = True
        name = frame.f_code.co_qualname
        self.active += 1
        self.depths[name] = self.depths.get(name, 0) + 1
        self.deepest = max(self.deepest, self.depths[name])
        return self.local

    def local(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        """The trace function of frames of the program."""
        code = frame.f_code
        if event == "opcode":
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Endless
            self._after_jump(frame, code)
            if frame.f_lasti in self.jumps_of(code):
                self.pending[frame] = frame.f_lasti
        elif event == "line":
            self.lines.add(frame.f_lineno)
        elif event == "exception":
            if argument[0] is not StopIteration and argument[0] is not GeneratorExit:
                self.pending.pop(frame, None)
                self.way.append((code.co_qualname, frame.f_lineno, argument[0].__name__))
        elif event == "return":
            self.active -= 1
            self.depths[code.co_qualname] -= 1
        return self.local

    def _after_jump(self, frame: FrameType, code: CodeType) -> None:
        at = self.pending.pop(frame, None)
        if at is None:
            return
        repeats = self.jumps_of(code)[at] and frame.f_lasti < at
        if repeats:
            # A loop that tests at its end jumps back once less often than it runs.
            key = (id(frame), at)
            first = 2 if dis.opname[code.co_code[at]] != "JUMP_BACKWARD" else 1
            self.rounds[key] = self.rounds.get(key, first - 1) + 1
        if dis.opname[code.co_code[at]] != "JUMP_BACKWARD":
            self.way.append((code.co_qualname, at, frame.f_lasti))

    def told(self, call: str, ended: str) -> dict[str, object]:
        """What a run came to."""
        way = [*self.way, ended]
        iterations = max(self.rounds.values(), default=0)
        return {
            "call": call,
            "way": repr(way),
            "lines": sorted(self.lines),
            "rounds": max(iterations, self.deepest - 1),
        }


def observed(recorder: Recorder, run: Callable[[], object], call: str) -> dict[str, object] | None:
    """What a run took, None for one without end and for one that did not come to `f`."""
    recorder.begin()
    try:
        # Again and again, because the program may catch what the first one raises.
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS, MOST_SECONDS / 4)
        sys.settrace(recorder.trace)
        run()
        ended = "returns"
    except (Endless, MemoryError):
        return None
    except Exception as error:
        ended = type(error).__name__
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    # Arguments that a program's classes do not take say nothing about `f`.
    return recorder.told(call, ended) if recorder.deepest else None


def _too_long(*_: object) -> None:
    raise Endless


def brute_force(file: Path, calls: list[str]) -> list[dict[str, object]]:
    """One run for each distinct way."""
    source = file.read_text(encoding="utf-8")
    recorder = Recorder(str(file), source)
    module = sys.modules[file.stem] = ModuleType(file.stem)
    exec(compile(source, str(file), "exec"), vars(module))
    at_first = State(module)
    found: dict[object, dict[str, object]] = {}
    for call in calls:
        at_first.put_back()
        told = observed(recorder, partial(eval, call, vars(module)), call)
        if told is not None:
            found.setdefault(told["way"], told)
    del sys.modules[file.stem]
    return list(found.values())


class Plugin:
    """Lets pytest run the written tests and keeps the way of each, and what failed."""

    def __init__(self, recorders: dict[str, Recorder]) -> None:
        self.recorders = recorders
        self.ways: dict[str, list[str]] = {name: [] for name in recorders}
        self.failures: dict[str, list[str]] = {name: [] for name in recorders}
        self.at_first: dict[str, State] = {}

    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        name = pyfuncitem.module.__name__.removeprefix("test_")
        arguments = {arg: pyfuncitem.funcargs[arg] for arg in pyfuncitem._fixtureinfo.argnames}
        recorder = self.recorders[name]
        ended: list[str] = []

        def test() -> None:
            pyfuncitem.obj(**arguments)

        # Calls that only count in the module's state take other ways than alone, though their tests still pass.
        if name not in self.at_first:
            self.at_first[name] = State(sys.modules[name])
        self.at_first[name].put_back()
        recorder.begin()
        traced = _Ended(recorder, ended)
        sys.settrace(traced.trace)
        try:
            test()
        finally:
            sys.settrace(None)
            self.ways[name].append(repr([*recorder.way, *(ended or ["returns"])]))
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failures[Path(report.fspath).stem.removeprefix("test_")].append(str(report.longrepr)[-800:])

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failures[Path(str(report.fspath)).stem.removeprefix("test_")].append(str(report.longrepr)[-800:])


class _Ended:
    """Notes besides with which exception `f` is left."""

    def __init__(self, recorder: Recorder, ended: list[str]) -> None:
        self.recorder, self.ended = recorder, ended
        self.raised: str | None = None

    def trace(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        local = self.recorder.trace(frame, event, argument)
        if local is None or frame.f_code.co_qualname != "f":
            return local

        def watching(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            local(frame, event, argument)
            if event == "exception":
                self.raised = argument[0].__name__
            elif event == "return":
                returns = dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("RETURN")
                self.ended[:] = ["returns" if returns or self.raised is None else self.raised]
            return watching

        def calling(_: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            # What comes out is not always what was raised last: a `finally` goes on with its exception after others.
            if event == "exception" and self.ended and self.ended != ["returns"]:
                self.ended[:] = [argument[0].__name__]
            return calling

        caller = frame.f_back
        if caller is not None and caller.f_code.co_qualname != "f":
            caller.f_trace = calling
        return watching


def main(folder: Path) -> None:
    """Run everything in the folder."""
    import pytest

    sys.path.insert(0, str(folder))
    listed = json.loads((folder / "programs.json").read_text(encoding="utf-8"))
    ways = {name: brute_force(folder / f"{name}.py", calls) for name, calls in listed.items()}
    recorders = {
        name: Recorder(str(folder / f"{name}.py"), (folder / f"{name}.py").read_text(encoding="utf-8"))
        for name in listed
    }
    plugin = Plugin(recorders)
    written = [str(folder / f"test_{name}.py") for name in listed if (folder / f"test_{name}.py").exists()]
    if written:
        pytest.main(
            ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "--rootdir", str(folder), *written], plugins=[plugin]
        )
    told = {
        name: {"brute": ways[name], "cases": plugin.ways[name], "failures": plugin.failures[name]} for name in listed
    }
    (folder / "observed.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    signal.alarm(600)
    signal.signal(signal.SIGVTALRM, _too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    main(Path(sys.argv[1]).resolve())

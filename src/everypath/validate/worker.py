"""Runs in the child: imports the program once, then runs every case in a fork of its own, and tells the parent.

A fork per case gives each the module state that an import leaves, and means that a case which
crashes, exits or hangs takes nothing with it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from types import CodeType, FrameType, ModuleType, SimpleNamespace, TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_GRACE = 1.0
"""Seconds between the polite interruption of a case and its end."""
_IMPORT_MEMORY = 8
"""Importing may take this many times what a case may: large libraries reserve much that they never use."""
_MOST_AT_ONCE = 2
"""More would gain little: the worker itself is busy starting them, and each case has only its own time."""
_LONGEST_TEXT = 4_000
_LONGEST_VALUE = 200
_SCRIPT = "<generated>"


def _load_fence() -> ModuleType:
    """The module beside this file, whatever the program under test calls its own modules."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fence.py")
    spec = importlib.util.spec_from_file_location("_everypath_fence", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


fence_module = _load_fence()
_OWN_PATH = list(sys.path)


def _library(name: str) -> Any:
    """A module of the standard library that is needed only to describe a failure, too slow to load every time."""
    path, sys.path = sys.path, _OWN_PATH
    try:
        return importlib.import_module(name)
    finally:
        sys.path = path


class _Output(io.TextIOBase):
    """Keeps the first so many characters that code under test prints."""

    encoding = "utf-8"

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._left > 0:
            kept = text[: self._left]
            self._parts.append(kept)
            self._left -= len(kept)
        return len(text)

    @property
    def buffer(self) -> Any:
        return SimpleNamespace(write=lambda data: self.write(bytes(data).decode("utf-8", "replace")), flush=self.flush)

    def text(self) -> str:
        return "".join(self._parts)


class _Caught:
    type: type[BaseException] | None = None
    value: BaseException | None = None


class _Raises:
    """Stands in for `pytest.raises`, so that the child does not depend on pytest."""

    def __init__(self, expected: type[BaseException], match: str | None = None) -> None:
        self._expected = expected
        self._match = match
        self._caught = _Caught()

    def __enter__(self) -> _Caught:
        return self._caught

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if kind is None:
            raise AssertionError(f"did not raise {self._expected.__name__}")
        if not issubclass(kind, self._expected):
            return False
        self._caught.type, self._caught.value = kind, error
        if self._match is not None and not re.search(self._match, str(error)):
            raise AssertionError(f"the message is {str(error)!r}, not like {self._match!r}")
        return True


class _Tracer:
    """Records the lines and arcs of one file while the case acts."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._known: dict[CodeType, bool] = {}
        self.lines: set[int] = set()
        self.arcs: set[tuple[int, int]] = set()

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        code = frame.f_code
        ours = self._known.get(code)
        if ours is None:
            ours = self._known[code] = os.path.realpath(code.co_filename) == self._file
        if not ours:
            return None
        previous = -code.co_firstlineno

        def local(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal previous
            if event == "line":
                self.lines.add(frame.f_lineno)
                self.arcs.add((previous, frame.f_lineno))
                previous = frame.f_lineno
            elif event == "return":
                self.arcs.add((previous, -1))
            return local

        return local


class _Running:
    """A fork that runs a case."""

    def __init__(self, case: str, pid: int, answer: int, deadline: float) -> None:
        self.case = case
        self.pid = pid
        self.answer = answer
        self.deadline = deadline


class Worker:
    """Serves one request: a program root and limits, and later the cases."""

    def __init__(self, request: dict[str, Any], channel: int, work: int) -> None:
        self._work = work
        self._channel = channel
        self._modules: list[str] = request["modules"]
        self._files: dict[str, str] = request["files"]
        self._seconds = float(request["case_seconds"])
        self._import_seconds = float(request["import_seconds"])
        self._memory = int(request["memory_mb"])
        self._output = int(request["output_bytes"])
        self._allow_io = bool(request["allow_io"])
        self._fence = fence_module.Fence(tuple(request["roots"]))
        self._source = ""
        self._size: int | None = None
        self._end_with_parent = fence_module.parent_death_watch()

    def run(self) -> None:
        """Import, then wait for the cases and run each in turn."""
        self._end_with_parent()
        self._fence.install()
        fence_module.no_core_dumps()
        fence_module.limit_memory(self._memory * _IMPORT_MEMORY, fence_module.address_space())
        if not self._import_all():
            return
        self._send({"ready": True})
        cases = _read_all(self._work)
        os.close(self._work)
        self._size = fence_module.address_space()
        self._run_all(json.loads(cases) if cases else [])

    def _run_all(self, cases: list[dict[str, str]]) -> None:
        """A few at the same time, answered in order; with side effects allowed, strictly one after the other."""
        at_once = 1 if self._allow_io else min(_MOST_AT_ONCE, _processors())
        running: list[_Running] = []
        for case in cases:
            if len(running) == at_once:
                self._send(self._collect(running.pop(0)))
            running.append(self._start(case, running))
        for fork in running:
            self._send(self._collect(fork))

    def _send(self, message: dict[str, Any]) -> None:
        _write_all(self._channel, json.dumps(message).encode() + b"\n")

    def _import_all(self) -> bool:
        for module in self._modules:
            output = _Output(self._output)
            try:
                with self._guarded(output, self._import_seconds):
                    imported = importlib.import_module(module)
            except BaseException as error:
                self._send({"import_failed": module, **self._failure(error, "import")})
                return False
            if self._fence.refusal is not None:
                self._send({"import_failed": module, **self._refusal("import")})
                return False
            found = os.path.realpath(getattr(imported, "__file__", None) or "")
            wanted = os.path.realpath(self._files.get(module) or found)
            if found != wanted:
                text = f"`import {module}` finds {found or 'a built-in module'} instead of {wanted}: rename the file"
                self._send({"import_failed": module, "status": "error", "text": text, "file": wanted, "line": 0})
                return False
        return True

    @contextlib.contextmanager
    def _guarded(self, output: _Output, seconds: float) -> Iterator[None]:
        saved = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = output
        self._fence.limit_time(seconds)
        if not self._allow_io:
            self._fence.arm()
        try:
            yield
        finally:
            self._fence.disarm()
            self._fence.limit_time(0)
            sys.stdout, sys.stderr = saved

    def _start(self, case: dict[str, str], running: list[_Running]) -> _Running:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            for descriptor in (reading, self._channel, *(fork.answer for fork in running)):
                os.close(descriptor)
            code = 0
            try:
                self._end_with_parent()
                os.setpgid(0, 0)
                message = self._run_case(case)
                self._fence.limit_time(0)
                _write_all(writing, json.dumps(message).encode() + b"\n")
            except BaseException:
                code = 70
            finally:
                os._exit(code)
        os.close(writing)
        with contextlib.suppress(OSError):
            os.setpgid(child, child)
        return _Running(case["id"], child, reading, time.monotonic() + self._seconds + _GRACE)

    def _collect(self, fork: _Running) -> dict[str, Any]:
        child = fork.pid
        data, ended = _read_line(fork.answer, fork.deadline)
        os.close(fork.answer)
        # Without an answer the process is ending by itself: its status is all that will be known.
        status = _wait_a_moment(child) if ended and not data else None
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            _, status = os.waitpid(child, 0)
        if data and ended:
            with contextlib.suppress(ValueError):
                return {"id": fork.case, **json.loads(data)}
        return {"id": fork.case, **self._ended_otherwise(ended, status)}

    def _ended_otherwise(self, ended: bool, status: int) -> dict[str, Any]:
        if not ended:
            return {"status": "timeout", "text": f"still running after {self._seconds:g} seconds", "phase": "act"}
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == signal.SIGXCPU:
                return {"status": "timeout", "text": "used more processor time than allowed", "phase": "act"}
            return {"status": "crashed", "text": f"killed by {signal.Signals(number).name}", "phase": "act"}
        return {"status": "exited", "text": f"ended the process with code {os.WEXITSTATUS(status)}", "phase": "act"}

    def _run_case(self, case: dict[str, str]) -> dict[str, Any]:
        """In the fork: run the case inside the fence and describe what happened."""
        fence_module.limit_memory(self._memory, self._size)
        fence_module.limit_cpu(self._seconds)
        if not self._allow_io:
            fence_module.limit_files()
        file = os.path.realpath(getattr(sys.modules.get(case["module"]), "__file__", None) or "")
        tracer = _Tracer(file)
        self._source = case["source"]
        phase = "arrange"

        def enter(name: str) -> None:
            nonlocal phase
            phase = name
            sys.settrace(tracer.trace if name == "act" else None)

        output = _Output(self._output)
        result: dict[str, Any] = {"status": "passed", "text": "", "file": "", "line": 0}
        try:
            namespace: dict[str, Any] = {"__name__": "generated", "pytest": SimpleNamespace(raises=_Raises)}
            code = compile(case["source"], _SCRIPT, "exec")
            with self._guarded(output, self._seconds):
                try:
                    exec(code, namespace)
                    namespace["generated_test"](enter)
                finally:
                    sys.settrace(None)
        except BaseException as error:
            result = self._failure(error, phase)
        if self._fence.refusal is not None:
            result = self._refusal(phase)
        elif self._fence.timed_out is not None:
            result = self._timeout()
        return {
            **result,
            "phase": phase,
            "lines": sorted(tracer.lines),
            "arcs": sorted(tracer.arcs),
            "output": output.text(),
        }

    def _refusal(self, phase: str) -> dict[str, Any]:
        what, file, line = self._fence.refusal
        return {"status": "refused", "text": what, "file": file, "line": line, "phase": phase}

    def _timeout(self) -> dict[str, Any]:
        file, line = self._fence.timed_out
        return {
            "status": "timeout",
            "text": f"still running after {self._seconds:g} seconds",
            "file": file,
            "line": line,
        }

    def _failure(self, error: BaseException, phase: str) -> dict[str, Any]:
        """An exception as a verdict, with the innermost place in the program's own files."""
        file, line = "", 0
        trace = error.__traceback__
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if self._fence.owns(name):
                file, line = name, trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename and self._fence.owns(error.filename):
            file, line = error.filename, error.lineno or 0
        if isinstance(error, fence_module.TimedOut):
            text = f"still running after {self._import_seconds if phase == 'import' else self._seconds:g} seconds"
            place = self._fence.timed_out or ("", 0)
            return {"status": "timeout", "text": text, "file": place[0], "line": place[1], "phase": phase}
        if isinstance(error, fence_module.Refused) and self._fence.refusal is not None:
            return self._refusal(phase)
        if isinstance(error, SystemExit):
            return {"status": "exited", "text": f"sys.exit({error.code!r})", "file": file, "line": line, "phase": phase}
        own_assertion = isinstance(error, AssertionError) and not file and phase != "import"
        text = (self._assertion_text(error) if own_assertion else "") or _described(error)
        status = "failed" if own_assertion else "error"
        return {"status": status, "text": text[:_LONGEST_TEXT], "file": file, "line": line, "phase": phase}

    def _assertion_text(self, error: BaseException) -> str:
        """The assertion as written, and what its left side really is; empty where that cannot be told."""
        ast = _library("ast")
        # A program may have a module of that name itself.
        if not hasattr(ast, "unparse"):
            return ""
        trace = error.__traceback__
        frame = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == _SCRIPT:
                frame, line = trace.tb_frame, trace.tb_lineno
            trace = trace.tb_next
        if frame is None or str(error):
            return _described(error)
        statement = next(
            (n for n in ast.walk(ast.parse(self._source)) if isinstance(n, ast.Assert) and n.lineno == line), None
        )
        if statement is None:
            return _described(error)
        text: str = ast.unparse(statement)
        if isinstance(statement.test, ast.Compare):
            left = ast.unparse(statement.test.left)
            with contextlib.suppress(BaseException):
                self._fence.limit_time(_GRACE / 2)
                try:
                    shown = repr(eval(left, frame.f_globals, frame.f_locals))
                finally:
                    self._fence.limit_time(0)
                text += f", but {left} is {shown[:_LONGEST_VALUE]}"
        return text


def _described(error: BaseException) -> str:
    try:
        lines: list[str] = _library("traceback").format_exception_only(error)
        return "".join(lines).strip()
    except BaseException:
        return type(error).__name__


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _read_all(descriptor: int, until: bytes = b"") -> bytes:
    """What arrives until the other end closes, or up to a mark after which nothing comes without an answer."""
    data = b""
    while not (until and data.endswith(until)) and (part := os.read(descriptor, 1 << 20)):
        data += part
    return data


def _processors() -> int:
    """How many processes can really run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _read_line(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What arrives until a line ends or the other end closes, and whether that happened in time."""
    data = b""
    while not data.endswith(b"\n"):
        left = max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            return data, False
        part = os.read(descriptor, 65_536)
        if not part:
            break
        data += part
    return data, True


def _wait_a_moment(child: int) -> int | None:
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    return None


def _close_strangers() -> None:
    """Close what the caller's own parent left open."""
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):
            if int(name) > 2:
                os.close(int(name))


def main() -> None:
    """Read the first part of the request, keep private channels, and give the program no others."""
    if os.getsid(0) != os.getpid():
        os.setsid()
    _close_strangers()
    program = _read_all(0, until=b"\n")
    if not program:
        os._exit(0)
    request = json.loads(program)
    os.chdir(request["folder"])
    work, channel = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.dont_write_bytecode = True
    sys.argv = [""]
    sys.path[:0] = request["path"]
    Worker(request, channel, work).run()
    os._exit(0)


if __name__ == "__main__":
    main()

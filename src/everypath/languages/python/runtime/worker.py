"""Runs in the child: imports programs and runs their cases, with a fork for every program and one for every case.

    interpreter --fork--> host: imports one program --fork--> one case

A fork per program lets one interpreter serve a whole run, and every program finds it as new. A fork per case gives each
the module state that an import leaves, and means that a case which crashes, exits or hangs takes nothing with it.
A host that dies takes the interpreter along, so that the parent sees how it ended.

Every run waits for two interpreters, so this module and those that it loads need next to nothing: `_signal`
instead of `signal`, which wraps it.
"""

from __future__ import annotations

import _signal
import marshal
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, NoReturn

    from everypath.languages.python.runtime import observed
    from everypath.workers import child_side as channel
    from everypath.workers import fence as fence_module
    from everypath.workers import scratch

_GRACE = 1.0
"""Seconds between the polite interruption of a case and its end."""
_IMPORT_MEMORY = 8
"""Importing may take this many times what a case may: large libraries reserve much that they never use."""
_MOST_AT_ONCE = 2
"""More would gain little: the worker itself is busy starting them, and each case has only its own time."""
_LONGEST_TEXT = 4_000
_LARGEST_FILE = 1 << 20
"""Bytes of a file in the folder of a case."""
_SCRIPT = "<generated>"


_ANSWER_START, _ANSWER_END = b"{", b"}\n"
_SCRATCH = os.environ.pop("EVERYPATH_SCRATCH", "")
_HERE = os.path.dirname(os.path.abspath(__file__))
_AROUND = tuple(os.path.join(os.path.dirname(_HERE), name, "") for name in ("runtime", "probing"))
_WORKERS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(_HERE))), "workers")


def _load(folder: str, name: str) -> ModuleType:
    """A module of ours by its file, whatever the program under test calls its own modules."""
    from importlib.machinery import SourceFileLoader

    path = os.path.join(folder, f"{name}.py")
    loader = SourceFileLoader(f"_everypath_{name}", path)
    module = sys.modules[loader.name] = type(sys)(loader.name)
    module.__file__ = path
    code = loader.get_code(loader.name)
    assert code is not None
    exec(code, module.__dict__)
    return module


if not TYPE_CHECKING:
    channel = _load(_WORKERS, "child_side")
    fence_module = _load(_WORKERS, "fence")
    observed = _load(_HERE, "observed")
    scratch = _load(_WORKERS, "scratch")


class _Guard:
    """Around code under test: the fence is armed, time is limited and output is kept."""

    def __init__(self, fence: fence_module.Fence, output: observed.Output, seconds: float, allow_io: bool) -> None:
        self._fence = fence
        self._output = output
        self._seconds = seconds
        self._allow_io = allow_io

    def __enter__(self) -> None:
        self._saved = sys.stdin, sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self._output
        sys.stdin = observed.Unasked(self._fence)
        self._fence.limit_time(self._seconds)
        if not self._allow_io:
            self._fence.arm()

    def __exit__(self, *_: object) -> None:
        observed.note_threads(self._fence)
        self._fence.disarm()
        self._fence.limit_time(0)
        sys.stdin, sys.stdout, sys.stderr = self._saved


class _Running:
    """A fork that runs a case."""

    def __init__(self, pid: int, answer: int, deadline: float) -> None:
        self.pid = pid
        self.answer = answer
        self.deadline = deadline


class Host:
    """Imports one program and runs batches of its cases until the parent needs another program."""

    def __init__(self, request: dict[str, Any], work: int, answers: int) -> None:
        self._work = work
        self._answers = answers
        self._modules: list[str] = request["modules"]
        self._files: dict[str, str] = request["files"]
        self._patience = float(request["patience"])
        self._seconds = float(request["case_seconds"])
        self._import_seconds = float(request["import_seconds"])
        self._memory = int(request["memory_mb"])
        self._output = int(request["output_bytes"])
        self._allow_io = bool(request["allow_io"])
        self._fence = fence_module.Fence(tuple(request["roots"]), self._patience, _AROUND)
        self._source = ""
        self._size: int | None = None

    def run(self) -> None:
        """Import, then run batches; an empty one, or none, means that the program is no longer needed."""
        channel.interrupt_plainly()
        self._fence.install()
        fence_module.limit_memory(self._memory * _IMPORT_MEMORY, fence_module.address_space())
        if self._import_all():
            self._send({"ready": True})
        while batch := channel.read_frame(self._work):
            # What the batch itself takes must not count against its cases.
            self._size = fence_module.address_space()
            work = marshal.loads(batch)
            if isinstance(work, dict):
                self._search(work)
            else:
                self._run_all(work)
        # What the import has written there is found by the code until then.
        scratch.remove(_own_folder(os.getpid()))

    def _search(self, request: dict[str, Any]) -> None:
        """Let a fork look for calls that reach something, and pass on what it says until it ends."""
        reading, writing = os.pipe()
        own, child = os.getpid(), os.fork()
        if child == 0:
            try:
                end_with_parent(own)
                os.setpgid(0, 0)
                for descriptor in (reading, self._work, self._answers):
                    os.close(descriptor)
                fence_module.limit_memory(self._memory, self._size)
                if not self._allow_io:
                    fence_module.limit_files(_LARGEST_FILE)
                request["scratch"] = _own_folder(os.getpid())
                channel.find_package(request["home"])
                from everypath.languages.python.probing.session import search

                search(request, self._fence, observed, lambda told: channel.write_all(writing, channel.line(told)))
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(0)
        os.close(writing)
        deadline = time.monotonic() + request["wall"] + 10
        while True:
            data, ended = channel.read_line(reading, deadline)
            if not ended or not data.endswith(b"\n"):
                break
            channel.write_all(self._answers, data)
        os.close(reading)
        channel.quietly(os.killpg, child, _signal.SIGKILL)
        os.waitpid(child, 0)
        scratch.remove(_own_folder(child))
        self._send({"searched": True})

    def _run_all(self, cases: list[dict[str, str]]) -> None:
        """A few at the same time, answered in order; with side effects allowed, strictly one after the other."""
        observed.preload(cases)
        for home in {case["home"] for case in cases if "home" in case}:
            observed.describers(home, channel.find_package)
        at_once = 1 if self._allow_io else min(_MOST_AT_ONCE, channel.processors())
        running: list[_Running] = []
        for case in cases:
            # Here, while others run: in a fork it takes four times as long, because pages are copied when touched.
            code = _compiled(case["source"])
            if len(running) < at_once:
                running.append(self._start(case, code, running))
                continue
            fork = running.pop(0)
            heard = self._hear(fork)
            if at_once == 1:
                self._answer_for(fork, heard)
                running.append(self._start(case, code, running))
            else:
                # The next one starts while this one is still being taken down.
                running.append(self._start(case, code, running))
                self._answer_for(fork, heard)
        for fork in running:
            self._answer_for(fork, self._hear(fork))

    def _send(self, message: dict[str, Any]) -> None:
        channel.write_all(self._answers, channel.line(message))

    def _import_all(self) -> bool:
        """Import the modules as on a machine without a network, where only temporary files can be written."""
        temporary = scratch.make(_own_folder(os.getpid()))
        before = [(name, os.environ.get(name)) for name in ("TMPDIR", "HOME")]
        os.environ["TMPDIR"] = temporary
        self._fence.folder, self._fence.gently = temporary, True
        try:
            return all(map(self._import, self._modules))
        finally:
            self._fence.folder, self._fence.gently = None, False
            self._fence.refusal = None
            channel.quietly(os.rmdir, temporary)
            for name, value in before:
                os.environ.pop(name, None)
                os.environ.update({} if value is None else {name: value})
            if "tempfile" in sys.modules:
                # It remembers the folder that it found first.
                vars(sys.modules["tempfile"])["tempdir"] = None

    def _import(self, module: str) -> bool:
        output = observed.Output(self._output)
        try:
            with _Guard(self._fence, output, self._import_seconds, self._allow_io):
                __import__(module)
                imported = sys.modules[module]
        except BaseException as error:
            if observed.comes_from(error, self._fence.denied) and self._fence.leave_home():
                return self._import(module)
            self._send({"import_failed": module, **self._failure(error, "import"), **observed.missing(error)})
            return False
        found = os.path.realpath(getattr(imported, "__file__", None) or "")
        wanted = os.path.realpath(self._files.get(module) or found)
        if found != wanted:
            text = f"`import {module}` finds {found or 'a built-in module'} instead of {wanted}: rename the file"
            self._send({"import_failed": module, "status": "error", "text": text, "file": wanted, "line": 0})
            return False
        return True

    def _start(self, case: dict[str, str], code: CodeType | None, running: list[_Running]) -> _Running:
        reading, writing = os.pipe()
        own, child = os.getpid(), os.fork()
        if child == 0:
            for descriptor in (reading, self._work, self._answers, *(fork.answer for fork in running)):
                os.close(descriptor)
            status = 0
            try:
                end_with_parent(own)
                os.setpgid(0, 0)
                message = self._run_case(case, code)
                self._fence.limit_time(0)
                channel.write_all(writing, channel.line(message))
            except BaseException:
                status = 70
            finally:
                os._exit(status)
        os.close(writing)
        # The child does the same. Whoever comes first, the group exists before anybody needs it.
        channel.quietly(os.setpgid, child, child)
        return _Running(child, reading, time.monotonic() + self._patience * self._seconds + _GRACE)

    def _hear(self, fork: _Running) -> tuple[bytes, bool]:
        """What a case says of itself, and whether it came to say so in time."""
        heard = channel.read_line(fork.answer, fork.deadline)
        os.close(fork.answer)
        return heard

    def _answer_for(self, fork: _Running, heard: tuple[bytes, bool]) -> None:
        """End a case with everything that it started, and pass on what it said of itself, or say how it ended."""
        child = fork.pid
        data, ended = heard
        own = _own_folder(child)
        # Without an answer the process is ending by itself: its status is all that will be known.
        status = _wait_a_moment(child) if ended and not data else None
        channel.quietly(os.killpg, child, _signal.SIGKILL)
        if status is None:
            _, status = os.waitpid(child, 0)
        scratch.remove(own)
        if ended and data.startswith(_ANSWER_START) and data.endswith(_ANSWER_END):
            channel.write_all(self._answers, data)
        else:
            self._send(self._ended_otherwise(ended, status))

    def _ended_otherwise(self, ended: bool, status: int) -> dict[str, Any]:
        if not ended:
            return {"status": "timeout", "text": f"still running after {self._seconds:g} seconds", "phase": "act"}
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == _signal.SIGXCPU:
                return {"status": "timeout", "text": "used more processor time than allowed", "phase": "act"}
            return {
                "status": "killed" if number == _signal.SIGKILL else "crashed",
                "text": f"killed by {observed.library('signal').Signals(number).name}",
                "phase": "act",
            }
        return {"status": "exited", "text": f"ended the process with code {os.WEXITSTATUS(status)}", "phase": "act"}

    def _run_case(self, case: dict[str, str], code: CodeType | None) -> dict[str, Any]:
        """In the fork: run the case inside the fence and describe what happened."""
        fence_module.limit_memory(self._memory, self._size)
        fence_module.limit_cpu(self._seconds)
        # Nothing is made for the many cases that have no use for a folder.
        folder = scratch.make(_own_folder(os.getpid())) if "home" in case or "tmp_path" in case["source"] else None
        self._fence.folder, self._fence.confined = folder, folder is not None
        if not self._allow_io:
            fence_module.limit_files(_LARGEST_FILE if folder else 0)
        module = sys.modules.get(case["module"])
        file = os.path.realpath(getattr(module, "__file__", None) or "")
        tracer = observed.tracer(case, file, self._fence.owns, channel.find_package)
        self._source = case["source"]
        phase = "arrange"

        def enter(name: str) -> None:
            nonlocal phase
            phase = name
            sys.settrace(tracer.trace if name == "act" or (seen is not None and name == "arrange") else None)

        output = observed.Output(self._output)
        result: dict[str, Any] = {"status": "passed", "text": "", "file": "", "line": 0}
        seen = world = None
        try:
            namespace: dict[str, Any] = {
                "__name__": "generated",
                "pytest": observed.Pytest,
                "monkeypatch": observed.MonkeyPatch(),
            }
            if folder is not None:
                namespace["tmp_path"] = observed.library("pathlib").Path(folder)
            if "home" in case:
                # Nobody has predicted how it ends: what there is to see is described.
                describing, worlds = observed.describers(case["home"], channel.find_package)
                world = worlds.World(self._fence, str(folder)).of(file)
                seen = describing.Described(self._fence.owns, world)
                namespace["observe_inputs"], namespace["observe_result"] = seen.inputs, seen.result
                observed.be_elsewhere(case["elsewhere"])
                sys.settrace(tracer.trace)
                world.enter()
            with _Guard(self._fence, output, self._seconds, self._allow_io):
                try:
                    exec(code or compile(case["source"], _SCRIPT, "exec"), namespace)
                    namespace["generated_test"](enter)
                finally:
                    sys.settrace(None)
                    if world is not None:
                        world.leave()
        except BaseException as error:
            result = self._failure(error, phase)
            if seen is not None and phase == "act" and isinstance(error, (Exception, SystemExit)):
                seen.error(error, file)
                # Nothing is asserted here, so an assertion that failed is one of the program.
                result["status"] = "error" if result["status"] == "failed" else result["status"]
        # The code may have swallowed what the fence raised; that it was raised counts.
        if self._fence.refusal is not None:
            result = self._refusal(phase)
        elif self._fence.timed_out is not None:
            result = self._timeout(*self._fence.timed_out)
        return {
            **result,
            "phase": phase,
            **tracer.told(),
            "output": output.text(),
            "compiled": _compiled_functions(module),
            **({} if seen is None else {"seen": seen.told()}),
        }

    def _refusal(self, phase: str) -> dict[str, Any]:
        assert self._fence.refusal is not None
        what, file, line = self._fence.refusal
        return {"status": "refused", "text": what, "file": file, "line": line, "phase": phase}

    def _timeout(self, file: str, line: int) -> dict[str, Any]:
        text = f"still running after {self._seconds:g} seconds"
        return {"status": "timeout", "text": text, "file": file, "line": line}

    def _failure(self, error: BaseException, phase: str) -> dict[str, Any]:
        """An exception as a verdict, with the innermost place in the program's own files."""
        file, line = "", 0
        trace = error.__traceback__
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            # Where the program and this package are installed side by side, the fence owns both.
            if name != __file__ and self._fence.owns(name):
                file, line = name, trace.tb_lineno or 0
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename and self._fence.owns(error.filename):
            file, line = error.filename, error.lineno or 0
        if isinstance(error, fence_module.TimedOut):
            text = f"still running after {self._import_seconds if phase == 'import' else self._seconds:g} seconds"
            place = self._fence.timed_out or ("", 0)
            return {"status": "timeout", "text": text, "file": place[0], "line": place[1], "phase": phase}
        if self._fence.refusal is not None and observed.comes_from(error, self._fence.denied):
            return self._refusal(phase)
        if isinstance(error, SystemExit):
            return {"status": "exited", "text": f"sys.exit({error.code!r})", "file": file, "line": line, "phase": phase}
        own_assertion = isinstance(error, AssertionError) and not file and phase != "import"
        text = ""
        if own_assertion:
            seconds = _GRACE / 2
            text = observed.assertion_text(
                error, self._source, _SCRIPT, lambda on: self._fence.limit_time(seconds * on)
            )
        text = text or observed.described(error)
        status = "failed" if own_assertion else "error"
        return {"status": status, "text": text[:_LONGEST_TEXT], "file": file, "line": line, "phase": phase}


def _compiled(source: str) -> CodeType | None:
    """The script of a case; None where it cannot be compiled, which then is the case's own failure."""
    try:
        return compile(source, _SCRIPT, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


def _own_folder(pid: int) -> str:
    """Where a process that runs code under test may write."""
    return os.path.join(_SCRATCH, str(pid))


def _compiled_functions(module: ModuleType | None) -> list[str]:
    return [] if module is None else [name for name, value in vars(module).items() if type(value) is type(len)]


def _wait_a_moment(child: int) -> int | None:
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    return None


def _host(program: bytes, farewell: int) -> None:
    """In the fork: keep the channel private, and give the program a world in which only it was ever started."""
    request = marshal.loads(program)
    os.chdir(request["folder"])
    work, answers, _ = channel.keep_private(0, 1, 2)
    sys.dont_write_bytecode = True
    sys.argv = [""]
    observed.load_what_pytest_has(request["path"])
    sys.path[:0] = request["path"]
    Host(request, work, answers).run()
    os.write(farewell, b".")


def _serve(program: bytes) -> None:
    """Let a fork work on a program, and end in the same way if it does not come to a proper end."""
    hearing, farewell = os.pipe()
    own, host = os.getpid(), os.fork()
    if host == 0:
        code = 1
        try:
            end_with_parent(own)
            _host(program, farewell)
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    os.close(farewell)
    _, status = os.waitpid(host, 0)
    # Any exit code could be the program's own doing.
    if not select.select([hearing], [], [], 0)[0] or not os.read(hearing, 1):
        _end_like(status)
    os.close(hearing)


def _end_like(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        channel.quietly(_signal.signal, os.WTERMSIG(status), _signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(abs(os.waitstatus_to_exitcode(status)))


end_with_parent = channel.parent_death_watch()


def _warm_up() -> None:
    """Load what every program needs while there is none yet: the parent is still busy with loading itself."""
    fence_module.address_space()
    __import__("_posixsubprocess")


def main() -> None:
    """Serve one program after the other until the parent is gone."""
    channel.settle_in()
    end_with_parent(os.getppid())
    fence_module.no_core_dumps()
    _warm_up()
    while (program := channel.read_frame(0)) is not None:
        _serve(program)
    scratch.remove(_SCRATCH)
    os._exit(0)


if __name__ == "__main__":
    main()

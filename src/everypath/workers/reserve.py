"""Processes that are started ahead of their work, and kept from one piece of work to the next.

Starting an interpreter and loading a program takes longer than running a few tests. Whoever knows early that there will
be something to do says so with `prepare`; `take` then finds the process warm, and `give_back` keeps it for the
next piece of work. So a run starts as many processes as it has kinds of them, however much there is to do.
"""

from __future__ import annotations

from everypath.workers.process import Command, Process

_waiting: dict[Command, Worker] = {}
_leaving: list[Worker] = []
"""Workers that were told to end, and that nobody has seen to it yet."""
_blocks = 0
"""How many `kept_workers` blocks are open."""


class Worker(Process):
    """A process that loads one program, works on it, and loads another one when it is told to.

    What it reads is a frame with the program, frames with work on it, and an empty frame when the next program
    follows. It says one line when it has loaded the program, or that it cannot.
    """

    def __init__(self, command: Command) -> None:
        super().__init__(command)
        self.program = b""
        """the program that it was told to load"""
        self.loaded = False
        """whether its line about the program was read"""

    def load(self, program: bytes) -> None:
        """Tell it to load a program instead of the one that it has."""
        if self.program:
            self.send(b"")
        self.send(program)
        self.program, self.loaded = program, False

    def serves(self, program: bytes) -> bool:
        """Whether it can be used for a program; the empty program stands for any."""
        if self.ended():
            # One that died while it loaded the program is not replaced: whoever takes it tells the user how it died.
            return bool(program) and self.program == program and not self.loaded
        if not program or self.program in (b"", program) or self.loaded:
            return True
        # It cannot change while it is still busy loading what nobody needs any more, perhaps for ever.
        return self.receive(0) is not None


class kept_workers:
    """Within the block, workers that are given back wait for more work; at its end none is left running."""

    def __enter__(self) -> None:
        global _blocks
        _blocks += 1

    def __exit__(self, *_: object) -> None:
        global _blocks
        _blocks -= 1
        dismiss()
        while _leaving:
            _leaving.pop().close()


def dismiss() -> None:
    """Have the workers that wait end while this process does something else: no more work for them is expected."""
    while _waiting:
        worker = _waiting.popitem()[1]
        worker.kill()
        _leaving.append(worker)


def prepare(command: Command, program: bytes = b"") -> Worker:
    """Start a worker ahead of its work, and let it load the program if one is given."""
    worker = _waiting.get(command)
    if worker is not None and not worker.serves(program):
        _waiting.pop(command).close()
        worker = None
    if worker is None:
        worker = _waiting[command] = Worker(command)
    if program and worker.program != program:
        worker.load(program)
    return worker


def take(command: Command, program: bytes) -> Worker:
    """A worker that was told to load the program; the caller closes it or gives it back."""
    prepare(command, program)
    return _waiting.pop(command)


def give_back(worker: Worker) -> None:
    """Give back a worker that has answered everything; it is kept while there may be more to do."""
    if _blocks and worker.command not in _waiting:
        _waiting[worker.command] = worker
    else:
        worker.close()


def disown() -> None:
    """Called in a copy of this process: the workers that wait are the original's, and it starts its own."""
    global _blocks
    _blocks = 0
    for worker in (*_waiting.values(), *_leaving):
        worker.disown()
    _waiting.clear()
    _leaving.clear()

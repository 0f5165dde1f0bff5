"""What is done while this process waits for another one."""

from everypath.workers import reserve
from everypath.workers.process import Process, interpreter, meanwhile

_ANSWERS = interpreter("import sys, time; sys.stdin.buffer.read(8); time.sleep(0.2); print('done', flush=True)", 0)


def test_work_is_done_once_while_a_process_is_waited_for() -> None:
    done = []
    process = Process(_ANSWERS)
    try:
        meanwhile(lambda: done.append("first"))
        meanwhile(lambda: done.append("second"))
        assert process.receive(0) is None
        assert not done, "to look whether there is something is not to wait"
        process.send(b"")
        assert process.receive(20) == b"done"
    finally:
        process.close()
    assert sorted(done) == ["first", "second"]


def test_an_answer_that_is_there_is_not_kept_waiting() -> None:
    done = []
    process = Process(interpreter("print('one\\ntwo', flush=True)", 0))
    try:
        assert process.receive(20) == b"one"
        meanwhile(lambda: done.append("late"))
        assert process.receive(20) == b"two"
        assert not done
    finally:
        process.close()


def test_dismissed_workers_are_gone_after_the_block() -> None:
    with reserve.kept_workers():
        first = reserve.prepare(_ANSWERS)
        reserve.dismiss()
        second = reserve.prepare(_ANSWERS)
        assert second is not first
    assert first.ended() and second.ended()

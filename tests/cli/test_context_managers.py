"""Functions that `contextlib.contextmanager` decorates: their tests enter and leave what they give."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes

MANAGERS = """\
from contextlib import contextmanager
from typing import Iterator

LOG: list[int] = []


@contextmanager
def pushed(n: int) -> Iterator[int]:
    LOG.append(n)
    try:
        yield n
    finally:
        LOG.pop()


@contextmanager
def quiet(n: int) -> Iterator[list[int]]:
    if n < 0:
        raise KeyError(n)
    try:
        yield [n]
    except ValueError:
        LOG.append(n)


@contextmanager
def plain(n: int) -> Iterator[int]:
    yield n + 1


class Store:
    def __init__(self) -> None:
        self.log: list[str] = []

    @contextmanager
    def transaction(self) -> Iterator[int]:
        try:
            yield len(self.log)
        except Exception:
            self.log.append("rollback")
            raise
        else:
            self.log.append("commit")
"""


def test_a_manager_is_entered_and_left_also_with_an_error_that_its_generator_handles(tmp_path: Path) -> None:
    (tmp_path / "managers.py").write_text(MANAGERS)
    told = everypath(tmp_path, "generate", "managers.py")
    assert told.code == 0, told.out
    written = (tmp_path / "test_managers_generated.py").read_text()
    assert "callable(" not in written
    names = {line[len("def test_") :].partition("(")[0] for line in written.splitlines() if line.startswith("def test")}
    assert {"pushed_failing_block_raises_value_error", "quiet_failing_block_gives_list"} <= names
    # Without a handler in the generator the error is no other path.
    assert [name for name in names if name.startswith("plain")] == ["plain_gives_3"]
    assert '        with store.transaction():\n            raise ValueError("planned")\n' in written
    assert '== ["a", "rollback"]' in written and '== ["a", "commit"]' in written
    pytest_passes(tmp_path)

"""`--invariant NAME`: a method that holds for every input object; what breaks it is no input."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes

CODE = """\
from __future__ import annotations


class Range:
    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    @property
    def sound(self) -> bool:
        return self.low <= self.high

    def width(self) -> int:
        if self.low > self.high:
            raise RuntimeError("never")
        return self.high - self.low

    def beside(self, other: Range | None) -> int:
        if other is not None and other.low > other.high:
            raise RuntimeError("never")
        return 1


class Holder:
    def __init__(self, inner: Range, size: int) -> None:
        self.inner = inner
        self.size = size

    def sound(self) -> int:
        return self.size

    def get(self) -> int:
        if self.inner.low > self.inner.high or self.size == 0:
            raise RuntimeError("never")
        return 2


class Fragile:
    def __init__(self, n: int) -> None:
        self.n = n

    def sound(self) -> bool:
        return 10 // self.n > 0

    def get(self) -> int:
        return 3 // self.n


class Free:
    def __init__(self, n: int) -> None:
        self.n = n

    def needs(self, other: int) -> bool:
        return True

    def get(self) -> int:
        return 1 if self.n > 3 else 2


def both(r: Range, h: Holder | int, f: Free) -> int:
    try:
        if isinstance(h, int):
            return h
        if f.n > 3:
            return 1
        return r.width() + h.get()
    except AssertionError:
        raise RuntimeError("never") from None
"""


def test_is_assumed_of_every_input_object(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    free = everypath(tmp_path, "generate", "sample.py")
    assert free.code == 1 and "ZeroDivisionError" in free.out
    assert "never" in (tmp_path / "test_sample_generated.py").read_text()
    for arguments in ([], ["--reachable"]):
        result = everypath(tmp_path, "generate", "sample.py", "--invariant", "sound", *arguments)
        assert result.code == 0, result
        for text in (
            "Range.width: cases 1,",
            "Range.beside: cases 2,",
            "Holder.get: cases 1,",
            "Fragile.get: cases 1,",
            "Free.get: cases 2,",
            "both: cases 3,",
        ):
            assert text in result.out, (arguments, text)
        assert "never" not in (tmp_path / "test_sample_generated.py").read_text()
        pytest_passes(tmp_path, "test_sample_generated.py")
        replayed = everypath(tmp_path, "replay", "sample.py--both.json")
        assert replayed.code == 0, replayed


def test_one_that_nothing_fulfils(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "class A:\n    def __init__(self, n: int) -> None:\n        self.n = n\n\n"
        "    def valid(self) -> bool:\n        return self.n > 3 and self.n < 2\n\n"
        "    def get(self) -> int:\n        return 1\n"
    )
    result = everypath(tmp_path, "generate", "sample.py::A.get", "--invariant", "valid")
    assert result.code == 2, result
    assert "sample.py:8: assumption: A.get: no input satisfies valid()" in result.said


def test_a_name_that_is_no_invariant(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    unknown = everypath(tmp_path, "generate", "sample.py", "--invariant", "soun")
    assert unknown.code == 2 and "no class of the targets has such a method; did you mean sound?" in unknown.err
    needs = everypath(tmp_path, "generate", "sample.py", "--invariant", "needs")
    assert needs.code == 2 and "it needs an argument for 'other'" in needs.err

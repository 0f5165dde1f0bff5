"""Endless code, hard conditions and bounds that are too small: reported with the option to raise, never endless."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes, written

ENDLESS = """\
def loop(x: int) -> int:
    while True:
        pass


def recursion(x: int) -> int:
    return recursion(x + 1)


def several(xs: list[int]) -> int:
    n = 0
    while n < 3 or xs[n] > 5:
        if xs[n] > 2:
            n += 1
    return n


def hard(x: int, y: int, z: int) -> int:
    if x > 1 and y > 1 and z > 1 and x * x * x + y * y * y == z * z * z:
        return 1
    return 0


def dynamic(x: int) -> int:
    if x > 2:
        exec("x = 1")
    return x


def many(xs: list[int]) -> int:
    n = 0
    for x in xs:
        n += 1 if x > n else 2
    return n
"""


def test_what_every_cut_path_says(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    for name, options, expected in [
        ("loop", ["--depth", "500"], ["endless.py:2: cut:", "more than 500 blocks", "raise --depth"]),
        ("recursion", [], ["endless.py:7: cut:", "calls nested more than", "check that the recursion ends"]),
        ("several", ["--loops", "0"], ["endless.py:10: cut: several: no path ends", "raise --loops"]),
    ]:
        result = everypath(tmp_path, "generate", f"endless.py::{name}", "--predicted-only", *options)
        assert result.code == 3, result
        for text in expected:
            assert text in result.said
    assert written(tmp_path) == {"endless.py"}


def test_what_is_found_within_the_limits_is_kept(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    targets = [f"endless.py::{name}" for name in ("hard", "dynamic", "many", "loop")]
    result = everypath(tmp_path, "generate", *targets, "--solver-timeout", "200", "--loops", "3", "--paths", "6")
    assert result.code == 0, result
    assert "endless.py:19: unknown: the solver gave up" in result.said
    assert "raise --solver-timeout or narrow the inputs with --int-range" in result.said
    assert "endless.py:26: unsupported: `exec` is not supported" in result.said
    assert "endless.py:30: cut: many: stopped after 6 paths; raise --paths" in result.said
    pytest_passes(tmp_path, "test_endless_generated.py")


def test_the_time_limit_ends_exploration(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    result = everypath(tmp_path, "generate", "endless.py::loop", "--time", "0.3", "--depth", "1000000000")
    assert result.code == 3
    assert "endless.py:1: cut: loop: the time for exploring is over; raise --time" in result.said


def test_code_and_objects_that_are_nested_too_deeply(tmp_path: Path) -> None:
    chain = "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(1500))
    (tmp_path / "chain.py").write_text(
        f"def f(x: int) -> int:\n    if x < 0:\n        return -1\n{chain}    return -2\n"
    )
    result = everypath(tmp_path, "generate", "chain.py")
    assert result.code in (2, 3), result
    assert "nested" in result.said

    (tmp_path / "deep.py").write_text(
        "class Node:\n    def __init__(self, next: 'Node | None') -> None:\n        self.next = next\n\n\n"
        "def f(x: int) -> Node:\n    node = Node(None)\n    if x > 3:\n        for _ in range(3000):\n"
        "            node = Node(node)\n    return node\n"
    )
    result = everypath(tmp_path, "generate", "deep.py::f", "--predicted-only")
    assert result.code == 0, result
    assert "deep.py:6: unsupported: f: the objects of a path are nested too deeply" in result.said
    assert "deep.py::f: cases 1," in result.out

"""`replay` and `show`: how suites and cases are named, and what is said when the code has changed."""

from __future__ import annotations

from pathlib import Path

from .command import everypath

CODE = """\
def f(x: int) -> int:
    if x > 3:
        return 1
    return 0
"""


def test_names_of_suites_and_cases(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    assert everypath(tmp_path, "generate", "sample.py").code == 0
    for name, lines in [
        ("sample.py::f", 2),
        ("sample.py--f.json", 2),
        (".everypath/sample.py--f.json", 2),
        ("sample.py::f::x_above_3_returns_1", 1),
        ("sample.py::f::sample::f#2", 1),
    ]:
        result = everypath(tmp_path, "replay", name)
        assert result.code == 0, result
        assert result.out.count("ok  ") == lines
        assert f"{lines} of {lines} cases replayed as recorded" in result.out
    steps = everypath(tmp_path, "replay", "sample.py::f", "--steps")
    text = "    f:\n      sample.py:2: if x > 3:\n          x = 4\n      sample.py:3: return 1\n      returns 1\n"
    assert f"{text}ok   x_above_3_returns_1\n" in steps.out


def test_unknown_and_damaged_suites(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    everypath(tmp_path, "generate", "sample.py")
    stored = tmp_path / ".everypath"
    (stored / "cut.json").write_text((stored / "sample.py--f.json").read_text()[:300])
    (stored / "no_options.json").write_text(
        '{"version":2,"kind":"calls","suite":{"target":"sample.py::f","options":{}}}'
    )
    for name, expected in [
        ("other.py::f", ["no stored suite 'other.py::f'", "sample.py--f.json"]),
        ("sample.py::f::nothing", ["no case 'nothing'", "x_above_3_returns_1"]),
        ("cut.json", [".everypath/cut.json", "not a stored suite"]),
        ("no_options.json", [".everypath/no_options.json", "generate it again"]),
    ]:
        result = everypath(tmp_path, "replay", name)
        assert result.code == 2, result
        for text in expected:
            assert text in result.err


def test_code_that_changed(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    everypath(tmp_path, "generate", "sample.py")
    for changed, expected in [
        (CODE.replace("return 1", "return 7"), ["FAIL x_above_3_returns_1", "result is 7", "1 of 2 cases"]),
        (CODE.replace("x > 3", "x > 3 and x < 9"), ["FAIL x_above_3_returns_1", "was the code changed?"]),
        (CODE.replace("def f", "def g"), ["there is no 'f' in this file"]),
        ("def f(x: int) -> int\n", ["sample.py:1:"]),
    ]:
        (tmp_path / "sample.py").write_text(changed)
        result = everypath(tmp_path, "replay", "sample.py::f")
        assert result.code == 1, result
        for text in [*expected, "run `everypath generate sample.py::f` again"]:
            assert text in result.said


def test_show_prints_the_intermediate_representation(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE + "\n\ndef untyped(x):\n    return x\n")
    result = everypath(tmp_path, "show", "--ir", "sample.py")
    assert result.code == 0
    assert "method sample::f(x: int) -> int" in result.out
    assert "sample.py:7: types:" in result.err
    without = everypath(tmp_path, "show", "sample.py")
    assert without.code == 2
    assert "say what to show: --ir" in without.err

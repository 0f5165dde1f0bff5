"""What cannot be used as given: one paragraph with file and line, exit code 2, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import everypath, written

FILES = {
    "broken.py": "def f(x: int) -> int:\n    return x +\n",
    "nulls.py": "def f(x: int) -> int:\n    return 1\0\n",
    "good.py": "def f(x: int) -> int:\n    return 1 if x > 3 else 0\n\n\ndef untyped(x):\n    return x.a.b(x)\n",
    "needs.py": "import no_such_library_anywhere\n\n\ndef f(x: int) -> int:\n    return x\n",
    "fails.py": "def f(x: int) -> int:\n    return x\n\n\nraise RuntimeError('two\\nlines')\n",
    "leaves.py": "import os\n\n\ndef f(x: int) -> int:\n    return x\n\n\nos._exit(4)\n",
    "quits.py": "import sys\n\n\ndef f(x: int) -> int:\n    return x\n\n\nsys.exit(4)\n",
    "saves.py": "def f(x: int) -> int:\n    return x\n\n\nopen('made.txt', 'w').close()\n",
    "empty.py": "",
    "comments.py": "# nothing here\n",
    "plain.txt": "text",
    "shop/cart.py": "def f(x: int) -> int:\n    return x\n",
    "shop/good.py": "def f(x: int) -> int:\n    return x\n",
    "shop/my-code.py": "def f(x: int) -> int:\n    return x\n",
    "shop/my_code.py": "def f(x: int) -> int:\n    return x\n",
    "json.py": "def f(x: int) -> int:\n    return x\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "nothing").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["broken.py"], ["broken.py:2:", "invalid syntax"]),
        (["nulls.py"], ["nulls.py", "null bytes"]),
        (["nowhere.py"], ["nowhere.py: no such file"]),
        (["no_module"], ["no_module", "give a path such as"]),
        (["good.py::g"], ["good.py", "'g'", "it defines f"]),
        (["good.py::untyped", "--predicted-only"], ["good.py:5:", "parameter 'x'", "annotate it or pass --types"]),
        (["needs.py"], ["needs.py:1:", "ModuleNotFoundError", "make the module importable"]),
        (["fails.py"], ["fails.py:5:", "RuntimeError: two lines", "make the module importable"]),
        (["leaves.py"], ["leaves.py", "ended the process with code 4"]),
        (["quits.py"], ["quits.py:8:", "sys.exit(4)"]),
        (["saves.py"], ["saves.py:5:", "made.txt", "--allow-io"]),
        (["empty.py", "comments.py"], ["empty.py, comments.py", "nothing to test"]),
        (["plain.txt"], ["plain.txt", "not a Python source file"]),
        (["nothing/"], ["nothing", "no Python modules to test"]),
        (["shop::f"], ["shop", "is a folder; name the file that defines f"]),
        (["good.py", "shop/good.py"], ["shop/good.py", "also imported as 'good'", "separate runs"]),
        (["json.py"], ["json.py", "rename the file"]),
        (["good.py", "--loops", "many"], ["--loops", "'many' is not a valid integer"]),
        (["good.py", "--int-range", "9:1"], ["'9:1' is not a range such as -10:10"]),
        (["good.py::f", "-o", "plain.txt/x.py"], ["plain.txt/x.py", "plain.txt is a file"]),
        (["good.py::f", "-o", "/dev/full"], ["/dev/full", "not a regular file"]),
        (["good.py::f", "shop/cart.py", "-o", "one.py"], ["-o one.py is one file", "name a folder"]),
        (["good.py", "-o", "./good.py"], ["good.py", "would be overwritten"]),
        (["good.py::f", "--format", "json", "-o", "shop"], ["shop", "JSON is one file"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_is_explained_and_nothing_is_written(folder: Path, arguments: list[str], expected: list[str]) -> None:
    result = everypath(folder, "generate", *arguments)
    assert result.code == 2, result
    for text in expected:
        assert text in result.said
    assert written(folder) == {*FILES, "shop", "nothing"}


@pytest.mark.parametrize("targets", [["shop/my-code.py", "shop/my_code.py"], ["shop"]], ids=["files", "folder"])
def test_modules_whose_files_would_have_one_name_get_two(folder: Path, targets: list[str]) -> None:
    for _ in range(2):
        result = everypath(folder, "generate", *targets, "-o", "out/")
        assert result.code == 0, result
        names = ["test_my_code_generated.py", "test_my_code_generated_2.py"]
        assert sorted(path.name for path in (folder / "out").glob("test_my_code*")) == names
        texts = [(folder / "out" / name).read_text(encoding="utf-8") for name in names]
        assert ["shop/my-code.py" in text for text in texts] == [True, False]
        assert ["shop/my_code.py" in text for text in texts] == [False, True]


def test_one_module_that_cannot_be_imported_does_not_cost_the_others(folder: Path) -> None:
    result = everypath(folder, "generate", "needs.py", "good.py", "fails.py")
    assert result.code == 2
    assert "needs.py:1: import:" in result.said
    assert "fails.py:5: import:" in result.said
    assert "good.py:5: types:" in result.said
    assert written(folder) == {*FILES, "shop", "nothing", "test_good_generated.py"}


def test_an_empty_command_line_and_an_unknown_command(tmp_path: Path) -> None:
    assert everypath(tmp_path, "generate").code == 2
    result = everypath(tmp_path, "generat", "x.py")
    assert result.code == 2
    assert "No such command 'generat'" in result.err

"""Folders and packages as targets: every public function, one file per module, and a table at the end."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

from .command import everypath, pytest_passes

FILES = {
    "shop/__init__.py": "from shop.base import LIMIT\n\n\ndef over(x: int) -> int:\n    return 1 if x > LIMIT else 2\n",
    "shop/base.py": (
        "LIMIT = 3\n\n\n"
        "class Cart:\n"
        "    def __init__(self, n: int) -> None:\n        self.n = n\n\n"
        "    def share(self, k: int) -> int:\n        return self.n // k\n\n"
        "    def _hidden(self) -> int:\n        return 1\n\n\n"
        "def _private(x: int) -> int:\n    return x\n"
    ),
    "shop/parts/__init__.py": "",
    "shop/parts/wheel.py": "def turn(x: int) -> int:\n    if x > 7:\n        return 1\n    return 2\n",
    "shop/parts/unknown.py": (
        "def strange(x):\n    return x.first.second(x)\n\n\ndef fine(x: int) -> int:\n    return x\n"
    ),
    "shop/broken.py": "def f(:\n",
    "shop/needs.py": "import no_such_library\n\n\ndef f(x: int) -> int:\n    return x\n",
    "shop/_private.py": "def f(x: int) -> int:\n    return x\n",
    "shop/fast.abi3.so": "",
    "shop/tests/test_wheel.py": "def test_it():\n    pass\n",
    "shop/test_cart.py": "def test_it():\n    pass\n",
}
TESTS = {"test_shop_base_generated.py", "test_shop_generated.py", "test_shop_parts_wheel_generated.py"}
UNKNOWN_TESTS = "test_shop_parts_unknown_generated.py"


def make(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


_SHARE = re.compile(r"\d+/\d+")


def table(said: str) -> dict[tuple[str, str], list[str]]:
    """The rows of the table: module and function -> the other cells, without the share of branches."""
    lines = said.splitlines()
    first, last = (number for number, line in enumerate(lines) if line.startswith("---"))
    rows = [line.split(None, 2) for line in lines[first + 1 : last]]
    return {
        (module, function): [cell for cell in rest.split() if not _SHARE.fullmatch(cell)]
        for module, function, rest in rows
    }


def test_everything_public_is_covered_and_nothing_hides_a_refusal(tmp_path: Path) -> None:
    make(tmp_path)
    result = everypath(tmp_path, "generate", "shop", "-o", "out/")
    assert result.code == 1, result
    rows = table(result.out)
    assert rows["shop", "over"] == ["2", "0", "0", "0"]
    assert rows["shop.base", "Cart.share"] == ["2", "1", "0", "0"]
    assert rows["shop.parts.wheel", "turn"] == ["2", "0", "0", "0"]
    refusals = {key: " ".join(cells) for key, cells in rows.items() if cells[0] == "refused:"}
    assert set(refusals) == {
        ("shop.broken", "-"),
        ("shop.needs", "f"),
        ("fast", "-"),
    }
    assert "shop/broken.py:1: not valid Python" in refusals["shop.broken", "-"]
    assert "shop/needs.py:1: import: shop.needs cannot be imported" in refusals["shop.needs", "f"]
    # What cannot be followed is run, and why it could not be followed is still told.
    assert rows["shop.parts.unknown", "strange"][0] != "0"
    assert "shop/parts/unknown.py:1: types: the type of parameter 'x'" in result.out
    assert "is an extension module" in refusals["fast", "-"]
    assert "shop/base.py:9: runtime-error: ZeroDivisionError" in result.out
    assert "note: left out 1 private module and 2 test files" in result.err
    assert {path.name for path in (tmp_path / "out").iterdir()} == TESTS | {UNKNOWN_TESTS}
    assert pytest_passes(tmp_path, "out").startswith("9 passed")


def test_a_package_by_its_import_name(tmp_path: Path) -> None:
    make(tmp_path / "src")
    by_name = everypath(tmp_path / "src", "generate", "shop.parts")
    assert by_name.code == 0, by_name
    assert set(table(by_name.out)) == {
        ("shop.parts.wheel", "turn"),
        ("shop.parts.unknown", "strange"),
        ("shop.parts.unknown", "fine"),
    }
    other = everypath(tmp_path, "generate", "src/shop/parts/", "--exclude", "unknown.py")
    assert list(table(other.out)) == [("shop.parts.wheel", "turn")]
    first = (tmp_path / "src/test_shop_parts_wheel_generated.py").read_text()
    second = (tmp_path / "test_shop_parts_wheel_generated.py").read_text()
    # They lie in different folders, so that only one of them has to say where the package is.
    tests = [text.partition("def test")[2].partition("# Checksums")[0] for text in (first, second)]
    assert tests[0] == tests[1]


def test_an_installed_package_and_a_module_of_the_library(tmp_path: Path) -> None:
    result = everypath(tmp_path, "generate", "json", "_bisect", "colorsys", "--total-time", "4", "--exclude", "json.*")
    rows = table(result.out)
    assert "no Python source to explore" in " ".join(rows["_bisect", "-"])
    assert ("colorsys", "rgb_to_hsv") in rows
    assert result.code == 2


def test_patterns_leave_out_files_modules_classes_and_functions(tmp_path: Path) -> None:
    make(tmp_path)

    def tried(*patterns: str) -> set[tuple[str, str]]:
        arguments = [argument for pattern in patterns for argument in ("--exclude", pattern)]
        result = everypath(tmp_path, "generate", "shop", "--no-validate", *arguments)
        return set(table(result.out)) - {("fast", "-")}

    everything = tried("shop/broken.py")
    assert {module for module, _ in everything} == {
        *("shop", "shop.base", "shop.parts.wheel", "shop.parts.unknown", "shop.needs")
    }
    assert everything - tried("shop/broken.py", "Cart") == {("shop.base", "Cart.__init__"), ("shop.base", "Cart.share")}
    assert everything - tried("shop/broken.py", "*.share", "t?rn") == {
        ("shop.base", "Cart.share"),
        ("shop.parts.wheel", "turn"),
    }
    assert everything - tried("shop/broken.py", "shop.parts") == {
        ("shop.parts.wheel", "turn"),
        ("shop.parts.unknown", "strange"),
        ("shop.parts.unknown", "fine"),
    }
    assert everything == tried("shop/broken.py", "shop/parts/wheels.py")


def test_a_pattern_that_means_nothing_is_told(tmp_path: Path) -> None:
    make(tmp_path)
    result = everypath(tmp_path, "generate", "shop/parts", "--exclude", "wheels.py", "--exclude", "strange")
    assert "note: --exclude 'wheels.py' leaves nothing out" in result.err
    assert "strange" not in result.said


HARD = """\
def hard(xs: list[int], a: int, b: int) -> int:
    n = 0
    for x in xs:
        if x > a:
            n += 1
        elif x < b:
            n += 2
        if x % 3 == 1:
            n += 4
    for i in range(1000):
        n += i
    return n


"""


def test_one_hard_function_does_not_starve_the_rest(tmp_path: Path) -> None:
    easy = "\n\n".join(f"def easy{i}(x: int) -> int:\n    return 1 if x > {i} else 2\n" for i in range(6))
    (tmp_path / "sample.py").write_text(HARD + easy)
    result = everypath(tmp_path, "generate", "sample.py", "--loops", "9", "--total-time", "5", "--no-validate")
    assert result.code == 0, result
    lines = {line.partition(":: ")[0].split(":")[2]: line for line in result.out.splitlines() if "::" in line}
    assert "time)" in lines["hard"]
    assert all("cases 2, findings 0, branches 1 of 1, cut 0," in lines[f"easy{i}"] for i in range(6))
    seconds = float(lines["hard"].rpartition("seconds ")[2])
    assert 0.4 < seconds < 2.5


def test_time_that_is_over_is_told(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "def f(x: int) -> int:\n    return x\n\n\ndef g(x: int) -> int:\n    return x\n"
    )
    result = everypath(tmp_path, "generate", "sample.py", "--total-time", "0.000001")
    assert "sample.py:5: cut: g: --total-time was over before its turn" in result.err
    assert "sample.py::g: cases" not in result.out


def test_the_same_run_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for seed in ("1", "4711"):
        folder = tmp_path / seed
        make(folder)
        everypath(folder, "generate", "shop", PYTHONHASHSEED=seed)
        texts.append({path.name: path.read_bytes() for path in folder.glob("test_*.py")})
    assert texts[0] == texts[1]
    assert set(texts[0]) == TESTS | {UNKNOWN_TESTS}


def test_many_functions_use_bounded_memory(tmp_path: Path) -> None:
    """What a finished module used is dropped: eight times the functions need hardly more memory."""
    lines = ["def f{0}(xs: list[int], k: int) -> int:", "    n = 0", "    for x in xs:", "        if x > k:"]
    body = "\n".join([*lines, "            n += x", "    return n", ""])
    for number in range(25):
        module = "\n\n".join(body.format(i) for i in range(20))
        (tmp_path / f"module{number:02}.py").write_text(module)
    peaks = []
    for count in (3, 25):
        targets = [f"module{number:02}.py" for number in range(count)]
        result = everypath(tmp_path, "generate", *targets, "--no-validate", "--loops", "3", "-o", f"out{count}/")
        assert result.code == 0, result
        peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    unit = 1024 if sys.platform == "darwin" else 1
    assert peaks[1] / unit < peaks[0] / unit + 40_000


def test_private_modules_whose_names_the_package_offers_are_included(tmp_path: Path) -> None:
    body = "def {}(x: int) -> int:\n    return 1 if x > 3 else 2\n"
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").write_text("from ._prices import price\nfrom shop._rates import rate\n")
    for module, function in {"_prices": "price", "_rates": "rate", "_hidden": "hidden"}.items():
        (tmp_path / f"shop/{module}.py").write_text(body.format(function))
    for target in ("shop", "shop/"):
        result = everypath(tmp_path, "generate", target, "-o", "out/")
        assert result.code == 0, result
        assert "left out 1 private module" in result.err
        assert sorted(path.name for path in (tmp_path / "out").glob("*.py")) == [
            "test_shop__prices_generated.py",
            "test_shop__rates_generated.py",
        ]
    assert pytest_passes(tmp_path, "out").startswith("4 passed")


def test_a_named_tuple_of_another_module(tmp_path: Path) -> None:
    """Whoever looks at it first, it is a class."""
    (tmp_path / "inner.py").write_text(
        "from collections import namedtuple\n\nSpec = namedtuple('Spec', 'a b')\n\n\n"
        "def made(n: int) -> Spec:\n    return Spec(n, 1)\n"
    )
    (tmp_path / "outer.py").write_text(
        "from inner import Spec, made\n\n\ndef f(n: int) -> int:\n"
        "    if n > 3:\n        return made(n).b\n    return Spec(n, 2).b\n"
    )
    result = everypath(tmp_path, "generate", "outer.py")
    assert "outer.py::f: cases 2," in result.said, result
    assert pytest_passes(tmp_path, "test_outer_generated.py").startswith("2 passed")


def test_functions_that_a_module_replaces_by_compiled_ones(tmp_path: Path) -> None:
    (tmp_path / "replaced.py").write_text(
        "def heapify(x: list[int]) -> None:\n    _sift(x)\n\n\n"
        "def _sift(x: list[int]) -> None:\n    if x[1] < x[0]:\n        x[0], x[1] = x[1], x[0]\n\n\n"
        "try:\n    from _heapq import heapify\nexcept ImportError:\n    pass\n\n\n"
        "def least(a: int, b: int) -> int:\n    pair = [a, b]\n    heapify(pair)\n    return pair[0]\n"
    )
    result = everypath(tmp_path, "generate", "replaced.py::least")
    assert result.code == 0 and "cases 2," in result.out


def test_state_of_another_module_of_the_package_is_put_back(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "box.py").write_text(
        "class Box:\n    _closed = False\n\n    @classmethod\n    def close(cls) -> bool:\n"
        "        if cls._closed:\n            raise RuntimeError('closed')\n"
        "        cls._closed = True\n        return True\n"
    )
    (package / "app.py").write_text(
        "from shop.box import Box\n\n\ndef run(n: int) -> int:\n    return int(Box.close()) + n if n > 2 else 0\n"
    )
    result = everypath(tmp_path, "generate", "shop.app", "shop.box", "-o", "made/")
    assert result.code == 0, result
    assert 'packages = ["shop"]' in (tmp_path / "made" / "test_shop_app_generated.py").read_text()
    assert "failed" not in pytest_passes(tmp_path, "made")

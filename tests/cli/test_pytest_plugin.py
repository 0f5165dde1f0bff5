"""`pytest --everypath TARGET` and `pytest --everypath-check TARGET`, with the real pytest in a project of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .command import everypath, written

CODE = """\
def per(total: int, n: int) -> int:
    return total // n


def sign(n: int) -> int:
    return 1 if n > 0 else 0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src" / "shop").mkdir(parents=True)
    (tmp_path / "src" / "shop" / "__init__.py").write_text("")
    (tmp_path / "src" / "shop" / "prices.py").write_text(CODE)
    (tmp_path / "test_mine.py").write_text("def test_mine():\n    pass\n")
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=50)


def test_generated_cases_are_collected_without_files(project: Path) -> None:
    before = written(project)
    done = run(project, "--everypath", "src/shop", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_mine.py::test_mine PASSED" in done.stdout
    assert "test_shop_prices_generated.py::test_per_n_zero_raises_zero_division_error PASSED" in done.stdout
    assert "src/shop: 4 cases, 1 findings, 0 cut" in done.stdout and "5 passed" in done.stdout
    assert written(project) == before and not (project / ".everypath").exists()


def test_they_are_chosen_like_others_and_use_the_settings_of_the_project(project: Path) -> None:
    with (project / "pyproject.toml").open("a") as file:
        file.write('[tool.everypath]\nmark-findings = "fail"\n')
    done = run(project, "--everypath", "src/shop", "-k", "per")
    assert done.returncode == 1
    assert "1 failed, 1 passed, 3 deselected" in done.stdout


def test_a_target_that_cannot_be_used_is_a_mistake_of_usage(project: Path) -> None:
    done = run(project, "--everypath", "src/shopp")
    assert done.returncode == 4
    assert "--everypath src/shopp: " in done.stdout + done.stderr and "Traceback" not in done.stdout + done.stderr


def test_the_check_is_one_test(project: Path) -> None:
    done = run(project, "--everypath-check", "src/shop")
    assert done.returncode == 1 and "the file does not exist" in done.stdout and "1 failed, 1 passed" in done.stdout
    everypath(project, "generate", "src/shop")
    done = run(project, "--everypath-check", "src/shop", "test_mine.py")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout
    (project / "src" / "shop" / "prices.py").write_text(CODE.replace("n > 0", "n > 8"))
    done = run(project, "--everypath-check", "src/shop", "test_mine.py")
    assert done.returncode == 1 and "out of date: test_shop_prices_generated.py" in done.stdout
    assert "everypath generate src/shop" in done.stdout


def test_whoever_asks_for_nothing_loads_nothing(project: Path) -> None:
    (project / "test_mine.py").write_text(
        "import sys\n\n\ndef test_loaded():\n"
        "    ours = {name for name in sys.modules if name.startswith('everypath')}\n"
        "    assert ours == {'everypath', 'everypath.app', 'everypath.app.pytest_plugin'}\n"
    )
    done = run(project)
    assert done.returncode == 0, done.stdout

"""The settings file nearest to a target holds for it, whatever the working directory, and its paths begin at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import everypath, written

CODE = "def count(xs: list[int]) -> int:\n    n = 0\n    for x in xs:\n        n += x > 3\n    return n\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two packages, each with settings of its own."""
    for name, loops in (("north", 1), ("south", 2)):
        folder = tmp_path / "packages" / name
        (folder / "src").mkdir(parents=True)
        (folder / "src" / f"{name}.py").write_text(CODE)
        (folder / "pyproject.toml").write_text(f'[tool.everypath]\nloops = {loops}\noutput = "checks/"\n')
    (tmp_path / "pyproject.toml").write_text("[tool.everypath]\nloops = 0\n")
    return tmp_path


def generated(folder: Path, name: str) -> Path:
    return folder / "packages" / name / "checks" / f"test_{name}_generated.py"


def test_each_package_has_its_own_settings_from_any_folder(repository: Path) -> None:
    files = set()
    for place, targets in (
        (".", ["packages/north/src/north.py", "packages/south/src"]),
        ("packages/north", ["src/north.py", "../south/src/south.py"]),
        ("packages/south/src", ["../../north/src", "south.py::count"]),
    ):
        result = everypath(repository / place, "generate", *targets, "--no-validate")
        assert result.code == 0, result.err
        texts = [generated(repository, name).read_text() for name in ("north", "south")]
        assert "--loops 1 " in texts[0] and "--loops 2 " in texts[1]
        files.add("".join(texts).replace("south.py::count", "south.py"))
        for name in ("north", "south"):
            generated(repository, name).unlink()
    assert len(files) == 1


def test_check_and_diff_agree_from_any_folder(repository: Path) -> None:
    everypath(repository, "generate", "packages/north/src", "--no-validate")
    for place, target in ((".", "packages/north/src"), ("packages", "north/src/north.py"), ("/", "")):
        folder = repository / place if place != "/" else Path("/")
        asked = target or str(repository / "packages" / "north" / "src")
        result = everypath(folder, "generate", asked, "--check", "--no-validate")
        assert result.code == 0, result.said


def test_targets_with_different_settings_do_not_go_into_one_file(repository: Path) -> None:
    both = ["packages/north/src", "packages/south/src"]
    for option in (["--format", "json"], ["-o", "all.py"], ["--also", "sarif=found.sarif"]):
        before = written(repository)
        result = everypath(repository, "generate", *both, *option)
        assert result.code == 2 and "packages/south/pyproject.toml" in result.err and "separate runs" in result.err
        assert written(repository) == before


def test_patterns_and_stores_are_seen_from_the_file(repository: Path) -> None:
    south = repository / "packages" / "south"
    (south / "src" / "old").mkdir()
    (south / "src" / "old" / "ancient.py").write_text(CODE)
    (south / "pyproject.toml").write_text(
        '[tool.everypath]\nexclude = ["src/old/*"]\nstore = "kept"\noutput = "checks/"\n'
    )
    result = everypath(repository, "generate", "packages/south", "--no-validate")
    assert result.code == 0 and "leaves nothing out" not in result.err, result.said
    assert generated(repository, "south").exists() and not list(south.glob("checks/*ancient*"))
    assert (south / "kept").is_dir() and not (repository / ".everypath").exists()


def test_a_mistake_names_its_file_as_seen_from_here(repository: Path) -> None:
    (repository / "packages" / "north" / "pyproject.toml").write_text("[tool.everypath]\nlopos = 3\n")
    result = everypath(repository, "generate", "packages/north/src/north.py")
    assert result.code == 2 and "packages/north/pyproject.toml:2:" in result.err
    assert everypath(repository, "generate", "packages/south/src", "--no-validate").code == 0

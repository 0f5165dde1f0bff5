"""Our own modules are loaded as the import system would have loaded them, whatever their compiled forms are like."""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import everypath
from everypath.app.own_modules import _Finder

HOME = Path(everypath.__file__).parent
NAMES = sorted(
    ".".join(("everypath", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__")
    for path in HOME.rglob("*.py")
    if all(each.isidentifier() for each in (*path.relative_to(HOME).parts[:-1], path.stem))
)
SHOW = "import sys; from everypath.app.own_modules import load_directly; load_directly(); {}"


def test_every_module_is_where_the_import_system_finds_it() -> None:
    finder = _Finder("everypath", str(HOME))
    assert len(NAMES) > 500
    for name in filter(lambda each: "." in each, NAMES):
        parent = HOME.parent.joinpath(*name.split(".")[:-1])
        usual = importlib.machinery.PathFinder.find_spec(name, [str(parent)])
        found = finder.find_spec(name)
        assert usual is not None and found is not None, name
        told = (found.origin, found.submodule_search_locations, found.cached, found.parent, found.has_location)
        assert told == (
            usual.origin,
            usual.submodule_search_locations,
            usual.cached,
            usual.parent,
            usual.has_location,
        )


@pytest.mark.parametrize("name", ("everypath.nothing", "everypath.report.page.nothing", "json", "everypathology"))
def test_what_is_no_module_of_ours_is_left_to_others(name: str) -> None:
    assert _Finder("everypath", str(HOME)).find_spec(name) is None


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A package of three files beside a copy of the loader, compiled."""
    package = tmp_path / "everypath"
    (package / "app").mkdir(parents=True)
    (package / "data").mkdir()
    (package / "__init__.py").write_text("")
    (package / "app" / "__init__.py").write_text("")
    shutil.copy(HOME / "app" / "own_modules.py", package / "app")
    (package / "one.py").write_text("value = 'first'\n")
    _shown(tmp_path, "import everypath.one")
    assert list((package / "__pycache__").glob("one.*.pyc"))
    return tmp_path


def _shown(folder: Path, code: str, *options: str) -> str:
    environment = {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-S", *options, "-c", SHOW.format(code)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


VALUE = "import everypath.one as m; print(m.value, m.__cached__ is not None, m.__spec__.loader.__class__.__name__)"


def test_the_compiled_form_is_used(copy: Path) -> None:
    file = copy / "everypath" / "one.py"
    before = file.stat()
    file.write_text("value = 'other'\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _shown(copy, VALUE) == "first True _Loader"


def test_an_edited_file_is_compiled_anew(copy: Path) -> None:
    (copy / "everypath" / "one.py").write_text("value = 'another one'\n")
    assert _shown(copy, VALUE) == "another one True _Loader"


@pytest.mark.parametrize("damage", (b"", b"\0" * 40, None))
def test_a_damaged_compiled_form_is_made_anew_or_not_used(copy: Path, damage: bytes | None) -> None:
    (compiled,) = (copy / "everypath" / "__pycache__").glob("one.*.pyc")
    data = compiled.read_bytes()
    compiled.write_bytes(data[:4] + b"\1\0\0\0" + data[8:] if damage is None else damage)
    assert _shown(copy, VALUE).endswith("True _Loader")


def test_other_ways_of_compiling_are_left_to_the_import_system(copy: Path) -> None:
    assert _shown(copy, VALUE, "-O") == "first True SourceFileLoader"


def test_a_missing_module_is_reported_as_ever(copy: Path) -> None:
    code = "\ntry:\n import everypath.none\nexcept ModuleNotFoundError as error:\n print(error.name)"
    assert _shown(copy, code) == "everypath.none"
    assert _shown(copy, "import everypath.data; print(everypath.data.__file__)") == "None"

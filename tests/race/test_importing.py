"""Packages are imported rewritten, once, and without a trace on the disk."""

from __future__ import annotations

import builtins
import collections
import py_compile
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everypath.errors import BadInput
from everypath.race.observe import importing
from everypath.race.observe.accesses import NAME
from everypath.race.observe.containers import DISCOVERIES, FACTS
from everypath.race.observe.importing import load_class, observe, observe_bases
from tests.race.observed import Recorder, hooks_of


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Imports of one test are not those of the next."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    monkeypatch.setattr(importing, "REWRITTEN", set())
    modules, depth = dict(sys.modules), sys.getrecursionlimit()
    hooks = getattr(builtins, NAME, None)
    yield
    importing.undo()
    sys.setrecursionlimit(depth)
    DISCOVERIES.tell = lambda cls: None
    FACTS.clear()
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)
    if hooks is None:
        delattr(builtins, NAME)


def write(root: Path, files: dict[str, str | bytes]) -> str:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(root)


def is_rewritten(function: Any) -> bool:
    return bool(function.__code__.co_names[:1] == (NAME,))


CLASS = "class A:\n    def f(self):\n        return self.x\n"


def test_a_single_file(tmp_path: Path) -> None:
    root = write(tmp_path, {"alone.py": CLASS})
    assert observe("alone", root) == []
    assert is_rewritten(load_class("alone", "A").f)  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.rglob("*")] == ["alone.py"]


def test_a_package_with_a_circle_of_imports_is_rewritten_whole_and_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pack/__init__.py": "log = []\nfrom pack.one import A\n",
        "pack/one.py": "import pack\npack.log.append('one')\nfrom . import two\n" + CLASS,
        "pack/two.py": "from pack import one, log\nlog.append('two')\ndef g(): return one.A\n",
        "pack/deep/__init__.py": "",
        "pack/deep/later.py": CLASS,
    }
    observe("pack", write(tmp_path, files))
    module = sys.modules["pack"]
    assert module.log == ["one", "two"]
    assert is_rewritten(load_class("pack", "A").f)  # type: ignore[attr-defined]
    assert is_rewritten(sys.modules["pack.two"].g)
    assert sys.modules["pack.two"].g() is module.A
    later: Any = __import__("pack.deep.later")
    assert is_rewritten(later.deep.later.A.f)
    assert not list(tmp_path.rglob("*.pyc"))


def test_only_the_package_inside_a_namespace_package(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "space_q/lru/__init__.py": "import space_q.other\n" + CLASS,
        "space_q/other/__init__.py": "def g(): return 1\n",
    }
    observe("space_q.lru", write(tmp_path, files))
    assert is_rewritten(sys.modules["space_q.lru"].A.f)
    assert not is_rewritten(sys.modules["space_q.other"].g)


def test_a_module_of_the_standard_library_is_imported_anew() -> None:
    before = sys.modules["collections"]
    observe("collections", None)
    module = sys.modules["collections"]
    assert module is not before
    assert is_rewritten(load_class("collections", "Counter").update)  # type: ignore[attr-defined]
    assert not is_rewritten(collections.Counter.update)
    assert module.abc is sys.modules["collections.abc"]


def test_source_in_another_encoding_and_future_imports(tmp_path: Path) -> None:
    text = (
        '# -*- coding: latin-1 -*-\n"""Doc."""\nfrom __future__ import annotations\nN = "é"\ndef f(x: Nope): return N\n'
    )
    observe("coded", write(tmp_path, {"coded.py": text.encode("latin-1")}))
    module = sys.modules["coded"]
    assert (module.f(1), module.__doc__, module.f.__annotations__) == ("é", "Doc.", {"x": "Nope"})


def test_nested_classes_and_wrong_names(tmp_path: Path) -> None:
    observe("named", write(tmp_path, {"named.py": "class A:\n    class B: pass\nx = 1\n"}))
    assert load_class("named", "A.B").__name__ == "B"
    for name, message in (("Z", "has no class Z"), ("x", "is not a class"), ("A.x", "has no class A.x")):
        with pytest.raises(BadInput, match=message):
            load_class("named", name)


def test_a_class_in_c() -> None:
    observe("queue", None)
    for module, name in (("queue", "SimpleQueue"), ("collections", "deque"), ("builtins", "dict")):
        with pytest.raises(BadInput, match="implemented in C"):
            load_class(module, name)


def test_a_class_without_source(tmp_path: Path) -> None:
    root = write(tmp_path, {"lost.py": CLASS, "shows.py": "import lost\n"})
    py_compile.compile(str(tmp_path / "lost.py"), cfile=str(tmp_path / "lost.pyc"))
    (tmp_path / "lost.py").unlink()
    notes = observe("lost", root)
    assert [(Path(note.file).name, note.message) for note in notes] == [
        ("lost.pyc", "lost has no source, so what it does is not observed")
    ]
    with pytest.raises(BadInput, match="the source of A is missing"):
        load_class("lost", "A")


def test_what_cannot_be_imported_is_bad_input(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {"wrong.py": "x = \n", "fails.py": "import os\n\nraise ValueError('no')\n", "ends.py": "raise SystemExit(3)\n"},
    )
    with pytest.raises(BadInput, match="there is no module absent"):
        observe("absent", root)
    with pytest.raises(BadInput, match="invalid syntax") as syntax:
        observe("wrong", root)
    assert syntax.value.span.line == 1
    with pytest.raises(BadInput, match="ValueError: no") as failure:
        observe("fails", root)
    assert (Path(failure.value.span.file).name, failure.value.span.line) == ("fails.py", 3)
    with pytest.raises(BadInput, match=r"sys.exit\(3\)"):
        observe("ends", root)
    with pytest.raises(BadInput, match="cannot be observed"):
        observe("threading", None)


def test_methods_of_bases_from_elsewhere_are_exchanged_in_place(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "elsewhere.py": "class Base:\n"
        "    def f(self): return [self.x, self.__y()]\n"
        "    def __y(self): return super().__repr__ and 1\n"
        "    @property\n"
        "    def p(self): return self.x\n"
        "    @classmethod\n"
        "    def c(cls): return cls.d\n"
        "    d = [1]\n",
        "mine.py": "import elsewhere, collections\nclass A(elsewhere.Base, collections.UserDict):\n    x = 1\n",
    }
    observe("mine", write(tmp_path, files))
    cls: Any = load_class("mine", "A")
    assert not is_rewritten(cls.f)
    assert observe_bases(cls) == []
    assert is_rewritten(cls.f)
    assert is_rewritten(cls.p.fget)
    assert is_rewritten(cls.__getitem__)
    assert is_rewritten(cls.pop)
    recorder = Recorder()
    with hooks_of(recorder):
        a = cls()
        recorder.current = object()
        assert (a.f(), a.p, a.c(), a.setdefault("k", 5), a.pop("k")) == ([1, 1], 1, [1], 5, 5)
        recorder.current = None
    assert "write self.data[key]" in recorder.operations
    assert "read cls.d" in recorder.operations


def test_generated_methods_and_missing_source(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "made.py": "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class D:\n"
        "    x: int = 0\n"
        "    def up(self): self.x += 1\n"
        "names = {}\n"
        "exec(compile('class E:\\n    def f(self): return 1', 'gone.py', 'exec'), globals())\n"
    }
    observe("made", write(tmp_path, files))
    generated, lost = load_class("made", "D"), load_class("made", "E")
    importing.REWRITTEN.clear()
    assert observe_bases(generated) == []
    problems = observe_bases(lost)
    assert [(problem.file, problem.line) for problem in problems] == [("gone.py", 2)]
    assert "E.f runs unobserved" in problems[0].message


def test_containers_and_descriptors_of_the_library_are_observed_when_they_are_met(tmp_path: Path) -> None:
    source = """
import functools, weakref
from collections import Counter
class Host:
    @functools.cached_property
    def slow(self): return [1]
class A:
    def __init__(self):
        self.refs = weakref.WeakValueDictionary()
        self.counts = Counter()
        self.host = Host()
    def intern(self, key, value):
        if key not in self.refs:
            self.refs[key] = value
        self.counts.update('ab')
        return self.host.slow
"""
    observe("holder", write(tmp_path, {"holder.py": source}))
    recorder = Recorder()
    with hooks_of(recorder):
        a = load_class("holder", "A")()
        recorder.current = object()
        try:
            assert a.intern("k", a) == [1]  # type: ignore[attr-defined]
        finally:
            recorder.current = None
    assert "write self.data[key]" in recorder.operations
    assert "update _count_elements(self, iterable)" in recorder.operations
    assert ("write cache[self.attrname]", "slow") in recorder.places()


def test_of_a_very_large_package_only_the_first_modules_and_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST_BYTES", 50)
    files: dict[str, str | bytes] = {
        "huge/__init__.py": "import huge.first, huge.second, huge.third\n",
        **{f"huge/{name}.py": CLASS + "#" * 50 for name in ("first", "second", "third", "target")},
    }
    notes = observe("huge.target", write(tmp_path, files))
    modules = [sys.modules[f"huge.{name}"] for name in ("first", "second", "third", "target")]
    assert [is_rewritten(module.A.f) for module in modules] == [True, False, False, True]
    assert [(Path(note.file).name, note.message) for note in notes] == [
        ("second.py", "huge is large: from huge.second on, its modules run unobserved unless the class needs them")
    ]
    assert observe_bases(modules[1].A) == []
    assert is_rewritten(modules[1].A.f)

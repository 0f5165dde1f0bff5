"""Library functions that are run behind the fence: they give what CPython gives, or a reason why they are not run."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from everypath.generate.run import generate
from everypath.languages.python.cards.index import HOST
from everypath.languages.python.runtime.library_calls import called, same
from everypath.languages.python.runtime.library_child import Operation
from everypath.languages.python.semantics.refusals import is_unsafe
from everypath.options import Options
from everypath.workers.reserve import kept_workers
from tests.rendered import rendered

KNOWN = frozenset(HOST)
TEXT = some.text("ab1 $%\\.,;:=<>&'\"\n\täß{}()[]", max_size=12)
BYTES = some.binary(max_size=8)
SMALL = some.integers(-3, 12)
PURE: dict[str, tuple[some.SearchStrategy[Any], ...]] = {
    **dict.fromkeys(
        "inspect.cleandoc os.path.expandvars locale.normalize shlex.split fnmatch.translate email.utils.parsedate "
        "email.utils.unquote binascii.unhexlify xml.sax.saxutils.escape email.header.decode_header "
        "urllib.parse.parse_qsl string.capwords ast.get_docstring mimetypes.guess_all_extensions tomllib.loads "
        "plistlib.dumps inspect.isclass pprint.pformat gettext.c2py codecs.lookup".split(),
        (TEXT,),
    ),
    **dict.fromkeys(
        "codecs.escape_decode codecs.utf_8_decode zlib.compress zlib.decompress quopri.decodestring hashlib.md5 "
        "marshal.loads".split(),
        (BYTES,),
    ),
    "json.scanner.py_scanstring": (TEXT, SMALL),
    "difflib.get_close_matches": (TEXT, some.lists(TEXT)),
    "textwrap.fill": (TEXT, some.integers(1, 9)),
    "cmath.sqrt": (SMALL,),
    "colorsys.rgb_to_hls": (SMALL, SMALL, SMALL),
    "time.gmtime": (some.integers(0, 10**9),),
    "uuid.uuid5": (some.uuids(), TEXT),
    "pickle.dumps": (some.lists(SMALL),),
    "calendar.monthrange": (some.integers(1990, 2030), SMALL),
    "struct.unpack": (some.sampled_from("bhi"), BYTES),
    "stringprep.in_table_a1": (some.characters(),),
    "hmac.compare_digest": (BYTES, BYTES),
    "reprlib.repr": (some.lists(SMALL),),
}
"""Functions of the library, with arguments to try."""


@pytest.fixture(autouse=True, scope="module")
def _workers() -> Iterator[None]:
    with kept_workers():
        yield


def real(name: str) -> Callable[..., Any]:
    module, _, member = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(module), member)
    return found


@pytest.mark.parametrize("name", PURE)
def test_a_function_gives_what_python_gives(name: str) -> None:
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(some.tuples(*PURE[name]))
    def compared(arguments: tuple[Any, ...]) -> None:
        kind, *details = called((Operation(name, arguments),), KNOWN)
        try:
            result = real(name)(*arguments)
        except Exception as error:
            if kind == "error":
                assert details[1:3] == [type(error).__qualname__, error.args]
            else:
                assert kind == "unfit"
            return
        assert kind != "error"
        if kind == "value" and "Numbered" not in repr(details):
            assert same(details[0], result)

    compared()


UNFIT = [
    *("time.ctime", "time.localtime 5", "time.sleep 0", "datetime.datetime.now", "uuid.uuid4", "random.random"),
    *("random.seed", "secrets.token_hex", "email.utils.make_msgid", "hash ab", "os.path.expandvars $HOME"),
    *("os.path.abspath a", "tempfile.gettempdir", "linecache.getline /etc/passwd 1", "mimetypes.add_type a/b .b"),
    *("shutil.which ls", "os.remove /tmp/nothing", "webbrowser.open x", "os.uname", "os.getcwd"),
]


@pytest.mark.parametrize("call", UNFIT)
def test_what_depends_on_more_than_its_arguments_gives_no_result(call: str) -> None:
    """Nothing is lost where such a function could be called by mistake: most are never called at all."""
    name, *words = call.split()
    arguments = tuple(int(word) if word.isdigit() else word for word in words)
    assert called((Operation(name, arguments),), KNOWN)[0] in ("unfit", "unsteady")


def test_objects_stay_and_are_what_the_calls_before_have_made_of_them() -> None:
    first = Operation("random.Random", (7,))
    (kind, made), calls = called((first,), KNOWN), [first]
    assert kind == "value"
    numbers = random.Random(7)
    for _ in range(3):
        calls.append(Operation(".random", (made,)))
        assert called(tuple(calls), KNOWN) == ("value", numbers.random())


def test_the_same_object_has_the_same_number_and_new_lists_are_plain() -> None:
    parsed = Operation("ast.parse", ("f(1)",))
    _, tree = called((parsed,), KNOWN)
    body = Operation("getattr", (tree, "body"))
    _, held = called((parsed, body), KNOWN)
    # Whoever appends to it changes the tree.
    assert held.cls == "builtins.list"
    again = Operation("operator.getitem", (held, 0))
    assert called((parsed, body, again), KNOWN) == called((parsed, body, again, again), KNOWN)
    assert called((Operation("shlex.split", ("a b",)),), KNOWN) == ("value", ["a", "b"])


def test_what_is_unsafe_is_named() -> None:
    for name in ("os.remove", "subprocess.run", "socket.create_connection", "sys.exit", "gc.collect", "shutil.rmtree"):
        assert is_unsafe(name)
    for name in ("inspect.cleandoc", "typing.cast", "json.loads", "hashlib.md5", "locale.normalize", "time.gmtime"):
        assert not is_unsafe(name)


PROGRAM = """
import ast, csv, hashlib, io, random, types, typing

def digest(data: bytes) -> str:
    made = hashlib.sha256()
    made.update(b"salt")
    if data:
        made.update(data)
    return made.hexdigest()[:8]

def kinds(source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ["bad"]
    return [type(node).__name__ for node in tree.body if isinstance(node, ast.Expr)]

def first(text: str) -> int:
    stream = io.BytesIO(text.encode())
    if not stream.read(1):
        return 0
    return stream.tell()

def cells(line: str) -> int:
    return sum(len(row) for row in csv.reader([line], delimiter=";"))

def held(number: int) -> bool:
    space = types.SimpleNamespace(a=number)
    space.b = 5
    if space.a == 1:
        return space.b == 5
    return hasattr(space, "c")

def drawn(seed: int) -> int:
    chance = random.Random(seed)
    return chance.choice([7, 8]) if chance.random() > 0.5 else 0

def buffered(text: str) -> bytes:
    content = bytearray(b"ab")
    if text:
        content += text.encode()
    return bytes(memoryview(content)[1:])

def kept(value: list[int]) -> bool:
    return typing.cast("object", value) is value
"""


def test_paths_go_on_behind_such_calls(tmp_path: Path) -> None:
    """The tests are those of paths that were followed, and each passed when it was run."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    run = generate([str(file)], Options(predicted_only=True))
    assert [problem for suite in run.suites for problem in suite.stats.unsupported] == []
    assert all(suite.cases and all(case.validated for case in suite.cases) for suite in run.suites)
    assert [
        problem.message for suite in run.suites for problem in suite.problems if problem.kind == "mispredicted"
    ] == []
    text = rendered(run, "program")
    for line in ('kinds("a") == ["Expr"]', "held(1) is True", 'first("a") == 1', 'buffered("") == b"b"'):
        assert line in text

"""Expressions for objects of well-known classes: the one table for paths, for observed cases and for races."""

from __future__ import annotations

import sys

from everypath.records import dataclass

_SNIPPETS = (
    "x = 1",
    "x: int = 1",
    "x += 1",
    "def f(a, b=1, *args, c, **kw) -> int:\n    '''Doc.'''\n    return a",
    "async def f():\n    await g()\n    async for x in y:\n        pass\n    async with z as w:\n        pass",
    "class C(B, metaclass=M):\n    x = 1\n    def m(self):\n        pass",
    "@decorated\ndef f():\n    yield x\n    yield from y",
    "for x in xs:\n    break\nelse:\n    pass",
    "while x > 0:\n    continue",
    "if a and not b:\n    pass\nelif c or d:\n    pass\nelse:\n    pass",
    "with a as b, c:\n    pass",
    "try:\n    raise E from e\nexcept (A, B) as e:\n    pass\nelse:\n    pass\nfinally:\n    pass",
    "import a.b as c",
    "from . import x as y",
    "assert x, 'm'",
    "global g",
    "del x",
    "lambda a: a + 1",
    "[x for x in xs if x]",
    "{x for x in xs}",
    "{k: v for k, v in d.items()}",
    "(x for x in xs)",
    "{'a': 1, **b}",
    "{1, 2}",
    "[1, *xs]",
    "(1, 'a')",
    "f(a, *b, c=1, **d)",
    "a.b[0][1:2]",
    "a if b else c",
    "a < b <= c",
    "-a * b ** c // d",
    "f'{x!r:>10} text'",
    "(y := 1)",
    "match x:\n    case [1, *_] | {'k': v} | C(a=1) | None:\n        pass\n    case y if y:\n        pass",
)


@dataclass(frozen=True, slots=True)
class Samples:
    """Expressions for objects of one class, over the names of at most one module."""

    module: str = ""
    """which the expressions name in full; empty if they need none"""
    plain: tuple[str, ...] = ()
    """ordinary objects, with which most calls work; the plainest first"""
    telling: tuple[str, ...] = ()
    """inputs that a path may start from, which make comparisons turn out differently; the simplest first"""

    @property
    def all(self) -> tuple[str, ...]:
        """Those for runs first."""
        return tuple(dict.fromkeys((*self.plain, *self.telling)))


def _literals(*plain: str) -> Samples:
    return Samples("", plain)


def _called(module: str, *calls: str) -> dict[str, Samples]:
    """For classes of which one object, made by a call, is as good as any."""
    return {f"{module}.{call.partition('(')[0]}": Samples(module, (f"{module}.{call}",)) for call in calls}


def _each(pattern: str, *texts: str) -> tuple[str, ...]:
    return tuple(pattern.format(repr(text)) for text in texts)


def _paths(name: str, *plain: str) -> Samples:
    pattern = f"pathlib.{name}({{}})"
    return Samples("pathlib", _each(pattern, *plain), _each(pattern, "a/b.txt", "", "/a", "a.tar.gz"))


def _addresses(name: str, *texts: str) -> Samples:
    return Samples("ipaddress", telling=_each(f"ipaddress.{name}({{}})", *texts))


def _dates(name: str, telling: tuple[str, ...], *plain: str) -> Samples:
    pattern = f"datetime.{name}({{}})"
    return Samples("datetime", tuple(map(pattern.format, plain)), tuple(map(pattern.format, telling)))


_URL = "http://user@host:80/path?q=1#f"
_TEXTS = ("io.StringIO()", "io.StringIO('a b\\nc\\n')")
_BLOBS = ("io.BytesIO()", "io.BytesIO(b'a b\\nc\\n')")
_ZONE = "datetime.timezone.utc"

SAMPLES: dict[str, Samples] = {
    "int": _literals("1", "2", "0"),
    "str": _literals("'a'", "'b'"),
    "float": _literals("1.0", "2.0"),
    "bool": _literals("True", "False"),
    "bytes": _literals("b'a'", "b'b'"),
    "complex": Samples("", ("1j",), ("complex(1, 2)", "complex(0, 0)", "complex(-0.5, 0)")),
    "bytearray": _literals("bytearray(b'a')", "bytearray(b'ab')"),
    "memoryview": _literals("memoryview(b'a')", "memoryview(b'ab')"),
    "range": _literals("range(2)", "range(0)"),
    "slice": _literals("slice(0, 1)", "slice(None)"),
    "object": _literals("object()"),
    "type": _literals("int", "str"),
    "datetime.date": _dates(
        "date", ("2024, 2, 29", "2000, 1, 1", "1999, 12, 31", "2023, 6, 15"), "2024, 1, 1", "2024, 1, 2"
    ),
    "datetime.datetime": _dates(
        "datetime",
        ("2024, 2, 29, 12, 30, 45", "2000, 1, 1", "1999, 12, 31, 23, 59, 59, 999999", "2023, 6, 15, 8"),
        *("2024, 1, 1", "2024, 1, 2", f"2023, 1, 1, tzinfo={_ZONE}"),
    ),
    "datetime.time": _dates("time", ("12, 30, 45", "0, 0", "23, 59, 59, 999999"), "12"),
    "datetime.timedelta": _dates(
        "timedelta",
        # Days, seconds, microseconds: from nothing up to years.
        ("0, 1", "0", "0, 90", "0, 7200", "1", "-1", "40", "400", "0, 0, 1500"),
        *("seconds=60", "seconds=1", "seconds=-5"),
    ),
    "datetime.timezone": Samples("datetime", (), (_ZONE, "datetime.timezone(datetime.timedelta(hours=2))")),
    "datetime.tzinfo": Samples("datetime", (_ZONE,)),
    "decimal.Decimal": Samples(
        "decimal",
        ("decimal.Decimal(1)", "decimal.Decimal(2)"),
        _each("decimal.Decimal({})", "1", "0", "-1.5", "0.05", "123.456", "1E+6"),
    ),
    "fractions.Fraction": Samples(
        "fractions",
        ("fractions.Fraction(1)", "fractions.Fraction(2)"),
        tuple(f"fractions.Fraction({number})" for number in ("1, 2", "0", "3", "-2, 3")),
    ),
    **dict.fromkeys(("numbers.Number", "numbers.Real", "numbers.Integral"), _literals("1", "2")),
    "uuid.UUID": Samples(
        "uuid",
        ("uuid.UUID(int=1)", "uuid.UUID(int=2)"),
        _each("uuid.UUID({})", "12345678-1234-5678-1234-567812345678", "00000000-0000-0000-0000-000000000000"),
    ),
    # One of a private network, the machine itself, a public one, and all zeros.
    "ipaddress.IPv4Address": _addresses("IPv4Address", "192.168.0.1", "127.0.0.1", "8.8.8.8", "0.0.0.0"),
    "ipaddress.IPv4Network": _addresses("IPv4Network", "192.168.0.0/30", "127.0.0.0/29", "8.8.8.8/32"),
    "ipaddress.IPv4Interface": _addresses("IPv4Interface", "192.168.0.1/24", "127.0.0.1/8"),
    "ipaddress.IPv6Address": _addresses("IPv6Address", "2001:db8::1", "::1", "fe80::1", "::"),
    "ipaddress.IPv6Network": _addresses("IPv6Network", "2001:db8::/126", "::1/128"),
    "ipaddress.IPv6Interface": _addresses("IPv6Interface", "2001:db8::1/32", "::1/128"),
    "pathlib.Path": _paths("Path", "a", "."),
    "pathlib.PosixPath": _paths("PosixPath"),
    "pathlib.PurePath": _paths("PurePath"),
    "pathlib.PurePosixPath": _paths("PurePosixPath"),
    "pathlib.PureWindowsPath": Samples("pathlib", telling=_each("pathlib.PureWindowsPath({})", "c:/a/b.txt", "")),
    "os.PathLike": Samples("pathlib", ("pathlib.Path('a')",)),
    "re.Pattern": Samples("re", _each("re.compile({})", "a", "(x)|(y)"), _each("re.compile({})", "[a-z]+", r"\d", "")),
    "re.Match": Samples("re", ("re.match('(a)(b)?', 'ab')", "re.match('(?P<name>a)', 'a')")),
    **dict.fromkeys(("io.StringIO", "typing.TextIO"), Samples("io", _TEXTS)),
    **dict.fromkeys(("io.BytesIO", "typing.BinaryIO"), Samples("io", _BLOBS)),
    **dict.fromkeys(("io.IOBase", "typing.IO"), Samples("io", (*_TEXTS, *_BLOBS))),
    "logging.Logger": Samples("logging", ("logging.getLogger('test')",)),
    "logging.Handler": Samples("logging", ("logging.NullHandler()",)),
    "types.FrameType": Samples("sys", ("sys._getframe()",)),
    "types.CodeType": _literals("compile('x = 1', 'f.py', 'exec')", "(lambda a: a).__code__"),
    "types.TracebackType": _literals("None"),
    "inspect.Signature": Samples("inspect", ("inspect.signature(lambda a, b=1, *c, d, **e: None)",)),
    "inspect.Parameter": Samples(
        "inspect",
        (
            "inspect.Parameter('a', inspect.Parameter.POSITIONAL_OR_KEYWORD)",
            "inspect.Parameter('a', inspect.Parameter.KEYWORD_ONLY, default=1)",
        ),
    ),
    "subprocess.CompletedProcess": Samples(
        "subprocess",
        ("subprocess.CompletedProcess(['a'], 0, 'out', '')", "subprocess.CompletedProcess(['a'], 1, '', 'error')"),
    ),
    "email.message.Message": Samples("email", ("email.message_from_string('A: b\\n\\nbody')",)),
    "urllib.parse.ParseResult": Samples("urllib.parse", (f"urllib.parse.urlparse({_URL!r})",)),
    "urllib.parse.SplitResult": Samples("urllib.parse", (f"urllib.parse.urlsplit({_URL!r})",)),
    "asyncio.events.AbstractEventLoop": Samples("asyncio", ("asyncio.new_event_loop()",)),
    "xml.etree.ElementTree.Element": Samples(
        "xml.etree.ElementTree", ("xml.etree.ElementTree.fromstring('<a b=\"1\"><c>t</c></a>')",)
    ),
    "tokenize.TokenInfo": Samples("tokenize", ("next(tokenize.generate_tokens(iter(['x = 1\\n']).__next__))",)),
    **_called("io", "TextIOWrapper(io.BytesIO(b'a\\nb\\n'))"),
    **_called("random", "Random(0)"),
    **_called("threading", "Lock()", "RLock()", "Condition()", "Event()", "Semaphore(2)", "BoundedSemaphore(2)"),
    **_called("queue", "Queue()"),
    **_called("logging", "LogRecord('n', 20, 'f.py', 1, 'message %s', ('a',), None)"),
    **_called("argparse", "Namespace()", "ArgumentParser(prog='p')"),
    **_called("types", "ModuleType('made')", "SimpleNamespace(a=1)", "MappingProxyType({'a': 1})"),
    **_called("collections", "OrderedDict(a=1)", "defaultdict(list)", "Counter('aab')", "deque([1, 2])"),
    **_called("configparser", "ConfigParser()", "RawConfigParser()"),
    **_called("http.cookies", "SimpleCookie('a=b')"),
    **_called("http.cookiejar", "CookieJar()"),
    **_called("urllib.request", "Request('http://host/path')"),
    **_called("string", "Template('$a')"),
}
"""Class, by its public name; a builtin's has no dot."""


TEXTS: dict[str, tuple[str, ...]] = {
    "ast.literal_eval": ("1", "[1, 2]"),
    "base64.b64decode": ("YQ==", "YWI="),
    "bytes.fromhex": ("6162", "00"),
    "email.utils.parsedate_to_datetime": ("Thu, 29 Feb 2024 12:30:45 +0000", "Sat, 01 Jan 2000 00:00:00 GMT"),
    "ipaddress.ip_address": ("192.168.0.1", "2001:db8::1"),
    "ipaddress.ip_interface": ("192.168.0.1/24", "2001:db8::1/32"),
    "ipaddress.ip_network": ("192.168.0.0/30", "2001:db8::/126"),
    "json.loads": ('{"a": 1}', "[1, 2]"),
    "tomllib.loads": ('a = "b"\n', "[a]\nb = 1\n"),
}
"""Functions that read a text -> texts that they accept."""


def samples_of(cls: type) -> Samples | None:
    """What makes objects of a class of the library; None where its signature must tell."""
    module = cls.__module__
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    # Newer versions keep classes in private parts of a package and show them in the package.
    known = SAMPLES.get(cls.__qualname__ if module == "builtins" else f"{module.partition('._')[0]}.{cls.__qualname__}")
    if known is not None:
        return known
    # A class that is written in C may name another home than the module that shows it, such as `_io`.
    for name, samples in SAMPLES.items():
        home, _, short = name.rpartition(".")
        if home in sys.modules and getattr(sys.modules[home], short, None) is cls:
            return samples
    return _syntax(cls) if module in ("ast", "_ast") else None


def _syntax(cls: type) -> Samples | None:
    """Nodes of a syntax tree, found in parsed snippets."""
    import ast

    found = []
    if cls is ast.Module or cls is ast.AST:
        found = [f"ast.parse({text!r})" for text in _SNIPPETS[:12]]
    if cls is ast.Expression:
        found = ["ast.parse('a + 1', mode='eval')"]
    for text in _SNIPPETS:
        place = next((place for place, node in _places(ast.parse(text)) if isinstance(node, cls)), None)
        if place is not None:
            found.append(f"ast.parse({text!r}){place}")
    return Samples("ast", tuple(found[:12])) if found else None


def _places(tree: object, place: str = "") -> list[tuple[str, object]]:
    import ast

    found: list[tuple[str, object]] = []
    assert isinstance(tree, ast.AST)
    for name, value in ast.iter_fields(tree):
        listed = value if isinstance(value, list) else [value]
        for number, node in enumerate(listed):
            if isinstance(node, ast.AST):
                at = f"{place}.{name}[{number}]" if isinstance(value, list) else f"{place}.{name}"
                found.append((at, node))
                found += _places(node, at)
    return found

"""Expressions that make objects of library classes which nobody can make from their signature alone."""

from __future__ import annotations

from everypath.languages.python.probing.expressions import Code

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

RECIPES: dict[str, tuple[Code, ...]] = {
    "pathlib.Path": (Code("pathlib.Path('a.txt')", "pathlib"), Code("pathlib.Path('.')", "pathlib")),
    "pathlib.PurePath": (Code("pathlib.PurePath('a/b.txt')", "pathlib"),),
    "pathlib.PurePosixPath": (Code("pathlib.PurePosixPath('a/b.txt')", "pathlib"),),
    "datetime.datetime": (
        Code("datetime.datetime(2024, 2, 29, 12, 30)", "datetime"),
        Code("datetime.datetime(2023, 1, 1, tzinfo=datetime.timezone.utc)", "datetime"),
    ),
    "datetime.date": (Code("datetime.date(2024, 2, 29)", "datetime"), Code("datetime.date(2023, 12, 31)", "datetime")),
    "datetime.time": (Code("datetime.time(12, 30)", "datetime"),),
    "datetime.timedelta": (
        Code("datetime.timedelta(days=1)", "datetime"),
        Code("datetime.timedelta(seconds=-5)", "datetime"),
    ),
    "datetime.tzinfo": (Code("datetime.timezone.utc", "datetime"),),
    "datetime.timezone": (Code("datetime.timezone.utc", "datetime"),),
    "decimal.Decimal": (Code("decimal.Decimal('2.5')", "decimal"), Code("decimal.Decimal('0')", "decimal")),
    "fractions.Fraction": (Code("fractions.Fraction(1, 3)", "fractions"),),
    "uuid.UUID": (Code("uuid.UUID(int=1)", "uuid"),),
    "re.Pattern": (Code("re.compile('a+')", "re"), Code("re.compile('(x)|(y)')", "re")),
    "re.Match": (Code("re.match('(a)(b)?', 'ab')", "re"), Code("re.match('(?P<name>a)', 'a')", "re")),
    "io.StringIO": (Code("io.StringIO('a b\\nc\\n')", "io"), Code("io.StringIO()", "io")),
    "io.BytesIO": (Code("io.BytesIO(b'a b\\nc\\n')", "io"), Code("io.BytesIO()", "io")),
    "io.TextIOWrapper": (Code("io.TextIOWrapper(io.BytesIO(b'a\\nb\\n'))", "io"),),
    "io.IOBase": (Code("io.StringIO('a\\n')", "io"), Code("io.BytesIO(b'a\\n')", "io")),
    "typing.TextIO": (Code("io.StringIO('a b\\nc\\n')", "io"), Code("io.StringIO()", "io")),
    "typing.BinaryIO": (Code("io.BytesIO(b'a b\\n')", "io"),),
    "typing.IO": (Code("io.StringIO('a b\\nc\\n')", "io"), Code("io.BytesIO(b'a b\\n')", "io")),
    "logging.Logger": (Code("logging.getLogger('test')", "logging"),),
    "logging.LogRecord": (Code("logging.LogRecord('n', 20, 'f.py', 1, 'message %s', ('a',), None)", "logging"),),
    "logging.Handler": (Code("logging.NullHandler()", "logging"),),
    "argparse.Namespace": (Code("argparse.Namespace()", "argparse"),),
    "argparse.ArgumentParser": (Code("argparse.ArgumentParser(prog='p')", "argparse"),),
    "types.FrameType": (Code("sys._getframe()", "sys"),),
    "types.CodeType": (Code("compile('x = 1', 'f.py', 'exec')"), Code("(lambda a: a).__code__")),
    "types.ModuleType": (Code("types.ModuleType('made')", "types"), Code("math", "math")),
    "types.FunctionType": (Code("lambda *args, **kwargs: None"),),
    "types.TracebackType": (Code("None"),),
    "types.SimpleNamespace": (Code("types.SimpleNamespace(a=1)", "types"),),
    "types.MappingProxyType": (Code("types.MappingProxyType({'a': 1})", "types"),),
    "inspect.Signature": (Code("inspect.signature(lambda a, b=1, *c, d, **e: None)", "inspect"),),
    "inspect.Parameter": (
        Code("inspect.Parameter('a', inspect.Parameter.POSITIONAL_OR_KEYWORD)", "inspect"),
        Code("inspect.Parameter('a', inspect.Parameter.KEYWORD_ONLY, default=1)", "inspect"),
    ),
    "collections.OrderedDict": (Code("collections.OrderedDict(a=1)", "collections"),),
    "collections.defaultdict": (Code("collections.defaultdict(list)", "collections"),),
    "collections.Counter": (Code("collections.Counter('aab')", "collections"),),
    "collections.deque": (Code("collections.deque([1, 2])", "collections"),),
    "subprocess.CompletedProcess": (
        Code("subprocess.CompletedProcess(['a'], 0, 'out', '')", "subprocess"),
        Code("subprocess.CompletedProcess(['a'], 1, '', 'error')", "subprocess"),
    ),
    "email.message.Message": (Code("email.message_from_string('A: b\\n\\nbody')", "email"),),
    "urllib.parse.ParseResult": (Code("urllib.parse.urlparse('http://user@host:80/path?q=1#f')", "urllib.parse"),),
    "urllib.parse.SplitResult": (Code("urllib.parse.urlsplit('http://user@host:80/path?q=1#f')", "urllib.parse"),),
    "configparser.ConfigParser": (Code("configparser.ConfigParser()", "configparser"),),
    "configparser.RawConfigParser": (Code("configparser.RawConfigParser()", "configparser"),),
    "http.cookies.SimpleCookie": (Code("http.cookies.SimpleCookie('a=b')", "http.cookies"),),
    "http.cookiejar.CookieJar": (Code("http.cookiejar.CookieJar()", "http.cookiejar"),),
    "urllib.request.Request": (Code("urllib.request.Request('http://host/path')", "urllib.request"),),
    "asyncio.events.AbstractEventLoop": (Code("asyncio.new_event_loop()", "asyncio"),),
    "threading.Event": (Code("threading.Event()", "threading"),),
    "queue.Queue": (Code("queue.Queue()", "queue"),),
    "string.Template": (Code("string.Template('$a')", "string"),),
    "xml.etree.ElementTree.Element": (
        Code("xml.etree.ElementTree.fromstring('<a b=\"1\"><c>t</c></a>')", "xml.etree.ElementTree"),
    ),
    "tokenize.TokenInfo": (Code("next(tokenize.generate_tokens(iter(['x = 1\\n']).__next__))", "tokenize"),),
    "memoryview": (Code("memoryview(b'ab')"),),
    "bytearray": (Code("bytearray(b'ab')"),),
    "complex": (Code("1j"), Code("complex(2, 3)")),
    "range": (Code("range(3)"), Code("range(0)")),
    "slice": (Code("slice(1, 2)"), Code("slice(None)")),
    "object": (Code("object()"),),
    "type": (Code("int"), Code("str")),
}
"""Class, as its module and name, to expressions."""


def recipes(cls: type) -> tuple[Code, ...]:
    """What makes objects of a library class."""
    known = RECIPES.get(f"{cls.__module__}.{cls.__qualname__}") or RECIPES.get(cls.__qualname__)
    if known is not None:
        return known
    return _syntax(cls) if cls.__module__ in ("ast", "_ast") else ()


def _syntax(cls: type) -> tuple[Code, ...]:
    """Nodes of a syntax tree, found in parsed snippets."""
    import ast

    found = []
    if cls is ast.Module or cls is ast.AST:
        found = [Code(f"ast.parse({text!r})", "ast") for text in _SNIPPETS[:12]]
    if cls is ast.Expression:
        found = [Code("ast.parse('a + 1', mode='eval')", "ast")]
    for text in _SNIPPETS:
        tree = ast.parse(text)
        for place, node in _places(tree):
            if isinstance(node, cls):
                found.append(Code(f"ast.parse({text!r}){place}", "ast"))
                break
    return tuple(found[:12])


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

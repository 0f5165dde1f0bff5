"""Types that nothing declares are read off the code: what is called on a value, compared with it, done to it."""

from __future__ import annotations

import pytest

from tests.frontends.lowered import Snippets

USES = [
    ("return x + 1", "int"),
    ("return x * 0.5", "float"),
    ("return x - 2.5 > 0", "float"),
    ("return -x", "int"),
    ("return x << 2", "int"),
    ("return x.upper()", "str"),
    ("return x.startswith('a')", "str"),
    ("return x == 'yes'", "str"),
    ("return x in 'abc'", "str"),
    ("return 'a' + x", "str"),
    ("return ', '.join(x)", "list[str]"),
    ("return ord(x)", "str"),
    ("return range(x)", "int"),
    ("x.append(1)", "list[int]"),
    ("x.append('a')", "list[str]"),
    ("return len(x)", "list[int]"),
    ("return [y.lower() for y in x]", "list[str]"),
    ("for y in x:\n        y += 0.5", "list[float]"),
    ("for a, b in x:\n        print(a.upper(), b + 1)", "list[tuple[str, int]]"),
    ("a, b = x\n    return a + 1, b.upper()", "tuple[int, str]"),
    ("return x['key']", "dict[str, int]"),
    ("for k, v in x.items():\n        k.upper(), v.lower()", "dict[str, str]"),
    ("return x.get(1)", "dict[int, int]"),
    ("x.add(3)", "set[int]"),
    ("seen = {}\n    seen[x] = 1\n    return x[0] + x[-1]", "tuple[*int]"),
    ("seen = {}\n    seen.setdefault(x, [])\n    return [[], x]", "int"),
    ("return x(1)", "function(*any) -> int"),
    ("return sum(x)", "list[int]"),
    ("return sorted(x)[0]", "list[int]"),
    ("return x[1:]", "list[int]"),
    ("return x is None or x > 3", "none | int"),
    ("y = x\n    return y.strip()", "str"),
    ("return helper(x)", "str"),
    ("return isinstance(x, str)", "str | int"),
    ("return isinstance(x, (int, float))", "int | float | str"),
    ("return isinstance(x, list)", "list[int] | str"),
    (
        "from collections.abc import Sequence\n    isinstance(x, Sequence)\n    return sorted(x)",
        "list[int] | str | set[int]",
    ),
    ("isinstance(x, list)\n    return {}[x]", "list[int] | str"),
    ("return x + 0.5 if isinstance(x, (int, float)) else 0", "int | float | str"),
    (
        "if isinstance(x, int):\n        x = str(x)\n    elif not isinstance(x, str):\n        raise TypeError",
        "int | str | none",
    ),
    ("return type(x) is str", "str | int"),
    ("return type(x) in (list, dict)", "list[int] | dict[str, int] | str"),
    ("y = []\n    y.append('a')\n    return type(x) == type(y)", "list[str] | str"),
    ("if isinstance(x, int): return x\n    x = str(x).split('/')\n    return x[0]", "int | str"),
    ("x = list(x)\n    x.sort()", "list[int]"),
    ("tags = ('a', 'b')\n    return x[:1] in tags", "str"),
    ("names = dict(a='b')\n    return [names['a'] + y for y in x]", "list[str]"),
    ("lines(x)\n    return x[1:]", "list[str]"),
    ("return x.read(1)", "io.StringIO"),
    ("x.write('a')\n    x.close()", "io.StringIO"),
    ("return [y.upper() for y in x.readlines()]", "io.StringIO"),
    ("return x.left.value", "snippet.Tree"),
    ("match x:\n        case 'a': return 1", "str"),
    ("return x", "int"),
]


@pytest.mark.parametrize(("body", "type_"), USES)
def test_a_parameter_gets_its_type_from_its_uses(body: str, type_: str, snippets: Snippets) -> None:
    source = (
        f"def f(x):\n    {body}\n"
        "def helper(text): return text.strip()\n"
        "def lines(parts): return [part.strip() for part in parts]\n"
        "class Tree:\n    def __init__(self, value: int):\n        self.value = value\n        self.left = self\n"
    )
    loaded = snippets.load(source, "f")
    assert str(loaded.entries[0].params[0].type) == type_
    assert loaded.entries[0].problems == ()
    notes = [p.message for p in loaded.problems if p.kind == "types"]
    assert notes == [f"assumed from the code of f: x: {type_} (--types for others)"]


def test_uses_that_no_type_explains_are_an_error_that_names_the_parameter(snippets: Snippets) -> None:
    loaded = snippets.load("def f(x): return x.frobnicate()\n", "f")
    assert [p.message.partition(";")[0] for p in loaded.entries[0].problems] == [
        "the type of parameter 'x' of f is not known"
    ]


def test_a_field_gets_its_type_from_the_methods_of_the_class(snippets: Snippets) -> None:
    source = """
    class Log:
        def __init__(self, lines, limit):
            self.lines = lines
            self.limit = limit
        def add(self, line):
            if len(self.lines) < self.limit:
                self.lines.append(line.strip())
    """
    loaded = snippets.load(source)
    fields = {name: str(field.type) for name, field in loaded.program.classes["snippet.Log"].fields.items()}
    assert fields == {"lines": "list[str]", "limit": "int"}
    params = {e.qualname: [str(p.type) for p in e.params[1:]] for e in loaded.entries}
    assert params == {"Log.__init__": ["list[str]", "int"], "Log.add": ["str"]}


@pytest.mark.parametrize(
    "stored",
    [
        "self.b = b or B()",
        "self.b = b if b is not None else B()",
        "self.b = B() if b is None else b",
        "self.b = B() if not b else b",
        "if b is None:\n            b = B()\n        self.b = b",
        "b = b or B()\n        self.b = b",
    ],
)
def test_what_takes_the_place_of_none_leaves_no_none_in_a_field(stored: str, snippets: Snippets) -> None:
    source = "class B: pass\nclass A:\n    def __init__(self, b: B | None = None) -> None:\n        "
    loaded = snippets.load(f"{source}{stored}\n    def f(self):\n        return self.b\n")
    assert str(loaded.program.classes["snippet.A"].fields["b"].type) == "snippet.B"


def test_what_extends_a_dict_or_list_holds_what_its_methods_put_there(snippets: Snippets) -> None:
    source = """
    class Multi(dict):
        def add(self, key, value):
            super().setdefault(key.lower(), []).append(value + 1)
    class Typed(list[str]):
        def first(self): return self[0]
    """
    loaded = snippets.load(source)
    multi, typed = (loaded.program.classes[f"snippet.{name}"].fields for name in ("Multi", "Typed"))
    assert str(multi["_entries"].type) == "dict[str, list[int]]"
    assert str(typed["_items"].type) == "list[str]"


def test_keys_are_of_the_type_of_what_they_are_compared_with_elsewhere(snippets: Snippets) -> None:
    source = """
    class Graph:
        def __init__(self):
            self.nodes = {}
            self.order = []
        def add(self, node):
            self.nodes[node] = len(self.order)
            self.order.append(node)
    """
    loaded = snippets.load(source)
    fields = {name: str(field.type) for name, field in loaded.program.classes["snippet.Graph"].fields.items()}
    assert fields == {"nodes": "dict[int, int]", "order": "list[int]"}


def test_annotations_win_over_uses(snippets: Snippets) -> None:
    loaded = snippets.load("def f(x: bytes): return x.upper()\n", "f")
    assert str(loaded.entries[0].params[0].type) == "bytes"
    assert loaded.problems == ()


def test_examples_in_docstrings_tell_types(snippets: Snippets) -> None:
    source = '''
    def f(d, *keys, key=None):
        """
        >>> f({'x': 1, 'y': 2}, 'y')
        >>> f({'z': 3}, 'y', key=lambda k: k)
        """
        return d, keys, key
    def g(xs, n):
        """
        >>> g([1, 2], 0.5)
        >>> list(g(['a'],
        ...        1))
        """
        return xs[n], [x for x in xs if n > 2]
    def h(x):
        """>>> h('a')"""
        return x['k'] + 1
    def k(value=None, factor=2.0, mode='a'):
        """>>> k('', 3, mode=1)"""
        return value, factor, mode
    '''
    types = [[str(p.type) for p in snippets.load(source, name).entries[0].params] for name in "fghk"]
    assert types == [
        ["dict[str, int]", "tuple[*str]", "none | function(*any) -> any"],
        ["list[int | str]", "float"],
        ["str | dict[str, int]"],
        ["none | str", "float", "str | int"],
    ]

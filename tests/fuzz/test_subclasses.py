"""What only a subclass defines is a way of its own, wherever the program asks an object of its base class for it."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.judging import judge
from tests.fuzz.programs import Program

_PROGRAM = """\
from __future__ import annotations

import copy


class Base:
    limit = 1

    def __init__(self, n: int) -> None:
        self.n = n

    {base}


class Left(Base):
    {left}


class Right(Base):
    pass


class Leaf(Left):
    pass


def f(a: int, p: Base) -> object:
    {body}
"""
_INIT = "def __init__(self, n):\n        super().__init__(n)\n        self.m = 5"
_PROPERTY = "@property\n    def n(self): return 7\n    @n.setter\n    def n(self, v): self.m = v"
_ROWS: list[tuple[str, str]] = [
    ("def __len__(self): return self.n", "return 1 if p else 2"),
    ("def __len__(self): return self.n", "return len(p)"),
    ("def __iter__(self): yield self.n", "return 1 if list(p) == [2] else 2"),
    ("def __add__(self, o): return self.n + o", "return 1 if p + a > 2 else 2"),
    ("def __radd__(self, o): return self.n + o", "return 1 if a + p > 2 else 2"),
    ("def __neg__(self): return -self.n", "return 1 if -p > 2 else 2"),
    ("def __getitem__(self, i): return self.n + i", "return 1 if p[a] > 2 else 2"),
    (
        "def __getitem__(self, i):\n        if i > 1: raise IndexError\n        return self.n + i",
        "return 1 if a in p else 2",
    ),
    ("def __contains__(self, i): return i == self.n", "return 1 if a in p else 2"),
    ("def __str__(self): return str(self.n)", "return 1 if str(p) == '3' else 2"),
    ("def __str__(self): return str(self.n)", "return 1 if f'{p}' == '3' else 2"),
    ("def __repr__(self): return str(self.n)", "return 1 if f'{p!r}' == '3' else 2"),
    ("def __format__(self, spec): return spec + str(self.n)", "return 1 if f'{p:>}' == '>3' else 2"),
    ("def __int__(self): return self.n", "return 1 if int(p) == 3 else 2"),
    ("def __float__(self): return self.n + 0.5", "return 1 if float(p) == 3.5 else 2"),
    ("def __index__(self): return self.n", "return 1 if [1, 2][p] == 2 else 2"),
    ("def __eq__(self, o): return self.n == o", "return 1 if p == a else 2"),
    ("def __eq__(self, o): return self.n == o", "return 1 if a == p else 2"),
    ("def __eq__(self, o): return self.n == o", "return 1 if p in [a, 1] else 2"),
    ("def __eq__(self, o): return self.n == o", "return 1 if [p] == [a] else 2"),
    ("def __eq__(self, o): return self.n == o", "return {p: 1}.get(a, 2)"),
    ("def __lt__(self, o): return self.n < o.n", "return 1 if p < Base(a) else 2"),
    ("def __lt__(self, o): return self.n < o.n", "return sorted([p, Left(a)])[0].n"),
    ("def __gt__(self, o): return self.n < o.n", "return 1 if Base(a) < p else 2"),
    ("def __call__(self, o): return self.n < o", "return 1 if p(a) else 2"),
    (
        "def __enter__(self): return self\n    def __exit__(self, *e): return self.n > 1",
        "with p:\n        raise KeyError(a)\n    return 2",
    ),
    ("def __hash__(self): return self.n", "return 1 if hash(p) == a else 2"),
    ("__hash__ = None", "return 1 if p in {p: 1} else 2"),
    ("@property\n    def m(self): return self.n", "return 1 if p.m > 1 else 2"),
    ("def __getattr__(self, name): return len(name)", "return 1 if p.mmm > a else 2"),
    ("def __getattribute__(self, name): return 5", "return 1 if p.n > 4 else 2"),
    ("def __delattr__(self, name): raise KeyError(name)", "del p.n\n    return 2"),
    (_PROPERTY, "return 1 if p.n == 7 else 2"),
    (_PROPERTY, "p.n = a\n    return 1 if p.n == a else 2"),
    ("limit = 3", "return 1 if copy.copy(p).limit == 3 else 2"),
    ("limit = 3", "return 1 if copy.deepcopy(p).limit == 3 else 2"),
    ("def __copy__(self): return Left(9)", "return 1 if copy.copy(p).n == 9 else 2"),
    ("limit = 3", "return 1 if p.__class__.limit == 3 else 2"),
    ("limit = 3", "return 1 if p.__class__.__name__ == 'Left' else 2"),
    ("limit = 3", "return 1 if 'Left' in repr(p) else 2"),
    ("limit = 3", "return 1 if getattr(p, 'limit') == 3 else 2"),
    ("other = 3", "return 1 if hasattr(p, 'other') else 2"),
    ("other = 3", "return getattr(p, 'other', a)"),
    ("other = 3", "return 1 if 'other' in dir(p) else 2"),
    ("limit = 3", "p.__class__.limit += 1\n    return 1 if p.limit == 4 else 2"),
    ("limit = 3", "type(p).limit = a\n    return 1 if Left.limit == a else 2"),
    (_INIT, "return 1 if hasattr(p, 'm') else 2"),
    (_INIT, "return len(vars(p))"),
    (_INIT, "return 1 if 'm' in p.__dict__ else 2"),
    ("__match_args__ = ('n',)", "match p:\n        case Left(3): return 1\n        case Base(): return 2"),
    ("@staticmethod\n    def go(): return 3", "return 1 if hasattr(p, 'go') and p.go() == 3 else 2"),
    ("def __bool__(self): return self.n > 0", "return p and a or 3"),
    ("def __bool__(self): return self.n > 0", "return [z for z in [p] if z] == []"),
    ("def __bool__(self): return self.n > 0", "return 1 if any([p]) else 2"),
    ("def __bool__(self): return self.n > 0", "while p:\n        return 1\n    return 2"),
    (
        "def __iadd__(self, o):\n        self.n += o\n        return self\n    def __add__(self, o): return 3",
        "p += a\n    return 1 if p == 3 else 2",
    ),
    ("def __reversed__(self): return iter([self.n])", "return 1 if list(reversed(p)) == [2] else 2"),
    ("def __next__(self): return self.n", "return 1 if next(p) == 2 else 2"),
    ("def __setitem__(self, k, v): self.n = v", "p[a] = 3\n    return 1 if p.n == 3 else 2"),
    ("def __delitem__(self, k): self.n = k", "del p[a]\n    return 1 if p.n == 3 else 2"),
    ("def __abs__(self): return self.n", "return 1 if abs(p) == 3 else 2"),
    ("def __round__(self, k=None): return self.n", "return 1 if round(p) == 3 else 2"),
    ("def __divmod__(self, o): return self.n, o", "return 1 if divmod(p, a)[0] == 3 else 2"),
    ("def __matmul__(self, o): return self.n", "return 1 if p @ a == 3 else 2"),
    ("class Inner:\n        x = 3", "return 1 if hasattr(p, 'Inner') and p.Inner.x == 3 else 2"),
]
"""(a member of the subclass, the body of the function)"""
_REPLACED: list[tuple[str, str, str]] = [
    ("@classmethod\n    def make(cls): return cls.limit", "limit = 3", "return 1 if p.make() == 3 else 2"),
    (
        "@classmethod\n    def make(cls, n): return cls(n)",
        "def size(self): return 3",
        "return 1 if isinstance(p.make(a), Left) else 2",
    ),
    (
        "@staticmethod\n    def make(n): return n",
        "@staticmethod\n    def make(n): return n + 1",
        "return 1 if p.make(a) == 3 else 2",
    ),
    ("def me(self): return type(self)(3)", "limit = 3", "return 1 if p.me().limit == 3 else 2"),
    ("def __add__(self, o): return self", "def __iadd__(self, o): return 3", "p += a\n    return 1 if p == 3 else 2"),
    ("def go(self): return 1", "go = None", "return 1 if p.go is None else 2"),
    ("def go(self): return 1", "go = lambda self: 3", "return 1 if p.go() == 3 else 2"),
]
"""(a member of the base class, a member of the subclass, the body of the function)"""


def test_what_only_a_subclass_has_is_a_way_of_its_own(tmp_path: Path) -> None:
    rows = [*(("pass", left, body) for left, body in _ROWS), *_REPLACED]
    sources = [_PROGRAM.format(base=base, left=left, body=body) for base, left, body in rows]
    programs = [Program(number, source, (("a", "int"), ("p", "Base"))) for number, source in enumerate(sources)]
    verdict = judge(programs, tmp_path)
    assert not verdict.wrong, [(rows[number], problems) for number, problems in verdict.wrong.items()]
    assert verdict.covered > 2 * len(rows)

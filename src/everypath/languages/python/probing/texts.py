"""Makes texts and numbers from the words of a program, and from texts of kinds that many programs read."""

from __future__ import annotations

import ast
import re
from random import Random

from everypath.languages.python.probing.expressions import Code
from everypath.languages.python.probing.vocabulary import Words

_NUMBERS = (0, 1, 2, -1, 3, 10, 100)
_TEXTS = ("", "a", "abc", "a b", "1", "A")
_SHAPES = (
    "a = [2, 1]",
    "a = {'b': 1, 'a': 2}",
    "a: 1, 2",
    '{"a": [1, {"b": null}]}',
    "[a]\nb = 1\n",
    "def f(a, b=1):\n    return a\n",
    "import b\nimport a\nfrom c import d, e\n\nx = 1  # note\n",
    "http://user:pass@host:80/a/b.txt?q=1&r=2#f",
    "a/b/c.txt",
    "../a.tar.gz",
    "key: value\nother: 1",
    "Name: value; charset=utf-8",
    "--flag=value -x 1 name",
    "<a href='b'>text</a>",
    "Title\n=====\n\n* item *em* **strong** ``code`` :ref:`x`\n\n.. note:: text\n",
    "2024-02-29T12:30:00Z",
    "1.2.3",
    ">=1.0,<2",
    "1,2;3 4",
    "a.b.c",
    "a[0][b]",
    "x[]",
    "f(1, 'a')",
    "(1 + 2) * x - 3",
    "fooBar baz_qux",
    "%s %(name)d {0} {name!r:>10}",
    "'a' \"b\"",
    "\u00e9\u4e2d\U0001f600",
    "Short line.\n\nLonger text.\n\n    indented\n\nArgs:\n    a (int): the a.\n\nReturns:\n    str: text\n",
    ":param int a: the a\n:returns: text\n:raises ValueError: never\n",
    "from a import b as c, d  # note\nimport e as f, g; import h\nfrom . import (\n    i,  # other\n    j as k,\n)\n",
    '@a\nclass B(c):\n    """text"""\n\n    async def d(self, *e: int, **f):\n        return [i for i in e if not i]\n',
    "a: 1\nb:\n  - c\n  - {d: e}\n",
    "#!/bin/sh\n# note\na=1 && b 'c' > d | e",
    "GET /a?b=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab",
    'form-data; name="a"; filename="b.txt"',
    '--a\r\nContent-Disposition: form-data; name="b"\r\n\r\nc\r\n--a--\r\n',
    "a=b; Path=/; Secure; Max-Age=10",
    "git@host.org:a/b.git",
    "a@b.org",
    "192.168.0.1/24",
    "fe80::1",
    "1 a 1.5 b\n2 c 2.5 d\n",
    "a\tb\n1\t2\n",
    "ff00a1",
    "YWJjZA==",
    "12:30:45",
    "1.5 MiB",
    "-1.5e3",
    "123e4567-e89b-42d3-a456-426614174000",
)
"""Texts of kinds that programs read."""
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_KEPT = 60
_LONGEST_KEPT = 300
_PAIRS = ("()", "[]", "{}", "<>", "''", '""')
_SEPARATORS = (" ", "\n", ",", ":", "=", "/", ".", "-", "_", ";", "#")


class Texts:
    """Makes texts and numbers, at random but the same for the same seed."""

    def __init__(self, chance: Random, words: Words) -> None:
        self.chance = chance
        self.words = words
        """those of the whole module"""
        self.near = Words()
        """those of the function under test"""
        self.asked = Words()
        """those of conditions that nothing has passed"""
        self.related = Words()
        """those of modules that this one takes functions and classes from"""
        self.kept: dict[str, None] = {}
        """texts that led to something"""

    def keep_text(self, literal: str) -> None:
        """A text, as it is written, led to something."""
        text = ast.literal_eval(literal)
        if isinstance(text, str) and 2 < len(text) <= _LONGEST_KEPT and len(self.kept) < _MOST_KEPT:
            self.kept[text] = None

    def text(self) -> Code:
        """A text: mostly a word of the program, sometimes several of them together, or of a kind that many read."""
        roll = self.chance.random()
        pools = [list(p) for p in (self.asked.texts, self.near.texts, self.words.texts) if p]
        if roll < 0.1 or not pools:
            return Code(repr(self.chance.choice(_TEXTS)))
        if self.kept and self.chance.random() < 0.1:
            kept = self.chance.choice(list(self.kept))
            return Code(repr(kept)) if roll < 0.5 else self.changed_text(kept)
        if roll < 0.18:
            return Code(repr(self.chance.choice(_SHAPES)))
        if roll < 0.26:
            return Code(repr(self._sentence(pools)))
        if self.related.texts:
            pools.append(list(self.related.texts))
        pool = pools[0] if roll < 0.5 else self.chance.choice(pools)
        word = self.chance.choice(pool)
        if roll > 0.75:
            separators = self.near.short or list(_SEPARATORS)
            others = [self.chance.choice(self.chance.choice(pools)), *_TEXTS, *map(str, _NUMBERS)]
            for _ in range(self.chance.randrange(1, 4)):
                pieces = [word, self.chance.choice(others)]
                self.chance.shuffle(pieces)
                word = self.chance.choice((self.chance.choice(separators), "", " ", "\n")).join(pieces)
        return Code(repr(word))

    def _sentence(self, pools: list[list[str]]) -> str:
        """Names, numbers, signs and brackets in a row, as in small languages."""
        signs = [*self.near.signs, *self.related.signs, *self.words.signs]
        parts: list[str] = []
        for _ in range(self.chance.randrange(2, 7)):
            roll = self.chance.random()
            if roll < 0.3:
                parts.append(self.chance.choice(("a", "b", "x1", "name")))
            elif roll < 0.45:
                parts.append(str(self.chance.choice(_NUMBERS)))
            elif roll < 0.7 and signs:
                parts.append(self.chance.choice(signs))
            elif roll < 0.85:
                pair = self.chance.choice(_PAIRS)
                inner = "".join(parts[-1:])
                parts[-1:] = [pair[0] + inner + pair[1]] if self.chance.random() < 0.5 else [inner, pair]
            else:
                parts.append(self.chance.choice(self.chance.choice(pools))[:20])
        return self.chance.choice(("", "", " ")).join(parts)

    def number(self) -> Code:
        """A whole number: a small one, or one next to a number of the program."""
        near = [n for n in (*self.asked.numbers, *self.near.numbers) if isinstance(n, int)]
        if near and self.chance.random() < 0.5:
            return Code(repr(self.chance.choice(near) + self.chance.choice((-1, 0, 0, 1))))
        return Code(repr(self.chance.choice(_NUMBERS)))

    def changed_text(self, text: str) -> Code:
        """A text that differs a little: in a few characters, or in a word, number or sign."""
        pools = [list(p) for p in (self.asked.texts, self.near.texts) if p]
        word = self.chance.choice(self.chance.choice(pools)) if pools else "a"
        if text and self.chance.random() < 0.5:
            return Code(repr(self._with_other_token(text, word)))
        at = self.chance.randrange(len(text) + 1)
        changed = (
            text[:at] + word + text[at:],
            text[:at] + text[at + 1 :],
            text[:at],
            text[at:],
            text + self.chance.choice(_SEPARATORS) + word,
            word + text,
            text.upper(),
            f"{text}\n{word}",
            text * 2,
        )
        return Code(repr(self.chance.choice(changed)))

    def _with_other_token(self, text: str, word: str) -> str:
        """The text with a word, number or sign left out, repeated, exchanged, or taken from another text."""
        tokens = _TOKEN.findall(text)
        at = self.chance.randrange(len(tokens))
        end = min(len(tokens), at + self.chance.choice((1, 1, 2, 3, 4)))
        now = tokens[at:end]
        other = self.chance.choice(list(self.kept)) if self.kept else self.chance.choice(_SHAPES)
        parts = _TOKEN.findall(other) or ["a"]
        start = self.chance.randrange(len(parts))
        instead = self.chance.choice(
            (
                [],
                now * 2,
                [word],
                [str(self.chance.choice(_NUMBERS))],
                [self.chance.choice(self.near.signs or _SEPARATORS)],
                [*now, self.chance.choice(self.near.signs or _SEPARATORS)],
                parts[start : start + self.chance.randrange(1, 6)],
                ["\n", *now],
            )
        )
        return "".join([*tokens[:at], *instead, *tokens[end:]])

"""Parses a file: on an error it is reported, the smallest enclosing part is dropped, and parsing goes on."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from lark import Lark, Token, UnexpectedToken
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend.problems import Problems, explain
from everypath.languages.abs.frontend.shapes import Shapes
from everypath.languages.abs.frontend.tokens import Scanner, core_tokens
from everypath.languages.abs.frontend.tree_blocks import Block

GRAMMAR = Path(__file__).with_name("grammar.lark")
MOST_ERRORS = 20
"""After so many errors in a file the rest is more likely a consequence than news."""

_DECLARES = {"CLASS", "INTERFACE", "DATA", "DEF", "EXCEPTION", "TRAIT", "MODULE"}
"""Words that only begin declarations: a sign that a brace is missing when they come up elsewhere."""
_GOES_ON = {"ELSE", "FINALLY", "CATCH"}
_PARTS = ("bare_statement", "branch", "member", "signature", "declaration", "import", "export", "module")
"""What can be dropped, smallest first."""


class Parser:
    """The parser of ABS; its tables are computed once and kept beside the compiled Python files."""

    def __init__(self) -> None:
        self.shapes = Shapes()
        self.lark = _lark(self.shapes)
        self.scanner = Scanner(self.lark.terminals)
        strings = {str(t.name): t.pattern.value for t in self.lark.terminals if isinstance(t.pattern, PatternStr)}
        self.sign = lambda kind: strings.get(kind, kind.lower())

    def parse(self, text: str, file: str, problems: Problems) -> tuple[s.Module, ...]:
        """The modules of a file, without the parts that could not be read."""
        self.shapes.file, self.shapes.problems, self.shapes.places = file, problems, set()
        tokens = core_tokens(self.scanner.tokens(text, file, problems), file, problems)
        return self._run(tokens, file, problems) if tokens else ()

    def _run(self, tokens: list[Token], file: str, problems: Problems) -> tuple[s.Module, ...]:
        running = self.lark.parse_interactive()
        feed = running.parser_state.feed_token
        i = errors = 0
        while i < len(tokens):
            try:
                feed(tokens[i])
                i += 1
            except UnexpectedToken:
                errors += 1
                previous = tokens[i - 1] if i else None
                problems.add(*explain(tokens[i], previous, _accepted(running), self.sign, file))
                if errors >= MOST_ERRORS:
                    return ()
                if _inserted(running, tokens[i], previous):
                    continue
                resumed = self._resume(running, tokens, i, file)
                if resumed is None:
                    return ()
                i = resumed
        last = tokens[-1]
        end = Token.new_borrow_pos("$END", "", last)
        end.line, end.column = last.end_line, last.end_column
        try:
            modules: tuple[s.Module, ...] = feed(end, True)
        except UnexpectedToken:
            if not errors:
                problems.add(*explain(end, None, _accepted(running), self.sign, file))
            return ()
        return modules

    def _resume(self, running: InteractiveParser, tokens: list[Token], i: int, file: str) -> int | None:
        """Drop the smallest part that the error is in: take it from the stack as if read, and skip its tokens."""
        state: Any = running.parser_state
        states, values = state.state_stack, state.value_stack
        table = state.parse_conf.parse_table.states
        declares = tokens[i].type in _DECLARES
        for k in range(len(states) - 1, -1, -1):
            part = next((p for p in _PARTS if p in table[states[k]]), None)
            if part is None or (declares and part not in ("declaration", "module")):
                continue
            depth = _open(values) - _open(values[:k])
            after = i if declares and k < len(states) - 1 else _skipped(tokens, i, depth, part)
            if after == i and k == len(states) - 1 and part != "bare_statement":
                after = i + 1
            del states[k + 1 :]
            del values[k:]
            states.append(table[states[k]][part][1])
            values.append(Block(Span(file), ()) if part == "bare_statement" else None)
            return after
        return None


def _inserted(running: InteractiveParser, token: Token, previous: Token | None) -> bool:
    """Go on as if a missing `;` or bracket were there, if the parser can then read the token."""
    lines_end = previous is not None and ((token.line or 0) > (previous.end_line or 0) or token.type == "RBRACE")
    for text, kind in [(";", "SEMICOLON")] * lines_end + [(")", "RPAR"), ("]", "RSQB")]:
        missing = Token.new_borrow_pos(kind, text, token)
        trial: Any = running.copy(deepcopy_values=False)  # type: ignore[no-untyped-call]
        with suppress(UnexpectedToken):
            trial.parser_state.feed_token(missing)
            trial.parser_state.feed_token(token)
            running.parser_state.feed_token(missing)
            return True
    return False


def _accepted(running: InteractiveParser) -> set[str]:
    found: set[str] = running.accepts()  # type: ignore[no-untyped-call]
    return found


def _open(values: list[Any]) -> int:
    """How many braces are open in what is not yet reduced."""
    return sum(isinstance(v, Token) and v.type == "LBRACE" for v in values)


def _skipped(tokens: list[Token], i: int, depth: int, part: str) -> int:
    """Where to go on: after the `;` or `}` that ends the part, or at the `}` that ends what it is in."""
    start = i
    while i < len(tokens):
        kind = tokens[i].type
        if part == "module" and kind != "MODULE":
            i += 1
            continue
        if kind == "LBRACE":
            depth += 1
        elif kind == "RBRACE":
            if depth == 0:
                return i
            depth -= 1
            follows = tokens[i + 1].type if i + 1 < len(tokens) else ""
            if depth == 0 and follows not in _GOES_ON:
                return i + (2 if follows == "SEMICOLON" else 1)
        elif kind == "SEMICOLON" and depth <= 0:
            return i + 1
        elif kind in _DECLARES and (part == "module" or (i > start and (depth <= 0 or part == "declaration"))):
            return i
        i += 1
    return i


def _lark(shapes: Shapes) -> Lark:
    text = GRAMMAR.read_text(encoding="utf-8")
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "maybe_placeholders": True, "transformer": shapes}
    kept = Path(cache_from_source(__file__)).with_name("grammar.tables")
    if not kept.exists():
        if sys.dont_write_bytecode:
            return Lark(text, **options)
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
    return Lark(text, cache=str(kept), **options)


@cache
def parser() -> Parser:
    """The parser of this process."""
    return Parser()

"""What is wrong with ABS source text, collected so that one run reports everything, and syntax errors in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from difflib import get_close_matches

from lark import Token

from everypath.errors import Span
from everypath.records import dataclass, field

SYNTAX, NAME, TYPE, UNSUPPORTED = "syntax", "name", "type", "unsupported"
_NAMED = {
    "IDENTIFIER": "a lower-case name",
    "TYPE_IDENTIFIER": "an upper-case name",
    "INTEGER": "a number",
    "FLOAT": "a number",
    "STRING": "a string",
    "TEMPLATE": "a string",
    "TEMPLATE_START": "a string",
    "$END": "the end of the file",
}
_STATEMENT = frozenset({"WHILE", "RETURN", "SKIP", "SUSPEND"})
_DECLARATION = frozenset({"CLASS", "INTERFACE", "DATA", "DEF"})
_EXPRESSION = frozenset({"INTEGER", "NULL", "THIS", "LET", "LPAR"})
_OPERATOR = frozenset({"PLUS", "STAR", "EQ", "AND", "LE"})
_PATTERN = frozenset({"WILDCARD", "INTEGER", "TYPE_IDENTIFIER"})
_TYPES = {
    "int": "Int",
    "integer": "Int",
    "void": "Unit",
    "bool": "Bool",
    "boolean": "Bool",
    "string": "String",
    "float": "Float",
    "double": "Float",
}
_OTHER_LANGUAGES = {
    "fimport": "foreign imports (`fimport`)",
    "port": "ports of the component model (`port`)",
    "critical": "critical sections of the component model (`critical`)",
    "rebind": "rebinding ports (`rebind`)",
    "component": "the component model",
    "original": "`original` of deltas and traits",
}
"""Words of dialects, recognised so that the message can name the construct."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing to change in the source: where it is and what it is."""

    span: Span
    kind: str
    """syntax, name, type or unsupported"""
    message: str

    def __str__(self) -> str:
        column = f":{self.span.column}" if self.span.column else ""
        return f"{self.span}{column}: {self.message}"


@dataclass(slots=True)
class Problems:
    """Collects problems; the same one is kept once."""

    found: dict[Problem, None] = field(default_factory=dict)

    def add(self, kind: str, span: Span, message: str) -> None:
        """Record one problem."""
        self.found[Problem(span, kind, message)] = None

    def sorted(self) -> tuple[Problem, ...]:
        """All problems, in the order of the source."""
        return tuple(sorted(self.found))


def did_you_mean(wrong: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known name that is most like a wrong one, as the end of a message; empty where none is."""
    near = get_close_matches(wrong, list(known), 1, likeness)
    return f"; did you mean `{near[0]}`?" if near else ""


def explain(
    token: Token, previous: Token | None, accepts: Set[str], sign: Callable[[str], str], file: str
) -> tuple[str, Span, str]:
    """Kind, place and message of a syntax error at this token."""
    span = Span(file, token.line or 0, token.column or 0)
    for word in (token, previous):
        if word is not None and word.type == "IDENTIFIER" and str(word) in _OTHER_LANGUAGES:
            here = Span(file, word.line or 0, word.column or 0)
            return UNSUPPORTED, here, f"not supported: {_OTHER_LANGUAGES[str(word)]}"
    if previous is not None and "SEMICOLON" in accepts and (token.line or 0) > (previous.end_line or 0):
        behind = Span(file, previous.end_line or 0, previous.end_column or 0)
        return SYNTAX, behind, f"`;` is missing after `{_short(previous)}`"
    found = "the end of the file" if token.type == "$END" else f"`{_short(token)}`"
    if "MODULE" in accepts and "CLASS" not in accepts:
        return SYNTAX, span, f"expected `module` but found {found}: a file begins with a line such as `module Name;`"
    if token.type == "AWAIT":
        return SYNTAX, span, "`await` may not be part of another expression: assign its result to a variable first"
    return SYNTAX, span, f"expected {_listed(accepts, sign)} but found {found}{_hint(token, previous, accepts)}"


def _hint(token: Token, previous: Token | None, accepts: Set[str]) -> str:
    name = "IDENTIFIER" in accepts and not accepts >= _EXPRESSION
    if name and token.type != "IDENTIFIER" and str(token)[:1].islower():
        return f"; `{token}` is a keyword and cannot be a name"
    if token.type == "IDENTIFIER" and "TYPE_IDENTIFIER" in accepts and "IDENTIFIER" not in accepts:
        meant = _TYPES.get(str(token).lower())
        return f"; did you mean `{meant}`?" if meant else "; names of types begin with a capital letter"
    if token.type == "TYPE_IDENTIFIER" and "IDENTIFIER" in accepts and "TYPE_IDENTIFIER" not in accepts:
        return "; names of variables, functions and methods begin with a small letter"
    declares = token.type in ("CLASS", "INTERFACE", "DATA", "DEF", "EXCEPTION", "MODULE") and "RBRACE" in accepts
    method = token.type == "LPAR" and previous is not None and previous.type == "IDENTIFIER" and "EQUAL" in accepts
    return "; is a `}` missing above?" if declares or method else ""


def _short(token: Token) -> str:
    text = str(token).splitlines()[0] if str(token) else ""
    return text if len(text) <= 30 else f"{text[:27]}..."


def _listed(accepts: Set[str], sign: Callable[[str], str]) -> str:
    rest = set(accepts) - {"QUALIFIER"}
    words: list[str] = []
    if accepts >= _DECLARATION:
        words.append("a declaration")
        rest -= {"CLASS", "INTERFACE", "DATA", "DEF", "TYPE", "EXCEPTION", "TRAIT", "LSQB", "LBRACE", "MODULE"}
        rest -= {"IMPORT", "EXPORT"}
    elif accepts >= _STATEMENT:
        words.append("a statement")
        rest &= {"RBRACE", "ELSE", "FINALLY"}
    elif accepts >= _EXPRESSION:
        words.append("an expression")
        rest &= {"RPAR", "RSQB", "SEMICOLON", "DURATION"}
    elif accepts >= {"RECOVER", "RBRACE"}:
        words += ["a field", "a method"]
        rest &= {"RBRACE"}
    elif accepts >= {"LSQB", "TYPE_IDENTIFIER"}:
        words.append("a type")
        rest -= {"LSQB", "TYPE_IDENTIFIER"}
    elif accepts >= _PATTERN:
        words.append("a pattern")
        rest &= {"RBRACE", "RPAR"}
    last = []
    if accepts >= _OPERATOR:
        last.append("an operator")
        rest -= {"PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "EQ", "NE", "AND", "OR", "LE", "GE", "LESSTHAN"}
        rest -= {"MORETHAN", "DOT", "BANG", "AS", "IMPLEMENTS", "QUALIFIER"}
    words += sorted({_NAMED.get(kind) or f"`{sign(kind)}`" for kind in rest}) + last
    if not words:
        return "something else"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

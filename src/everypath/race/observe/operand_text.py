"""How an operand is written in the source, on one line and not too long."""

from __future__ import annotations

import ast

_LONGEST = 70

_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def signs(operator: ast.operator | ast.cmpop) -> str:
    """The operator as it is written."""
    return _SIGNS[type(operator)]


def wording(node: ast.AST) -> str:
    """The expression as one would write it; the arguments of a long call are left out."""
    text = _simple(node) or _unparsed(node)
    if len(text) <= _LONGEST:
        return text
    if isinstance(node, ast.Call):
        text = f"{wording(node.func)}(...)"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def target_wording(node: ast.AST) -> str:
    """A target of an assignment or loop, where a tuple needs no parentheses."""
    return ", ".join(wording(each) for each in node.elts) if isinstance(node, ast.Tuple) else wording(node)


def _unparsed(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError, AttributeError, KeyError):
        return "..."


def _simple(node: ast.AST) -> str:
    """The common forms, because the general way is slow."""
    match node:
        case ast.Name():
            return node.id
        case ast.Constant() if type(node.value) in (int, str, bool, type(None)):
            return repr(node.value)
        case ast.Attribute():
            value = _simple(node.value)
            return f"{value}.{node.attr}" if value and not isinstance(node.value, ast.Constant) else ""
        case ast.Subscript():
            value, key = _simple(node.value), _simple(node.slice)
            return f"{value}[{key}]" if value and key else ""
        case ast.Call() if not node.keywords:
            function, arguments = _simple(node.func), [_simple(each) for each in node.args]
            return f"{function}({', '.join(arguments)})" if function and all(arguments) else ""
        case _:
            return ""

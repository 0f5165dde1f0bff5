"""Rewrites the expressions of a function: each access to memory beside a call of its hook."""

from __future__ import annotations

import ast
from typing import Any

from everypath.race.events import SITES, Site
from everypath.race.observe.accesses import BINARY, COMPARE, NAME
from everypath.race.observe.shared_variables import Bindings, Shared, mangle
from everypath.records import dataclass

_LEFT_ALONE = frozenset("super locals globals eval exec".split())
_LEFT_ALONE_WITHOUT_ARGUMENTS = frozenset("vars dir".split())
_LONGEST_TEXT = 70

_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_NO_CONTAINER = (ast.Compare, ast.Constant, ast.JoinedStr, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the program the rewriter is."""

    file: str
    module: str
    function: str
    """qualified name of the enclosing function or class"""
    cls: str | None
    """the innermost class, which mangles names"""
    node: Any
    """the enclosing function or comprehension, for looking up names"""
    prefix: str = ""

    def inside_class(self, name: str) -> Place:
        """The body of a class statement."""
        return Place(self.file, self.module, self.prefix + name, name, self.node, f"{self.prefix}{name}.")

    def inside_function(self, name: str, node: Any = None) -> Place:
        """The body of a function."""
        qualified = self.prefix + name
        return Place(self.file, self.module, qualified, self.cls, node, f"{qualified}.<locals>.")

    def inside_comprehension(self, node: Any) -> Place:
        """The same function, in a place where other names are visible."""
        return Place(self.file, self.module, self.function, self.cls, node, self.prefix)


class Expressions(ast.NodeTransformer):
    """The expressions of one function; what is said about their values, in the order in which Python evaluates them."""

    def __init__(self, place: Place, bindings: Bindings) -> None:
        self.stored: set[str] = set()
        """attributes that are assigned"""
        self.place = place
        self.bindings = bindings
        self.suspends = False
        self.unannounced: list[tuple[Shared, ast.AST]] = []
        """shared variables that the current statement assigns in a way that can only be announced before it"""

    # Variables.

    def visit_Name(self, node: ast.Name) -> ast.AST:
        variable = self.shared(node)
        if variable is None:
            return node
        if not isinstance(node.ctx, ast.Load):
            self.unannounced.append((variable, node))
            return node
        # The hook always returns True. A variable cannot be handed to a hook before it is read, as the object of an
        # attribute can, so the hook comes in a condition before it.
        test = self.hook("read_variable", *self._owner_and_name(variable), self.at(node))
        again = ast.copy_location(ast.Name(node.id, ast.Load()), node)
        return ast.copy_location(ast.IfExp(test, node, again), node)

    def assigns(self, name: str, node: ast.AST) -> None:
        variable = self.bindings.shared(name, self.place.node)
        if variable is not None:
            self.unannounced.append((variable, node))

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        for alias in node.names:
            self.assigns(alias.asname or alias.name.partition(".")[0], node)
        return node

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name:
            self.assigns(node.name, node)
        return self.generic_visit(node)

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        """Left as it is, because it is evaluated later, in a scope of its own."""
        return node

    def shared(self, node: ast.expr) -> Shared | None:
        return self.bindings.shared(node.id, self.place.node) if isinstance(node, ast.Name) else None

    def write(self, variable: Shared, value: ast.expr, node: ast.AST) -> ast.Call:
        return self.hook("write_variable", value, *self._owner_and_name(variable), self.at(node, variable.name))

    def _owner_and_name(self, variable: Shared) -> tuple[ast.expr, ast.expr]:
        """The cell or the name of the module to which the variable belongs, and its own name."""
        cell = ast.Name(f"__everypath_{variable.name}__", ast.Load())
        return cell if variable.in_cell else ast.Constant(self.place.module), ast.Constant(variable.name)

    # Expressions.

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = mangle(node.attr, self.place.cls)
        hook = "load" if isinstance(node.ctx, ast.Load) else "store"
        if isinstance(node.ctx, ast.Del):
            hook = "delete"
        if hook != "load":
            self.stored.add(name)
        site = self.at(node)
        node.value = self.hook(hook, self.visit(node.value), ast.Constant(name), site)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        site = self.at(node)
        node.value = self.hook("at", self.visit(node.value), site)
        node.slice = self.visit(node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        alone = isinstance(node.func, ast.Name) and (
            node.func.id in _LEFT_ALONE or (not node.args and node.func.id in _LEFT_ALONE_WITHOUT_ARGUMENTS)
        )
        site = self.at(node)
        if not alone:
            simple = not node.keywords and all(
                isinstance(each, (ast.Constant, ast.Name)) and self.shared(each) is None for each in node.args
            )
            node.func = self.hook("call_simply" if simple else "call", self.visit(node.func), site)
        node.args = [self.visit(each) for each in node.args]
        for keyword in node.keywords:
            unpacks = keyword.arg is None
            keyword.value = self._unpacked(keyword.value) if unpacks else self.visit(keyword.value)
        return node

    def _unpacked(self, node: ast.expr) -> ast.expr:
        site = self.at(node, f"**{wording(node)}")
        return self.hook("whole", self.visit(node), site)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            node.value = self.visit(node.value)
            return node
        site = self.at(node, f"*{wording(node.value)}")
        node.value = self.hook("whole", self.visit(node.value), site)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        for index, (key, value) in enumerate(zip(node.keys, node.values)):
            if key is not None:
                node.keys[index] = self.visit(key)
            node.values[index] = self._unpacked(value) if key is None else self.visit(value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        texts = [wording(each) for each in (node.left, *node.comparators)]
        whole = wording(node)
        if len(node.ops) > 1:
            # A chain evaluates an operand only if all comparisons before it hold, so each is announced by itself.
            node.left = self._operand(node.left, texts[0])
            node.comparators = [self._operand(each, text) for each, text in zip(node.comparators, texts[1:])]
            return node
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        sign = signs(operator)
        if sign in ("is", "is not") or (sign in COMPARE and _is_atom(left, right)):
            return self.generic_visit(node)
        site = self.at(node, whole if sign != "not in" else f"{texts[0]} in {texts[1]}")
        if sign in COMPARE:
            made = self.hook("compare", ast.Constant(sign), self.visit(left), self.visit(right), site)
            return ast.copy_location(made, node)
        found = ast.copy_location(self.hook("contains", self.visit(left), self.visit(right), site), node)
        return found if sign == "in" else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)

    def _operand(self, node: ast.expr, text: str) -> ast.expr:
        visited = self.visit(node)
        return visited if isinstance(node, _NO_CONTAINER) else self.hook("whole", visited, self.at(node, text))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        sign = signs(node.op)
        if sign == "%" and _is_text(node.left):
            node.right = self._formatted(node.right)
            return node
        if sign not in BINARY or sign == "%" or _is_atom(node.left, node.right):
            return self.generic_visit(node)
        site = self.at(node)
        made = self.hook("binary", ast.Constant(sign), self.visit(node.left), self.visit(node.right), site)
        return ast.copy_location(made, node)

    def _formatted(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple):
            node.elts = [self._operand(each, wording(each)) for each in node.elts]
            return node
        return self._operand(node, wording(node))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = self._operand(node.value, f"str({wording(node.value)})")
        if node.format_spec is not None:
            node.format_spec = self.visit(node.format_spec)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [*(self.truth(each) for each in node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        node.operand = self.truth(node.operand) if isinstance(node.op, ast.Not) else self.visit(node.operand)
        return node

    def truth(self, node: ast.expr) -> ast.expr:
        """An expression of which only the truth matters; for a container, that is whether it is empty."""
        if isinstance(node, ast.BoolOp):
            node.values = [self.truth(each) for each in node.values]
            return node
        if isinstance(node, _NO_CONTAINER) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return self.visit(node)  # type: ignore[no-any-return]
        site = self.at(node, f"bool({wording(node)})")
        return ast.copy_location(self.hook("truth", self.visit(node), site), node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.AST:
        place, suspends = self.place, self.suspends
        for index, generator in enumerate(node.generators):
            text = f"for {target_wording(generator.target)} in {wording(generator.iter)}"
            site = self.at(generator.iter, text)
            iterable = self.visit(generator.iter)
            generator.iter = iterable if generator.is_async else self.hook("elements", iterable, site)
            if index == 0:
                # Python evaluates the first iterable outside, and everything else in the comprehension's own scope.
                self.place, self.suspends = place.inside_comprehension(node), False
            generator.target = self.visit(generator.target)
            generator.ifs = [self.truth(each) for each in generator.ifs]
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self.place, self.suspends = place, suspends
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # Making nodes.

    def hook(self, name: str, *arguments: ast.expr) -> ast.Call:
        hook = ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())
        return ast.Call(hook, list(arguments), [])

    def at(self, node: ast.AST, text: str | None = None) -> ast.Constant:
        return ast.Constant(self.site(node, wording(node) if text is None else text))

    def site(self, node: Any, text: str) -> int:
        place = self.place
        return SITES.number(Site(place.file, node.lineno, node.col_offset + 1, place.function, text))


def _is_atom(*operands: ast.expr) -> bool:
    """Whether one of the operands is a number, a text or the like, so that the other is not looked into."""
    return any(isinstance(each, ast.Constant) and not isinstance(each.value, bytes) for each in operands)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def signs(operator: ast.operator | ast.cmpop) -> str:
    """The operator as it is written."""
    return _SIGNS[type(operator)]


def wording(node: ast.AST) -> str:
    """The expression as one would write it; the arguments of a long call are left out."""
    text = _simple(node) or _unparsed(node)
    if len(text) <= _LONGEST_TEXT:
        return text
    if isinstance(node, ast.Call):
        text = f"{wording(node.func)}(...)"
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."


def target_wording(node: ast.AST) -> str:
    """A target of an assignment or loop, where a tuple needs no parentheses."""
    return ", ".join(wording(each) for each in node.elts) if isinstance(node, ast.Tuple) else wording(node)


def _unparsed(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError, AttributeError, KeyError):
        return "..."


def _simple(node: ast.AST) -> str:
    """The text of a common form, because the general way is slow; empty for any other form."""
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

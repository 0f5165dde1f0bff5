"""Contracts of icontract and deal, written out as the checks that they are.

A decorated function is rewritten before anything else looks at it: its preconditions are tested where it begins, its
postconditions where it returns, invariants of its class in both places, and a condition that does not hold raises the
error that the library raises. So a call that breaks the contract of what it calls is a path like any other. The
libraries are recognised by their names and never imported here. What is no plain condition (a validator that is not
defined in the file, values from before the call) is left as it is: a decorator like any other.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.syntax import PROMISED, placed
from everypath.records import dataclass

_KINDS = {
    "icontract.require": ("pre", "ViolationError"),
    "icontract.ensure": ("ensure", "ViolationError"),
    "icontract.invariant": ("invariant", "ViolationError"),
    "deal.inv": ("invariant", "InvContractError"),
    "deal.pre": ("pre", "PreContractError"),
    "deal.post": ("post", "PostContractError"),
    "deal.ensure": ("ensure", "PostContractError"),
}
"""Decorator -> what it says, and the error of a call that breaks it."""
_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Contract:
    """One condition of a function or class."""

    kind: str
    """pre, post (about the result alone), ensure (about result and parameters) or invariant"""
    library: str
    error: str
    condition: ast.Lambda
    line: int


class _Renamed(ast.NodeTransformer):
    """Gives variables other names; `_.x` is the parameter x where a validator takes all of them as one."""

    def __init__(self, names: dict[str, str], whole: str = "") -> None:
        self._names = names
        self._whole = whole

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute, of all parameters as one perhaps."""
        if self._whole and isinstance(node.value, ast.Name) and node.value.id == self._whole:
            return ast.Name(self._names.get(node.attr, node.attr), node.ctx)
        return self.generic_visit(node)


class _Writer:
    """Rewrites the functions of one module."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._imported = dict(_imported(tree))
        self._functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        self._errors: dict[tuple[str, str], str] = {}

    def run(self) -> None:
        if not self._imported:
            return
        for node in walk(self._tree):
            if isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, _FunctionNode):
                self._function(node, ())
        for (library, error), name in self._errors.items():
            line = next(each.lineno for each in self._tree.body if isinstance(each, (ast.Import, ast.ImportFrom)))
            made = ast.ImportFrom(library, [ast.alias(error, name)], 0)
            self._tree.body.insert(0, placed(made, line))

    def _class(self, node: ast.ClassDef) -> None:
        """The invariants of a class hold after its constructor, and before and after its public methods.

        Those of deal are tested around all methods that are looked up in an object, and whenever an attribute is set.
        """
        invariants = self._taken(node)
        assigned = tuple(each for each in invariants if each.library == "deal")
        others = tuple(each for each in invariants if each.library != "deal")
        for member in node.body if invariants else ():
            if isinstance(member, ast.FunctionDef) and _has_self(member):
                found = () if _is_private(member.name) else others
                if not (member.name.startswith("__") or _is_property(member)):
                    found += assigned
                if found:
                    self._function(member, found)
        if assigned:
            body = "object.__setattr__(self, name, value)"
            setter = ast.parse(f"def __setattr__(self, name, value):\n {body}").body[0]
            assert isinstance(setter, ast.FunctionDef)
            setter.body += [self._check(each, condition) for each, condition in self._all_about(assigned, setter)]
            node.body.append(placed(setter, node.lineno))
        if invariants:
            subject = ast.parse("def subject(self): pass").body[0]
            assert isinstance(subject, ast.FunctionDef)
            known: list[ast.expr] = getattr(node, PROMISED, [])
            setattr(node, PROMISED, known + [condition for _, condition in self._all_about(invariants, subject)])

    def _all_about(self, contracts: tuple[Contract, ...], node: _FunctionNode) -> list[tuple[Contract, ast.expr]]:
        return [self._about(each, node) for each in contracts]

    def _taken(self, node: ast.ClassDef | _FunctionNode) -> tuple[Contract, ...]:
        """The contracts among the decorators, which are no decorators any more."""
        found = [(decorator, self._contract(decorator)) for decorator in node.decorator_list]
        fit = isinstance(node, ast.ClassDef)
        own_setter = fit and any(getattr(each, "name", "") == "__setattr__" for each in getattr(node, "body", ()))
        kept = [
            d
            for d, contract in found
            if contract is None
            or (contract.kind == "invariant") != fit
            # Which of two setters comes first is more than a condition.
            or (own_setter and contract.library == "deal")
        ]
        node.decorator_list = kept
        # The last decorator is applied first, and both libraries test conditions in that order; of deal's, those about
        # the result alone come before the others.
        taken = [c for d, c in reversed(found) if c is not None and d not in kept]
        return tuple(sorted(taken, key=lambda contract: contract.library == "deal" and contract.kind == "ensure"))

    def _contract(self, decorator: ast.expr) -> Contract | None:
        if not isinstance(decorator, ast.Call):
            return None
        name = _dotted(decorator.func)
        first, _, rest = name.partition(".")
        full = f"{self._imported[first]}.{rest}".rstrip(".") if first in self._imported else ""
        if full not in _KINDS:
            return None
        given = [*decorator.args, *(k.value for k in decorator.keywords if k.arg in ("condition", "validator"))]
        condition = self._lambda(given[0]) if given else None
        if condition is None or any(isinstance(n, ast.Name) and n.id == "OLD" for n in walk(condition)):
            return None
        kind, error = _KINDS[full]
        return Contract(kind, full.partition(".")[0], error, condition, condition.body.lineno)

    def _lambda(self, given: ast.expr) -> ast.Lambda | None:
        """The condition as a lambda; a function of the module is called by one."""
        if isinstance(given, ast.Lambda):
            return given
        function = self._functions.get(given.id) if isinstance(given, ast.Name) else None
        if function is None:
            return None
        names = [arg.arg for arg in function.args.args]
        call = ast.Call(given, [ast.Name(name, ast.Load()) for name in names], [])
        made = ast.Lambda(ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, []), call)
        return placed(made, given.lineno)

    def _function(self, node: _FunctionNode, invariants: tuple[Contract, ...]) -> None:
        if hasattr(node, PROMISED) and not invariants:
            return
        contracts = self._taken(node)
        before = self._all_about(tuple(each for each in contracts if each.kind == "pre"), node)
        inside = [] if node.name == "__init__" else self._all_about(invariants, node)
        after = self._all_about(tuple(each for each in (*contracts, *invariants) if each.kind != "pre"), node)
        promised = [*before, *inside]
        known: list[ast.expr] = getattr(node, PROMISED, [])
        setattr(node, PROMISED, known + [condition for _, condition in promised])
        if after:
            self._check_returns(node, after)
        checks = [self._check(contract, condition) for contract, condition in promised]
        at = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[at:at] = checks

    def _about(self, contract: Contract, node: _FunctionNode) -> tuple[Contract, ast.expr]:
        """The condition over the parameters of a function, and over its result."""
        params = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        taken = [arg.arg for arg in (*contract.condition.args.posonlyargs, *contract.condition.args.args)]
        names: dict[str, str] = {"result": _RESULT} if contract.kind in ("post", "ensure") else {}
        whole = ""
        if contract.kind == "post" and taken:
            names = {taken[0]: _RESULT}
        elif contract.kind == "invariant" and taken and params:
            names = {taken[0]: params[0]}
        elif contract.library == "deal" and taken == ["_"]:
            whole = "_"
        elif contract.library == "deal":
            names |= dict(zip((name for name in taken if name != "result"), params))
        return contract, _Renamed(names, whole).visit(copy.deepcopy(contract.condition.body))

    def _check(self, contract: Contract, condition: ast.expr) -> ast.stmt:
        """`if not condition: raise Error()`"""
        name = self._errors.setdefault((contract.library, contract.error), f"<{contract.library} {contract.error}>")
        raised = ast.Raise(ast.Call(ast.Name(name, ast.Load()), [], []), None)
        made = ast.If(ast.UnaryOp(ast.Not(), copy.deepcopy(condition)), [raised], [])
        return placed(made, contract.line)

    def _check_returns(self, node: _FunctionNode, after: list[tuple[Contract, ast.expr]]) -> None:
        def checks() -> list[ast.stmt]:
            return [self._check(contract, condition) for contract, condition in after]

        node.body = [statement for each in node.body for statement in _with_checks(each, checks)]
        if not isinstance(node.body[-1], (ast.Return, ast.Raise)):
            node.body += [_result(None, node.body[-1]), *checks()]


_RESULT = "<result>"
Checks = Callable[[], list[ast.stmt]]


def _result(value: ast.expr | None, place: ast.stmt) -> ast.stmt:
    """Keep the result of a function, for what its contracts say about it."""
    made = ast.Assign([ast.copy_location(ast.Name(_RESULT, ast.Store()), place)], value or ast.Constant(None))
    return ast.fix_missing_locations(ast.copy_location(made, place))


def _with_checks(statement: ast.stmt, checks: Checks) -> Iterator[ast.stmt]:
    """The statement with checks in front of every `return` in it."""
    if isinstance(statement, ast.Return):
        yield _result(statement.value, statement)
        yield from checks()
        yield ast.copy_location(ast.Return(ast.copy_location(ast.Name(_RESULT, ast.Load()), statement)), statement)
        return
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list):
                setattr(statement, name, [new for each in inner for new in _with_checks(each, checks)])
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            part.body = [new for each in part.body for new in _with_checks(each, checks)]
    yield statement


def write_out_contracts(tree: ast.Module) -> None:
    """Turn the contracts of a module into checks."""
    _Writer(tree).run()


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names under which the libraries, and what is in them, are known."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name in ("icontract", "deal"):
                    yield alias.asname or alias.name, alias.name
        elif isinstance(statement, ast.ImportFrom) and statement.module in ("icontract", "deal"):
            for alias in statement.names:
                yield alias.asname or alias.name, f"{statement.module}.{alias.name}"


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _is_private(name: str) -> bool:
    return name.startswith("_") and name != "__init__"


def _is_property(node: ast.FunctionDef) -> bool:
    return any(_dotted(d) == "property" or _dotted(d).endswith((".setter", ".getter")) for d in node.decorator_list)


def _has_self(node: ast.FunctionDef) -> bool:
    fixed = any(isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod") for d in node.decorator_list)
    return bool(node.args.args or node.args.posonlyargs) and not fixed

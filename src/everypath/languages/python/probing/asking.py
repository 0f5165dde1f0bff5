"""What the conditions of a file ask for, what its lines work on, and which calls a handler is prepared for.

Read once from the syntax tree; what the operands are in a run, `noticing.py` looks at.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator
from types import CodeType

from everypath.languages.python.probing.helping import answers_in
from everypath.languages.python.probing.outside import (
    Assigned,
    Assignments,
    assigned_before,
    assigned_in,
    assignments_in,
)
from everypath.records import dataclass, field

_MOST_ASSIGNED = 3
"""Assignments that may be the one behind a variable."""
_MOST_CALLS = 6
"""Calls under a handler that are made to fail."""
_PURE = frozenset(
    "strip lstrip rstrip lower upper split rsplit partition rpartition splitlines get keys values items casefold title"
    " replace encode decode removeprefix removesuffix count find rfind index rindex format join copy isdigit isalpha"
    " isspace isupper islower isidentifier".split()
)
_VIEWS = frozenset("items keys values copy iteritems itervalues iterkeys splitlines split".split())
_WRAPPERS = frozenset("sorted list tuple set enumerate reversed zip iter dict filter map".split())
_KEEPING = frozenset("sorted list tuple set reversed iter".split())
"""Those that give the elements as they are."""
_SEARCHING = frozenset("find rfind index rindex count".split())
"""Methods of a text that say where a part of it is, or how often."""
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(slots=True)
class Test:
    """One thing that a condition asks for."""

    kind: str
    operands: tuple[CodeType, ...]
    """what it is about, to be evaluated where the condition stands"""
    nodes: tuple[ast.expr, ...] = ()
    """the same as they are written; first those that cannot be evaluated twice"""
    wanted: int = 0
    """the line that is reached if it comes true, if it is asked for one line only"""


@dataclass(slots=True)
class Tests:
    """What the conditions of a file ask for, by line, and what each of its lines works on."""

    by_line: dict[int, list[Test]] = field(default_factory=dict)
    operands: dict[int, list[ast.expr]] = field(default_factory=dict)
    subscripts: dict[int, list[ast.expr]] = field(default_factory=dict)
    awaited: dict[int, list[ast.Call]] = field(default_factory=dict)
    calls: dict[tuple[int | None, ...], ast.Call] = field(default_factory=dict)
    """calls by where they begin and end"""
    calls_on: dict[int, list[ast.Call]] = field(default_factory=dict)
    """calls by the lines on which they begin"""
    assignments: Assignments = field(default_factory=lambda: Assignments({}))
    answering: dict[int, frozenset[int]] = field(default_factory=dict)
    """lines on which functions compute an answer, with those of the conditions that ask for it"""

    def watched(self) -> dict[int, frozenset[int]]:
        """Lines that are looked at as long as some other line is not reached: those of handlers around them."""
        found: dict[int, set[int]] = {}
        for line, tests in self.by_line.items():
            for test in tests:
                if test.wanted:
                    found.setdefault(line, set()).add(test.wanted)
        return {line: frozenset(wanted) for line, wanted in found.items()}


def tests_in(tree: ast.Module) -> Tests:
    """Everything that is asked in a file."""
    found = Tests(assignments=assignments_in(tree))
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                _note_variables(node, found)
            case ast.Try(body=body, handlers=handlers):
                _note_handlers(body, handlers, found)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                _note(test, found)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                for loop in node.generators:
                    _add_filled(loop.iter, found, node.lineno)
            case ast.comprehension(target=target, iter=iterated, ifs=tests):
                _add_loop(target, iterated, found)
                for test in tests:
                    _note(test, found)
            case ast.For(target=target, iter=iterated) | ast.AsyncFor(target=target, iter=iterated):
                _add_filled(iterated, found, iterated.lineno)
                _add_loop(target, iterated, found)
            case ast.Match(subject=subject, cases=cases):
                for each in cases:
                    _note_pattern(subject, each.pattern, found)
            case ast.Name() | ast.Attribute():
                if isinstance(node.ctx, ast.Load):
                    found.operands.setdefault(node.lineno, []).append(node)
            case ast.Await(value=ast.Call() as call):
                found.awaited.setdefault(call.lineno, []).append(call)
            case ast.Call(lineno=line, end_lineno=end, col_offset=column, end_col_offset=end_column):
                found.calls[line, end, column, end_column] = node
                found.calls_on.setdefault(line, []).append(node)
            case ast.Subscript(value=value):
                found.subscripts.setdefault(node.lineno, []).append(value)
    _note_answers(tree, found)
    return found


def _note_answers(tree: ast.Module, found: Tests) -> None:
    """What functions answer conditions with; the conditions by which they choose the answer are noted already."""
    noted = {id(node.test) for node in ast.walk(tree) if isinstance(node, (ast.If, ast.IfExp))}
    for value, lines in answers_in(tree):
        if id(value) not in noted:
            _note(value, found)
        for line in range(value.lineno, (value.end_lineno or value.lineno) + 1):
            found.answering[line] = found.answering.get(line, frozenset()) | lines


def _note(test: ast.expr, found: Tests) -> None:
    match test:
        case ast.BoolOp(values=values):
            for each in values:
                _note(each, found)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _note(operand, found)
        case ast.NamedExpr(value=value):
            _note(value, found)
        case ast.Compare(left=left, ops=ops, comparators=others):
            for one, operation, other in zip([left, *others], ops, others):
                kind = _kind(operation)
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len":
                    _add(found, test.lineno, "length", *one.args[:1], other)
                    _add_answer(found, "sized", *one.args[:1], other)
                _add(found, test.lineno, kind, one, other)
                for answered, compared in ((one, other), (other, one)):
                    _add_answer(found, "compared", answered, compared)
                    if isinstance(answered, ast.Call) and _is_constant(compared):
                        # What it is about is asked for first, such as an entry; its value comes after.
                        _note_call(answered, found)
        case ast.Call(args=arguments):
            if not _note_call(test, found):
                _add(found, test.lineno, "truth", test)
                _add_answer(found, "answered", test)
                if len(arguments) > 1:
                    _add(found, test.lineno, "among", *arguments)
                for each in arguments:
                    _add(found, test.lineno, "given", each)
        case _:
            _add(found, test.lineno, "truth", test)


def _is_constant(node: ast.expr) -> bool:
    """Whether it is written out, such as -1."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _note_call(test: ast.Call, found: Tests) -> bool:
    """What a call of a well-known function asks for; whether it is all that can be said about it."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr" | "issubclass" as name), args=[one, other]):
            _add(found, test.lineno, name, one, other)
        case ast.Call(func=ast.Name(id="callable"), args=[one]):
            _add(found, test.lineno, "callable", one)
        case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp(elt=inner, generators=[only, *_])]):
            _add(found, test.lineno, "truth", only.iter)
            _note(inner, found)
        case ast.Call(func=ast.Attribute(value=one, attr="startswith" | "endswith" as name), args=[other, *_]):
            _add(found, test.lineno, name, one, other)
        case ast.Call(func=ast.Attribute(value=one, attr="match" | "search" | "fullmatch"), args=[other, *more]):
            _add(found, test.lineno, "pattern", one, other, *more[:1])
        case ast.Call(func=ast.Attribute(value=one, attr="get"), args=[key, *_]):
            _add(found, test.lineno, "in", key, one)
            return False
        case ast.Call(func=ast.Attribute(value=one, attr=name), args=[other, *_]) if name in _SEARCHING:
            _add(found, test.lineno, "in", other, one)
            return False
        case ast.Call(func=ast.Name(id="getattr"), args=[one, name, *_]):
            _add(found, test.lineno, "hasattr", one, name)
            return False
        case _:
            return False
    return True


def _note_variables(function: ast.FunctionDef | ast.AsyncFunctionDef, found: Tests) -> None:
    """Conditions on variables, read as conditions on what was assigned to them: `m = p.match(text); if m:`."""
    known = assigned_in(function)
    for node in ast.walk(function) if known else ():
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                for before in range(_MOST_ASSIGNED):
                    behind = _Behind(known, before)
                    read = behind.visit(copy.deepcopy(test))
                    if behind.replaced and isinstance(read, ast.expr):
                        _note(read, found)
            case ast.For(target=target, iter=ast.Name() as iterated):
                read = _Behind(known, 0).visit(iterated)
                if isinstance(read, ast.Call):
                    _add_loop(target, read, found)


class _Behind(ast.NodeTransformer):
    """Puts what was assigned to a variable in its place, where a condition is about the variable as a whole."""

    def __init__(self, known: Assigned, before: int) -> None:
        self._known = known
        self._before = before
        """how many assignments are passed over, counted from the last"""
        self.replaced = False

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
            return self.generic_visit(node)
        if isinstance(node, ast.Name):
            behind = assigned_before(self._known, node.id, node.lineno, self._before)
            if behind is not None and isinstance(behind[1], (ast.Call, ast.BoolOp, ast.Compare, ast.UnaryOp)):
                self.replaced = True
                read = copy.deepcopy(behind[1])
                for part in ast.walk(read):
                    # It is asked where the variable is looked at.
                    if isinstance(part, ast.expr):
                        ast.copy_location(part, node)
                return read
        return node


def _add_answer(found: Tests, kind: str, answered: ast.expr, *others: ast.expr) -> None:
    """What a call should answer that cannot be made a second time."""
    inner = answered.value if isinstance(answered, ast.Await) else answered
    codes = [compiled(each) for each in others]
    if isinstance(inner, ast.Call) and not _is_harmless(inner) and all(code is not None for code in codes):
        known = tuple(code for code in codes if code is not None)
        found.by_line.setdefault(answered.lineno, []).append(Test(kind, known, (inner, *others)))


def _add_filled(iterated: ast.expr, found: Tests, line: int) -> None:
    """That there be something to go through, also in collections that are gone through in another order or form."""
    _add(found, line, "truth", iterated)
    match iterated:
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in _VIEWS:
            behind = [inner]
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _WRAPPERS:
            behind = [each for each in arguments if not isinstance(each, ast.Lambda)]
        case _:
            return
    for each in behind:
        _add_filled(each, found, line)


def _add_loop(target: ast.expr, iterated: ast.expr, found: Tests) -> None:
    """That there be something to go through, of as many parts as the loop takes it apart into."""
    parts = len(target.elts) if isinstance(target, ast.Tuple) else 0
    match iterated:
        case ast.Call(func=ast.Attribute(value=one, attr="finditer" | "findall"), args=[other, *more]):
            _add(found, iterated.lineno, "pattern", one, other, *more[:1])
            return
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _WRAPPERS:
            # What is gone through is what the inner call gives.
            inner = target if name in _KEEPING else ast.Name("_")
            for each in arguments:
                if not isinstance(each, ast.Lambda):
                    _add_loop(inner, each, found)
            return
    if isinstance(iterated, ast.Call) and not _is_harmless(iterated):
        test = Test("looped", (), (iterated, ast.Constant(parts)))
        found.by_line.setdefault(iterated.lineno, []).append(test)


def _note_handlers(body: list[ast.stmt], handlers: list[ast.ExceptHandler], found: Tests) -> None:
    """Calls that should fail, so that a handler is reached."""
    calls = [call for statement in body for call in _calls_in(statement)]
    for handler in handlers:
        errors = compiled(handler.type) if handler.type is not None else None
        for call in calls[:_MOST_CALLS]:
            operands = () if errors is None else (errors,)
            test = Test("fails", operands, (call,), handler.body[0].lineno)
            found.by_line.setdefault(call.lineno, []).append(test)


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that a statement makes itself, the innermost first."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    for each in ast.iter_child_nodes(node):
        yield from _calls_in(each)
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)):
        yield node


def _note_pattern(subject: ast.expr, pattern: ast.pattern, found: Tests) -> None:
    for part in ast.walk(pattern):
        match part:
            case ast.MatchValue(value=value):
                _add(found, pattern.lineno, "equal", subject, value)
            case ast.MatchClass(cls=cls):
                _add(found, pattern.lineno, "isinstance", subject, cls)


def _kind(operation: ast.cmpop) -> str:
    if isinstance(operation, (ast.In, ast.NotIn)):
        return "in"
    return "order" if isinstance(operation, _ORDERS) else "equal"


def _add(found: Tests, line: int, kind: str, *operands: ast.expr) -> None:
    codes = [compiled(each) for each in operands]
    if codes and all(code is not None for code in codes):
        known = tuple(code for code in codes if code is not None)
        found.by_line.setdefault(line, []).append(Test(kind, known, operands))


def compiled(node: ast.expr) -> CodeType | None:
    """The code of an expression that can be evaluated a second time without doing anything."""
    return compile(ast.Expression(node), "<looked at>", "eval") if _is_harmless(node) else None


def _is_harmless(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=value):
            return _is_harmless(value)
        case ast.Subscript(value=value, slice=index):
            return _is_harmless(value) and _is_harmless(index)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return all(map(_is_harmless, items))
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return _is_harmless(operand)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mod(), left=one, right=other):
            return _is_harmless(one) and _is_harmless(other)
        case ast.JoinedStr(values=parts):
            return all(_is_harmless(part) for part in parts)
        case ast.FormattedValue(value=value, format_spec=None):
            return _is_harmless(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=[]):
            return name in _PURE and _is_harmless(value) and all(map(_is_harmless, arguments))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape"), args=[only]):
            return _is_harmless(only)
        case ast.Call(func=ast.Name(id="len" | "type" | "str" | "int"), args=[only], keywords=[]):
            return _is_harmless(only)
    return False

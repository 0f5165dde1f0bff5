"""Which constructs of Python's grammar are translated, and what is said about those that are not."""

from __future__ import annotations

import ast

from everypath.errors import Span
from everypath.languages.base import SourceProblem
from everypath.records import dataclass, field

TRANSLATED = frozenset(
    """
    Add And AnnAssign Assert Assign AsyncFor AsyncFunctionDef AsyncWith Attribute AugAssign Await
    BinOp BitAnd BitOr BitXor BoolOp Break Call ClassDef Compare
    Constant Continue Delete Dict DictComp Div Eq ExceptHandler Expr FloorDiv For FormattedValue FunctionDef
    GeneratorExp Global Gt GtE If IfExp Import ImportFrom In Invert Is IsNot JoinedStr LShift Lambda List ListComp Lt
    LtE MatMult Match MatchAs MatchClass MatchMapping MatchOr MatchSequence MatchSingleton MatchStar MatchValue Mod
    Mult Name NamedExpr Nonlocal Not NotEq NotIn Or Pass Pow RShift Raise Return Set SetComp Slice Starred Sub
    Subscript Try TryStar Tuple UAdd USub UnaryOp While With Yield YieldFrom alias arg arguments
    comprehension keyword match_case withitem
    """.split()
)
"""Nodes with a translation; some uses of a few of them are reported all the same, see `UNSUPPORTED`."""

STRUCTURAL = frozenset(
    """
    AST mod Module Interactive Expression FunctionType stmt expr expr_context Load Store Del boolop operator unaryop
    cmpop excepthandler pattern type_ignore TypeIgnore type_param TypeVar ParamSpec TypeVarTuple
    Num Str Bytes NameConstant Ellipsis Index ExtSlice Suite AugLoad AugStore Param slice
    """.split()
)
"""Nodes that carry no meaning of their own: categories, contexts, and names kept from older versions."""

UNSUPPORTED: dict[str, str] = {
    "Delete": "`del` of a name that is not a variable of the function is not supported",
    "GeneratorExp": "`:=` of a global name in a generator expression that lives on is not supported; use a list",
    "Interpolation": "template strings are not supported",
    "TemplateStr": "template strings are not supported",
    "TypeAlias": "a type alias inside a function is not supported; move it to module level",
}
"""What is reported where a node, or the use of it that the message describes, has no translation."""


def missing(node: ast.AST) -> str:
    """What to say about a construct that has no translation."""
    name = type(node).__name__
    return UNSUPPORTED.get(name, f"{name} is not supported")


Problem = SourceProblem


@dataclass(slots=True)
class Problems:
    """Collects problems without repetitions, in the order in which they were found."""

    found: dict[Problem, None] = field(default_factory=dict)

    def add(self, kind: str, span: Span, message: str) -> None:
        """Record one problem."""
        self.found[Problem(span, kind, message)] = None

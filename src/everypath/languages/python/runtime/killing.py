"""Which tests notice a small fault in a function: the mutant takes its place, and the tests that go there are run.

A mutant is the code object of one function. The script of a case is given a prologue that puts it into the function of
the imported program, so nothing is imported anew and no file is written.
"""

from __future__ import annotations

import ast
import marshal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType

from everypath.cases.accounts import Mutated
from everypath.cases.model import CallCase
from everypath.languages.definitions import Definition
from everypath.languages.python.runtime.mutants import Mutant, mutants_of
from everypath.languages.python.runtime.runner import FAILED, TIMEOUT, UNRUN, Setting, run_cases
from everypath.records import dataclass, replace

_SECONDS = 1.0
"""How long a test of a mutant may run: tests that pass take a fraction of it."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PROLOGUE = """\
import gc, marshal
def generated_mutation(found=gc.get_objects()):
    code = marshal.loads({code!r})
    for each in found:
        old = getattr(each, "__code__", None) if type(each) is type(generated_mutation) else None
        if old is not None and (old.co_name, old.co_firstlineno) == {place!r}:
            if __import__("os").path.realpath(old.co_filename) == {file!r}:
                each.__code__ = code
generated_mutation()
"""


@dataclass(frozen=True, slots=True)
class _Faulty:
    """A mutant of a function, ready to take its place."""

    owner: str
    mutant: Mutant[_Function]
    prologue: str


def kills(
    text: str,
    file: str,
    names: tuple[str, ...],
    owners: Sequence[Definition],
    cases: Sequence[CallCase],
    scripts: Mapping[str, str],
    setting: Setting,
) -> list[Mutated]:
    """What became of every mutant of some functions of a module, whose file goes by several `names` in cases.

    A test that hangs with a mutant has noticed it, and no other is run with that one.
    """
    fence = replace(setting.options, case_seconds=min(_SECONDS, setting.options.case_seconds))
    setting = replace(setting, options=fence)
    lines = {case.id: {step.line for step in case.trace if step.file in names} for case in cases}
    faulty = list(_faulty(text, file, owners))
    trials = [[case for case in cases if _goes_there(each, lines[case.id])] for each in faulty]
    killed: list[list[str]] = [[] for _ in faulty]
    open_: list[bool] = [True] * len(faulty)
    untried = [False] * len(faulty)
    # One test first: where it hangs, others would as well, and each of them for as long.
    for part in (slice(0, 1), slice(1, None)):
        work = [(at, case) for at, chosen in enumerate(trials) if open_[at] for case in chosen[part]]
        for at, case, status in _run(faulty, work, scripts, setting):
            if status == UNRUN:
                untried[at] = True
            elif status:
                killed[at].append(case.id)
                open_[at] &= status != TIMEOUT
    return [
        Mutated(each.owner, each.mutant.line, each.mutant.text, tuple(killed[at]), not untried[at])
        for at, each in enumerate(faulty)
    ]


def _goes_there(each: _Faulty, lines: set[int]) -> bool:
    """Whether a case executes the place of the fault; nobody knows that of one without a trace."""
    return not lines or any(line in lines for line in range(each.mutant.line, each.mutant.last + 1))


def _run(
    faulty: Sequence[_Faulty],
    work: Sequence[tuple[int, CallCase]],
    scripts: Mapping[str, str],
    setting: Setting,
) -> Iterator[tuple[int, CallCase, str]]:
    """Run tests with mutants: each with how it failed, nothing if it passed."""
    pairs = {f"{at} {case.id}": (at, case) for at, case in work if case.id in scripts}
    sources = {key: faulty[at].prologue + scripts[case.id] for key, (at, case) in pairs.items()}
    ended = run_cases([replace(case, id=key) for key, (_, case) in pairs.items()], sources, setting)
    for key, (at, case) in pairs.items():
        yield at, case, "" if ended[key].passed else ended[key].status or FAILED


def _faulty(text: str, file: str, owners: Iterable[Definition]) -> Iterator[_Faulty]:
    wanted = {each.qualname for each in owners}
    for qualname, around, node in _functions(ast.parse(text).body, ()):
        if qualname not in wanted:
            continue
        bare = _bare(node)
        original = _code(bare, around, file)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        for mutant in mutants_of(bare):
            code = _code(mutant.tree, around, file)
            # Another set of variables from outside does not fit into the function that there is.
            if code is not None and original is not None and code.co_freevars == original.co_freevars:
                place = (node.name, first)
                prologue = _PROLOGUE.format(code=marshal.dumps(code), place=place, file=file)
                yield _Faulty(qualname, mutant, prologue)


def _functions(body: Iterable[ast.stmt], around: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], _Function]]:
    """The functions of a module and the methods of its classes, also those under a condition."""
    for statement in body:
        if isinstance(statement, _Function):
            yield ".".join((*around, statement.name)), around, statement
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, (*around, statement.name))
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            parts = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
            yield from _functions([each for part in parts for each in part], around)


def _bare(node: _Function) -> _Function:
    """The function without what runs when it is defined."""
    arguments = ast.arguments(
        **{name: getattr(node.args, name) for name in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")},
        kw_defaults=[None] * len(node.args.kwonlyargs),
        defaults=[],
    )
    made = type(node)(**{**dict(ast.iter_fields(node)), "args": arguments, "decorator_list": [], "returns": None})
    return ast.copy_location(made, node)


def _code(node: _Function, around: Sequence[str], file: str) -> CodeType | None:
    """The code of a function as it is compiled inside its classes; None for a mutant that is no program."""
    statement: ast.stmt = node
    for name in reversed(around):
        made = ast.ClassDef(name=name, bases=[], keywords=[], body=[statement], decorator_list=[])
        if "type_params" in ast.ClassDef._fields:
            made.type_params = []  # type: ignore[attr-defined, unused-ignore]
        statement = ast.copy_location(made, node)
    try:
        code = compile(ast.Module([statement], []), file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    for name in (*around, node.name):
        code = next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name)
    return code

"""A suite as one plain pytest file, findings first, that needs nothing of ours to run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from everypath.cases.findings import Group as Found
from everypath.cases.findings import grouped, reached_by
from everypath.cases.model import (
    BuildPlan,
    CallCase,
    CallSuite,
    Entry,
    Finding,
    Problem,
    Raised,
    Returned,
    SomeCase,
    SomeSuite,
    Suite,
)
from everypath.cases.origin import Origin, extended_origin, origin_of, read_origin
from everypath.errors import Unsupported
from everypath.languages.base import Module, Source, Written
from everypath.languages.python.frontend.finder import installed, whole
from everypath.languages.python.scripts.act import looked_at, mangled
from everypath.languages.python.scripts.arrange import CONSTRUCTOR
from everypath.languages.python.scripts.body import render_case, write_body, write_unpinned
from everypath.languages.python.scripts.grouping import Property, Several, Single, Table, arrange_units, cases_of
from everypath.languages.python.scripts.grouping import node_ids as unit_node_ids
from everypath.languages.python.scripts.imports import Imports, called_function, exception_module
from everypath.languages.python.scripts.isolation import RESTORING, restoring
from everypath.languages.python.scripts.layout import (
    INDENT,
    Expr,
    Group,
    Item,
    Text,
    assertion,
    call,
    fits,
    flat,
    lay_out,
    wrapped,
)
from everypath.languages.python.scripts.literals import harmless, quoted
from everypath.languages.python.scripts.replacing import used
from everypath.languages.python.scripts.rerunning import MAIN
from everypath.languages.python.scripts.values import Plans, Writer
from everypath.languages.python.scripts.variables import Scope
from everypath.languages.python.writers.assembling import assembled, told
from everypath.languages.python.writers.importing import import_path
from everypath.languages.python.writers.ownership import SHARED, Block, Earlier, owner_name, read_earlier
from everypath.options import MARKS

if TYPE_CHECKING:
    from everypath.languages.python.writers.properties import Properties

_COMMENT_WIDTH = 88
Told = tuple[str, ...]
"""The sentences above the test of a finding."""


def render(
    suite: CallSuite | Sequence[CallSuite],
    *,
    variants: Mapping[str, int] | None = None,
    import_path: str | None = None,
    restore_state: bool = False,
    paths_per_test: int = 1,
    origin: Origin | None = None,
    root: Path | None = None,
    earlier: Earlier | None = None,
    order: Sequence[str] = (),
    several: bool = False,
    module: str = "",
    mark: str = MARKS[0],
    properties: Properties | None = None,
) -> str:
    """The file for one module's suites; `variants` says for a case's id how its objects are built.

    `import_path` is the folder of the tested module, relative to that of the file, if Python does not
    find the module by itself. With `restore_state`, what a test changes in the program's modules and
    classes is put back after it, so that each path then has a test of its own. What stays of an `earlier` file
    is in it, too; `order` lists the functions of the module as its source does, where suites are of `several` targets.
    `mark` says what tests of findings do. Functions that are `properties` have one test with their cases as examples.
    """
    suites = _as_list(suite)
    cases = [case for each in suites for case in each.cases]
    plans = _plans(suites)
    imports = Imports(cases, properties=properties is not None)
    chosen = variants or {}
    made: list[Block] = []
    if restore_state:
        imports.module("pytest")
        fixture = ["@pytest.fixture(autouse=True)", *restoring(cases, imports)]
        made.append(Block(RESTORING, "\n".join(fixture), SHARED))
    paths_per_test = 1 if restore_state else paths_per_test
    comments = {group.cases[0]: _told(group, root or Path()) for group in grouped(cases)}
    examples = properties.examples if properties is not None else ()
    for unit in arrange_units(cases, paths_per_test, mark != MARKS[0], examples):
        if isinstance(unit, Property) and properties is not None:
            # Few files have properties.
            from everypath.languages.python.writers.properties import PropertyTest

            lines = PropertyTest(unit, imports, plans, properties).lines(_remarks(unit, comments))
        elif isinstance(unit, Single):
            lines = _single(unit, imports, plans, chosen.get(unit.case.id, CONSTRUCTOR), comments, mark)
        elif isinstance(unit, Several):
            lines = _several(unit, imports, plans, chosen, comments)
        elif isinstance(unit, Table):
            lines = _table(unit, imports)
        first = cases_of(unit)[0]
        # A property stays where it is when it gets a finding among its examples.
        found = first.finding is not None and not isinstance(unit, Property)
        made.append(Block(unit.function, "\n".join(lines), owner_name(first.entry.qualified), found))
    docstring = _docstring(cases, paths_per_test, origin, module, properties)
    return assembled(docstring, imports, made, earlier or Earlier(), order, import_path, several)


class PytestWriter:
    """Writes the cases of a module as one file for pytest."""

    format = "pytest"
    whole = False
    tries = False

    def properties(self, module: Module) -> Properties | None:
        """What is not written as one test for each path."""
        return None

    def file_name(self, source: Source) -> str:
        """`test_<module>_generated.py`."""
        return file_name(source.module)

    def remark(self, properties: Properties | None) -> str:
        """What else the user should know about a file."""
        return ""

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """A value that has no text keeps a case from being a test."""
        try:
            render_case(cast("CallCase", case), suite.plans)
        except Unsupported as problem:
            return problem.message
        return None

    def render(self, modules: Sequence[Module], place: Path | None = None, problems: Sequence[Problem] = ()) -> Written:
        """The file of one module, which finds the module from where it lies."""
        [module] = modules
        earlier = _earlier(module)
        properties = self.properties(module)
        text = render(
            cast("list[CallSuite]", module.suites),
            variants=module.ways,
            import_path=None if place is None else import_path(place, module.programs[0].root),
            restore_state=module.restore_state,
            paths_per_test=module.options.paths_per_test,
            root=module.source.root,
            origin=_origin(module, place or Path(self.file_name(module.source))),
            earlier=earlier,
            order=list(dict.fromkeys(each.qualname for program in module.programs for each in program.definitions)),
            several=len(module.targets) > 1,
            module=module.source.module,
            mark=module.options.mark_findings,
            properties=properties,
        )
        return Written(text, tuple(case.id for case in module.cases), remark=told(earlier) + self.remark(properties))


def _earlier(module: Module) -> Earlier:
    """What stays of the file that is there already."""
    if not module.earlier:
        return Earlier()
    defined = {each.qualname for program in module.programs for each in program.definitions}
    entries = {each.case_entry().qualified for program in module.programs for each in program.entries}
    exists = defined | entries
    untouched = set(map(owner_name, module.untouched))
    return read_earlier(module.earlier, untouched.__contains__, {MAIN, *map(owner_name, exists)}.__contains__)


def _origin(module: Module, file: Path) -> Origin:
    source = module.source
    # Where installed code lies differs from machine to machine; its name does not.
    known = not installed(source.path.resolve())
    targets = module.targets if known else ["".join((source.module, *t.partition("::")[1:])) for t in module.targets]
    origin = origin_of(targets, source.path if known else None, module.options.said, file)
    return extended_origin(origin, _earlier_origin(module.earlier), module.grows)


def _earlier_origin(text: str) -> Origin | None:
    """What the file was made from before, if its head tells."""
    if not text:
        return None
    try:
        return read_origin(ast.get_docstring(ast.parse(text)) or "")
    except (ValueError, SyntaxError):
        return None


def plans_of(module: Module) -> Plans:
    """How the objects of a module's cases are made."""
    return _plans(cast("list[CallSuite]", module.suites))


def file_name(module: str) -> str:
    """The file for the tests of a module, `test_<module>_generated.py`."""
    return f"test_{re.sub(r'[^0-9A-Za-z_]', '_', module)}_generated.py"


def node_ids(suite: CallSuite | Sequence[CallSuite]) -> dict[str, str]:
    """For each case's id, how pytest names its test inside the rendered file."""
    return unit_node_ids(arrange_units([case for each in _as_list(suite) for case in each.cases]))


def _as_list(suite: CallSuite | Sequence[CallSuite]) -> list[CallSuite]:
    return [suite] if isinstance(suite, Suite) else list(suite)


def _plans(suites: Iterable[CallSuite]) -> dict[tuple[str, str], BuildPlan]:
    merged: dict[tuple[str, str], BuildPlan] = {}
    for suite in suites:
        merged.update(suite.plans)
    return merged


def _docstring(
    cases: Sequence[CallCase],
    paths_per_test: int,
    origin: Origin | None,
    module: str,
    properties: Properties | None,
) -> list[str]:
    """What the tests are about, and what they were made from."""
    modules = sorted({case.entry.module for case in cases})
    # All tests may be earlier ones, of functions that have not changed.
    subject = ", ".join(modules) or module or "no paths"
    each = "one per path" if paths_per_test == 1 else f"up to {paths_per_test} paths in each"
    each = each if properties is None else "one per function with an example per path, or one per path"
    about = _documented(f"Tests of {subject}, {each}.")
    if origin is None:
        return [f'"""{about}"""']
    made, command = map(_documented, origin.sentences())
    told = [f"{made} {command}"] if fits(f"{made} {command}") else [*wrapped(made, _COMMENT_WIDTH, "", ""), command]
    told += filter(None, [_documented(origin.extension)])
    left = properties.reasons.items() if properties is not None else ()
    because = [wrapped(_documented(f"- {name}: {why}"), _COMMENT_WIDTH, "", "  ") for name, why in left]
    if because:
        told = ["No property is written for", *(line for lines in because for line in lines), "", *told]
    return [f'"""{about}', "", *told, '"""']


def _documented(text: str) -> str:
    """A text inside a docstring, where quotes would end it and backslashes mean something."""
    return harmless(text).replace("\\", "\\\\").replace('"', '\\"')


def _single(
    unit: Single, imports: Imports, plans: Plans, variant: int, comments: Mapping[str, Told], mark: str
) -> list[str]:
    case, outcome = unit.case, unit.case.expected.outcome
    comment = _finding_comment(comments.get(case.id, ()))
    if mark == MARKS[0] or case.finding is None or not isinstance(outcome, Raised):
        lines = write_body(case, imports, plans, variant).lines()
    else:
        lines = write_unpinned(case, imports, plans, variant).lines()
        comment += _expected_to_fail(case, case.finding, outcome, imports) if mark == "xfail" else []
    return [*comment, f"def {unit.function}({used(lines)}):", *lines]


def _expected_to_fail(case: CallCase, finding: Finding, outcome: Raised, imports: Imports) -> list[str]:
    """Strict, so that whoever mends the error is told that the test can stand for itself."""
    imports.module("pytest")
    error = imports.name(exception_module(outcome, case.entry), outcome.cls)
    items = [
        Item(Text(error), "raises="),
        Item(Text("True"), "strict="),
        Item(Text(quoted(harmless(finding.message))), "reason="),
    ]
    return lay_out("@", call("pytest.mark.xfail", items))


def _several(
    unit: Several, imports: Imports, plans: Plans, variants: Mapping[str, int], comments: Mapping[str, Told]
) -> list[str]:
    """The bodies of the cases one after the other, each under the name of its path."""
    lines: list[str] = []
    for case in unit.cases:
        lines += [""] * (case is not unit.cases[0])
        lines += _comment((case.name or case.id).replace("_", " "), INDENT)
        lines += _finding_comment(comments.get(case.id, ()), INDENT)
        lines += write_body(case, imports, plans, variants.get(case.id, CONSTRUCTOR)).lines()
    return [f"def {unit.function}({used(lines)}):", *lines]


def _remarks(unit: Property, comments: Mapping[str, Told]) -> dict[str, list[str]]:
    """What stands above the examples: what path each is, and what is wrong with it."""
    return {
        case.id: [*_comment((case.name or case.id).replace("_", " "), ""), *_finding_comment(comments.get(case.id, ()))]
        for case in unit.cases
    }


def _finding_comment(told: Told, indent: str = "") -> list[str]:
    return [line for text in told for line in _comment(text, indent)]


def _told(group: Found, root: Path) -> Told:
    """What is wrong and how callers come to it, for the test with the smallest inputs."""
    finding = group.finding
    function = "" if finding.function.startswith("<") else finding.function
    code = _source_line(finding, root)
    places = [Path(finding.file).name, function, f"`{code}`" if code else f"line {finding.line}" * bool(finding.line)]
    what = f"Finding: {finding.message} at {', '.join(filter(None, places))}."
    return what, f"Reached by: {reached_by(group.inputs)}."


def _source_line(finding: Finding, root: Path) -> str:
    """The line of the source, which is easier to find again than its number; empty if it cannot be read."""
    try:
        lines = whole(finding.file, root).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    return lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""


def _comment(text: str, indent: str) -> list[str]:
    return wrapped(harmless(text), _COMMENT_WIDTH, f"{indent}# ", f"{indent}# ")


def _table(unit: Table, imports: Imports) -> list[str]:
    imports.module("pytest")
    entry = unit.rows[0][1].entry
    scope = Scope(imports.reserved)
    arguments = [(scope.claim(name), name, kind) for name, _, kind in unit.rows[0][1].inputs.arguments]
    expected = scope.claim("expected")
    writer = Writer({}, {}, imports)
    columns = Group("(", tuple(Item(Text(quoted(name))) for name in [*(a for a, _, _ in arguments), expected]), ")")
    rows = []
    for row, case in unit.rows:
        outcome = case.expected.outcome
        assert isinstance(outcome, Returned)
        values = [value for _, value, _ in case.inputs.arguments] + [outcome.value]
        items = [Item(writer.value(value)) for value in values] + [Item(Text(quoted(row)), "id=")]
        rows.append(Item(call("pytest.param", items)))
    decorator = call("pytest.mark.parametrize", [Item(columns), Item(Group("[", tuple(rows), "]"))])
    signature = call(f"def {unit.function}", [Item(Text(name)) for name in [*(a for a, _, _ in arguments), expected]])
    passed = [Item(Text(local), f"{name}=" if kind == "keyword" else "") for local, name, kind in arguments]
    return [
        *lay_out("@", decorator),
        *lay_out("", signature, ":"),
        *_comparison(_called(entry, passed, imports), unit.operator, expected),
    ]


def _called(entry: Entry, arguments: list[Item], imports: Imports) -> Expr:
    if entry.cls is None:
        return looked_at(entry, call(imports.name(*called_function(entry)), arguments), imports)
    owner = imports.name(entry.module, entry.cls)
    name = owner if entry.kind == "constructor" else f"{owner}.{mangled(entry)}"
    return looked_at(entry, call(name, arguments), imports)


def _comparison(called: Expr, operator: str, expected: str) -> list[str]:
    line = f"{INDENT}assert {flat(called)} {operator} {expected}"
    if fits(line):
        return [line]
    return [*lay_out("result = ", called, "", INDENT), *assertion(Text("result"), operator, Text(expected))]

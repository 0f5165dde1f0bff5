"""The variables of a module as its real import leaves them, where its statements do more than is followed here.

Most modules only define and assign, and their statements tell everything. A `with` statement, a call through a variable
(`add = registry.add; add("A")`) or of what a call gives may change anything that the module holds. Then a worker
imports the module and tells what its variables hold, as expressions, and these take the place of the statements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from everypath.errors import BadInput
from everypath.languages.python.frontend.effects import is_handed_to_an_object
from everypath.languages.python.frontend.modules import (
    ClassBinding,
    FunctionBinding,
    FunctionNode,
    ModuleSource,
    ValueBinding,
    place_at,
    root_name,
)
from everypath.languages.python.frontend.nodes import walk
from everypath.options import FenceOptions

_SECONDS = 10.0
"""How long telling what a module holds may take."""


def take_state(module: ModuleSource, root: Path, fence: FenceOptions) -> str:
    """Let the variables be what the import really makes of them; what to say where that cannot be told."""
    names = [name for name, binding in module.bindings.items() if isinstance(binding, ValueBinding)]
    handed = dict(_handed(module, module.tree.body, ""))
    told = _told(module, root, fence, names, {name: node.decorator_list[0].lineno for name, node in handed.items()})
    module.unchanged = frozenset(handed[name].lineno for name in told.get("unchanged", ()))
    if _has_effects(module):
        told = {}
    values, objects = told.get("values", {}), told.get("objects", {})
    left: list[str] = []
    for name in names:
        binding = module.bindings[name]
        assert isinstance(binding, ValueBinding)
        if name in values:
            if not _is_said(binding, values[name]):
                module.bindings[name] = ValueBinding([_assigned(name, values[name], binding.writers[0])])
        elif name in objects and isinstance(binding.writers[0], (ast.Assign, ast.AnnAssign)):
            fields = [_assigned(f"{name}.{field}", text, binding.writers[0]) for field, text in objects[name].items()]
            module.bindings[name] = ValueBinding([binding.writers[0], *fields])
        elif _may_change(module, binding):
            left.append(name)
    module.taken = frozenset((*values, *objects))
    if not left:
        return ""
    which = ", ".join(left[:3]) + (" and others" if len(left) > 3 else "")
    return f"this may change {which} when the module is imported, which is not followed"


def _handed(module: ModuleSource, body: list[ast.stmt], owner: str) -> Iterator[tuple[str, FunctionNode]]:
    """The functions that objects decorate, by their names."""
    for statement in body:
        if isinstance(statement, FunctionNode) and is_handed_to_an_object(module, statement):
            yield owner + statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            yield from _handed(module, statement.body, f"{owner}{statement.name}.")


def _told(
    module: ModuleSource, root: Path, fence: FenceOptions, names: list[str], functions: dict[str, int]
) -> dict[str, Any]:
    # Few modules need it, and what starts processes takes a while to load.
    from everypath.languages.python.runtime.runner import Setting, search

    asked = {"state": names, "functions": functions}
    request = {"module": module.name, **asked, "seconds": _SECONDS, "wall": _SECONDS}
    try:
        for message in search(Setting(root, fence), {module.name: module.file}, request):
            if "state" in message:
                return dict(message["state"])
    except BadInput:
        # Whoever runs the first case says why the module cannot be imported.
        pass
    return {}


def _has_effects(module: ModuleSource) -> bool:
    """Whether defining a class does something of its own, which is followed and must not be done twice."""
    for part in walk(module.tree):
        match part:
            case ast.FunctionDef(name="__init_subclass__"):
                return True
            case ast.ClassDef(decorator_list=decorators) if any(
                isinstance(module.bindings.get(root_name(_called(each))), (FunctionBinding, ClassBinding, ValueBinding))
                for each in decorators
            ):
                return True
    return False


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _is_said(binding: ValueBinding, text: str) -> bool:
    """Whether the statement that makes a variable says the same."""
    value = getattr(binding.writers[0], "value", None)
    if len(binding.writers) > 1 or not isinstance(value, ast.expr):
        return False
    try:
        return ast.dump(ast.parse(text, mode="eval").body) == ast.dump(value)
    except SyntaxError:
        return False


def _assigned(target: str, text: str, place: ast.stmt) -> ast.stmt:
    made = ast.parse(f"{target} = {text}").body[0]
    for part in walk(made):
        for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(part, field):
                setattr(part, field, 0)
    return place_at(made, place)


_TABLES: Mapping[type[ast.expr], bool] = {ast.Dict: True, ast.List: True, ast.Set: True}


def _may_change(module: ModuleSource, binding: ValueBinding) -> bool:
    """Whether a variable holds something of the program that can be changed in place: a table, or an own object."""
    value = getattr(binding.writers[0], "value", None)
    if isinstance(value, ast.Call):
        made = module.bindings.get(root_name(value.func))
        return isinstance(made, ClassBinding) or root_name(value.func) in ("dict", "list", "set")
    return type(value) in _TABLES

"""Classes of the library whose code cannot be followed, such as a database connection: stand-ins take their place.

What their methods give is read from typeshed's stubs. The classes of those results become part of the program where
some module of the user's names the method.
"""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

from everypath.ir.types import ANY, NONE, ClassType, Type
from everypath.languages.python.cards.index import MODELLED
from everypath.languages.python.frontend import typeshed
from everypath.languages.python.frontend.hierarchy import library_class
from everypath.languages.python.frontend.interfaces import add_stand_in, is_answered
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ClassBinding, ModuleSource, parse_module
from everypath.languages.python.frontend.typeshed import Definition
from everypath.languages.python.frontend.userclass import UserClass

_ABSTRACT = frozenset(
    "typing typing_extensions collections collections.abc types builtins abc numbers enum dataclasses re".split()
)
"""Modules whose classes describe values of other classes, or values that are written down."""
_OUTSIDE = frozenset(
    "http urllib socket socketserver ssl select selectors smtplib ftplib imaplib poplib nntplib telnetlib xmlrpc "
    "subprocess multiprocessing threading concurrent asyncio sqlite3 dbm shelve logging tempfile zipfile tarfile mmap "
    "signal sched webbrowser".split()
)
"""Packages whose objects have to do with the world outside: to follow their code leads there."""
_VALUES = (BaseException, tuple, int, str, float, bytes, dict, list, set, frozenset, type)


def library_interface(linker: Linker, path: str) -> Type | None:
    """The type of objects of a library class for which only stand-ins can be had; None for other classes."""
    module, _, name = path.rpartition(".")
    known = linker.classes.get(path)
    if path in MODELLED or (known is not None and not known.declared and not _leads_outside(known)):
        return None
    real = None if module in _ABSTRACT or not module else library_class(module, name)
    if real is None or issubclass(real, _VALUES) or not typeshed.members(path):
        return None
    if "__getattr__" in typeshed.members(path) or any(base.module == "enum" for base in typeshed.line(path)):
        return None
    if known is None:
        known = _declared_class(linker, module, name)
    if not known.declared:
        known.protocol = True
        used = _attributes(linker)
        # Before the members, whose results may be of the same class.
        known.declared["__class__"] = (ANY, "property")
        for member, definition in typeshed.members(path).items():
            if is_answered(member) and member not in vars(object):
                follow = member in used or member.startswith("__")
                known.declared[member] = _declared(linker, path, definition, follow)
        del known.declared["__class__"]
        linker.program.classes[path].abstract = True
        linker.defer(partial(add_stand_in, linker, known, lambda owner, node: ANY, lambda info: {}))
    return ClassType(path)


def library_result(linker: Linker, path: str) -> Type:
    """What a call of a library function or class gives, if that is an object for which only stand-ins can be had."""
    found = typeshed.lookup(path)
    if found is not None and isinstance(found.nodes[0], ast.ClassDef):
        return linker.library_interface(path) or ANY
    # The first of several ways to call it is the usual one.
    signature = typeshed.signature(path)
    return ANY if signature is None else _read(linker, path, signature.module, signature.result, True)


def _leads_outside(info: UserClass) -> bool:
    return not info.module.user and info.module.name.partition(".")[0] in _OUTSIDE


def _declared_class(linker: Linker, module: str, name: str) -> UserClass:
    """A class of the library of which only the name is part of the program; our own version of it, if there is one."""
    ours = linker.replacements.defines(module, name)
    if ours is not None and isinstance(binding := ours.bindings[name], ClassBinding):
        # What our functions of the module make are objects of it.
        return linker.user_class(ours, name, binding.node)
    source = parse_module(module, Path(f"<{module}>"), f"<{module}>", "", user=False)
    node = ast.parse(f"class {name}: ...").body[0]
    assert isinstance(node, ast.ClassDef)
    return linker.user_class(source, name, node)


def _attributes(linker: Linker) -> set[str]:
    """The attributes that the user's modules mention."""
    modules: dict[str, ModuleSource] = {}
    for name, cls in linker.program.classes.items():
        found = linker.finder.module(name) if cls.module == name and not cls.model else None
        if found is not None and found.user:
            modules[name] = found
    return {name for module in modules.values() for name in module.attributes}


def _declared(linker: Linker, path: str, definition: Definition, follow: bool) -> tuple[Type, str]:
    """What a method or attribute gives, by its first declaration, and what kind of thing it is."""
    node = definition.nodes[0]
    if isinstance(node, ast.AnnAssign):
        return _read(linker, path, definition.module, node.annotation, follow), "property"
    signature = typeshed.signature(definition.path)
    if signature is None:
        return ANY, "property"
    type_ = _read(linker, path, signature.module, signature.result, follow)
    return type_, "async" if signature.is_async else signature.kind


def _read(linker: Linker, path: str, module: str, annotation: ast.expr | None, follow: bool) -> Type:
    if annotation is None:
        return ANY
    reader = typeshed.stub_reader(module, ClassType(path))
    if follow:
        reader.interface = linker.library_interface
    elif isinstance(annotation, ast.Constant) and annotation.value is None:
        return NONE
    found = reader.read(annotation)
    return ANY if reader.unknown else found

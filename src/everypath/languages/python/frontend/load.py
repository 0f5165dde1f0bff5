"""From a target on the command line to a program with its entry points."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from everypath.cases.describing import Describer
from everypath.errors import BadInput, Span
from everypath.explore.search.subject import Subject
from everypath.ir.instructions import NoDefault, Param
from everypath.ir.names import is_hidden, is_setter, setter
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, NONE, STR, DictType, TupleType, Type, classes_in
from everypath.languages.base import EntryPoint, Example, Promised
from everypath.languages.definitions import Definition
from everypath.languages.python.frontend.constructs import Problem, Problems
from everypath.languages.python.frontend.decisions import Decisions
from everypath.languages.python.frontend.effects import unfollowed
from everypath.languages.python.frontend.finder import Finder, Sources, import_name, import_root, shown
from everypath.languages.python.frontend.library import add_models
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.lowering import connect
from everypath.languages.python.frontend.modules import (
    ClassBinding,
    FunctionBinding,
    FunctionNode,
    ImportBinding,
    ModuleSource,
    arguments,
    positional,
)
from everypath.languages.python.frontend.noted import Effects
from everypath.languages.python.frontend.outline import SPELLED, ObservableStatements
from everypath.languages.python.frontend.resumable import may_be_lazy
from everypath.languages.python.frontend.signatures import GivenTypes, Signatures
from everypath.languages.python.frontend.supers import settle_supers
from everypath.languages.python.frontend.userclass import UserClass, UserFunction
from everypath.options import FenceOptions
from everypath.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the front end hands over."""

    program: Program
    entries: tuple[EntryPoint, ...]
    problems: tuple[Problem, ...]
    """every problem found, those of the entries included, in the order of the source"""
    module: str
    """import name of the target's module"""
    root: Path
    """directory that must be on the path to import it"""
    file: str
    definitions: tuple[Definition, ...]
    """every function and method of the module's text"""
    statements: ObservableStatements
    """what a run of its functions is seen to execute"""
    decisions: Decisions
    """where its paths part, in the words of the text"""
    effects: Method | None = None
    """what importing the modules does, to be run before anything else"""
    finder: Finder | None = None
    """the modules that were looked for"""
    imports: Effects | None = None
    """the same as `effects`, one by one"""

    def subject(self, entry: EntryPoint) -> Subject:
        """An entry as the search for paths sees it."""
        # What the operations of Python mean is much to load, and listing entries needs none of it.
        from everypath.languages.python.subject import subject_of

        return subject_of(self, entry, self.imports)

    def describer(self) -> Describer:
        """How library objects, functions and iterators become part of a case."""
        from everypath.languages.python.solving.describer import PythonDescriber

        return PythonDescriber(self.program)


def load_target(
    target: str,
    types: Sequence[str] = (),
    search: Path | None = None,
    sources: Sources | None = None,
    fence: FenceOptions | None = None,
    private: bool = False,
    requires: tuple[str, ...] = (),
    asserts: bool = False,
) -> Loaded:
    """Translate what a target such as `shop/cart.py::Cart.merge` names; without a fence nothing is imported or run.

    With one, a module whose import does more than is followed here is imported in a fenced process, and its variables
    are taken from there.

    A module means its public functions and methods, with `private` or if there are none, the private ones, too.

    Targets that are given the same `sources` share what was parsed for one of them.
    """
    here = (search or Path.cwd()).resolve()
    place, _, member = target.partition("::")
    path, name, root = locate(place, here)
    given = parse_types(types)
    sources = sources or Sources()
    finder = Finder(root, here, sources, name)
    try:
        # Under test, it is the user's own wherever it lies.
        module = sources.read(name, path, shown(path, here), user=True)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", Span(shown(path, here))) from None
    written = sources.written(path)
    finder.add(module)
    problems = Problems()
    linker = Linker(finder, problems)
    add_models(linker.program)
    signatures = connect(linker, given)
    if fence is not None and (statement := unfollowed(module)) is not None:
        # Few modules need it.
        from everypath.languages.python.frontend.imported import take_state

        if message := take_state(module, root, fence):
            linker.problem(module, module.span(statement), message)
    linker.module_class(module)
    named = _named(linker, module, member, private) if member else _offered(linker, module, private)
    # Before anything is translated, because the parameters of entries get types that those of other functions do not.
    for cls, method, _ in named:
        home = next((info.name for info in linker.line(cls) if method in info.functions), cls)
        signatures.entries.add((home, method))
    for cls, method, _ in named:
        if cls not in linker.classes:
            linker.need_function(module, None, method)
    promised = _preconditions(linker, module, root, named, requires, asserts)
    linker.run()
    # In this order: what importing does may bring in more classes, and only when all are known it is certain what
    # `super()` means and which attributes have no slot.
    effects = linker.build_effects(module)
    settle_supers(linker)
    if linker.classes:
        from everypath.languages.python.frontend.descriptors import settle_slots

        settle_slots(linker)
    entries = tuple(
        _with_promises(_entry(linker, signatures, module, *entry), promised.get(entry, ())) for entry in named
    )
    for entry in entries:
        for problem in entry.problems:
            problems.found[problem] = None
    found = tuple(sorted(problems.found))
    texts = (written.definitions, written.statements, written.decisions)
    loading = effects.method if effects is not None else None
    return Loaded(linker.program, entries, found, name, root, module.file, *texts, loading, finder, effects)


def _preconditions(
    linker: Linker, module: ModuleSource, root: Path, named: Sequence[Named], texts: tuple[str, ...], asserts: bool
) -> dict[Named, Promised]:
    """What callers of the entries promise."""
    # Most modules say nothing about it.
    if not (texts or asserts or _may_promise(module.path)):
        imported = {each.module for each in module.bindings.values() if isinstance(each, ImportBinding)}
        if not any(_may_promise(root / f"{name.replace('.', '/')}.py") for name in imported):
            return {}
    from everypath.languages.python.frontend.preconditions import Given, requirements

    return requirements(linker, module, named, Given(texts, asserts))


def _with_promises(entry: EntryPoint, promised: Promised) -> EntryPoint:
    if isinstance(promised, tuple):
        return replace(entry, requires=promised)
    return replace(entry, problems=(promised, *entry.problems))


def _may_promise(path: Path) -> bool:
    """Whether the text of a module may hold preconditions."""
    try:
        text = path.read_bytes()
    except OSError:
        return False
    return any(word in text for word in (b"requires:", b"Annotated", b"icontract", b"deal", b"pydantic"))


def parse_types(types: Sequence[str]) -> GivenTypes:
    """`'a: list[int], Node.value: int'` as annotations of parameters and fields."""
    given = GivenTypes()
    for text in types:
        try:
            hidden = re.sub(_FIELD, lambda match: match.group().replace(".", _DOT), text)
            function = ast.parse(f"def f({hidden}): pass").body[0]
        except SyntaxError:
            function = None
        if not isinstance(function, ast.FunctionDef):
            raise BadInput(f"--types {text!r} is not a list of annotations; write for example 'a: list[int], x: int'")
        for arg in arguments(function):
            if arg.annotation is None:
                raise BadInput(f"--types {text!r} gives no type for {arg.arg!r}; write '{arg.arg}: int'")
            name = arg.arg.replace(_DOT, ".")
            (given.fields if "." in name else given.params)[name] = arg.annotation
    return given


_DOT = "__dot__"
_FIELD = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=\s*:)"


def locate(place: str, search: Path | None = None) -> tuple[Path, str, Path]:
    """The file that a target is about, the name it is imported by and the directory to import it from."""
    here = (search or Path.cwd()).resolve()
    if not place:
        raise BadInput("the target names no file or module; write for example 'shop/cart.py::Cart.merge'")
    path = Path(place) if Path(place).is_absolute() else here / place
    if path.is_file():
        if path.suffix != ".py":
            raise BadInput("is not a Python source file; a target is a .py file or a module name", Span(place))
        path = path.resolve()
        return path, *import_name(path)
    if path.is_dir() and not (path / "__init__.py").is_file():
        raise BadInput("is a directory; name one of its files, such as 'shop/cart.py'", Span(place))
    if place.endswith(".py") or "/" in place or "\\" in place:
        close = _close(path.name, sorted(p.name for p in path.parent.glob("*.py")))
        advice = f"; did you mean {', '.join(close)}?" if close else "; check the path"
        raise BadInput(f"no such file{advice}", Span(place))
    if not all(part.isidentifier() for part in place.split(".")):
        raise BadInput(f"{place!r} is neither a file nor the name of a module")
    found = Finder(here, here).locate(place)
    if found is None and place in sys.builtin_module_names:
        raise BadInput(f"module {place} is built into the interpreter; it has no Python source to explore")
    if found is None:
        raise BadInput(f"there is no file and no module named {place!r}; give a path such as 'shop/cart.py'")
    if found.suffix != ".py":
        raise BadInput(f"module {place} is an extension; it has no Python source to explore", Span(str(found)))
    found = found.resolve()
    return found, place, import_root(found, place)


def _close(name: str, existing: list[str], likeness: float = 0.6) -> list[str]:
    """What the user may have meant."""
    from difflib import get_close_matches

    return get_close_matches(name, existing, 3, likeness)


_RECEIVING = ("method", "class", "property", "setter", "constructor")
Named = tuple[str, str, str]
"""class of the IR, method, qualified name inside the module"""


def _offered(linker: Linker, module: ModuleSource, private: bool) -> list[Named]:
    """What a module offers to its users; if that is nothing, or with `private`, what it has for itself."""
    found = _entries(linker, module, private)
    if not found and (found := _entries(linker, module, private=True)):
        message = "there is nothing public to test, so the private functions and methods are tested"
        linker.problems.add("note", Span(module.file), message)
    return found


def _entries(linker: Linker, module: ModuleSource, private: bool) -> list[Named]:
    found: list[Named] = []
    for name, binding in module.bindings.items():
        if not _is_offered(name, private):
            continue
        if isinstance(binding, FunctionBinding):
            found.append((module.name, name, name))
        elif isinstance(binding, ClassBinding):
            found += _methods(linker, linker.user_class(module, name, binding.node), private)
        elif (meant := _aliased(linker, module, name)).startswith("_"):
            found.append((module.name, meant, meant))
    return list(dict.fromkeys(found))


def _aliased(linker: Linker, module: ModuleSource, name: str) -> str:
    """The function of the module that a variable is another name for; empty if it is not one."""
    meant = linker.alias(module, name)
    target = meant.id if isinstance(meant, ast.Name) else ""
    return target if isinstance(module.bindings.get(target), FunctionBinding) else ""


def _is_offered(name: str, private: bool) -> bool:
    """Whether a name is for users, or with `private` for the module itself; `__x__` is for Python."""
    special = name.startswith("__") and name.endswith("__")
    return not is_hidden(name) and not special and (private or not name.startswith("_"))


def _methods(linker: Linker, info: UserClass, private: bool) -> list[Named]:
    from everypath.languages.python.frontend.interfaces import is_declaration

    found = [
        (info.name, name, f"{info.qualname}.{_as_written(function.node.name, info)}")
        for name, function in info.functions.items()
        # The members of an enumeration are made once, and calling the class only looks one up.
        if (name == "__init__" and not linker.is_abstract(info.name) and not info.enum)
        or _is_called(name, function, private)
        if not (info.protocol and is_declaration(function.node))
    ]
    setters = (name for name, each in info.setters.items() if _is_offered(name, private) and not each.abstract)
    found += [_setter(info, name) for name in setters]
    # The generated constructor of a dataclass is worth testing where it checks the fields.
    checks = "__init__" in info.generated and linker.defines(info.name, "__post_init__")
    if checks and not linker.is_abstract(info.name):
        found.insert(0, (info.name, "__init__", f"{info.qualname}.__init__"))
    for name, node in info.nested.items():
        if _is_offered(name, private):
            found += _methods(linker, linker.user_class(info.module, f"{info.qualname}.{name}", node), private)
    return found


def _as_written(name: str, info: UserClass) -> str:
    """The name of a method in the source, which a private one keeps only there."""
    short = name.removeprefix(info.mangle_prefix)
    return short if info.mangle(short) == name else name


def _setter(info: UserClass, name: str) -> Named:
    return info.name, setter(name), f"{info.qualname}.{name}.setter"


def _is_called(name: str, function: UserFunction, private: bool) -> bool:
    """Whether users of the class call the method, by its name or in another way, or only the class itself does."""
    written = function.node.name
    # `property(get)`, where `get` is a method as well: the getter of the property has parameters of its own.
    takes_more = function.kind == "property" and len(positional(function.node)) > 1
    spelled = name in SPELLED or (_is_offered(written, private) and not takes_more)
    return spelled and not function.abstract


def _named(linker: Linker, module: ModuleSource, member: str, private: bool) -> list[Named]:
    parts = member.replace("::", ".").split(".")
    binding = module.bindings.get(parts[0])
    if isinstance(binding, FunctionBinding) and len(parts) == 1:
        return [(module.name, parts[0], parts[0])]
    if len(parts) == 1 and (meant := _aliased(linker, module, parts[0])):
        return [(module.name, meant, meant)]
    if not isinstance(binding, ClassBinding):
        raise _unknown(module, member)
    info = linker.user_class(module, parts[0], binding.node)
    rest = parts[1:]
    while rest and rest[0] in info.nested:
        info = linker.user_class(module, f"{info.qualname}.{rest[0]}", info.nested[rest[0]])
        del rest[0]
    if rest:
        if (found := _named_method(linker, module, info, rest)) is None:
            raise _unknown(module, member)
        return [found]
    methods = _methods(linker, info, private)
    if not methods:
        message = f"class {info.qualname} defines no public methods to explore"
        advice = "; pass --private to include the others" if _methods(linker, info, private=True) else ""
        raise BadInput(f"{message}{advice}", module.span(info.node))
    return methods


def _named_method(linker: Linker, module: ModuleSource, info: UserClass, rest: list[str]) -> Named | None:
    """The method of a class, its own or an inherited one, that the rest of a target names."""
    part, line = rest[0], linker.line(info.name)
    if rest[1:] == ["setter"] and any(part in owner.setters for owner in line):
        return _setter(info, part)
    if part == "__init__" and linker.is_abstract(info.name):
        message = f"class {info.qualname} is abstract: no objects of it are made; name a class that extends it"
        raise BadInput(message, module.span(info.node))
    for owner in line if len(rest) == 1 else ():
        if part == "__init__" and part in owner.generated:
            return info.name, part, f"{info.qualname}.{part}"
        for name in (part, owner.mangle(part)):
            if name in owner.functions:
                return info.name, name, f"{info.qualname}.{part}"
    return None


def _unknown(module: ModuleSource, member: str) -> BadInput:
    exists: list[str] = []
    for name, binding in module.bindings.items():
        if isinstance(binding, FunctionBinding):
            exists.append(name)
        elif isinstance(binding, ClassBinding):
            exists += _names_in(binding.node, name)
    close = _close(member, exists, 0.5)
    if close:
        advice = f"; did you mean {' or '.join(close)}?"
    elif exists:
        advice = f"; it defines {', '.join(exists[:12])}{' and more' if len(exists) > 12 else ''}"
    else:
        advice = "; it defines no functions or classes"
    return BadInput(f"there is no {member!r} in this file{advice}", Span(module.file))


def _names_in(node: ast.ClassDef, prefix: str) -> list[str]:
    names = [prefix]
    for member in node.body:
        if isinstance(member, FunctionNode):
            names.append(f"{prefix}.{member.name}")
        elif isinstance(member, ast.ClassDef):
            names += _names_in(member, f"{prefix}.{member.name}")
    return list(dict.fromkeys(names))


def _entry(
    linker: Linker, signatures: Signatures, module: ModuleSource, cls: str, name: str, qualname: str
) -> EntryPoint:
    method = linker.program.find_method(cls, name)
    assert method is not None, (cls, name)
    kind = _kind(linker, cls, method)
    problems: list[Problem] = []
    if kind in _RECEIVING and (not method.params or "star" in method.params[0].kind):
        problems.append(Problem(method.span, "unsupported", f"{qualname} has no parameter of its own for self"))
    for position, param in enumerate(method.params):
        key, advice = (method.cls, name, param.name), ""
        unreadable = signatures.unreadable.get(key)
        if not (position == 0 and kind in _RECEIVING) and _untyped(param):
            problems.append(Problem(method.span, "types", _type_advice(param, qualname, unreadable)))
        if key in signatures.only_none or (unreadable and param.type == NONE):
            advice = f"is only tried as None; pass --types '{param.name}: ...' for other values"
        elif unreadable and not _untyped(param):
            advice = f"is only tried as {param.type}, because no values of {unreadable} can be made"
        if advice:
            linker.problems.add("types", method.span, f"parameter {param.name!r} of {qualname} {advice}")
    assumed = signatures.assumed.get((method.cls, name))
    if assumed:
        listed = ", ".join(f"{param}: {type_}" for param, type_ in assumed.items())
        linker.problems.add("types", method.span, f"assumed from the code of {qualname}: {listed} (--types for others)")
    definition = _definition(linker, module, method)
    lazy = name != "__init__" and may_be_lazy(definition)
    shown = _examples(linker, cls, definition, kind, method)
    others = _alternatives(linker, signatures, module, definition, method) if definition is not None else {}
    return EntryPoint(
        cls, name, kind, qualname, module.name, method.span, method.params, tuple(problems), lazy, shown, others
    )


def _alternatives(
    linker: Linker, signatures: Signatures, module: ModuleSource, definition: ast.AST, method: Method
) -> dict[str, tuple[Type, ...]]:
    """Other types for the parameters whose types were guessed, of classes that are part of the program anyway."""
    plain = [p for p in method.params if p.guessed and p.kind in ("normal", "positional", "keyword")]
    if not plain:
        return {}
    uses = signatures.inference.of(linker.classes[method.cls].module if method.cls in linker.classes else module)
    found: dict[str, tuple[Type, ...]] = {}
    for param in plain:
        declared = signatures.widened.get((method.cls, method.name, param.name))
        hints = (declared,) if declared is not None else uses.alternatives(definition, param.name)
        known = (type_ for type_ in hints if all(cls in linker.program.classes for cls in classes_in(type_)))
        found[param.name] = tuple(type_ for type_ in known if type_ != param.type)
    return found


def _examples(linker: Linker, cls: str, definition: ast.AST | None, kind: str, method: Method) -> tuple[Example, ...]:
    owner = linker.classes.get(cls)
    nodes = [definition, owner.node if owner is not None else None]
    texts = [ast.get_docstring(node) for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    if not any(text and ">>>" in text for text in texts):
        return ()
    from everypath.languages.python.frontend.documented import examples

    own = kind in ("function", "static")
    called = owner.node.name if owner is not None and kind == "constructor" else method.name
    return examples(texts, called, method.params if own else method.params[1:])


def _definition(linker: Linker, module: ModuleSource, method: Method) -> ast.AST | None:
    if (owner := linker.classes.get(method.cls)) is not None:
        return owner.functions[method.name].node if method.name in owner.functions else None
    binding = module.bindings.get(method.name)
    return binding.node if isinstance(binding, FunctionBinding) else None


def _kind(linker: Linker, cls: str, method: Method) -> str:
    if cls not in linker.classes:
        return "function"
    if method.name == "__init__":
        return "constructor"
    if is_setter(method.name):
        return "setter"
    return {"instance": "method"}.get(method.kind, method.kind)


def _untyped(param: Param) -> bool:
    if param.kind in ("star", "doublestar"):
        return param.type in (TupleType((), ANY), DictType(STR, ANY))
    return param.type == ANY and (isinstance(param.default, NoDefault) or param.default is None)


def _type_advice(param: Param, qualname: str, annotation: str | None) -> str:
    if annotation is not None:
        return (
            f"the annotation {annotation!r} of parameter {param.name!r} of {qualname} gives no type to make values of; "
            f"pass another one, such as --types '{param.name}: int'"
        )
    return (
        f"the type of parameter {param.name!r} of {qualname} is not known; "
        f"annotate it or pass --types '{param.name}: int'"
    )

"""A Java program as the engine sees it: classes are translated when something first asks for them.

The program under test is a few classes; what it uses of the library is found on the way. So a class appears in
`classes` when it is looked up, and a method is translated when it is called. Which classes an open receiver may have
is decided by the user's own classes alone, and by a fixed list for interfaces of the library: it does not depend on
what happened to be loaded before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from everypath.errors import BadInput, Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param
from everypath.ir.names import interface_of, stand_in
from everypath.ir.program import Class, Constructor, Field, Method, Program
from everypath.ir.types import ClassType, Type, not_null
from everypath.languages.java.classfile.descriptors import FormalParameter, Generic, Parameterised, field_signature
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.model import SYNCHRONIZED
from everypath.languages.java.frontend.hierarchy import OBJECT, Hierarchy, JavaClass, JavaMethod
from everypath.languages.java.frontend.initialisers import guarded
from everypath.languages.java.frontend.invocations import INITIALISED
from everypath.languages.java.frontend.lowering import Lowering
from everypath.languages.java.frontend.profile import PROFILE
from everypath.languages.java.frontend.standins import answer_method, answered, stand_in_class
from everypath.languages.java.frontend.types import ANYTHING, INTEGER, bound_variables, ir_type
from everypath.records import dataclass, field

IMPLEMENTATIONS = {
    "java.util.Collection": ("java.util.ArrayList",),
    "java.util.List": ("java.util.ArrayList",),
    "java.lang.Iterable": ("java.util.ArrayList",),
    "java.util.Deque": ("java.util.ArrayDeque",),
    "java.util.Queue": ("java.util.ArrayDeque",),
    "java.util.Map": ("java.util.HashMap",),
    "java.util.Set": ("java.util.HashSet",),
    "java.util.SortedMap": ("java.util.TreeMap",),
    "java.util.NavigableMap": ("java.util.TreeMap",),
    "java.util.SortedSet": ("java.util.TreeSet",),
    "java.lang.Number": ("java.lang.Integer",),
}
"""what stands for an interface of the library where the user's classes do not implement it"""


_TYPES = Span("--types")
PRINTED = "java.io.PrintStream"
"""the class of standard output, whose methods do nothing that a test looks at"""
INITIALISER = "<clinit>()V"
NEVER_NULL = frozenset(("NonNull", "Nonnull", "NotNull"))
"""annotations, whatever their package, of what is never null"""


def simple_name(descriptor: str) -> str:
    """The name of a class without its package and the classes around it."""
    return descriptor.removesuffix(";").rpartition("/")[2].rpartition("$")[2]


class _Methods(dict[str, Method]):
    """The methods of a class; each is translated when it is first asked for."""

    def __init__(self, names: Iterator[str], make: Callable[[str], Method]) -> None:
        super().__init__(dict.fromkeys(names))  # type: ignore[arg-type]
        self._make = make

    def __getitem__(self, name: str) -> Method:
        found = super().__getitem__(name)
        if found is None:
            found = self._make(name)
            self[name] = found
        return found

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401

    def made(self) -> list[Method]:
        """The methods that are translated so far."""
        return [method for method in super().values() if method is not None]

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


class _Classes(dict[str, Class]):
    """The classes of a program; each is made when it is first asked for."""

    def __init__(self, make: Callable[[str], Class | None]) -> None:
        super().__init__()
        self._make = make
        self._absent: set[str] = set()

    def _load(self, name: str) -> bool:
        if name in self._absent:
            return False
        made = self._make(name)
        if made is None:
            self._absent.add(name)
            return False
        super().__setitem__(name, made)
        return True

    def __missing__(self, name: str) -> Class:
        if self._load(name):
            return super().__getitem__(name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._load(name))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401


@dataclass(slots=True)
class JavaProgram(Program):
    """The classes on the class path, of which some are the user's own."""

    hierarchy: Hierarchy = field(default_factory=lambda: None)  # type: ignore[assignment]
    parts: Hierarchy = field(default_factory=lambda: None)  # type: ignore[assignment]
    """classes of which the methods that are there take the place of the library's"""
    own: tuple[str, ...] = ()
    """the user's classes, by whose methods paths are told apart"""
    tested: frozenset[str] = frozenset()
    """classes of the library that are under test themselves"""
    overlay: str = ""
    """the place of the models"""
    sources: tuple[Path, ...] = ()
    replaced: frozenset[str] = frozenset()
    """methods with bytecode that the engine does itself"""
    monitors: list[Span] = field(default_factory=list)
    """where translated code of the program enters monitors, as long as nobody was told"""
    told: set[Span] = field(default_factory=set)
    """where it does so that was told"""
    chosen: dict[str, Type] = field(default_factory=dict)
    """type variables that stand for a class of the user's choice"""
    anything: Type = INTEGER
    """what all other type variables without a bound stand for"""
    makers: dict[tuple[str, int], Method] = field(default_factory=dict)
    """methods that fill a collection with so many elements"""
    _lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _initialised: dict[str, bool] = field(default_factory=dict)

    def find_java(self, name: str) -> JavaClass | None:
        """A class of the class path; None also for one whose file is wrong, which is told when it is needed."""
        try:
            return self.hierarchy.find(name)
        except BadClassFile:
            return None

    # What a program answers.

    def mro(self, name: str) -> tuple[str, ...]:
        """The class, its superclasses, then all interfaces: the order in which a method is looked up."""
        known = self._lines.get(name)
        if known is not None:
            return known
        supers: list[str] = []
        current: str | None = name
        interfaces: dict[str, None] = {}
        while current is not None:
            supers.append(current)
            cls = self.find_java(current) if interface_of(current) is None else None
            made = self.classes.get(current) if cls is None else None
            bases = (cls.interfaces if cls is not None else ()) if made is None else made.bases[1:]
            for each in bases:
                interfaces.update(dict.fromkeys(self.hierarchy.supertypes(each)))
            current = cls.super if cls is not None else made.bases[0] if made is not None and made.bases else None
        # Of default methods the one of the most specific interface counts.
        ordered = sorted(
            (each for each in interfaces if each not in supers),
            key=lambda each: -len(list(self.hierarchy.supertypes(each))),
        )
        line = tuple(dict.fromkeys((*supers, *ordered, OBJECT)))
        self._lines[name] = line
        return line

    def is_subclass(self, name: str, base: str) -> bool:
        """Whether a class is another one, extends or implements it."""
        return base in (name, OBJECT) or base in self.mro(name)

    def subclasses(self, name: str) -> list[str]:
        """The class and the user's classes below it; for an interface of the library what stands for it."""
        found = [each for each in self.own if each != name and self.is_subclass(each, name) and self._has_name(each)]
        cls = self.find_java(name)
        if cls is None:
            return [name]
        if not any(self._concrete(each) for each in (name, *found)):
            found += [each for each in IMPLEMENTATIONS.get(name, ()) if each in self.classes]
            if stand_in(name) in self.classes:
                found.append(stand_in(name))
        return [name, *found]

    def _has_name(self, name: str) -> bool:
        """Whether a test can name a class: one that is declared inside a method only its own code can make."""
        cls = self.find_java(name)
        return cls is not None and not cls.local

    def _concrete(self, name: str) -> bool:
        return name in self.classes and not self.classes[name].abstract

    def find_method(self, cls: str, name: str) -> Method | None:
        """The method that a call on an object of exactly this class reaches; an abstract one is none."""
        for base in self.mro(cls):
            owner = self.classes.get(base)
            if owner is not None and name in owner.methods:
                return owner.methods[name]
        return None

    def methods(self, models: bool = False) -> Iterator[Method]:
        """The methods that are translated so far; those of the library only if asked."""
        for cls in list(self.classes.values()):
            made = cls.methods.made() if isinstance(cls.methods, _Methods) else cls.methods.values()
            yield from (method for method in made if models or not method.model)

    def translate_own(self) -> None:
        """Translate all methods of the user's classes, which otherwise waits until they are called."""
        for name in self.own:
            cls = self.classes.get(name)
            if cls is not None:
                cls.methods.values()

    # What the translation of methods asks.

    def file_of(self, cls: JavaClass) -> str:
        """The source file of a class: where it lies, if that is known, else its path from the root of sources."""
        for root in self.sources:
            if (root / cls.source_file).is_file():
                return str(root / cls.source_file)
        return cls.source_file

    def has_initialiser(self, cls: str) -> bool:
        """Whether using the class for the first time runs code, or gives static fields their first values."""
        known = self._initialised.get(cls)
        if known is None:
            found = self.find_java(cls)
            known = False
            if found is not None:
                statics = any(each.static and each.constant is None for each in found.fields.values())
                known = statics or "<clinit>()V" in found.methods
                known = known or (found.super is not None and self.has_initialiser(found.super))
            self._initialised[cls] = known
        return known

    def add_class(self, cls: Class) -> None:
        """Add a class that stands in no class file."""
        self.classes[cls.name] = cls
        self._lines.pop(cls.name, None)

    def note_monitor(self, cls: JavaClass, span: Span) -> None:
        """Monitors do nothing in sequential code; the user is told where they are."""
        if span not in self.monitors and not self.is_model(cls):
            self.monitors.append(span)

    def is_model(self, cls: JavaClass) -> bool:
        """Whether a class is library code, whose branches are no paths of the user's."""
        return cls.label in ("", self.overlay) and cls.name.partition("$")[0] not in self.tested

    # Making classes and methods.

    def make_class(self, name: str) -> Class | None:
        """A class by its name; None if it is not on the class path."""
        interface = interface_of(name)
        if interface is not None:
            return self._stand_in(interface)
        cls = self.find_java(name)
        if cls is None:
            return None
        bindings = self.class_bindings(cls)
        made = Class(
            name,
            tuple(dict.fromkeys((*((cls.super,) if cls.super else ()), *cls.interfaces))),
            abstract=cls.abstract or cls.kind in ("interface", "annotation"),
            module=cls.package,
            span=Span(self.file_of(cls), 0),
        )
        for each in cls.fields.values():
            if not each.static:
                type_ = ir_type(each.generic, bindings, 1)
                # The models of texts that grow always hold one.
                kept = cls.label == self.overlay and each.name == "text"
                hidden = each.access != "public" or each.final
                type_ = not_null(type_) if kept else type_
                made.fields[each.ir_name] = Field(each.ir_name, type_, made.span, hidden=hidden)
        names = [each.ir_name for each in cls.methods.values() if not each.abstract]
        model = self._model_of(cls)
        replaced = [each.ir_name for each in model.methods.values()] if model is not None else []

        def make(method: str) -> Method:
            home = model if model is not None and method in replaced else cls
            return self.make_method(home, home.methods[method])

        made.methods = _Methods(iter((*names, *replaced)), make)
        made.statics = {each.name: INITIALISER for each in cls.fields.values() if each.static}
        made.statics[INITIALISED] = INITIALISER
        made.constructor = self._constructor(cls)
        if cls.kind == "enum" and not cls.enum_constant_body:
            made.members = cls.enum_constants
        return made

    def _stand_in(self, interface: str) -> Class | None:
        """The class of what stands for objects of an interface; None where there are other objects of it."""
        cls = self.find_java(interface)
        if cls is None or not cls.abstract or self._implemented(interface) or cls.kind in ("enum", "annotation"):
            return None
        made = stand_in_class(cls)
        for name, method in answered(cls).items():
            owner = self.find_java(method.owner) or cls
            params = self.params(owner, method)[1:]
            bindings = self.bound(method.signature.formals, self.class_bindings(owner))
            made.methods[name] = answer_method(made, method, params, ir_type(method.signature.result, bindings))
        return made

    def _implemented(self, name: str) -> bool:
        own = (each for each in self.own if each != name and self.is_subclass(each, name))
        return any(self._concrete(each) for each in own) or name in IMPLEMENTATIONS

    def _model_of(self, cls: JavaClass) -> JavaClass | None:
        """The class with methods that take the place of a library class's."""
        if cls.label or self.parts is None:
            return None
        found = self.parts.find(cls.name)
        return found if found is not None and found.label == self.overlay else None

    def bound(self, formals: tuple[FormalParameter, ...], outer: dict[str, Type]) -> dict[str, Type]:
        """What type variables stand for: what the user has chosen, or else their bounds."""
        found = bound_variables(formals, outer)
        for formal in formals:
            if formal.name in self.chosen:
                found[formal.name] = self.chosen[formal.name]
        return found

    def choose_types(self, said: tuple[str, ...]) -> None:
        """Let type variables stand for classes, as `T: String, K: shop.Item` says; BadInput for what is none."""
        for each in (pair for text in said for pair in text.split(",")):
            variable, _, name = map(str.strip, each.partition(":"))
            found = next((cls for cls in (name, f"java.lang.{name}", *self._ending(name)) if self.find_java(cls)), None)
            if found is None:
                raise BadInput(f"there is no class {name or each.strip()}; write a type variable and a class", _TYPES)
            self.chosen[variable] = ir_type(Parameterised(found.replace(".", "/")), {})

    def _ending(self, name: str) -> Iterator[str]:
        return (each for each in self.own if name and each.endswith((f".{name}", f"${name}")))

    def class_bindings(self, cls: JavaClass) -> dict[str, Type]:
        """What the type variables of a class stand for, those of the classes around it included."""
        outer = self.find_java(cls.outer) if cls.outer else None
        known = self.class_bindings(outer) if outer is not None else {ANYTHING: self.anything}
        return self.bound(cls.formals, known)

    def has_open_variables(self, cls: JavaClass, method: JavaMethod) -> bool:
        """Whether a method, its class or those around it have type variables that stand for anything."""
        bindings = self.bound(method.signature.formals, self.class_bindings(cls))
        return any(type_ == self.anything for name, type_ in bindings.items() if name != ANYTHING)

    def parameter_types(self, cls: JavaClass, method: JavaMethod) -> tuple[Type, ...]:
        """The types of a method's parameters, with what generic signatures tell."""
        bindings = self.bound(method.signature.formals, self.class_bindings(cls))
        generics: tuple[Generic, ...] = method.signature.parameters
        if len(generics) != len(method.parameters):
            generics = tuple(map(field_signature, method.parameters))
        return tuple(ir_type(each, bindings) for each in generics)

    def params(self, cls: JavaClass, method: JavaMethod) -> tuple[Param, ...]:
        """The parameters in the IR, the receiver included."""
        taken: set[str] = set()
        found: list[Param] = []
        if not method.static:
            found.append(Param("this", ClassType(cls.name)))
        types = self.parameter_types(cls, method)
        for number, (name, type_) in enumerate(zip(method.parameter_names, types)):
            if self._never_null(method, number):
                type_ = not_null(type_)
            shown = name
            while shown in taken or shown == "this":
                shown += "_"
            taken.add(shown)
            found.append(Param(shown, type_))
        return tuple(found)

    def _never_null(self, method: JavaMethod, number: int) -> bool:
        """Whether an annotation of one of the usual libraries says that callers never pass null."""
        annotations = method.parameter_annotations
        # Parameters that the compiler adds in front have no annotations.
        at = number - (len(method.parameters) - len(annotations))
        return 0 <= at < len(annotations) and any(simple_name(each) in NEVER_NULL for each in annotations[at])

    def make_method(self, cls: JavaClass, method: JavaMethod) -> Method:
        """The translation of a method."""
        params = self.params(cls, method)
        returns = ir_type(method.signature.result, self.bound(method.signature.formals, self.class_bindings(cls)))
        model = self.is_model(cls)
        replaced = f"{cls.name}.{method.ir_name}" in self.replaced or cls.name == PRINTED
        if method.info.place is None or replaced:
            return self._native_method(cls, method, params, returns)
        if method.flags & SYNCHRONIZED:
            self.note_monitor(cls, Span(self.file_of(cls), method.line))
        made = Lowering(self, cls, method, params).lower(returns, model)
        if method.ir_name == INITIALISER:
            made = guarded(made)
        made.hidden = not self.is_offered(cls, method)
        return made

    def is_offered(self, cls: JavaClass, method: JavaMethod) -> bool:
        """Whether callers are meant to call a method: neither it nor a class around it is private or protected."""
        current: JavaClass | None = cls
        while current is not None:
            if current.access in ("private", "protected"):
                return False
            current = self.find_java(current.outer) if current.outer else None
        return method.access not in ("private", "protected")

    def _native_method(self, cls: JavaClass, method: JavaMethod, params: tuple[Param, ...], returns: Type) -> Method:
        """A method that is implemented outside of Java: one of the engine's natives, if there is one."""
        span = Span(self.file_of(cls), method.line)
        build = MethodBuilder(cls.name, method.ir_name, params, span)
        into = build.register()
        name = f"{cls.name}.{method.ir_name}"
        build.emit(ins.CallNative(into, name, tuple(range(len(params))), span=span))
        build.end(ins.Return(into, span=span))
        return build.finish(returns=returns, kind="static" if method.static else "instance", model=True)

    def _constructor(self, cls: JavaClass) -> Constructor | None:
        """How tests may make an object: the plain constructor with the most parameters."""
        for constructor in reversed(cls.constructors):
            does = cls.assignments(constructor)
            if does is not None and constructor.access != "private":
                params = self.params(cls, constructor)[1:]
                sets = {params[number].name: name for number, name in does.parameters.items()}
                hidden = not self.is_offered(cls, constructor)
                return Constructor(params, sets, dict(does.constants), hidden=hidden)
        return None


def make_program(hierarchy: Hierarchy, own: tuple[str, ...], **more: Any) -> JavaProgram:
    """A program whose classes are found on a class path."""
    program = JavaProgram(PROFILE, hierarchy=hierarchy, own=own, **more)
    program.classes = _Classes(program.make_class)
    return program

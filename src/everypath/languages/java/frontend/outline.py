"""The parts of a class file, for telling which methods changed: line numbers and names of variables do not matter."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.errors import BadInput
from everypath.languages.definitions import Definition, Part
from everypath.languages.java.classfile.constants import DynamicConstant, HandleConstant, MemberConstant
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.places import ClassPath
from everypath.languages.java.classfile.reader import ClassFile
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaMethod
from everypath.languages.java.frontend.load import shown_name


def outline(data: bytes) -> list[Part]:
    """What the class is and the fields that it has, then its methods; BadInput where it is no class file."""
    try:
        cls = JavaClass(ClassFile(data), Hierarchy(ClassPath([])), "")
        return list(_parts(cls))
    except BadClassFile as problem:
        raise BadInput(str(problem)) from None


def _parts(cls: JavaClass) -> Iterator[Part]:
    owner = cls.name.removeprefix(f"{cls.package}.")
    fields = sorted((each.name, each.descriptor, each.flags, repr(each.constant)) for each in cls.info.fields)
    # What the class is made of is about all of its methods.
    yield Part(owner, repr((cls.flags, cls.super, cls.interfaces, fields)), frozenset())
    for method in cls.methods.values():
        public = method.access != "private" and not method.synthetic
        name = shown_name(cls, method) if not method.synthetic else f"{owner}.{method.name}"
        text, names = _body(cls, method)
        yield Part(owner, text, names, Definition(name, method.line, method.line, public))


def _body(cls: JavaClass, method: JavaMethod) -> tuple[str, frozenset[str]]:
    """What tells the code of a method from other code, and the names of what it uses."""
    head = (method.ir_name, method.flags, method.exceptions, method.annotations, method.parameter_annotations)
    code = cls.file.code(method.info)
    if code is None:
        return repr(head), frozenset()
    names: set[str] = set()
    for instruction in code.instructions:
        match instruction.operand:
            case MemberConstant() as member:
                names.add(member.name)
            case DynamicConstant() as site:
                # Lambdas are methods of their own.
                arguments = cls.info.bootstraps[site.bootstrap].arguments
                names.update(each.member.name for each in arguments if isinstance(each, HandleConstant))
    return repr((head, code.instructions, code.catches)), frozenset(names)

"""The wrapper classes of primitive types, and conversions between types where the JVM makes them by itself."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Reg

WRAPPERS = {
    "Z": ("java.lang.Boolean", "boolean"),
    "B": ("java.lang.Byte", "byte"),
    "C": ("java.lang.Character", "char"),
    "S": ("java.lang.Short", "short"),
    "I": ("java.lang.Integer", "int"),
    "J": ("java.lang.Long", "long"),
    "F": ("java.lang.Float", "float"),
    "D": ("java.lang.Double", "double"),
}
"""primitive type -> its wrapper class, and what its value is called"""
_UNWRAPPED = {f"L{cls.replace('.', '/')};": letter for letter, (cls, _) in WRAPPERS.items()}
_WIDER = {("I", "F"): "i2f", ("I", "D"): "i2d", ("J", "F"): "l2f", ("J", "D"): "l2d", ("F", "D"): "f2d"}


def adapted(build: MethodBuilder, register: Reg, given: str, wanted: str, span: Span) -> Reg:
    """A register with a value of one type as one of another: boxed, unboxed or widened."""
    if given == wanted or wanted == "V" or given == "V":
        return register
    primitive = given in WRAPPERS
    if primitive and wanted not in WRAPPERS:
        cls, _ = WRAPPERS[_UNWRAPPED.get(wanted, given)]
        letter = _UNWRAPPED.get(wanted, given)
        made = build.register()
        name = f"valueOf({letter})L{cls.replace('.', '/')};"
        build.emit(ins.CallStatic(made, cls, name, (register,), span=span))
        return made
    if not primitive and wanted in WRAPPERS:
        letter = _UNWRAPPED.get(given, wanted)
        made = build.register()
        name = f"{WRAPPERS[letter][1]}Value(){letter}"
        build.emit(ins.CallVirtual(made, register, name, (), span=span))
        return adapted(build, made, letter, wanted, span)
    if primitive:
        key = ("I" if given in "BSC" else given, wanted)
        if key in _WIDER:
            made = build.register()
            build.emit(ins.CallNative(made, _WIDER[key], (register,), span=span))
            return made
    return register

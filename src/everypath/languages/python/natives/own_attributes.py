"""The attributes that an object or class has itself, as a dict, and an object that gets what such a dict holds."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.objects import class_for, exact_class, program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.values import DictCell, Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.names import is_hidden
from everypath.languages.python.natives.exceptions import is_exception
from everypath.languages.python.natives.named_attributes import attribute_name
from everypath.languages.python.semantics.attributes import get_field
from everypath.languages.python.semantics.kinds import get_static, reference, type_name
from everypath.languages.python.semantics.registry import native


@native("attributes")
def attributes(st: State, value: Value) -> Value:
    """The attributes that an object or class has itself, as a new dict."""
    value = resolve(st, value)
    if isinstance(value, ClassRef) and value.name in program_of(st).classes:
        return st.heap.new_object("dict", DictCell(_attributes_of_class(st, value)))
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return st.heap.new_object("dict", DictCell(_attributes_of_object(st, value)))
    raise Unsupported(f"the attributes of a {type_name(st, value)}")


def _attributes_of_class(st: State, value: ClassRef) -> tuple[tuple[str, Value], ...]:
    cls = program_of(st).classes[value.name]
    methods = {name: get_field(st, value, name) for name in cls.methods if not is_hidden(name)}
    statics = {name: get_static(st, value.name, name) for name in cls.statics if not is_hidden(name)}
    assigned = {name: content for (owner, name), content in st.statics.items() if owner == value.name}
    every = {**methods, **statics, **assigned}
    return tuple((name, content) for name, content in every.items() if not is_hidden(name))


def _attributes_of_object(st: State, ref: Ref) -> tuple[tuple[str, Value], ...]:
    program = program_of(st)
    if ref.input:
        exact_class(st, ref)
        _look_at_fields(st, ref)
    bases = (program.classes[base] for base in program.mro(type_name(st, ref)) if base in program.classes)
    # What the language keeps elsewhere: the content of a dict, the arguments of an exception.
    elsewhere = {name for base in bases if base.model or base.external for name in base.fields}
    if is_exception(st, ref):
        elsewhere.add("args")
    fields = st.heap.fields(ref)
    return tuple((name, fields[name]) for name in fields if name not in elsewhere and not name.startswith("$"))


def _look_at_fields(st: State, ref: Ref) -> None:
    """An input object gets a value for every field that its class declares."""
    for name in program_of(st).all_fields(type_name(st, ref)):
        try:
            get_field(st, ref, name)
        except Fault as fault:
            # The path has found out before that the object lacks it.
            if fault.cls != "AttributeError":
                raise
        except Invoke:
            # A property, or what `__getattr__` makes up, is none of the object's own.
            continue


@native("become")
def become(st: State, obj: Value, attributes: Value, adds: bool) -> Value:
    """Give an object the attributes in a dict, and unless this only `adds` some, no other ones."""
    obj = resolve(st, obj)
    held = st.heap.cells[reference(attributes)]
    if not isinstance(obj, Ref) or type(st.heap.cells[obj]) is not dict:
        raise Unsupported(f"changing the attributes of a {type_name(st, obj)} through its __dict__")
    assert isinstance(held, DictCell)
    if held.open:
        raise Unsupported("attributes with the names in an unknown dict")
    before = {} if adds else dict(_attributes_of_object(st, obj))
    after: dict[str, Value] = {}
    for key, content in held.entries:
        if type_name(st, resolve(st, key)) != "str":
            raise Unsupported("an attribute whose name is no text")
        after[attribute_name(st, key, "setattr", obj)] = content
    for name, content in after.items():
        if name not in before or before[name] is not content:
            _need_plain(st, obj, name)
            st.heap.set_field(obj, name, content)
    for name in before.keys() - after.keys():
        st.heap.delete_field(obj, name)
    return None


def _need_plain(st: State, ref: Ref, name: str) -> None:
    """What the class computes comes before what the object holds under the same name."""
    program = program_of(st)
    cls = class_for(st, ref, lambda cls: getattr(program.find_method(cls, name), "kind", "") == "property")
    if getattr(program.find_method(cls, name), "kind", "") == "property":
        raise Unsupported(f"an entry of __dict__ behind the property {name} of a {short(cls)}")

"""Library code that is run as it is: pure functions, and immutable objects whose methods only compute.

Regular expressions, decimals, dates and the like stand for themselves. Arguments must be plain values, so terms among
them are fixed (`explore/concretise.py`), for a regular expression preferably to texts that it matches.
"""

from __future__ import annotations

import builtins
import importlib
import operator
import sys
from collections.abc import Callable
from typing import Any, TypeGuard, final

from everypath.errors import Unsupported
from everypath.explore.signals import Fault
from everypath.heap.values import HostObject, Value
from everypath.ir.instructions import NativeRef
from everypath.languages.python.cards.card import HostCard
from everypath.languages.python.cards.index import HOST
from everypath.languages.python.semantics.moments import Moment


@final
class Kept(HostObject):
    """An object of the library of which only its class is known here; on each path it is one value."""

    __slots__ = ("cls", "number")

    def __init__(self, cls: str, number: int) -> None:
        self.cls = cls
        self.number = number

    def __repr__(self) -> str:
        return f"<{self.cls} {self.number}>"


_FUNCTIONS: dict[str, str] = {
    "re": "compile match search fullmatch sub subn split findall finditer escape",
    "_string": "formatter_parser formatter_field_name_split",
    "unicodedata": "category bidirectional combining east_asian_width mirrored decomposition normalize name lookup "
    "numeric decimal digit is_normalized",
    "json": "dumps loads",
    **dict.fromkeys(("struct", "_struct"), "pack unpack calcsize"),
    "base64": "b64encode b64decode b32encode b32decode b16encode b16decode urlsafe_b64encode urlsafe_b64decode",
    "binascii": "hexlify unhexlify b2a_hex a2b_hex crc32 crc_hqx a2b_base64 b2a_base64 a2b_qp b2a_qp a2b_uu b2a_uu",
    "zlib": "crc32 adler32",
    "html": "escape unescape",
    "urllib.parse": "quote unquote quote_plus unquote_plus urlencode urljoin",
    "os": "fsencode fsdecode",
    "os.path": "join basename dirname splitext normpath normcase split splitdrive isabs commonprefix commonpath",
    "posixpath": "join basename dirname splitext normpath normcase split splitdrive isabs commonprefix commonpath",
    "ntpath": "join basename dirname splitext normpath normcase split splitdrive isabs commonprefix commonpath",
    "sys": "intern getdefaultencoding getfilesystemencoding getfilesystemencodeerrors",
    "unicodedata.ucd_3_2_0": "category bidirectional combining east_asian_width mirrored decomposition normalize name "
    "lookup numeric decimal digit is_normalized",
    "codecs": "encode decode",
    "keyword": "iskeyword issoftkeyword",
    "ipaddress": "ip_address ip_network ip_interface",
    "ast": "literal_eval",
    "statistics": "_normal_dist_inv_cdf",
}
"""Functions of the library that give the same result for the same arguments, and do nothing else."""
_LIBRARY = {module: set(names.split()) for module, names in _FUNCTIONS.items()}
"""The same with the classes whose objects never change."""
for _card in HOST.values():
    if _card.called:
        _LIBRARY.setdefault(_card.module, set()).add(_card.short)
_IMPURE = frozenset(name for card in HOST.values() for name in card.impure)
_known: dict[type, bool] = {Moment: True, Kept: True}
_MODULES = sys.stdlib_module_names | {"collections.abc", "os.path", "urllib.parse"}
"""Modules that may be imported to look something up in them."""
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "[]": operator.getitem, "unary -": lambda value, _: -value,
    "in": lambda item, container: item in container,
    "unary +": lambda value, _: +value, "unary ~": lambda value, _: ~value, "len": lambda value, _: len(value),
}  # fmt: skip


def is_foreign(value: object) -> TypeGuard[HostObject]:
    """Whether the value is an object of the library that stands for itself."""
    cls = value.__class__
    known = _known.get(cls)
    if known is None:
        known = _known[cls] = card_of(cls) is not None
    return known


def card_of(cls: type) -> HostCard | None:
    """What is known about a class whose objects stand for themselves."""
    return HOST.get(f"{home_of(cls)}.{cls.__qualname__}")


def as_host_object(value: object) -> HostObject:
    """An object of the library as a value; the caller knows that it is one."""
    assert is_foreign(value)
    return value


def home_of(cls: type) -> str:
    """The module that a class of the library is imported from; some are defined in a private part of it."""
    return cls.__module__.partition("._")[0]


def is_instance(value: HostObject, cls: type) -> bool:
    """Whether an object of the library, known or not, is of this class."""
    return issubclass(class_of(value), cls)


def class_of(value: object) -> type:
    """The class of an object of the library, known or not."""
    return value.real() if isinstance(value, Moment) else type(value)


def is_record(value: object) -> bool:
    """Whether the value is one of the library's tuples with names for their parts, such as `sys.version_info`."""
    cls = value.__class__
    return (
        issubclass(cls, tuple) and cls is not tuple and (hasattr(cls, "n_sequence_fields") or hasattr(cls, "_fields"))
    )


def record_attribute(value: object, name: str) -> Value:
    """A named part of such a tuple; its methods are refused."""
    found: Value = getattr(value, name)
    if callable(found):
        raise Unsupported(f"the method {name} of {type(value).__name__}, a tuple of the library")
    return found


def library_function(name: str) -> Callable[..., Any] | None:
    """The real function, class or method behind a dotted name, if it may run."""
    module, _, member = name.rpartition(".")
    module = module or "builtins"
    if module in _LIBRARY:
        return _attribute(module, member) if member in _LIBRARY[module] else None
    outer, _, cls = module.rpartition(".")
    if outer in _LIBRARY and cls in _LIBRARY[outer] and member not in _IMPURE:
        owner = _attribute(outer, cls)
        found = getattr(owner, member, None) if owner is not None and not _touches_files(owner, member) else None
        return found if callable(found) else None
    return None


def library_object(name: str) -> Any:
    """The module or immutable object behind a dotted name."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(module)
    return found


def library_class(name: str) -> type | None:
    """The real class behind a dotted name, if its objects stand for themselves."""
    if name not in HOST:
        return None
    module, _, member = name.rpartition(".")
    found = _attribute(module, member)
    return found if isinstance(found, type) else None


def modelled_class(name: str) -> type | None:
    """The class of the library that a model stands for."""
    module, _, member = name.rpartition(".")
    found = _attribute(module, member) if module in _MODULES else None
    return found if isinstance(found, type) else None


def real_class(name: str) -> type | None:
    """An abstract class of the library that such objects may belong to, or a builtin class."""
    module, _, member = name.rpartition(".")
    found = _attribute(module, member) if module in ("numbers", "collections.abc") else None
    if not module:
        found = getattr(builtins, member, None)
    return found if isinstance(found, type) else None


def _attribute(module: str, member: str) -> Any:
    try:
        return getattr(library_object(module), member, None)
    except (ImportError, AttributeError):
        return None


def attribute(value: Any, name: str) -> Any:
    """`value.name` of a library object; the language's error if there is none."""
    if _touches_files(type(value), name):
        raise Unsupported(f"{type(value).__name__}.{name}, which asks the file system")
    try:
        return getattr(value, name)
    except AttributeError as error:
        raise Fault("AttributeError", str(error)) from None


def _touches_files(cls: Any, name: str) -> bool:
    """Whether an attribute of a path asks the file system instead of computing with the path's text."""
    card = card_of(cls) if isinstance(cls, type) else None
    if card is None or not card.computes:
        return False
    return hasattr(cls, name) and not hasattr(_attribute(card.module, card.computes), name)


def library_attribute(owner: str, name: str) -> Value:
    """`owner.name` of a builtin or library function or class: a plain value, a method, or the language's error."""
    module, _, member = owner.rpartition(".")
    real = _attribute(module or "builtins", member) if (module or "builtins") in _MODULES else None
    if owner == "NoneType":
        real = type(None)
    if real is None:
        raise Unsupported(f"the attribute {name} of {owner}, a function or class of the library")
    try:
        found = getattr(real, name)
    except AttributeError as error:
        raise Fault("AttributeError", str(error)) from None
    if found is None or isinstance(found, (bool, int, str)):
        return found
    if isinstance(real, type) and name not in ("__new__", "__init_subclass__", "__class__") and callable(found):
        # A method is known by the class that defines it.
        home = next((base for base in real.__mro__ if name in vars(base)), None)
        if home is not None:
            where = "" if home.__module__ == "builtins" else f"{home.__module__}."
            return NativeRef(f"{where}{home.__qualname__}.{name}")
    raise Unsupported(f"the attribute {name} of {owner}, a function or class of the library")


def may_call(name: str) -> bool:
    """Whether a method of a library object gives the same result whenever it is called."""
    return name not in _IMPURE


def apply(op: str, left: object, right: object) -> Value:
    """An operator on plain values of which one is a library object."""
    result: Value = _OPERATORS[op](left, right)
    return result

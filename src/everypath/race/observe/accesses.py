"""What rewritten code calls at every access: announce it to the monitor, then let it happen as it would natively.

Where Python's own operation can follow by itself, a hook returns its operand: `hooks.load(x, "name", site).name`.
Where the element or the arguments are not known yet, it returns a stand-in that announces when they are.
"""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Generator, Iterable, Iterator
from types import ModuleType
from typing import Any

from everypath.concurrency.access import WHOLE
from everypath.race.control.handed_in import hand_in, inside, outside
from everypath.race.events import READ, UPDATE, WRITE, Item
from everypath.race.observe.attributes import (
    CLASS,
    GLOBALS,
    INSTANCE,
    LOADS,
    MODULE,
    NAMESPACE,
    STORES,
    class_owner,
    forget,
    is_python_class,
)
from everypath.race.observe.branches import REACHED
from everypath.race.observe.containers import FACTS, KEY_VIEWS, beneath, element
from everypath.race.observe.stand_ins import IN_PLACE, Announced, Attribute, Cell, Element, ElementUpdate, Suspendable
from everypath.race.running import GENERATORS, NEXT_SITE

NAME = "__everypath_race__"
"""The name under which rewritten code finds the hooks among the builtins."""

_MOST_NAMESPACES = 256

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MODULE: Any = ModuleType
_module_namespace = _MODULE.__dict__["__dict__"].__get__


class Accesses:
    """Accesses to attributes, variables, elements and whole containers."""

    def __init__(self, monitor: Announced) -> None:
        self.monitor = monitor
        # A function begins, ends, or comes to the back edge of a loop.
        self.enter, self.leave, self.again = monitor.enter, monitor.leave, monitor.iteration
        self._namespaces: dict[int, Any] = {}
        """identity of an instance's `__dict__` that the program holds -> the instance, weakly"""

    reached = staticmethod(REACHED.add)
    """Note that a branch is taken."""

    def next_call(self) -> None:
        """Announce that a thread has finished one of its calls and begins another one."""
        self.monitor.access(READ, NEXT_SITE, None, None)

    def one_by_one(self, gone_through: Any, source: str) -> Any:
        """What `list` goes through, where a generator is asked for each element by a call of its own."""
        if not isinstance(gone_through, Generator):
            return gone_through
        GENERATORS.add(source)
        return self._each(gone_through)

    def then(self, result: Any) -> Any:
        """What a call has returned, and the next call is made on."""
        self.next_call()
        return result

    handed_in = staticmethod(hand_in)
    inside = staticmethod(inside)
    outside = staticmethod(outside)

    def _each(self, elements: Iterable[Any]) -> Iterator[Any]:
        for each in elements:
            yield each
            self.next_call()

    # Attributes.

    def load(self, obj: Any, name: str, site: int) -> Any:
        """`obj.name` follows."""
        monitor = self.monitor
        if monitor.current is not None:
            rule = LOADS[type(obj)][name]
            if rule == INSTANCE:
                monitor.access(READ, site, obj, name)
            elif rule:
                self._load_otherwise(rule, obj, name, site)
        return obj

    def _load_otherwise(self, rule: Any, obj: Any, name: str, site: int) -> None:
        access = self.monitor.access
        if rule == CLASS:
            owner = class_owner(obj, name)
            if owner is not None:
                access(READ, site, owner, name)
        elif rule == MODULE:
            if name in GLOBALS.get(_module_namespace(obj).get("__name__"), ()):
                access(READ, site, obj, name)
        elif rule == NAMESPACE:
            self.remember_namespace(obj)
        else:
            access(READ, site, rule.owner, name)
            access(READ, site, obj, name)

    def store(self, obj: Any, name: str, site: int) -> Any:
        """`obj.name = ...` follows."""
        if self.monitor.current is not None:
            self.change_attribute(WRITE, obj, name, site)
        return obj

    def delete(self, obj: Any, name: str, site: int) -> Any:
        """`del obj.name` follows."""
        if self.monitor.current is not None:
            self.change_attribute(UPDATE, obj, name, site)
        return obj

    def change_attribute(self, kind: int, obj: Any, name: str, site: int) -> None:
        """Announce a write to, or a deletion of, an attribute."""
        rule = STORES[type(obj)][name]
        if rule:
            self.monitor.access(kind, site, obj, name)
            # A new or a missing attribute of a class changes what the name means for its instances and subclasses.
            if rule == CLASS and (kind == UPDATE or class_owner(obj, name) is not obj):
                forget()

    def update(self, obj: Any, site: int, operation: int) -> Any:
        """`obj.name += ...` follows."""
        return obj if self.monitor.current is None else Attribute(self, obj, site, operation)

    def remember_namespace(self, obj: Any) -> None:
        """Note that the program gets hold of an instance's `__dict__`: from now on its elements are the attributes."""
        try:
            namespace = object.__getattribute__(obj, "__dict__")
        except AttributeError:
            return
        # Ids are used again after an object is gone, which is why `touch` asks the object itself once more.
        if len(self._namespaces) >= _MOST_NAMESPACES:
            self._namespaces.clear()
        try:
            self._namespaces[id(namespace)] = weakref.ref(obj)
        except TypeError:
            self._namespaces[id(namespace)] = lambda: obj

    def touch(self, kind: int, site: int, container: Any, key: Any) -> None:
        """Announce an access to a container, which may be an instance's `__dict__`."""
        if self._namespaces:
            found = self._namespaces.get(id(container))
            owner = found() if found is not None else None
            if owner is not None and object.__getattribute__(owner, "__dict__") is container:
                self.monitor.access(kind, site, owner, key.key if type(key) is Item else WHOLE)
                return
        self.monitor.access(kind, site, container, key)

    # Variables that several functions share.

    def read_variable(self, owner: Any, name: str, site: int) -> bool:
        """The variable is read next: that of a module, given by its name, or of an enclosing function, by its cell."""
        if self.monitor.current is not None:
            self.monitor.access(READ, site, sys.modules.get(owner) if type(owner) is str else owner, name)
        return True

    def write_variable(self, value: Any, owner: Any, name: str, site: int) -> Any:
        """The variable becomes the value."""
        if self.monitor.current is not None:
            self.monitor.access(WRITE, site, sys.modules.get(owner) if type(owner) is str else owner, name)
        return value

    cell = Cell
    """Called when a function begins that has a variable which inner functions assign."""

    # Elements.

    def at(self, obj: Any, site: int) -> Any:
        """`obj[...]` follows, to be read, assigned or deleted."""
        if self.monitor.current is None:
            return obj
        facts = FACTS[type(obj)]
        if facts is None or facts.base is None:
            return obj
        return Element(self, facts, obj, site)

    def update_at(self, obj: Any, site: int, operation: int) -> Any:
        """`obj[...] += ...` follows."""
        return obj if self.monitor.current is None else ElementUpdate(self, FACTS[type(obj)], obj, site, operation)

    def contains(self, key: Any, obj: Any, site: int) -> Any:
        """`key in obj`."""
        if self.monitor.current is not None:
            facts = FACTS[type(obj)]
            if facts is not None:
                if facts.contains:
                    self.touch(READ, site, obj, WHOLE if facts.indexed else element(facts, obj, key))
                elif facts.through:
                    for container in beneath(obj):
                        inner = FACTS[type(container)]
                        one = type(obj) in KEY_VIEWS and inner is not None
                        self.touch(READ, site, container, element(inner, container, key) if one else WHOLE)  # type: ignore[arg-type]
        return key in obj

    # Whole containers.

    def read_whole(self, obj: Any, site: int) -> None:
        """Announce that everything in it is looked at, if it is a container, or a view or iterator of one."""
        facts = FACTS[type(obj)]
        if facts is not None and facts.iterates:
            for container in beneath(obj) if facts.through else (obj,):
                self.touch(READ, site, container, WHOLE)

    def whole(self, obj: Any, site: int) -> Any:
        """Everything in it is looked at next."""
        if self.monitor.current is not None and FACTS[type(obj)] is not None:
            self.read_whole(obj, site)
        return obj

    def matched(self, obj: Any, site: int) -> Any:
        """Patterns look into it next, at its elements or its attributes."""
        if self.monitor.current is not None:
            if FACTS[type(obj)] is not None:
                self.read_whole(obj, site)
            elif is_python_class(type(obj)):
                self.monitor.access(READ, site, obj, WHOLE)
        return obj

    def truth(self, obj: Any, site: int) -> Any:
        """Whether it is empty is looked at next."""
        if self.monitor.current is not None:
            facts = FACTS[type(obj)]
            if facts is not None and facts.sized:
                self.read_whole(obj, site)
        return obj

    def compare(self, sign: str, left: Any, right: Any, site: int) -> Any:
        """`left == right` and its like."""
        if self.monitor.current is not None:
            facts = FACTS[type(left)]
            if facts is not None and facts.compares and FACTS[type(right)] is not None:
                self.read_whole(left, site)
                self.read_whole(right, site)
        return COMPARE[sign](left, right)

    def binary(self, sign: str, left: Any, right: Any, site: int) -> Any:
        """`left + right` and its like."""
        if self.monitor.current is not None:
            if FACTS[type(left)] is not None:
                self.read_whole(left, site)
            if FACTS[type(right)] is not None:
                self.read_whole(right, site)
        return BINARY[sign](left, right)

    def in_place(self, sign: str, left: Any, right: Any, site: int) -> Any:
        """`left += right` and its like, the value that is to be assigned."""
        if self.monitor.current is not None:
            facts = FACTS[type(left)]
            if facts is not None and not facts.through:
                method = IN_PLACE[sign].__name__
                rule = facts.rule(f"__{method}__")
                if facts.is_native(type(left), f"__{method}__") and rule is not None:
                    if FACTS[type(right)] is not None:
                        self.read_whole(right, site)
                    self.touch(rule.kind, site, left, WHOLE)
        return IN_PLACE[sign](left, right)

    # Loops.

    def iterate(self, obj: Any, site: int) -> Any:
        """`for ... in obj`: each step looks at the whole container."""
        if self.monitor.current is None:
            return obj
        facts = FACTS[type(obj)]
        if facts is None or not facts.iterates:
            return obj
        containers = beneath(obj) if facts.through else [obj]
        return self._steps(iter(obj), containers, site) if containers else obj

    def elements(self, obj: Any, site: int) -> Any:
        """The same in a comprehension, whose rounds nothing else counts."""
        if self.monitor.current is None:
            return obj
        return self._rounds(iter(self.iterate(obj, site)))

    def _steps(self, iterator: Iterator[Any], containers: list[Any], site: int) -> Iterator[Any]:
        while True:
            if self.monitor.current is not None:
                for container in containers:
                    self.touch(READ, site, container, WHOLE)
            try:
                value = next(iterator)
            except StopIteration:
                return
            yield value

    def _rounds(self, iterator: Iterable[Any]) -> Iterator[Any]:
        for value in iterator:
            yield value
            self.again()

    # Functions.

    def begin(self) -> bool:
        """A lambda expression begins; it has no place to announce its end."""
        if self.monitor.current is not None:
            self.monitor.native_returned()
        return True

    def suspendable(self, site: int) -> Suspendable:
        """A generator or coroutine begins."""
        return Suspendable(self.monitor, site)

"""What calls say about the types of what they are made on and with: builtins, methods, and functions of the module.

A call of a function of the module connects arguments with parameters. For what the language and its library define,
tables say what the arguments are used for and what comes back; nothing here is certain, it only has to be likely.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container
from typing import Protocol

from everypath.ir.types import ANY, BOOL, FLOAT, FUNCTION, INT, STR, DictType, ListType, SetType, Type
from everypath.languages.python.cards import expressions
from everypath.languages.python.cards.index import SAMPLED
from everypath.languages.python.frontend.annotations import PREDEFINED
from everypath.languages.python.frontend.evidence import STREAM, STREAM_MEMBERS, Slot, known
from everypath.languages.python.frontend.modules import FunctionNode, dotted, positional
from everypath.languages.python.frontend.shapes import ClassShape, ModuleShape, Scope

_TESTS: dict[str, Type] = {
    **PREDEFINED, "Sequence": ListType(ANY), "Mapping": DictType(ANY, ANY), "Iterable": ListType(ANY), "Integral": INT,
    "Number": INT, "Real": FLOAT, "Rational": INT, "Callable": FUNCTION, "MutableMapping": DictType(ANY, ANY),
    "Set": SetType(ANY),
}  # fmt: skip
_LIBRARY: dict[str, Type] = {card.short: card.type for card in SAMPLED.values()}
ROLES: dict[str, str] = {
    "islice": "innn", "tee": "in", "chain": "i*", "from_iterable": "I", "cycle": "i", "compress": "ii",
    "dropwhile": "fi", "takewhile": "fi", "filterfalse": "fi", "starmap": "f.", "accumulate": "if", "groupby": "if",
    "zip_longest": "i*", "product": "i*", "permutations": "in", "combinations": "in", "pairwise": "i",
    "combinations_with_replacement": "in", "batched": "in", "reduce": "fi.", "deque": "in", "Counter": "i",
    "nlargest": "ni", "nsmallest": "ni", "heapify": "i", "heappush": "i.", "heappop": "i", "merge": "i*",
    "bisect_left": "s.", "bisect_right": "s.", "insort": "s.", "choice": "s", "shuffle": "s", "sample": "sn",
    "fsum": "i", "mean": "i", "median": "i", "partial": "f", "wraps": "f", "update_wrapper": "ff", "cmp_to_key": "f",
    "OrderedDict": ".", "repeat": ".n", "gcd": "n*", "isqrt": "n", "factorial": "n", "comb": "nn", "loads": "t",
}  # fmt: skip
"""What functions of the library take: iterables, sequences, iterables of iterables, numbers, functions, texts."""
SAME_ELEMENTS = frozenset(
    "islice chain from_iterable cycle compress dropwhile takewhile filterfalse deque nlargest nsmallest sample".split()
)
"""Those that give some of the elements that they get."""
NAMES: dict[str, Type] = {
    **dict.fromkeys(
        "s text string str name line prefix suffix msg message char ch word title filename path encoding pattern sep "
        "delimiter separator indent option section label url format fmt description source template".split(),
        STR,
    ),
    **dict.fromkeys("func function callback fn predicate pred factory handler".split(), FUNCTION),
    **dict.fromkeys(
        "iterable iterator it seq sequence items lst list data values elements nums numbers xs".split(), ListType(INT)
    ),
    **dict.fromkeys("lines words names parts strings tokens".split(), ListType(STR)),
    **dict.fromkeys("mapping d dict kwargs kwds options defaults env".split(), DictType(STR, INT)),
    **dict.fromkeys("flag strict verbose reverse inplace recursive".split(), BOOL),
}  # fmt: skip
"""What is meant by a name, where nothing else tells."""
_TEXT_RESULT = frozenset(
    "upper lower strip lstrip rstrip replace title capitalize casefold swapcase center ljust rjust zfill expandtabs "
    "format translate removeprefix removesuffix join".split()
)
_TEXT_ARGUMENT = frozenset(
    "startswith endswith strip lstrip rstrip replace split rsplit partition rpartition removeprefix removesuffix find "
    "rfind".split()
)
_WIDTHS = frozenset("center ljust rjust zfill expandtabs".split())
_TEXT_TESTS = frozenset(
    "isdigit isalpha isalnum isspace isupper islower isidentifier isdecimal isnumeric startswith endswith "
    "istitle".split()
)
_ITEM_METHODS = frozenset("__getitem__ __setitem__ __delitem__ __contains__".split())
_ADD_ELEMENT = {"append": 0, "add": 0, "insert": 1, "appendleft": 0, "remove": 0, "discard": 0}
_PATTERN = expressions.PATTERN.type
_MATCHING = frozenset("match search fullmatch sub subn split findall finditer".split())
_INTEGERS = frozenset(
    "range chr bin hex oct math.gcd math.isqrt math.factorial math.comb operator.index divmod".split()
)
_ITERABLE = frozenset(
    "list tuple set frozenset sorted reversed iter sum min max any all enumerate zip map filter".split()
)


_NUMBERS = frozenset("abs round pow".split())
_TEXT_FIRST = frozenset("ord re.match re.search re.compile open re.escape".split())
RESULTS: dict[str, Type] = {
    **dict.fromkeys("len ord int hash id".split(), INT),
    **dict.fromkeys("str repr chr format bin hex oct ascii".split(), STR),
    **dict.fromkeys("float math.sqrt math.log math.exp".split(), FLOAT),
    **dict.fromkeys("bool callable hasattr isinstance issubclass".split(), BOOL),
    **dict.fromkeys("open io.StringIO StringIO".split(), STREAM),
    "re.compile": _PATTERN,
}
"""What calls of the library return whatever their arguments are."""


_METHOD_RESULTS: dict[str, Type] = {
    **dict.fromkeys(_TEXT_RESULT, STR),
    **dict.fromkeys(_TEXT_TESTS, BOOL),
    **dict.fromkeys("find rfind index rindex count bit_length __len__".split(), INT),
}


class ScopeReader(Protocol):
    """Whoever reads the code around a call: it finds the slots of expressions."""

    module: ModuleShape
    scope: Scope

    def value(self, node: ast.expr) -> Slot:
        """The slot of an expression."""

    def receiver(self, node: ast.expr) -> ClassShape | None:
        """The class whose object an expression is known to be."""

    def attribute(self, value: ast.expr, attr: str) -> Slot:
        """The slot of an attribute."""


class Calls:
    """One call, read in the scope of its reader."""

    def __init__(self, reader: ScopeReader, node: ast.Call) -> None:
        self.reader = reader
        self.module = reader.module
        self.node = node

    def result(self) -> Slot:
        """The slot of what the call returns."""
        func = self.node.func
        if isinstance(func, ast.Name):
            return self._named(func.id)
        if isinstance(func, ast.Attribute):
            return self._attribute(func)
        slot = self.reader.value(func).find()
        self._arguments()
        # The result of a function has one slot for all callers, and not every one of them calls it.
        return Slot() if isinstance(func, ast.Call) else slot.gives()

    def _arguments(self) -> list[Slot]:
        slots = [self.reader.value(a) for a in self.node.args]
        for keyword in self.node.keywords:
            self.reader.value(keyword.value)
        return slots

    def _named(self, name: str) -> Slot:
        if (local := self.reader.scope.lookup(name)) is not None:
            self._arguments()
            return local.gives()
        if name in self.module.functions:
            return self._to(self.module.functions[name], 0)
        if name in self.module.classes:
            return self._construct(self.module.classes[name])
        return self._library(name)

    def _construct(self, shape: ClassShape) -> Slot:
        if (initialiser := shape.method("__init__")) is not None:
            self._to(initialiser, 1)
        else:
            self._arguments()
        return known(self.module.type_of(shape))

    def _to(self, function: FunctionNode, skipped: int) -> Slot:
        """A call of a function of the module: arguments and parameters lend each other what is known."""
        params = self.module.slots(function)
        received = positional(function)[skipped:]
        for position, argument in enumerate(self.node.args):
            slot = self.reader.value(argument)
            if isinstance(argument, ast.Starred):
                # From here on it is not known which argument goes to which parameter.
                break
            if position < len(received):
                slot.lend(params[received[position].arg])
            elif function.args.vararg is not None:
                slot.lend(params[function.args.vararg.arg])
        for keyword in self.node.keywords:
            slot = self.reader.value(keyword.value)
            if keyword.arg is not None and keyword.arg in params:
                slot.lend(params[keyword.arg])
        return self.module.returned[function]

    def _library(self, name: str) -> Slot:
        """A call of something that the module does not define, by its dotted name."""
        if name in ("isinstance", "issubclass") and len(self.node.args) == 2:
            return self.test()
        args = self._arguments()
        _note_arguments(name, args)
        if name in _ITERABLE:
            return self._iterable(name, args)
        member = name.rpartition(".")[2]
        if member in ROLES:
            return self._by_roles(member, args)
        if name in RESULTS:
            return known(RESULTS[name])
        first = args[0].find() if args else Slot()
        result = Slot()
        match name:
            case "abs" | "round":
                return first
            case "next":
                return first.inside()
            case "dict":
                result = known(DictType(ANY, ANY))
                for keyword in self.node.keywords:
                    if keyword.arg is not None:
                        result.keys().types.setdefault(STR)
                        result.inside().lend(self.reader.value(keyword.value))
            case "range":
                result = known(ListType(ANY))
                result.inside().types[INT] = None
            case "divmod":
                result.items = {0: known(INT), 1: known(INT)}
        return result

    def _by_roles(self, member: str, args: list[Slot]) -> Slot:
        """A call of a library function whose arguments have known roles."""
        roles = ROLES[member]
        elements = None
        for position, slot in enumerate(args):
            given = self.node.args[position]
            if isinstance(given, ast.Starred) or (position >= len(roles) and roles[-1] != "*"):
                break
            role = roles[min(position, len(roles) - 1)]
            role = roles[-2] if role == "*" else role
            slot = slot.find()
            match role:
                case "i" | "s":
                    slot.iterated = True
                    elements = elements or slot.inside()
                case "I":
                    slot.iterated = True
                    slot.inside().iterated = True
                    elements = elements or slot.inside().inside()
                case "n":
                    if not isinstance(given, ast.Constant):
                        slot.types.setdefault(INT)
                case "f":
                    _called(slot, given)
                case "t":
                    slot.types.setdefault(STR)
        result = Slot()
        if member in SAME_ELEMENTS and elements is not None:
            result = known(ListType(ANY))
            result.element = elements
        return result

    def _iterable(self, name: str, args: list[Slot]) -> Slot:
        if name in ("min", "max") and len(args) > 1:
            result = args[0]
            for slot in args[1:]:
                result = result.merge(slot)
            return result
        if name in ("map", "filter"):
            if args:
                result = _called(args[0], self.node.args[0])
                if name == "filter":
                    result.types.setdefault(BOOL)
            args = args[1:]
            if args and dotted(self.node.args[0]) in _ITERABLE:
                args[0].find().inside().iterated = True
        for slot in args:
            slot.find().iterated = True
        if not args:
            return known(PREDEFINED.get(name, ListType(ANY)))
        first = args[0].find()
        if name in ("sum", "min", "max", "any", "all"):
            if name == "sum":
                first.inside().number = True
            return known(BOOL) if name in ("any", "all") else first.inside()
        result = known(PREDEFINED.get(name, ListType(ANY)))
        if name in ("enumerate", "zip"):
            parts = [known(INT), first.inside()] if name == "enumerate" else [slot.find().inside() for slot in args]
            result.inside().items = dict(enumerate(parts))
        elif name != "map":
            result.element = first.inside()
        return result

    def test(self) -> Slot:
        """`isinstance(x, T)`"""
        slot = self.reader.value(self.node.args[0]).find()
        kinds = self.node.args[1]
        parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        for part in parts:
            name = dotted(part).rpartition(".")[2]
            if name in self.module.classes:
                slot.tested.setdefault(self.module.type_of(self.module.classes[name]))
            elif name in _TESTS:
                slot.tested.setdefault(_TESTS[name])
                if name == "Sequence":
                    slot.tested.setdefault(STR)
            elif name in _LIBRARY:
                slot.tested.setdefault(_LIBRARY[name])
        return known(BOOL)

    def _attribute(self, func: ast.Attribute) -> Slot:
        name = func.attr
        shape = self.reader.receiver(func.value)
        if shape is None and isinstance(func.value, ast.Call) and dotted(func.value.func) == "super":
            owner = self.reader.scope.owner
            bases = owner.bases if owner is not None else []
            method = next((found for base in bases if (found := base.method(name)) is not None), None)
            content = owner.content() if owner is not None and method is None else None
            if content is not None:
                return self._on(content.find(), name)
            if method is None:
                self._arguments()
                return Slot()
            return self._to(method, 1)
        if shape is not None:
            if (method := shape.method(name)) is not None:
                static = any(dotted(d) == "staticmethod" for d in method.decorator_list)
                return self._to(method, 0 if static else 1)
            self._arguments()
            return self.reader.attribute(func.value, name).gives()
        path = dotted(func)
        head = path.partition(".")[0]
        if path and self.reader.scope.lookup(head) is None:
            shape = self.module.classes.get(head)
            if shape is not None and (method := shape.method(name)) is not None:
                return self._to(method, any(dotted(d) == "classmethod" for d in method.decorator_list))
            return self._library(path)
        return self._method(func.value, name)

    def _method(self, value: ast.expr, name: str) -> Slot:
        slot = self.reader.value(value).find()
        slot.attributes.add(name)
        self.module.objects.append(slot)
        return self._on(slot, name)

    def _on(self, slot: Slot, name: str) -> Slot:
        """A method of what the slot stands for."""
        args = self._arguments()
        if name in _ITEM_METHODS and args:
            slot.found_at(args[0])
            if name == "__setitem__" and len(args) > 1:
                slot.inside().lend(args[1])
            return slot.inside() if name == "__getitem__" else Slot()
        for names, rule in _METHOD_RULES:
            if name in names:
                rule(slot, name, args)
        return self._method_result(slot.find(), name)

    def _method_result(self, slot: Slot, name: str) -> Slot:
        if name in _METHOD_RESULTS:
            return known(_METHOD_RESULTS[name])
        result = Slot()
        match name:
            case "split" | "rsplit" | "splitlines" | "partition" | "rpartition":
                result = known(ListType(ANY))
                result.inside().types[STR] = None
            case "get" | "setdefault" | "pop" | "popleft":
                return slot.inside()
            case "copy":
                return slot
            case "items":
                result.inside().items = {0: slot.keys(), 1: slot.inside()}
            case "keys" | "values":
                result.element = slot.keys() if name == "keys" else slot.inside()
            case "read" | "readline" | "readlines" | "getvalue" if slot.attributes <= STREAM_MEMBERS:
                return known(STR if name != "readlines" else ListType(STR))
        return result


def _called(slot: Slot, given: ast.expr) -> Slot:
    """What a library function gets from a function that it is given; None may stand for one that does nothing."""
    return Slot() if isinstance(given, ast.Constant) else slot.gives()


def _note_arguments(name: str, args: list[Slot]) -> None:
    """What a function of the library says about what it is called with."""
    for slot in args:
        if name in _INTEGERS:
            slot.find().types.setdefault(INT)
        if name.startswith("math.") or name in _NUMBERS:
            slot.find().number = True
    first = args[0].find() if args else Slot()
    if name in _TEXT_FIRST:
        first.types.setdefault(STR)
    elif name == "len":
        first.sized = True
    elif name == "callable":
        first.tested.setdefault(FUNCTION)


def _is_text(slot: Slot, _name: str, _args: list[Slot]) -> None:
    slot.text = True


def _pattern_reads_text(slot: Slot, name: str, args: list[Slot]) -> None:
    """Methods of a pattern take a text; texts have methods of the same names, so the object must be a pattern."""
    at = 1 if name in ("sub", "subn") else 0
    if len(args) > at and any(_PATTERN in s.find().types for s in (slot, *slot.lenders)):
        args[at].find().types.setdefault(STR)


def _join_reads_texts(slot: Slot, _name: str, args: list[Slot]) -> None:
    if args:
        args[0].find().iterated = True
        args[0].find().inside().types.setdefault(STR)
        slot.types.setdefault(STR)


def _takes_text(_slot: Slot, name: str, args: list[Slot]) -> None:
    """The second argument is a number of times or a position, except for `replace`."""
    for argument in args[:2]:
        if not argument.find().types:
            argument.find().types.setdefault(STR if argument is args[0] or name == "replace" else INT)


def _takes_width(_slot: Slot, _name: str, args: list[Slot]) -> None:
    if args and not args[0].find().types:
        args[0].find().types.setdefault(INT)


def _adds_element(slot: Slot, name: str, args: list[Slot]) -> None:
    if len(args) > _ADD_ELEMENT[name]:
        slot.inside().lend(args[_ADD_ELEMENT[name]])
        if name == "add" and SetType(ANY) in slot.types:
            args[0].find().hashed = True


def _adds_all(slot: Slot, name: str, args: list[Slot]) -> None:
    """The argument holds what the object holds; `update` takes mappings as well, which need not be iterated over."""
    if args:
        args[0].find().iterated = name != "update" or args[0].find().iterated
        args[0].lend(slot)


def _looks_up(slot: Slot, _name: str, args: list[Slot]) -> None:
    if args:
        slot.found_at(args[0])
        if len(args) > 1:
            slot.inside().lend(args[1])


_METHOD_RULES: tuple[tuple[Container[str], Callable[[Slot, str, list[Slot]], None]], ...] = (
    (_TEXT_TESTS | (_TEXT_RESULT - {"format", "replace", "title"}), _is_text),
    (_MATCHING, _pattern_reads_text),
    (("join",), _join_reads_texts),
    (_TEXT_ARGUMENT, _takes_text),
    (_WIDTHS, _takes_width),
    (_ADD_ELEMENT, _adds_element),
    (("extend", "update", "union", "intersection", "difference"), _adds_all),
    (("get", "setdefault"), _looks_up),
)
"""What a call of a method says about its object and its arguments; several rows may be about the same name."""

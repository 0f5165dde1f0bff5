"""Which values a parameter could take: pools of source, each of one kind, the likeliest first."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import re
from typing import Any

from everypath.cases import races
from everypath.cases.races import ParameterUse
from everypath.languages.python.parameters.hints import EMPTY, says_nothing
from everypath.race.subject.annotations import Annotations, accepts, element_hints
from everypath.race.subject.bounds import DURATION
from everypath.race.subject.class_source import UNUSED, Known, Uses
from everypath.race.subject.scope import Scope
from everypath.race.subject.surface import ELEMENT, IDENTIFIER, MANY, NATIVE, Form

Pool = tuple[str | None, ...]
"""Values of one kind; None stands for leaving the argument out."""

OMITTED: Pool = (None,)
TEXTS: Pool = ("'a'", "'b'")
NUMBERS: Pool = ("1", "2")
INDICES: Pool = ("0", "1", "-1")
LISTS: Pool = ("[3, 1, 2]", "[1]")
TEXT_LISTS: Pool = ("['a', 'b']", "['a']")
FILES: Pool = ("'a'",)
"""Never a number, because that could be a file that is already open."""
PAIRS: Pool = ("[('a', 1), ('b', 2)]", "[('a', 2)]")
MAPPINGS: Pool = ("{'a': 1, 'b': 2}", "{'a': 3}")
SETS: Pool = ("{1, 2}", "{2, 3}")
LOCKS: Pool = ("threading.Lock()",)
OBJECTS: Pool = ("stub_object()",)
BOOLEANS: Pool = ("True", "False")
CLASSES: Pool = ("int", "str")
ERROR_CLASSES: Pool = ("ValueError", "KeyError")
SLICES: Pool = ("slice(0, 1)", "slice(1, 3)")
NOTHING: Pool = ("None",)
MAKERS: Pool = ("stub_function()", "stub_function('other')", "failing_function")
FUNCTIONS: Pool = (*MAKERS, "callback")
"""Functions for parameters of which one cannot tell whether the result matters or only the call."""
COUNTERS: Pool = ("counting_function()",)
CALLBACKS: Pool = ("callback", "other_callback", "failing_function")

_BY_NAME: dict[str, Pool] = {
    r"=timer|(.*_)?clock|time_(func(tion)?|source|fn|provider|getter)|now(_\w+)?|(get|current)_time": (
        "time.monotonic",
    ),
    f"={DURATION.pattern}": ("60", "1"),
    r"files|filenames?|paths?|file_?path|director(y|ies)|dir|folder|root": FILES,
    r"=fp|file|(.*_)?(stream|file_?obj|fh|buffer|output|out|writer|reader)": ("io.StringIO()", "stub_object()"),
    r"=rlock": ("threading.RLock()",),
    r"lock|mutex": LOCKS,
    r"=(.*_)?cond(ition)?|cv": ("threading.Condition()",),
    r"semaphore|sem": ("threading.Semaphore(2)",),
    r"callback|cb|listener|handler|observer|subscriber|receiver|hook|slot|on_\w+|sink|consumer|hdlr": CALLBACKS,
    r"factory|loader|creator|maker|producer|supplier|builder|fetch\w*|compute\w*|create\w*|make\w*": MAKERS,
    r"func|fn|function|f|callable|getter|action|target|method|decorated|wrapped|connect": FUNCTIONS,
    r"predicate|pred|filter|condition_fn": ("lambda *args: True", "lambda *args: False"),
    r"=getsizeof|size_?of|weigher|weight_fn|cost_fn": ("lambda *args: 1",),
    r"=key_?(func|fn|function)|comparator": ("lambda item: item",),
    r"max_?size|capacity|cap|max_?len(gth)?|limit|bound|max_\w+|size|maximum|permits|burst|buf(fer)?_?size"
    r"|num_\w+|n_\w+|workers|slots|threshold|rate|tokens|quota|calls|retries|concurrency|connections": NUMBERS,
    r"parties": ("2", "1"),
    r"n|count|num|number|amount|quantity|k|times|length|depth|level|step|delta|by|cost|priority": NUMBERS,
    r"index|idx|i|j|pos|position|offset|start|stop|begin|end|lo|hi|low|high|row|col|column": INDICES,
    r"mapping|dict|dictionary|kwargs|options|config|settings|params|env|headers|attrs|metadata": MAPPINGS,
    r"=(.*_)?keys|names|words|\w*lines|sections": TEXT_LISTS,
    r"=pairs": PAIRS,
    r"iterable|iterator|items|values|elements|seq|sequence|it|entries|objects|nodes|list|data_list|tasks"
    r"|iterables|sequences|array": LISTS,
    r"=(.*_)?(flag|force|strict|verbose|reverse|block|blocking|recursive|enabled?)"
    r"|(is|has|allow|should)_\w+": BOOLEANS,
    r"=exc|err|error|exception|exc_value": ("ValueError('a')",),
    r"=exc_type|error_type|exception_type": ("ValueError",),
    r"=cls|klass|type_?|class_": CLASSES,
    r"key|k|name|id|uid|uuid|event|topic|channel|namespace|tag|label|url|uri|host|user|prefix|suffix"
    r"|word|text|msg|message|string|s|title|field|attr|attribute|section|option|token|owner|group|category|code"
    r"|account|resource|email|address|src|dst|source|destination|sender|to|from_": TEXTS,
    r"value|v|val|item|x|y|z|a|b|c|elem|element|obj|object|data|node|entry|payload|task|job|result|weight"
    r"|score|price|balance|record|sample|new|old|default|initial|arg|instance|thing|member|total": NUMBERS,
}
"""Last words of parameter names, or whole names after `=`; the first match counts."""

_NAMES = tuple(
    (re.compile(words[1:] if words.startswith("=") else f"(.*_)?({words})"), pool) for words, pool in _BY_NAME.items()
)
_BY_WAY: dict[str, Pool] = {
    races.CALLED: FUNCTIONS,
    races.ITERATED: LISTS,
    races.NUMBER: NUMBERS,
    races.TEXT: TEXTS,
    races.MAPPING: MAPPINGS,
    races.LIST: LISTS,
    races.LOCK: LOCKS,
    races.SET: SETS,
    races.OBJECT: OBJECTS,
    races.CLAMPING: NUMBERS,
    races.CLASS: CLASSES,
    races.ERROR_CLASS: ERROR_CLASSES,
}
_FALLBACK = (NUMBERS, TEXTS, LISTS, MAPPINGS, MAKERS, TEXT_LISTS, OBJECTS, BOOLEANS, NOTHING, SETS, COUNTERS)
_END = r"(?=_|$|[A-Z])"
_REMOVING = re.compile(
    r"(un(subscribe|register|bind|watch|listen|observe|hook)|remove|off|discard|detach|deregister|disconnect|delete"
    rf"|drop|cancel|ignore){_END}"
)
_REGISTERING = re.compile(
    rf"(on|once|subscribe|register|connect|add|attach|listen|bind|watch|observe|hook|prepend|append){_END}"
)
_SCHEDULING = re.compile(rf"(enter|enterabs|schedule|call_(later|soon|at)|defer|after|every|run_later|then){_END}")
"""Calls that take a function of which only matters whether and how often it is called."""
_ASKING = re.compile(
    r"(get|pop|remove|delete|del|discard|contains|has|peek|index|count|find|lookup|is|evict|expire|release|return"
    r"|invalidate|ttl|move|clear|forget)"
    rf"{_END}|__(getitem|contains|delitem|getattr|delattr|enter)__"
)
"""Calls for which two keys are enough."""
_FILLING = re.compile(r"\w*update|extend|__ior__|__iadd__|merge|assign|load|subtract")


def further_keys(method: str, pool: Pool) -> Pool:
    """Values of the same kind beyond the first two, for methods that fill the object."""
    if _ASKING.match(method) or _REMOVING.match(method):
        return ()
    return _FURTHER.get(pool[0] or "", ())


_FURTHER: dict[str, Pool] = {TEXTS[0] or "": ("'c'", "'d'", "'e'"), NUMBERS[0] or "": ("3", "4", "5")}


class Pools:
    """Finds the pools of values for every parameter of one class's methods."""

    def __init__(self, cls: type[Any], scope: Scope, annotations: Annotations, known: Known) -> None:
        self.cls = cls
        self._scope = scope
        self._annotations = annotations
        self._known = known
        self._is_mapping = issubclass(cls, collections.abc.Mapping) or all(
            hasattr(cls, name) for name in ("__getitem__", "keys")
        )
        self._is_set = issubclass(cls, collections.abc.Set) or all(hasattr(cls, name) for name in ("add", "discard"))
        methods = [name for name in dir(cls) if not name.startswith("_")]
        # What one call registers another must be able to find again.
        self._registers = any(map(_REMOVING.match, methods)) and any(map(_REGISTERING.match, methods))

    def of_form(self, form: Form) -> list[list[Pool]]:
        """The pools of each parameter; the first of each is what to try first."""
        hints = self._hints(form)
        uses = self._known.uses.of(self.cls, form.method)
        needs_nothing = not any(form.required(p) for p in form.parameters)
        found = []
        for parameter in form.parameters:
            pools = self.of_parameter(form.method, parameter, form.role(parameter), hints, uses)
            if not form.required(parameter) and self.fixed(form.method, parameter.name) is None:
                pools = self._of_optional(form, parameter, pools, needs_nothing)
            found.append(pools)
        return found

    def _hints(self, form: Form) -> dict[str, Any]:
        # Methods of collections written in C have no annotations; the class may say what is in it.
        if form.rank == NATIVE:
            return element_hints(self.cls)
        return self._annotations.resolve(form.function, self.cls) if form.function is not None else {}

    def _of_optional(
        self, form: Form, parameter: inspect.Parameter, pools: list[Pool], needs_nothing: bool
    ) -> list[Pool]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            return [OMITTED]
        if parameter.kind is MANY:
            if _FILLING.fullmatch(form.method):
                return [*self._filling(), *pools, OMITTED]
            if not needs_nothing:
                return [OMITTED, *pools]
            return [OMITTED, *pools] if parameter.name in ("args", "a", "_") else [*pools, OMITTED]
        if pools and pools[0][0] == CALLBACKS[0] and self._is_registering(form.method):
            return [*pools, OMITTED]
        if form.method == "setdefault":
            return [*(pools if form.rank == NATIVE else (NUMBERS, *pools)), OMITTED]
        if (
            _FILLING.fullmatch(form.method)
            and needs_nothing
            and (parameter.default is None or isinstance(parameter.default, tuple))
        ):
            return [*self._filling(), *pools, OMITTED]
        return [OMITTED, *pools]

    def _filling(self) -> list[Pool]:
        return [MAPPINGS, PAIRS, LISTS] if self._is_mapping else [LISTS, MAPPINGS]

    def fixed(self, method: str, name: str) -> list[str] | None:
        """What the user gave for a parameter."""
        return self._known.fixed.get(f"{method}.{name}") or self._known.fixed.get(name)

    def solved(self, method: str, name: str) -> list[str]:
        """Values that were found to matter for a parameter of a method."""
        return [value for value in self._known.solved.get((method, name), ()) if self._scope.usable(value)]

    def variants(self, form: Form, parameter: inspect.Parameter) -> list[str]:
        """Values for an optional argument that make a difference, for a call that works without it."""
        given = self.fixed(form.method, parameter.name)
        if given is not None:
            return given
        if isinstance(parameter.default, bool):
            return [str(not parameter.default)]
        hints = self._hints(form)
        uses = self._known.uses.of(self.cls, form.method)
        if re.fullmatch(r"(.*_)?timeout|wait_?time", parameter.name):
            return ["1"]
        if parameter.name in ("default", "d", "failobj"):
            return ["None"] if parameter.default is not None else ["0"]
        pools = self.of_parameter(form.method, parameter, form.role(parameter), hints, uses)
        plain = isinstance(parameter.default, int | float | str | bytes | None)
        default = repr(parameter.default) if plain else ""
        return [value for pool in pools[:1] for value in pool if value and value != default][:1]

    def of_parameter(
        self, method: str, parameter: inspect.Parameter, role: str, hints: dict[str, Any], uses: Uses
    ) -> list[Pool]:
        """The pools of one parameter, without regard to whether it may be left out."""
        given = self.fixed(method, parameter.name)
        if given is not None:
            return [tuple(given)]
        if role == IDENTIFIER:
            return [("a", "b")]
        use = uses.get(parameter.name, UNUSED)
        annotation = hints.get(parameter.name, EMPTY)
        found: list[Pool] = []
        if not says_nothing(annotation):
            stated: Pool = tuple(self._annotations.values(annotation))
            named = self._named(method, parameter, role)
            fitting = tuple(v for v in named or () if v is not None and self._fits(annotation, v))
            # "sut" for an annotation naming the class itself must win over what the name suggests.
            found += [fitting] if fitting and stated[:1] != ("sut",) else []
            if stated[:1] == MAKERS[:1] and (named is CALLBACKS or self._function(method) is CALLBACKS):
                stated = CALLBACKS
            found += [stated] if stated else []
        found += self._unannotated(method, parameter, role, use)
        found += [SLICES] if role == ELEMENT else []
        # Nothing else where a file is meant: a number, for one, would be a file that is open already.
        found += _FALLBACK if found[:1] != [FILES] else ()
        return self._cleaned(found, use)

    def _unannotated(self, method: str, parameter: inspect.Parameter, role: str, use: ParameterUse) -> list[Pool]:
        ways = [_BY_WAY[way] for way in use.ways]
        ways = [self._function(method) if pool is FUNCTIONS else pool for pool in ways]
        by_default = _of_default(parameter.default)
        named = self._named(method, parameter, role)
        found: list[Pool] = []
        if named is not None:
            # The way of use says the kind for certain, the name the better values of that kind.
            kinds = [kind for kind in map(_kind, (p[0] for p in ways)) if kind]
            # A text can be iterated over, too.
            kinds += ["str"] if races.ITERATED in use.ways else []
            if not kinds or _kind(named[0]) in kinds:
                found.append(named)
        found += [by_default] if by_default else []
        if not ways or OBJECTS in ways:
            made = tuple(self._annotations.made_for(parameter.name, use.members))
            found = [made, *found] if made else found
        found += ways
        return [*found, *([named] if named is not None else [])]

    def _named(self, method: str, parameter: inspect.Parameter, role: str) -> Pool | None:
        name = parameter.name.lower().strip("_")
        if parameter.kind is MANY and name.endswith("s") and name not in ("args",):
            name = name[:-1] if not re.fullmatch(r"iterables|sequences|others", name) else "iterable"
        if role == ELEMENT and name in ("item", "x", "value", "obj", "elem"):
            name = "key"
        if self._is_mapping and _FILLING.fullmatch(method):
            return MAPPINGS
        if re.fullmatch(r"__i?(or|and|sub|xor)__", method) and self._is_set:
            return SETS
        if name in ("other", "others", "peer", "that", "rhs", "another"):
            return LISTS if _FILLING.fullmatch(method) else ("sut",)
        if name == "k" and self._is_mapping:
            return TEXTS
        for pattern, pool in _NAMES:
            if pattern.fullmatch(name):
                return self._function(method) if pool is FUNCTIONS else pool
        return None

    def _function(self, method: str) -> Pool:
        return CALLBACKS if self._is_registering(method) or _SCHEDULING.match(method) else MAKERS

    def _is_registering(self, method: str) -> bool:
        return self._registers and bool(_REMOVING.match(method) or _REGISTERING.match(method))

    def _fits(self, annotation: Any, source: str) -> bool:
        """Whether a literal may be given; other sources never fit."""
        try:
            return accepts(annotation, ast.literal_eval(source))
        except (ValueError, SyntaxError, TypeError):
            return False

    def _cleaned(self, pools: list[Pool], use: ParameterUse) -> list[Pool]:
        found: list[Pool] = []
        for pool in pools:
            usable = tuple(dict.fromkeys(v for v in pool if v is not None and self._scope.usable(v)))
            if usable and usable[0] not in (p[0] for p in found):
                found.append(usable)
        if found:
            near = dict.fromkeys(value for constant in use.constants for value in _around(constant))
            alike = [c for c in near if _kind(c) == _kind(found[0][0]) and c not in found[0]]
            found[0] = (*found[0], *alike[:3])
        return found


def _around(constant: str) -> tuple[str, ...]:
    """A constant of a comparison, and for a whole number its neighbours: one of them goes the other way."""
    try:
        number = ast.literal_eval(constant)
    except (ValueError, SyntaxError):
        return (constant,)
    return (repr(number - 1), constant, repr(number + 1)) if type(number) is int else (constant,)


def _of_default(default: Any) -> Pool | None:
    if default is None or default is inspect.Parameter.empty:
        return None
    if isinstance(default, bool):
        return (str(not default), str(default))
    if isinstance(default, (int, float, str, bytes)):
        shown = repr(default)
        return tuple(dict.fromkeys((*{int: NUMBERS, str: TEXTS}.get(type(default), ()), shown)))
    by_type: dict[type[Any], Pool] = {list: LISTS, dict: MAPPINGS, set: SETS, tuple: ("(1, 2)",)}
    return by_type.get(type(default))


def _kind(source: str | None) -> str | None:
    """The kind of value that a source stands for, as far as one can see."""
    if source is None:
        return None
    try:
        return type(ast.literal_eval(source)).__name__
    except (ValueError, SyntaxError, TypeError):
        return "callable" if "function" in source or "callback" in source or "lambda" in source else source

"""Hashes of keys: where a class defines `__hash__` or `__eq__`, its methods run and their answers are remembered."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Post, State
from everypath.heap.equality import is_float
from everypath.heap.knowledge import NeedsCode
from everypath.heap.values import Hash, Keyed, Ref, Value
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics.hashes import number, token, token_of_hash
from everypath.languages.python.semantics.keys import generated_hash, known_fields
from everypath.languages.python.semantics.kinds import type_name, user_method
from everypath.logic import terms
from everypath.logic.terms import Term

_HASHED = frozenset((str, int, bool, float, bytes, type(None)))


def need_hashable(st: State, key: Value) -> None:
    """A key of a dict or set must have a hash; a method of the program that computes it is run."""
    key = resolve(st, key)
    if key.__class__ in _HASHED or isinstance(key, Term):
        return
    if isinstance(key, tuple):
        for part in key:
            need_hashable(st, part)
        return
    kind = type_name(st, key)
    if kind == "slice":
        raise Unsupported("a slice as a key")
    if kind == "set" and isinstance(key, Ref) and not st.heap.mapping(key).frozen:
        if key.input:
            raise Unsupported("a set or frozenset of the input as a key")
        raise Fault("TypeError", "unhashable type: 'set'")
    by_value, hashed = user_method(st, key, "__eq__"), user_method(st, key, "__hash__")
    if kind in ("list", "dict") or _unhashable(program_of(st), kind, by_value, hashed):
        raise Fault("TypeError", f"unhashable type: {short(kind)!r}")
    if hashed is None or not isinstance(key, Ref) or key.cls in st.heap.inputs.enumerations:
        return
    if hashed.model and (by_value is None or by_value.model) and known_fields(st.heap, key) is not None:
        return
    asked = _current(st)
    if key not in asked.fresh:
        raise Invoke(hashed, [key], _remember(key, asked), again=True)


def has_no_hash(program: Program, cls: str) -> bool:
    """Whether objects of a class of the program cannot be keys."""
    return _unhashable(program, cls, program.find_method(cls, "__eq__"), program.find_method(cls, "__hash__"))


def _unhashable(program: Program, cls: str, by_value: Method | None, hashed: Method | None) -> bool:
    order = program.mro(cls)
    if by_value is not None and (hashed is None or order.index(by_value.cls) < order.index(hashed.cls)):
        return True
    # Of what a class body may assign, only a constant is left as an attribute: None, for no hash at all.
    owners = ((base, program.classes.get(base)) for base in order)
    without = next((base for base, owner in owners if owner is not None and "__hash__" in owner.statics), None)
    return without is not None and (hashed is None or order.index(without) < order.index(hashed.cls))


def compared(st: State, need: NeedsCode) -> Invoke:
    """The call that tells whether two keys are equal."""
    asked = _current(st)
    pair = (need.known, need.key)

    def keep(state: State, answer: Value) -> Value:
        state.heap.keyed = Keyed(state.trace, {**asked.answers, pair: answer}, asked.fresh, state.heap.keyed.hashes)
        return None

    method = program_of(st).find_method("builtins", "equal_keys")
    assert method is not None
    return Invoke(method, pair, keep, again=True)


def hash_of(st: State, value: Value) -> Value:
    """`hash(value)`: a number where every run gives the same, else a `Hash` that can only be compared."""
    need_hashable(st, value)
    value = resolve(st, value)
    if is_float(value):
        value = fixed(st, value, "hash() of a float")
    if isinstance(value, (int, float)):
        return hash(value)
    if isinstance(value, Term) and value.sort in ("int", "bool"):
        return terms.ite(terms.eq(value, -1), -2, value) if value.sort == "int" else terms.bool_to_int(value)
    found = token(st.heap, value)
    if isinstance(value, Ref) and isinstance(found, int):
        return found
    if found is value and isinstance(value, Ref):
        fields = known_fields(st.heap, value)
        if fields is not None:
            found = generated_hash(st.heap, value, fields)
    known = number(Hash(found))
    return Hash(found) if known is None else known


def _current(st: State) -> Keyed:
    """What was asked since the last operation of the program; what was asked before it may have changed."""
    keyed = st.heap.keyed
    if keyed.when is not st.trace:
        keyed = st.heap.keyed = Keyed(st.trace, {}, frozenset(), keyed.hashes)
    return keyed


def _remember(key: Ref, asked: Keyed) -> Post:
    def keep(state: State, value: Value) -> Value:
        value = resolve(state, value)
        is_number = isinstance(value, int) or (isinstance(value, Term) and value.sort in ("int", "bool"))
        if not is_number and not isinstance(value, Hash):
            raise Fault("TypeError", "__hash__ method should return an integer")
        hashes = {**state.heap.keyed.hashes, key: token_of_hash(value)}
        state.heap.keyed = Keyed(state.trace, asked.answers, asked.fresh | {key}, hashes)
        return None

    return keep

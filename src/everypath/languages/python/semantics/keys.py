"""When two keys of a dict or set are the same key.

Most keys are compared right here: plain values by value, objects without `__eq__` by identity, and objects whose
`__eq__` was generated (dataclasses, named tuples) field by field. For any other `__eq__` code of the program must run.
As in a real hash table it is asked only if the hashes are equal, and the caller gets `NeedsCode` until the machine has
run it; its answers, and the hashes that `__hash__` methods of the program give, are kept in `heap.keyed`.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import class_for, program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Post, State
from everypath.heap.choice import decide
from everypath.heap.equality import equal, is_float, is_truth
from everypath.heap.heap import Heap
from everypath.heap.knowledge import NeedsCode
from everypath.heap.values import DictCell, Hash, Keyed, Ref, Unknown, Value
from everypath.ir.instructions import GetField
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics.hashes import number, same_hash, token, token_of_hash
from everypath.languages.python.semantics.kinds import reference, type_name, user_method
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term

_PLAIN = frozenset((str, int, bool, type(None)))
_HASHED = frozenset((str, int, bool, float, bytes, type(None)))
_ASSIGNED = "_assigned_"
"""Begins the name under which a class keeps an operator that its body has computed."""


def is_key(heap: Heap, pc: PathCondition, known: Value, key: Value) -> bool:
    """Whether a key that is looked up is the one of an entry: first by hash, then as the program compares."""
    if known is key:
        return True
    # By far the most frequent keys, which need none of the questions below.
    if known.__class__ in _PLAIN and (key.__class__ in _PLAIN or isinstance(key, Term)):
        return decide(pc, same_key(heap, known, key))
    known, key = heap.settled(known), heap.settled(key)
    if known is key:
        return True
    if not by_code(heap, known) and not by_code(heap, key) and not _unlike(heap, known, key):
        return decide(pc, same_key(heap, known, key))
    if not decide(pc, same_hash(_hash(heap, known), _hash(heap, key))):
        return False
    answer = heap.keyed.answers.get((known, key))
    if answer is None:
        raise NeedsCode(known, key)
    assert is_truth(answer)
    return decide(pc, answer)


def by_code(heap: Heap, key: Value) -> bool:
    """Whether comparing the key takes code of the program, or a look into a collection."""
    key = heap.settled(key)
    if isinstance(key, tuple):
        return any(by_code(heap, part) for part in key)
    if not isinstance(key, Ref):
        return False
    if key in heap.keyed.hashes or isinstance(heap.cells[key], DictCell):
        return True
    method = _comparison(heap, key)
    return method is not None and (not method.model or any(name.startswith(_ASSIGNED) for name in _compared(method)))


def equals_by_fields(heap: Heap, key: Ref) -> bool:
    """Whether a key equals any object of its class with the same fields."""
    return _comparison(heap, key) is not None and not by_code(heap, key)


def _unlike(heap: Heap, known: Value, key: Value) -> bool:
    """Whether one key is an object with a generated comparison, such as a named tuple, and the other no object."""
    if isinstance(known, Ref) == isinstance(key, Ref):
        return False
    ref = known if isinstance(known, Ref) else reference(key)
    return ref.cls not in heap.inputs.enumerations and _comparison(heap, ref) is not None


def known_fields(heap: Heap, key: Ref) -> list[Value] | None:
    """The values that a generated comparison looks at; None unless all of them are known to be plain."""
    method = _comparison(heap, key)
    if method is None or by_code(heap, key):
        return None
    cell = heap.fields(key)
    found = [heap.settled(cell[name]) for name in _compared(method) if name in cell]
    if len(found) < len(_compared(method)) or any(isinstance(value, (Ref, Unknown, tuple)) for value in found):
        return None
    return found


def generated_hash(heap: Heap, key: Ref, fields: list[Value]) -> Value:
    """The token of an object whose `__hash__` was generated, or comes from a class of the language that it extends."""
    method = _comparison(heap, key)
    if method is not None and method.cls.startswith("builtin_bases."):
        return token(heap, fields[0])
    return tuple(token(heap, value) for value in fields)


def _hash(heap: Heap, key: Value) -> Value:
    key = heap.resolve(key)
    if isinstance(key, tuple):
        return tuple(_hash(heap, part) for part in key)
    if isinstance(key, Ref) and key not in heap.keyed.hashes and type(heap.cells[key]) is dict:
        fields = known_fields(heap, key)
        if fields is not None and key.cls not in heap.inputs.enumerations:
            return generated_hash(heap, key, fields)
        if by_code(heap, key):
            raise Unsupported("keys of an input dict or set whose class defines __eq__")
    return token(heap, key)


def same_key(heap: Heap, known: Value, key: Value) -> bool | Term:
    """The condition under which two keys are equal, for keys that need no code of the program."""
    if known is key:
        return True
    known, key = heap.settled(known), heap.settled(key)
    if isinstance(known, tuple) and isinstance(key, tuple):
        if len(known) != len(key):
            return False
        return terms.and_(*(same_key(heap, a, b) for a, b in zip(known, key)))
    if isinstance(known, Hash) and isinstance(key, Hash):
        return same_hash(known.of, key.of)
    method = _comparison(heap, known) or _comparison(heap, key)
    if method is None:
        return equal(heap, known, key)
    known, key = heap.resolve(known), heap.resolve(key)
    return known is key or _same_object(heap, method, known, key)


def _same_object(heap: Heap, method: Method, known: Value, key: Value) -> bool | Term:
    """Whether two keys are equal of which one is an object that `method` compares."""
    enumerated = [isinstance(k, Ref) and k.cls in heap.inputs.enumerations for k in (known, key)]
    if all(enumerated):
        # Each member exists once, and they are not the same one.
        return False
    if any(enumerated):
        known, key = _plain(heap, known), _plain(heap, key)
        if not isinstance(known, Ref) and not isinstance(key, Ref):
            return equal(heap, known, key)
    if not (method.model and isinstance(known, Ref) and isinstance(key, Ref)):
        raise Unsupported("keys of a dict or set that define __eq__")
    if known.open or key.open:
        raise Unsupported("keys of a dict or set whose class is not known")
    return known.cls == key.cls and _same_fields(heap, _compared(method), known, key)


def _same_fields(heap: Heap, names: list[str], known: Ref, key: Ref) -> bool | Term:
    mine, theirs = heap.fields(known), heap.fields(key)
    if not all(name in mine and name in theirs for name in names):
        raise Unsupported("keys of a dict or set with fields that nothing has looked at")
    return terms.and_(*(same_key(heap, mine[name], theirs[name]) for name in names))


def _plain(heap: Heap, key: Value) -> Value:
    """The value of a member of an enumeration of numbers or texts."""
    if isinstance(key, Ref) and key.cls in heap.inputs.enumerations:
        fields = heap.fields(key)
        if "_value_" not in fields:
            raise Unsupported("members of an enumeration as keys besides other values")
        return fields["_value_"]
    return key


def _comparison(heap: Heap, key: Value) -> Method | None:
    """The `__eq__` of an object that is a key."""
    if isinstance(key, Ref) and type(heap.cells[key]) is dict:
        return heap.inputs.program.find_method(heap.class_bound(key).bound, "__eq__")
    return None


def _compared(method: Method) -> list[str]:
    """The fields that a generated comparison looks at."""
    found = {
        instruction.name: None
        for block in method.blocks.values()
        for instruction in block.instructions
        if isinstance(instruction, GetField) and instruction.obj == 0
    }
    return list(found)


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
    kind = _hashed_as(st, key, kind)
    if kind in ("list", "dict") or _unhashable(program_of(st), kind, by_value, hashed):
        raise Fault("TypeError", f"unhashable type: {short(kind)!r}")
    if hashed is None or not isinstance(key, Ref) or key.cls in st.heap.inputs.enumerations:
        return
    if hashed.model and (by_value is None or by_value.model) and known_fields(st.heap, key) is not None:
        return
    asked = _current(st)
    if key not in asked.fresh:
        raise Invoke(hashed, [key], _remember(key, asked), again=True)


def _hashed_as(st: State, key: Value, kind: str) -> str:
    """The class of a key; those below the declared one are told apart where only some of them have a hash."""
    if isinstance(key, Ref) and type(st.heap.cells[key]) is dict:
        return class_for(st, key, lambda cls: has_no_hash(program_of(st), cls))
    return kind


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

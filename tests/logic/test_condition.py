"""Decisions of every combination of layers against brute force over small domains."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from everypath.errors import SolverUnknown
from everypath.logic import terms as T
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.options import SolverOptions

from . import recipes
from .recipes import Recipe, Undefined, cook, fresh_variables, make, taste

COMPLETE = (("bounds", "witness", "smt"), ("witness", "smt"), ("bounds", "smt"), ("smt",))
PARTIAL = (("bounds", "witness"), ("bounds",), ("witness",))
WORDS = ["".join(letters) for n in range(3) for letters in itertools.product("ab", repeat=n)]
DECIDERS = {layers: Decider(SolverOptions(layers=layers, timeout_ms=10_000)) for layers in COMPLETE + PARTIAL}
STRING_DECIDERS = {layers: Decider(SolverOptions(layers=layers, timeout_ms=400)) for layers in COMPLETE}

steps = st.lists(st.tuples(recipes.conditions(2), st.booleans()), min_size=1, max_size=7)
order_steps = st.lists(
    st.tuples(
        st.builds(
            make,
            recipes.comparison,
            recipes.variable,
            recipes.variable | recipes.small | st.builds(make, st.just("add"), recipes.variable, recipes.small),
        ),
        st.booleans(),
    ),
    min_size=4,
    max_size=10,
)
string_steps = st.lists(st.tuples(recipes.string_conditions(1), st.booleans()), min_size=1, max_size=4)


def all_values(names: tuple[str, ...], flags: bool) -> list[dict[str, Any]]:
    numbers = itertools.product(range(recipes.LOW, recipes.HIGH + 1), repeat=len(names))
    switches = list(itertools.product((False, True), repeat=2)) if flags else [(False, False)]
    return [dict(zip(names, n)) | dict(zip(recipes.FLAGS, s)) for n in numbers for s in switches]


def possible(recipe: Recipe, worlds: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    try:
        marked = [(bool(taste(recipe, world)), world) for world in worlds]
    except Undefined:
        # Where an operation is undefined its value is open, so brute force has nothing to say.
        assume(False)
        raise
    return [w for yes, w in marked if yes], [w for yes, w in marked if not yes]


def follow(
    decider: Decider,
    path: list[tuple[Recipe, bool]],
    worlds: list[dict[str, Any]],
    start: list[Any],
    table: dict[str, Any],
) -> PathCondition:
    """Walks a path and compares every answer with the worlds that are left."""
    condition = PathCondition(decider)
    for given_condition in start:
        condition.assume(given_condition)
    for recipe, preferred in path:
        question = cook(recipe, table)
        yes, no = possible(recipe, worlds)
        want = (1 if yes else 0) | (2 if no else 0)
        try:
            got = condition.decide(question)
        except SolverUnknown:
            # Without the solver, and with its strings, not knowing is allowed; a wrong answer is not.
            assert not decider.smt or start
            return condition
        assert got == want, (decider.options.layers, str(question), list(map(str, condition.constraints())))
        side = preferred if want == 3 else want == 1
        twin = condition.copy()
        before = twin.constraints()
        condition.assume(question if side else T.not_(question))
        worlds = yes if side else no
        assert twin.constraints() == before
        if decider.witness:
            assert all(T.evaluate(c, condition._witness) for c in condition.constraints())
            assert all(T.evaluate(c, twin._witness) for c in twin.constraints())
    check_cheap_knowledge(condition, worlds, table)
    return condition


def check_cheap_knowledge(condition: PathCondition, worlds: list[dict[str, Any]], table: dict[str, Any]) -> None:
    for name in worlds[0]:
        seen = {world[name] for world in worlds}
        fixed = condition.value(table[name])
        assert fixed is None or seen == {fixed}
        if name in recipes.NAMES:
            low, high = condition.interval(table[name])
            assert low is not None and high is not None
            assert low <= min(seen) and max(seen) <= high


def check_model(condition: PathCondition, prefer: tuple[Any, ...]) -> None:
    model = condition.model(prefer)
    assert all(T.evaluate(c, model) for c in condition.constraints())
    assert set(prefer) <= set(model)
    for variable, value in model.items():
        assert variable.lo is None or variable.lo <= value
        assert variable.hi is None or value <= variable.hi
    assert condition.copy().model(prefer) == model
    assert condition.model(prefer) == model


@settings(max_examples=60, deadline=None)
@given(steps)
def test_layers_agree_with_brute_force(path: list[tuple[Recipe, bool]]) -> None:
    worlds = all_values(recipes.NAMES, flags=True)
    table = fresh_variables()
    for layers in COMPLETE + PARTIAL:
        condition = follow(DECIDERS[layers], path, worlds, [], table)
        if layers in COMPLETE:
            check_model(condition, (table["b"], table["a"]))


@settings(max_examples=150, deadline=None)
@given(order_steps)
def test_order_questions_agree_with_brute_force(path: list[tuple[Recipe, bool]]) -> None:
    worlds = all_values(recipes.NAMES, flags=False)
    table = fresh_variables()
    for layers in (COMPLETE[0], COMPLETE[2], *PARTIAL):
        condition = follow(DECIDERS[layers], path, worlds, [], table)
        if layers == COMPLETE[0]:
            check_model(condition, ())


@settings(max_examples=60, deadline=None)
@given(string_steps)
def test_strings_agree_with_brute_force(path: list[tuple[Recipe, bool]]) -> None:
    table = fresh_variables()
    numbers = {name: table[name] for name in recipes.NAMES}
    start = [T.or_(*(T.str_eq(table[name], word) for word in WORDS)) for name in recipes.TEXTS]
    start += [T.eq(variable, 1) for variable in numbers.values()]
    start += [T.not_(table[flag]) for flag in recipes.FLAGS]
    rest = dict.fromkeys(numbers, 1) | dict.fromkeys(recipes.FLAGS, False)
    worlds = [{"s": s, "t": t} | rest for s in WORDS for t in WORDS]
    for layers in (COMPLETE[0], COMPLETE[3]):
        condition = follow(STRING_DECIDERS[layers], path, worlds, start, table)
        check_model(condition, (table["t"],))


@settings(max_examples=100, deadline=None)
@given(order_steps, order_steps)
def test_copies_do_not_share_what_follows(first: list[tuple[Recipe, bool]], second: list[tuple[Recipe, bool]]) -> None:
    table = fresh_variables()
    questions = [cook(recipe, table) for recipe, _ in first + second]
    original = PathCondition(DECIDERS[COMPLETE[0]])
    for recipe, side in first:
        original.add(cook(recipe, table) if side else T.not_(cook(recipe, table)))
    answers = [original.decide(question) for question in questions]
    constraints = original.constraints()
    twin = original.copy()
    for recipe, side in second:
        twin.add(cook(recipe, table) if side else T.not_(cook(recipe, table)))
    assert original.constraints() == constraints
    assert [original.decide(question) for question in questions] == answers
    copied = twin.constraints()
    original.add(T.eq(table["a"], table["b"]))
    assert twin.constraints() == copied


@pytest.fixture(params=COMPLETE, ids="+".join)
def condition(request: pytest.FixtureRequest) -> PathCondition:
    return PathCondition(Decider(SolverOptions(layers=request.param)))


def test_big_integers(condition: PathCondition) -> None:
    a, b = T.int_var("a"), T.int_var("b")
    huge = 10**30
    assert condition.add(T.gt(a, huge))
    assert condition.add(T.eq(T.add(T.mul(3, b), T.mul(2, a)), 1))
    assert condition.decide(T.gt(a, huge - 1)) == 1
    assert condition.decide(T.lt(b, 0)) == 1
    model = condition.model()
    assert model[a] > huge and 3 * model[b] + 2 * model[a] == 1


def test_products_and_divisions_of_unknowns(condition: PathCondition) -> None:
    a, b = T.int_var("a"), T.int_var("b")
    assert condition.add(T.eq(T.mul(a, b), 91))
    assert condition.add(T.and_(T.gt(a, 1), T.gt(b, a)))
    assert condition.add(T.eq(T.floordiv(b, a), 1))
    model = condition.model()
    assert (model[a], model[b]) == (7, 13)


def test_bitwise_operations_between_unknowns(condition: PathCondition) -> None:
    n, m = T.int_var("n"), T.int_var("m")
    power_of_two = T.eq(T.bit_and(n, T.sub(n, 1)), 0)
    assert condition.add(T.gt(n, 5))
    assert condition.add(power_of_two)
    assert condition.add(T.eq(T.bit_or(n, m), 13))
    assert condition.add(T.lt(n, m))
    model = condition.model()
    assert model[n] == 8 and model[n] | model[m] == 13


def test_infeasible_additions_change_nothing(condition: PathCondition) -> None:
    a = T.int_var("a")
    assert condition.add(True)
    assert not condition.add(False)
    assert condition.add(T.gt(a, 3))
    before = condition.constraints()
    assert not condition.add(T.lt(a, 2))
    assert condition.constraints() == before
    assert condition.decide(T.gt(a, 3)) == 1
    assert condition.decide(T.le(a, 3)) == 2


def test_nothing_assumed(condition: PathCondition) -> None:
    a, p, s = T.int_var("a", 2, 5), T.bool_var("p"), T.str_var("s")
    assert condition.model() == {}
    assert condition.model([a, p, s]) == {a: 2, p: False, s: ""}
    assert condition.constraints() == ()
    assert condition.decide(T.le(a, 5)) == 1
    assert condition.decide(p) == 3


def test_every_question_is_counted_once() -> None:
    decider = Decider()
    condition = PathCondition(decider)
    a, b = T.int_var("a"), T.int_var("b")
    for question in (T.lt(a, b), T.lt(a, b), T.le(a, b), T.eq(T.mul(a, b), 1_000_003), True):
        condition.add(question)
    assert sum(decider.counts.values()) == 5
    assert decider.counts["folded"] == 2
    assert decider.counts["bounds"] == 2


def test_orders_and_equalities_stay_out_of_the_solver() -> None:
    decider = Decider(SolverOptions(layers=("bounds", "witness")))
    variables = [T.int_var(f"x{i}") for i in range(8)]
    pairs = [(x, y) for i, x in enumerate(variables) for y in variables[i + 1 :]]
    leaves = 0

    def walk(condition: PathCondition, depth: int) -> None:
        nonlocal leaves
        if depth == len(pairs) or leaves > 300:
            leaves += 1
            return
        question = T.eq(*pairs[depth])
        verdict = condition.decide(question)
        if verdict & 1:
            other = condition.copy()
            other.assume(question)
            walk(other, depth + 1)
        if verdict & 2:
            condition.assume(T.not_(question))
            walk(condition, depth + 1)

    walk(PathCondition(decider), 0)
    assert leaves > 300
    assert decider.counts["smt"] == 0


def test_partitions_are_counted_exactly() -> None:
    """Deciding every equality among n unknowns leaves one path per partition of n things (Bell numbers)."""
    variables = [T.int_var(f"x{i}") for i in range(5)]
    pairs = list(itertools.combinations(variables, 2))

    def paths(condition: PathCondition, depth: int) -> int:
        if depth == len(pairs):
            return 1
        total = 0
        for side in (T.eq(*pairs[depth]), T.ne(*pairs[depth])):
            other = condition.copy()
            if other.add(side):
                total += paths(other, depth + 1)
        return total

    assert paths(PathCondition(Decider()), 0) == 52


def test_orders_are_counted_exactly() -> None:
    """Comparing four unknowns pairwise leaves one path per weak order of four things (Fubini numbers)."""
    variables = [T.int_var(f"x{i}") for i in range(4)]
    pairs = list(itertools.combinations(variables, 2))

    def paths(condition: PathCondition, depth: int) -> int:
        if depth == len(pairs):
            return 1
        total = 0
        for relation in (T.lt, T.eq, T.gt):
            other = condition.copy()
            if other.add(relation(*pairs[depth])):
                total += paths(other, depth + 1)
        return total

    assert paths(PathCondition(Decider()), 0) == 75


def test_values_that_are_plain_to_see() -> None:
    condition = PathCondition(Decider())
    a, b, c = (T.int_var(name) for name in "abc")
    s, p = T.str_var("s"), T.bool_var("p")
    condition.add(T.eq(a, 7))
    condition.add(T.eq(b, T.add(a, 3)))
    condition.add(T.ge(c, 4))
    condition.add(T.le(c, 5))
    condition.add(T.str_eq(s, "key"))
    condition.add(T.not_(p))
    assert condition.value(b) == 10
    assert condition.value(T.add(T.mul(2, a), b)) == 24
    assert condition.value(T.floordiv(b, 4)) == 2
    assert condition.value(T.floormod(b, a)) == 3
    assert condition.value(T.mul(a, b)) == 70
    assert condition.value(c) is None
    assert condition.interval(T.floordiv(c, 4)) == (1, 1)
    assert condition.interval(T.sub(c, a)) == (-3, -2)
    condition.add(T.ne(c, 4))
    assert condition.value(c) == 5
    assert condition.value(s) == "key"
    assert condition.value(T.concat(s, "!")) == "key!"
    assert condition.value(T.str_len(s)) == 3
    assert condition.value(p) is False
    assert condition.value(T.ite(p, a, b)) == 10
    assert condition.value(12) == 12


def test_models_are_small() -> None:
    condition = PathCondition(Decider())
    a, b, c, d = (T.int_var(name) for name in "abcd")
    s, t = T.str_var("s"), T.str_var("t")
    for constraint in (T.ne(a, b), T.ne(b, c), T.ne(a, c), T.gt(d, T.add(a, 10)), T.str_ne(s, t), T.str_ne(t, "a")):
        assert condition.add(constraint)
    model = condition.model([a, b, c, d, s, t])
    assert (model[a], model[b], model[c]) == (0, 1, -1)
    assert model[d] == 11
    assert (model[s], model[t]) == ("", "b")


def test_unknown_is_never_an_answer() -> None:
    condition = PathCondition(Decider(SolverOptions(timeout_ms=50)))
    a, b, c = (T.int_var(name, 1, None) for name in "abc")

    def cube(x: Any) -> Any:
        return T.mul(x, T.mul(x, x))

    with pytest.raises(SolverUnknown):
        condition.decide(T.eq(T.add(cube(a), cube(b)), cube(c)))
    assert condition.constraints() == ()


def test_split_leaves_both_sides_independent() -> None:
    a, b, c = (T.int_var(name) for name in "abc")
    condition = PathCondition(Decider())
    condition.add(T.le(a, b))
    copied = condition.copy()
    other = condition.split(T.eq(b, c))
    known = condition.split(T.le(a, b))
    condition.add(T.lt(c, b))
    assert [str(t) for t in other.constraints()] == [str(T.le(a, b)), str(T.eq(b, c))]
    assert copied.constraints() == known.constraints() == (T.le(a, b),)
    assert condition.decide(T.eq(b, c)) == 2
    assert other.decide(T.lt(c, b)) == 2
    assert known.decide(T.eq(b, c)) == copied.decide(T.eq(b, c)) == 3


equalities = st.lists(
    st.tuples(
        st.sampled_from(["eq", "ne", "eq", "ne", "le"]),
        st.integers(0, 4),
        st.integers(0, 5),
        st.integers(-2, 2),
        st.booleans(),
    ),
    min_size=4,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(equalities, st.integers(0, 2))
def test_equalities_of_unbounded_numbers_agree_with_the_solver(
    path: list[tuple[str, int, int, int, bool]], bounded: int
) -> None:
    """The bounds alone say that both sides are possible; a variable with a small range must stop them."""
    variables = [T.int_var(f"x{i}", *((0, 1) if i < bounded else ())) for i in range(5)]
    condition, reference = PathCondition(Decider()), PathCondition(DECIDERS[("smt",)])
    for relation, left, right, distance, preferred in path:
        other = T.add(variables[right], distance) if right < 5 else distance
        question = getattr(T, relation)(variables[left], other)
        answer = reference.decide(question)
        assert condition.decide(question) == answer
        side = preferred if answer == 3 else answer == 1
        before = condition.copy()
        for each in (condition, reference):
            each.assume(question if side else T.not_(question))
        model = condition.model()
        assert all(T.evaluate(c, model) for c in condition.constraints())
        assert before.constraints() == condition.constraints()[: len(before.constraints())]


def test_numbers_with_bounds_leave_no_room_among_disequalities() -> None:
    small, free = T.int_var("small", 0, 1), T.int_var("free")
    condition = PathCondition(Decider())
    for value in (0, 1):
        condition.assume(T.ne(free, value))
    assert condition.decide(T.eq(small, free)) == 2
    other = PathCondition(Decider())
    other.assume(T.eq(small, free))
    other.assume(T.ne(free, 0))
    assert other.decide(T.ne(free, 1)) == 2
    ordered = PathCondition(Decider())
    first, second = T.int_var("first"), T.int_var("second")
    for fact in (T.le(first, T.add(second, 1)), T.le(second, first), T.ne(first, second)):
        ordered.assume(fact)
    assert ordered.decide(T.ne(first, T.add(second, 1))) == 2

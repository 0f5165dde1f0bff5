"""The standard library does what its documentation says."""

from __future__ import annotations

import pytest

from everypath.languages.abs.frontend.program import Program
from tests.frontends.abs.checking import accepted, module
from tests.frontends.abs.evaluate import Evaluator, Raised, shown

BUILTINS = {
    "abs",
    "ceil",
    "currentms",
    "deadline",
    "denominator",
    "exp",
    "float",
    "floor",
    "log",
    "lowlevelDeadline",
    "ms_since_model_start",
    "now",
    "numerator",
    "print",
    "println",
    "random",
    "rat",
    "readln",
    "sqrt",
    "strlen",
    "substr",
    "toString",
    "truncate",
}

EXPRESSIONS = {
    "and(True, not(False))": "True",
    "max(5, 3)": "5",
    "min(2.5, 1.5)": "1.5",
    'max("a", "b")': "b",
    "abs(-2)": "2",
    "truncate(7/5)": "1",
    "truncate(-7/5)": "-1",
    "float(1/2)": "0.5",
    "rat(0.5)": "1/2",
    "floor(5.3) + ceil(5.3)": "11",
    "numerator(2/4) + denominator(2/4)": "3",
    "pow(2, 10)": "1024",
    "pow(1/2, 4)": "1/16",
    "pow(2, -2)": "1/4",
    "sqrt_newton(4, 2, 1/100)": "2",
    "exp_newton(1, 1/100)": "163/60",
    "sqrt(4.0)": "2.0",
    'toString(Pair("Joe", 20))': 'Pair("Joe",20)',
    "intToString(5)": "5",
    'substr("Hello world", 0, 5)': "Hello",
    'strlen("Hello")': "5",
    "isJust(Just(1)) && !isJust(Nothing)": "True",
    "fromJust(Just(1))": "1",
    "fromJustDefault(Nothing, False)": "False",
    "left(Left(1))": "1",
    "isRight(Right(1)) && !isLeft(Right(1))": "True",
    'fst(Pair(1, "Two"))': "1",
    'snd(Pair(1, "Two"))': "Two",
    "fstT(Triple(1, 2, 3)) + sndT(Triple(1, 2, 3)) + trdT(Triple(1, 2, 3)) + trd(Triple(1, 2, 3))": "9",
    "head(list[1, 2, 3])": "1",
    "tail(list[1, 2, 3])": "list[2,3]",
    "length(list[1, 2, 3])": "3",
    "isEmpty(list[])": "True",
    "nth(list[1, 2, 3], 2)": "3",
    "without(list[1, 2, 3, 3, 5], 3)": "list[1,2,5]",
    "concatenate(list[1, 2, 3], list[4, 5])": "list[1,2,3,4,5]",
    "appendright(list[1, 2], 3)": "list[1,2,3]",
    "reverse(list[1, 2, 3])": "list[3,2,1]",
    "copy(-1, 2)": "list[-1,-1]",
    "range(2, 5)": "list[2,3,4,5]",
    "range(2, 1)": "list[]",
    "map(toString)(list[1, 2])": 'list["1","2"]',
    "map(fst)(list[Pair(1, True)])": "list[1]",
    "filter((Int x) => x < 4)(list[1, 2, 3, 4, 5])": "list[1,2,3]",
    'foldl((Int x, String res) => res + toString(x))(list[1, 2, 3], "")': "123",
    'foldr((Int x, String res) => res + toString(x))(list[1, 2, 3], "")': "321",
    "set[1, 3, 2, 2]": "set[1,2,3]",
    "contains(set[1, 2, 3], 2) && !contains(set[1, 3], 2) && !contains(set[], 1)": "True",
    "emptySet(set[])": "True",
    "size(set[1, 1, 2])": "2",
    "elements(set[3, 1, 2])": "list[1,2,3]",
    "union(set[1, 2, 3], set[4, 3, 5])": "set[1,2,3,4,5]",
    "intersection(set[1, 2, 3], set[4, 3, 5])": "set[3]",
    "difference(set[1, 2, 3], set[4, 3, 5])": "set[1,2]",
    "isSubset(set[1], set[1, 2, 3])": "True",
    "insertElement(set[2, 3], 1)": "set[1,2,3]",
    "remove(set[1, 2, 3], 1)": "set[2,3]",
    "take(set[2, 1])": "1",
    "takeMaybe(set[])": "Nothing",
    "hasNext(set[1])": "True",
    "next(set[1, 2])": "Pair(set[2],1)",
    "set[2, 1] == set[1, 2]": "True",
    "emptyMap(map[Pair(1, 2)])": "False",
    'removeKey(map[Pair(1, "One"), Pair(2, "Two")], 1)': 'map[Pair(2,"Two")]',
    'values(map[Pair(1, "One"), Pair(2, "Two")])': 'list["One","Two"]',
    'keys(map[Pair(2, "Two"), Pair(1, "One")])': "set[1,2]",
    "entries(map[Pair(1, 2)])": "list[Pair(1,2)]",
    'lookup(map[Pair(1, "One"), Pair(2, "Two")], 1)': 'Just("One")',
    "lookup(map[Pair(1, 2)], 3)": "Nothing",
    "lookupMaybe(map[Pair(1, 2)], 1)": "Just(2)",
    "lookupUnsafe(map[Pair(1, 2)], 1)": "2",
    'lookupDefault(map[Pair(1, "One")], 3, "(not found)")': "(not found)",
    'lookupReverse(map[Pair(1, "One"), Pair(2, "Two")], "One")': "Just(1)",
    'lookupReverseDefault(map[Pair(1, "One")], "Three", -1)': "-1",
    'insert(map[Pair(1, "One")], Pair(1, "New"))': 'map[Pair(1,"New"),Pair(1,"One")]',
    'put(map[Pair(1, "One"), Pair(2, "Two")], 1, "New")': 'map[Pair(1,"New"),Pair(2,"Two")]',
    'put(map[Pair(1, "One")], 2, "Two")': 'map[Pair(1,"One"),Pair(2,"Two")]',
    "timeDifference(Time(1), Time(3))": "2",
    "durationLessThan(Duration(1), InfDuration)": "True",
    "watch(3)": "3",
}


def test_functions() -> None:
    """All in one program, because checking it is most of the work."""
    lines = "\n".join(f"String v{i} = toString({e});" for i, e in enumerate(EXPRESSIONS))
    scope = Evaluator(accepted(module(f"{{ {lines} }}"))).main()
    found = {e: shown(scope[f"v{i}"]) for i, e in enumerate(EXPRESSIONS)}
    assert found == EXPRESSIONS


@pytest.mark.parametrize(
    "expression", ["fromJust(Nothing)", "head(list[])", "nth(list[1], 1)", "take(set[])", "lookupUnsafe(map[], 1)"]
)
def test_partial_functions_fail(expression: str) -> None:
    program = accepted(module(f"{{ String s = toString({expression}); }}"))
    with pytest.raises(Raised, match="PatternMatchFailException"):
        Evaluator(program).main()


def library() -> Program:
    return accepted("module M; { }")


def test_what_the_engine_must_know() -> None:
    functions = library().functions.values()
    assert {f.name.rpartition(".")[2] for f in functions if f.body is None} == BUILTINS


def test_no_function_is_partially_defined_any_more() -> None:
    names = library().functions
    assert "ABS.StdLib.map" in names
    assert "ABS.StdLib.foldl" not in names


def test_exceptions_are_values_of_one_type() -> None:
    program = library()
    names = [c.name.rpartition(".")[2] for c in program.constructors.values() if c.data == "ABS.StdLib.Exception"]
    assert sorted(names) == [
        "AssertionFailException",
        "DivisionByZeroException",
        "HeapOverflowException",
        "KeyboardInterruptException",
        "NullPointerException",
        "ObjectDeadException",
        "PatternMatchFailException",
        "StackOverflowException",
    ]

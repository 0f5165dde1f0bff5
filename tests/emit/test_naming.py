"""Names of paths."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everypath.cases.model import CallCase, Step
from everypath.cases.naming import LONGEST, name_cases, phrases

from .samples import Pointer, case, items, lit, node, obj, raised, returned


def named(*cases: CallCase) -> list[str]:
    return [c.name for c in name_cases(cases)]


def conditioned(made: CallCase, *conditions: str, lines: tuple[int, ...] = ()) -> CallCase:
    trace = tuple(Step(made.entry.file, line) for line in lines)
    return replace(made, condition=conditions, trace=trace)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("n < 0", ["n_negative"]),
        ("n <= -1", ["n_negative"]),
        ("0 < n", ["n_positive"]),
        ("not n == 0", ["n_not_zero"]),
        ("l is None", ["l_is_none"]),
        ("self.first is not None", ["first_is_not_none"]),
        ("self.first is l.first", ["first_is_l_first"]),
        ("len(xs) == 0", ["empty_xs"]),
        ("len(xs) >= 1", ["non_empty_xs"]),
        ("len(xs) == 2", ["xs_of_length_2"]),
        ("xs[0] <= pivot", ["xs_0_at_most_pivot"]),
        ("a < b and b < c", ["a_below_b", "b_below_c"]),
        ("not (a < b or b < c)", ["a_at_least_b", "b_at_least_c"]),
        ("a + 1 != b % 2", ["a_plus_1_differs_from_b_mod_2"]),
        ('s.startswith("ab")', ["s_starts_with_ab"]),
        ('not line.startswith("#")', ["line_does_not_start_with_hash"]),
        ("not text.isdigit()", ["text_is_not_digit"]),
        ("self.status is not Status.DRAFT", ["status_is_not_draft"]),
        ("not 0 <= percent <= 100", ["percent_not_between_0_and_100"]),
        ("status in (Status.DRAFT, Status.PAID)", ["status_in_draft_or_paid"]),
        ("no_(self.lines)", ["no_lines"]),
        ("while_((low < high), twice)", ["low_below_high_twice"]),
        ('s == ""', ["s_equals_empty"]),
        ("isinstance(x, Node)", ["x_is_node"]),
        ("not flag", ["not_flag"]),
        ("'k' in d", ["k_in_d"]),
        ("x or y", []),
        ("?", []),
        ("a_very_long_name_indeed < another_rather_long_name", []),
    ],
)
def test_conditions_as_words(condition: str, words: list[str]) -> None:
    assert list(phrases(condition)) == words


def test_the_input_and_the_ending_make_the_name() -> None:
    heap = {"s": obj("SLList", first=lit(None))}
    none = case(
        "SLList.rem_all", "", ("l", lit(None)), receiver=Pointer("s"), heap=heap, outcome=raised("AttributeError")
    )
    same = case("SLList.rem_all", "", ("l", Pointer("s")), receiver=Pointer("s"), heap=heap, outcome=returned(None))
    other = case(
        "SLList.rem_all",
        "",
        ("l", Pointer("t")),
        receiver=Pointer("s"),
        heap={**heap, "t": obj("SLList", first=lit(None))},
        outcome=returned(None),
    )
    assert named(none, same, conditioned(other, "l.first is None")) == [
        "when_l_is_none_raises_attribute_error",
        "same_sl_list_returns_none",
        "when_l_first_is_none_returns_none",
    ]


def test_numbers_signs_and_errors() -> None:
    assert named(
        conditioned(case("int_exp", "", ("n", lit(-1)), outcome=raised("ValueError")), "n < 0"),
        conditioned(case("int_exp", "", ("n", lit(0)), outcome=returned(1)), "n >= 0", "n == 0"),
        conditioned(case("int_exp", "", ("n", lit(3)), outcome=returned(-8)), "n >= 0", "n != 0"),
    ) == ["n_negative_raises_value_error", "n_zero_returns_1", "n_not_zero_returns_minus_8"]


def test_decisions_of_the_source_tell_paths_apart() -> None:
    made = [case("find", "", ("x", lit(1)), outcome=returned(None)) for _ in range(3)]
    told = {id(each): text for each, text in zip(made, ("no_(xs)", "one_of_(xs)", "two_of_(xs)"), strict=True)}
    assert [c.name for c in name_cases(made, lambda each: [told[id(each)]])] == [
        "no_xs_returns_none",
        "one_of_xs_returns_none",
        "two_of_xs_returns_none",
    ]


def test_something_that_gives_nothing_is_named_by_what_happens() -> None:
    made = case("put", "", outcome=returned(None))
    quiet = replace(made, entry=replace(made.entry, procedure=True))
    assert named(quiet) == ["runs"]
    assert named(conditioned(quiet, "n < 0"), conditioned(quiet, "n >= 0")) == ["n_negative", "n_not_negative"]


def test_a_lone_case_is_named_by_its_ending() -> None:
    assert named(case("f", "", ("n", lit(3)), outcome=returned(True))) == ["returns_true"]


def test_numbers_are_the_last_resort_and_lines_are_never_named() -> None:
    def same(*lines: int) -> CallCase:
        return conditioned(case("f", "", ("n", lit(0)), outcome=returned(0)), lines=lines)

    assert named(same(2, 3), same(2, 4)) == ["returns_0", "returns_0_2"]


def test_results_are_described() -> None:
    heap = {"n": node(1)}
    after = {"new": node(2), "xs": items(), "d": items(lit(1))}

    def ending(value: object, name: str = "f") -> str:
        made = case(name, "", ("n", Pointer("n")), heap=heap, after=after, outcome=returned(value))
        return named(made)[0]

    assert ending(Pointer("n")) == "returns_n"
    assert ending(Pointer("new")) == "returns_node"
    assert ending(Pointer("xs")) == "returns_empty_list"
    assert ending(Pointer("d")) == "returns_list"
    assert ending("yes") == "returns_yes"
    assert ending("some long text with spaces") == "returns_text"
    assert ending("") == "returns_empty_text"
    assert ending(2.5) == "returns_2_point_5"
    assert ending(10**40) == "returns_large_number"


def test_names_are_short_unique_identifiers() -> None:
    cases = [
        conditioned(
            case("f", "", *((f"parameter_number_{k}", lit(i >> k & 1)) for k in range(7)), outcome=returned(0)),
            *(f"parameter_number_{k} {'>' if i >> k & 1 else '<='} 0" for k in range(7)),
        )
        for i in range(128)
    ]
    names = named(*cases)
    assert len(set(names)) == len(names)
    assert all(len(f"test_f_{n}") <= LONGEST + 3 and n.isidentifier() and n.isascii() for n in names)
    assert names == named(*cases)


def test_entries_are_named_independently() -> None:
    assert named(case("f", "", outcome=returned(1)), case("g", "", outcome=returned(1))) == ["returns_1", "returns_1"]


def test_what_only_one_call_is_given_comes_before_a_number() -> None:
    def given(text: str) -> CallCase:
        return conditioned(case("f", "", ("pat", lit(text)), outcome=returned("long text that says nothing")))

    assert named(given("[]]x"), given("[&]x")) == [
        "returns_text",
        "returns_text_for_pat_bracket_ampersand_closing_bracket_x",
    ]


def test_a_name_says_why_the_code_raises_whatever_else_tells_it_apart() -> None:
    def refused(key: str) -> CallCase:
        return conditioned(case("f", "", ("lo", lit(-1)), ("key", lit(key)), outcome=raised("ValueError")))

    cases = [refused("a"), refused("b"), case("f", "", ("lo", lit(1)), ("key", lit("a")), outcome=returned(1))]
    decided = {"a": ["lo < 0", "key == 'a'"], "b": ["lo < 0", "key == 'b'"]}
    names = name_cases(
        cases, lambda c: decided[str(c.inputs.arguments[1][1].value)] if c.inputs.arguments[0][1] == lit(-1) else []
    )
    assert [c.name for c in names[:2]] == [
        "lo_negative_key_equals_a_raises_value_error",
        "lo_negative_key_equals_b_raises_value_error",
    ]


def test_values_that_the_path_computes_are_the_last_thing_that_a_name_tells() -> None:
    def found(*conditions: str) -> CallCase:
        return conditioned(case("f", "", ("n", lit(5)), outcome=returned(0)), *conditions)

    first = found("x < a[lo + len(a) // 2]", "hi is None", "x < y")
    others = [found("x < a[lo + hi // 2]", "hi is not None", "x < y"), found("hi is None", "x >= y")]
    assert named(first, *others)[0] == "x_below_y_hi_is_none_returns_0"

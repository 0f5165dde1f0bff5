"""How generated Java is laid out."""

from __future__ import annotations

from everypath.languages.java.scripts.layout import WIDTH, comment, indented
from everypath.languages.java.scripts.wording import java_words


def test_long_calls_are_continued_at_their_outermost_arguments() -> None:
    call = (
        'assertThrows(IllegalArgumentException.class, () -> shop.order("a, (b", new int[] {1, 2, 3}, first, second));'
    )
    assert indented([call], 2) == [
        "        assertThrows(",
        "                IllegalArgumentException.class,",
        '                () -> shop.order("a, (b", new int[] {1, 2, 3}, first, second));',
    ]


def test_a_line_that_cannot_be_cut_stays_whole() -> None:
    text = f'"{"x" * 200}"'
    assert indented([f"String a = {text};"], 1) == [f"    String a = {text};"]


def test_comments_are_wrapped_as_comments() -> None:
    lines = indented(comment("Reached by: " + "Base64(null, 1); " * 20), 1)
    assert len(lines) > 2 and all(line.startswith("    // ") and len(line) <= WIDTH for line in lines)


def test_words_are_those_of_java() -> None:
    assert java_words("when this first is none returns none", procedure=True) == "when first is null"
    assert java_words("when l is none raises null pointer exception") == "when l is null throws null pointer exception"

"""The text form: readable, lossless, and precise about mistakes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from everypath.errors import BadInput
from everypath.ir.check import check
from everypath.ir.forms import FORMS
from everypath.ir.instructions import Instruction, Terminator
from everypath.ir.program import Program
from everypath.ir.text import print_method, print_program
from everypath.ir.types import Type
from tests.ir.reader import parse_program

from .strategies import programs

COUNTDOWN = """\
profile python
  floor_division true
  integer_bits none
  null_error "AttributeError"
  attribute_error "AttributeError"
  index_error "IndexError"
  key_error "KeyError"
  division_error "ZeroDivisionError"
  type_error "TypeError"
  value_error "ValueError"
  cast_error "TypeError"
  name_error "NameError"
  assertion_error "AssertionError"
  negative_indices true

class m module m
  field size: int | none
  method m::countdown(n: int = 3) -> any static  @m.py:1:1
    registers 4 (0 n)
    entry entry
    handler {body, head} -> handler catching %3
  entry:
    enter 0  @m.py:2:5
    jump head
  head:
    %1 = const 0
    %2 = n%0 > %1
    branch %2 ? body : done
  body:
    iterate 0
    %1 = const 1
    n%0 = n%0 - %1 inplace
    jump head
  done:
    return n%0
  handler:
    throw %3
"""


ACTORS = (
    COUNTDOWN.split("\n\n")[0]
    + """
  methods_are_attributes false

data m.List(A)
  constructor m.Nil()
  constructor m.Cons(parameter A, data m.List[parameter A])

data m.Error
  constructor m.Lost()

class m.Peer abstract

class m.Node(m.Peer)
  field peer: none | m.Peer
  field waiting: data m.List[future[rational]]
  field full: data m.List[int]{m.Cons}
  method m.Node::wait(this: m.Node) -> int instance  @m.abs:1:1
    registers 6 (0 this)
    entry entry1
  entry1:
    %1 = actor m.Node
    %1 = actor m.Node beside this%0
    %2 = %1!wait()
    jump test2
  test2:
    %3 = this%0.waiting
    %4 = %3 matches m.Cons among {m.Nil, m.Cons}
    await (%2, %4) then after3 again test2
  after3:
    %5 = argument 0 of m.Cons in %3
    %3 = construct m.Cons(%5, %3)
    %4 = get %5 then end4
  end4:
    return %4
"""
)


def with_line(old: str, new: str) -> str:
    assert old in COUNTDOWN
    return COUNTDOWN.replace(old, new, 1)


def test_text_is_read_and_printed_as_it_was() -> None:
    program = parse_program(COUNTDOWN)
    assert check(program) == []
    assert print_program(program) == COUNTDOWN


def test_actors_and_data_are_read_and_printed_as_they_were() -> None:
    program = parse_program(ACTORS)
    assert check(program) == []
    assert print_program(program) == ACTORS


def test_spans_can_be_left_out() -> None:
    program = parse_program(COUNTDOWN)
    text = print_program(program, spans=False)
    assert "@m.py" not in text
    assert parse_program(text).classes["m"].methods["countdown"].blocks.keys() == {
        "entry", "head", "body", "done", "handler"
    }  # fmt: skip


def test_faults_stand_below_their_instruction_and_the_listing_still_parses() -> None:
    program = parse_program(with_line("%2 = n%0 > %1", "%2 = n%0 > %9"))
    faults = check(program)
    lines = print_program(program, faults=faults).splitlines()
    assert lines[lines.index("    %2 = n%0 > %9") + 1] == "    # fault: register %9 is out of range"
    assert parse_program("\n".join(lines)) == program
    listing = print_method(program.classes["m"].methods["countdown"], faults=faults)
    assert "# fault: register %9" in listing


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_printing_then_parsing_gives_the_same_program(program: Program) -> None:
    round_trip(program)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_printing_then_parsing_gives_the_same_program_for_many(program: Program) -> None:
    round_trip(program)


def round_trip(program: Program) -> None:
    assert check(program) == []
    text = print_program(program)
    again = parse_program(text)
    assert again == program
    # Equality of constants cannot tell 1 from True or 0.0 from -0.0; their text can.
    assert print_program(again) == text


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("profile python", "program python", 1, "expected 'profile'"),
        ("floor_division true", "floor_division 3", 2, "wrong kind of value"),
        ("floor_division true", "rounding true", 2, "not part of a profile"),
        ("enter 0", "enter zero", 23, "expected an integer, found 'zero'"),
        ("jump head", "jump", 24, "expected a name, found the end of the line"),
        ("jump head", "leap head", 24, "expected an instruction or a terminator, found 'leap'"),
        ("  head:", "  entry:", 25, "expected an instruction or a terminator, found 'entry:'"),
        ("%2 = n%0 > %1", "%2 = n%0 <> %1", 27, "expected a register, found '>'"),
        ("%2 = n%0 > %1", "%2 = n%0 ; %1", 27, "cannot read '; %1'"),
        ("%1 = const 0", "%1 = const zero", 26, "expected a constant, found 'zero'"),
        ("%1 = const 0", "%1 = const bytes \"xyz\"", 26, "hexadecimal"),
        ("%1 = const 0", "%1 = const \"\\q\"", 26, "bad quoted string"),
        ("field size", "fields size", 17,
         "expected 'class', 'constructor', 'field', 'flags', 'keys', 'members', 'method', 'setter'"),
        ("registers 4", "slots 4", 19, "expected 'registers', found 'slots'"),
        ("return n%0", "return n%0 now", 35, "expected the end of the line, found 'now'"),
        ("    throw %3\n", "", 37, "expected an instruction or a terminator, found the end of the text"),
        ("    throw %3\n", "    throw %3\n    throw %3\n", 38, "a label or the end of the text, found 'throw'"),
        ("  negative_indices true\n", "", 1, "the profile lacks negative_indices"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_line(old: str, new: str, line: int, message: str) -> None:
    text = with_line(old, new)
    if old == "  head:":
        text = text.replace("    jump head\n", "", 1)
        line -= 1
    with pytest.raises(BadInput) as caught:
        parse_program(text, "countdown.ir")
    assert message in caught.value.message
    assert caught.value.span.file == "countdown.ir"
    assert caught.value.span.line == line
    assert caught.value.span.column > 0


def test_everything_that_is_written_has_one_form() -> None:
    kinds = [*Instruction.__args__, *Terminator.__args__, *Type.__args__]
    assert [kind.__name__ for kind in kinds if kind not in FORMS] == []

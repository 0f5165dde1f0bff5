"""Each kind of fault is found, and all faults are found in one run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.check import check
from everypath.ir.program import Class, Constructor, Data, Field, Method, Program
from everypath.ir.types import ANY, INT, ClassType, DataType, FutureType, Scalar, TypeParameter

from .strategies import DATA, PYTHON_LIKE

HERE = Span("m.py", 3, 1)


def block(label: str, *instructions: ins.Instruction | ins.Terminator) -> ins.Block:
    *straight, terminator = instructions
    return ins.Block(label, tuple(straight), terminator)  # type: ignore[arg-type]


def method(*blocks: ins.Block, name: str = "f", params: tuple[ins.Param, ...] = (), **others: object) -> Method:
    listed = {b.label: b for b in blocks} or {"entry": block("entry", ins.Const(0, 1), ins.Return(0))}
    settings = {"entry": next(iter(listed)), "registers": 3, "kind": "static", **others}
    return Method("m", name, params, listed, **settings)  # type: ignore[arg-type]


def program(*methods: Method, **classes: Class) -> Program:
    module = Class("m", methods={found.name: found for found in methods})
    return Program(PYTHON_LIKE, {"m": module, "future": Class("future"), **classes}, dict(DATA))


def messages(subject: Program) -> list[str]:
    return [fault.message for fault in check(subject)]


def straight(*instructions: ins.Instruction) -> Program:
    return program(method(block("entry", ins.Const(0, 1), *instructions, ins.Return(0))))


def test_a_small_program_has_no_faults() -> None:
    assert check(program(method())) == []


def test_all_faults_are_found_in_one_run_with_their_place() -> None:
    first = method(block("entry", ins.Const(9, 1, span=HERE), ins.Return(1)))
    second = method(block("entry", ins.Jump("nowhere", span=HERE)), name="g")
    found = check(program(first, second))
    assert [(f.method, f.block, f.index, f.message) for f in found] == [
        ("m.f", "entry", 0, "register %9 is out of range"),
        ("m.f", "entry", 1, "register %1 is read but never written"),
        ("m.g", "entry", 0, "undefined block nowhere"),
    ]
    assert str(found[0]) == "m.py:3: m.f, block entry: register %9 is out of range"


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (ins.Move(1, 2), "register %2 is read but never written"),
        (ins.Move(-1, 0), "register %-1 is out of range"),
        (ins.Unary(1, "!", 0), "unknown unary operator !"),
        (ins.Binary(1, "<", 0, 0), "unknown binary operator <"),
        (ins.Compare(1, "+", 0, 0), "unknown comparison +"),
        (ins.NewCollection(1, "deque", ()), "unknown kind of collection deque"),
        (ins.NewCollection(1, "dict", (0,)), "a dict needs a value for every key"),
        (ins.NewCollection(1, "slice", (0,)), "a slice needs start, stop and step"),
        (ins.NewObject(1, "Gone"), "unknown class Gone"),
        (ins.Const(1, ins.ClassRef("Gone")), "unknown class Gone"),
        (ins.Const(1, ins.FunctionRef("m", "gone")), "class m has no method gone"),
        (ins.Const(1, ins.FunctionRef("Gone", "f")), "unknown class Gone"),
        (ins.CallStatic(1, "Gone", "f", ()), "unknown class Gone"),
        (ins.CallStatic(1, "m", "gone", ()), "class m has no method gone"),
        (ins.CallStatic(1, "m", "f", (0,)), "m.f takes 0 positional arguments, 1 are given"),
        (ins.CallStatic(1, "m", "f", (), (("x", 0),)), "m.f has no parameter x"),
        (ins.GetStatic(1, "Gone", "x"), "unknown class Gone"),
        (ins.GetStatic(1, "m", "x"), "class m has no static x"),
        (ins.SetStatic("Gone", "x", 0), "unknown class Gone"),
        (ins.NewArray(1, ClassType("Gone"), 0), "unknown class Gone"),
        (ins.Cast(1, 0, ClassType("Gone")), "unknown class Gone"),
        (ins.TypeTest(1, 0, (INT, ClassType("Gone"))), "unknown class Gone"),
        (ins.Jump("entry"), "Jump at the middle of a block"),
        (ins.NewActor(1, "Gone"), "unknown class Gone"),
        (ins.NewActor(1, "m", 2), "register %2 is read but never written"),
        (ins.Construct(1, "Gone", ()), "unknown constructor Gone"),
        (ins.Construct(1, "m.Cons", (0,)), "constructor m.Cons takes 2 arguments, 1 are given"),
        (ins.Construct(1, "m.Cons", (0, 2)), "register %2 is read but never written"),
        (ins.Matches(1, 0, "Gone"), "unknown constructor Gone"),
        (ins.Matches(1, 2, "Nil"), "register %2 is read but never written"),
        (ins.Matches(1, 0, "Nil", ("m.Cons",)), "Nil is looked for, but is not among the constructors of the case"),
        (ins.Argument(1, 0, "Gone", 0), "unknown constructor Gone"),
        (ins.Argument(1, 0, "Nil", 0), "constructor Nil has no argument 0"),
        (ins.Argument(1, 2, "m.Cons", 0), "register %2 is read but never written"),
        (ins.Cast(1, 0, FutureType(TypeParameter("A"))), "unknown type parameter A"),
        (ins.Cast(1, 0, DataType("gone")), "unknown data type gone"),
        (ins.Cast(1, 0, DataType("data")), "data type data takes 1 types, 0 are given"),
        (ins.Cast(1, 0, DataType("Colour", (), ("Nil",))), "data type Colour has no constructor Nil"),
    ],
)
def test_faults_of_instructions(instruction: ins.Instruction, message: str) -> None:
    assert messages(straight(instruction)) == [message]


def test_terminators() -> None:
    switch = ins.Switch(0, ((1, "a"), (1, "b")), "a")
    subject = method(block("a", ins.Const(0, 1), switch), block("b", ins.Return(0)))
    assert "a case of the switch is given twice" in messages(program(subject))
    unfinished = method(block("a", ins.Const(0, 1)))
    assert messages(program(unfinished)) == ["Const at the end of a block"]


def test_faults_of_data_types() -> None:
    subject = program(method())
    subject.data["Tree"] = Data("Forest", ("A", "A"), {"Nil": (TypeParameter("B"),), "Leaf": (ClassType("Gone"),)})
    assert messages(subject) == [
        "filed as Tree but calls itself Forest",
        "two type parameters have the same name",
        "constructor Nil belongs to data too",
        "constructor Nil: unknown type parameter B",
        "constructor Leaf: unknown class Gone",
    ]


def test_what_is_executed_again_for_a_wait_leads_to_it() -> None:
    def waiting(again: str, *more: ins.Block) -> list[str]:
        entry = block("entry", ins.Const(0, True), ins.Jump("test"))
        test = block("test", ins.Const(1, True), ins.Branch(1, "wait", "fail"))
        fail = block("fail", ins.Throw(1))
        wait = block("wait", ins.Await((1,), "end", again))
        return messages(program(method(entry, test, fail, wait, block("end", ins.Return(0)), *more)))

    assert waiting("wait") == []
    assert waiting("test") == []
    assert waiting("gone") == ["undefined block gone"]
    assert waiting("end") == [
        "block end, executed again for a wait, does not lead to it",
        "block end, executed again for a wait, leads elsewhere",
    ]
    assert waiting("other", block("other", ins.Branch(0, "wait", "end"))) == [
        "block end, executed again for a wait, leads elsewhere"
    ]


def test_a_static_assigned_somewhere_may_be_read() -> None:
    assert check(straight(ins.SetStatic("m", "x", 0), ins.GetStatic(1, "m", "x"))) == []


def test_members_of_library_classes_are_not_known_here() -> None:
    error = Class("ValueError", external=True)
    mine = Class("Mine", bases=("ValueError",))
    subject = straight(ins.CallStatic(1, "Mine", "__init__", (0,)), ins.GetStatic(1, "Mine", "x"))
    subject.classes |= {"ValueError": error, "Mine": mine}
    assert check(subject) == []


def test_arguments_of_known_calls() -> None:
    params = (
        ins.Param("a", ANY),
        ins.Param("b", ANY, default=1),
        ins.Param("c", ANY, "keyword"),
    )
    callee = method(name="g", params=params)

    def call(args: tuple[int, ...], *keywords: str) -> list[str]:
        named = tuple((name, 0) for name in keywords)
        caller = method(block("entry", ins.Const(0, 1), ins.CallStatic(1, "m", "g", args, named), ins.Return(0)))
        return messages(program(callee, caller))

    assert call((0,), "c") == []
    assert call((0, 0), "c") == []
    assert call((0, 0, 0), "c") == ["m.g takes 2 positional arguments, 3 are given"]
    assert call((0,), "a", "c") == ["m.g gets argument a twice"]
    assert call(()) == ["m.g lacks argument a", "m.g lacks argument c"]


def test_faults_of_methods() -> None:
    strange = method(
        kind="other",
        params=(ins.Param("a", Scalar("long"), "odd"), ins.Param("a", INT, default=ins.StaticDefault("m", "d"))),
        registers=1,
        register_names={5: "x"},
        entry="gone",
    )
    assert set(messages(program(strange))) == {
        "unknown kind of method other",
        "two parameters have the same name",
        "parameter a: unknown kind odd",
        "parameter a: unknown scalar type long",
        "parameter a: no static m.d for its default",
        "2 parameters do not fit in 1 registers",
        "a name for register %5, which is out of range",
        "no entry block gone",
    }
    assert messages(program(method(kind="instance"))) == [
        "a method of kind instance needs a parameter for its receiver"
    ]


def test_faults_of_handlers() -> None:
    body = block("a", ins.Const(0, 1), ins.Length(0, 0), ins.Return(0))
    catch = block("h", ins.Return(0))
    handlers = (
        ins.Handler(frozenset("a"), "h", 1),
        ins.Handler(frozenset("a"), "h", 1),
        ins.Handler(frozenset({"a", "gone"}), "lost", 7),
    )
    assert messages(program(method(body, catch, handlers=handlers))) == [
        "unreachable handler h: earlier handlers cover all its blocks",
        "a handler goes to undefined block lost",
        "a handler covers undefined block gone",
        "a handler writes register %7, which is out of range",
    ]


def test_faults_of_classes() -> None:
    bad = Class(
        "Bad",
        bases=("Gone", "Gone"),
        fields={"x": Field("y", ClassType("Lost"))},
        statics={"s": "init", "t": "f"},
        setters={"p": "set_p"},
        methods={"f": method(params=(ins.Param("a", ANY),))},
        constructor=Constructor((), {"a": "x"}, {"z": 1}),
    )
    assert messages(program(Bad=bad, Other=Class("Another"))) == [
        "unknown base class Gone",
        "unknown base class Gone",
        "a base class is named twice",
        "field filed as x but calls itself y",
        "field x: unknown class Lost",
        "static s has no initialiser init",
        "the initialiser f of static t must be a static method without parameters",
        "property p has no setter set_p",
        "the constructor has no parameter a",
        "the constructor sets unknown field z",
        "filed as Bad.f but calls itself m.f",
        "filed as Other but calls itself Another",
    ]


def test_cyclic_bases() -> None:
    subject = program(A=Class("A", bases=("B",)), B=Class("B", bases=("A",)), C=Class("C", bases=("C",)))
    assert [fault.method for fault in check(subject)] == ["A", "B", "C"]


def test_unreachable_blocks_are_no_fault() -> None:
    dead = block("dead", ins.Jump("dead"))
    assert check(program(method(block("entry", ins.Const(0, 1), ins.Return(0)), dead))) == []


class TestLoops:
    """Markers on cycles."""

    @staticmethod
    def loop(
        before: tuple[ins.Instruction, ...] = (ins.EnterLoop(0),),
        inside: tuple[ins.Instruction, ...] = (ins.Iterate(0),),
        *more: ins.Block,
        **others: object,
    ) -> list[str]:
        subject = method(
            block("entry", ins.Const(0, True), *before, ins.Jump("head")),
            block("head", ins.Branch(0, "body", "done")),
            block("body", *inside, ins.Length(1, 0), ins.Jump("head")),
            block("done", ins.Return(0)),
            *more,
            **others,
        )
        return messages(program(subject))

    def test_marked(self) -> None:
        assert self.loop() == []

    def test_without_iteration(self) -> None:
        message = "a cycle through head begins no iteration of a loop entered outside it"
        assert self.loop(inside=()) == [message]

    def test_without_entry(self) -> None:
        assert self.loop(before=()) == ["loop 0 iterates before it is entered"]

    def test_entered_anew_each_time_round(self) -> None:
        message = "a cycle through head begins no iteration of a loop entered outside it"
        assert self.loop(inside=(ins.EnterLoop(0), ins.Iterate(0))) == [message]

    def test_a_path_round_the_marker(self) -> None:
        subject = method(
            block("entry", ins.Const(0, True), ins.EnterLoop(0), ins.Jump("head")),
            block("head", ins.Branch(0, "marked", "plain")),
            block("marked", ins.Iterate(0), ins.Jump("head")),
            block("plain", ins.Branch(0, "head", "done")),
            block("done", ins.Return(0)),
        )
        assert messages(program(subject)) == ["a cycle through head begins no iteration of a loop entered outside it"]

    def test_an_exception_can_close_a_cycle(self) -> None:
        retry = block("retry", ins.Jump("head"))
        handler = ins.Handler(frozenset({"body"}), "retry", 1)
        assert self.loop((ins.EnterLoop(0),), (ins.Iterate(0),), retry, handlers=(handler,)) == []
        late = (ins.Length(1, 0), ins.Iterate(0))
        message = "a cycle through head begins no iteration of a loop entered outside it"
        assert self.loop((ins.EnterLoop(0),), late, retry, handlers=(handler,)) == [message]

    def test_one_number_for_two_loops(self) -> None:
        again = (
            block("done", ins.Branch(0, "second", "end")),
            block("second", ins.Iterate(0), ins.Jump("done")),
            block("end", ins.Return(0)),
        )
        assert self.loop((ins.EnterLoop(0),), (ins.Iterate(0),), *again) == [
            "loop 0 is two loops, with headers head and done"
        ]

    def test_an_irreducible_cycle(self) -> None:
        def cycle(*inside: ins.Instruction) -> list[str]:
            subject = method(
                block("entry", ins.Const(0, True), ins.EnterLoop(0), ins.Branch(0, "a", "b")),
                block("a", *inside, ins.Jump("b")),
                block("b", ins.Branch(0, "a", "done")),
                block("done", ins.Return(0)),
            )
            return messages(program(subject))

        assert cycle(ins.Iterate(0)) == []
        assert cycle() == ["a cycle through a, b begins no iteration of any loop"]


def test_names_in_dictionaries_agree() -> None:
    wrong = method(block("entry", ins.Const(0, 1), ins.Return(0)))
    wrong.blocks = {"entry": wrong.blocks["entry"], "other": wrong.blocks["entry"]}
    assert messages(program(wrong)) == ["filed as other but calls itself entry"]


@pytest.mark.parametrize("make", [lambda: (), lambda: (ins.Param("a", ANY),)])
def test_parameters_count_as_written(make: Callable[[], tuple[ins.Param, ...]]) -> None:
    params = make()
    subject = method(block("entry", ins.Return(0)), params=params)
    assert messages(program(subject)) == ([] if params else ["register %0 is read but never written"])

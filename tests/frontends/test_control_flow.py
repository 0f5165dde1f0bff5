"""The shape of lowered control flow: branches, loops, handlers and `finally`."""

from __future__ import annotations

from everypath.ir.instructions import (
    Binary,
    Branch,
    CallNative,
    CallStatic,
    CallVirtual,
    Compare,
    EnterLoop,
    GetItem,
    Iterate,
    Length,
    Move,
    NewCollection,
    NewObject,
    Return,
    Throw,
    TypeTest,
    Unary,
)
from everypath.ir.program import Method
from tests.frontends.lowered import Snippets, constants, of_kind, steps


def natives(method: Method) -> list[str]:
    return [s.name for s in steps(method) if isinstance(s, CallNative)]


def test_conditions_become_branches_without_values(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int, b: int, c: int):\n    if a < b and not (b < c or a == c): return 1\n")
    assert len(of_kind(method, Branch)) == 3
    assert of_kind(method, Unary, Move) == []


def test_truth_is_asked_only_where_it_is_not_known(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int, b: bool):\n    if a: return 1\n    if isinstance(a, str): return 2\n")
    assert [s.op for s in of_kind(method, Unary)] == ["truth"]
    assert len(of_kind(method, TypeTest)) == 1


def test_a_chain_evaluates_its_middle_once(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int, g: int):\n    return a < h(g) < 9\ndef h(x): return x\n")
    assert len(of_kind(method, CallStatic)) == 1
    assert len(of_kind(method, Compare)) == 2


def test_while_true_has_no_test(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int):\n    while True:\n        if a > 3: break\n        a += 1\n    return a\n")
    assert len(of_kind(method, Branch)) == 1
    assert len(of_kind(method, EnterLoop)) == len(of_kind(method, Iterate)) == 1


def test_a_loop_counts_at_the_head_of_its_body(snippets: Snippets) -> None:
    method = snippets.method("def f(xs: list[int]):\n    n = 0\n    for x in xs:\n        n += x\n    return n\n")
    assert natives(method) == ["iter", "has_next", "next"]
    (head,) = [b for b in method.blocks.values() if isinstance(b.terminator, Branch)]
    assert isinstance(head.terminator, Branch)
    body = method.blocks[head.terminator.if_true]
    assert isinstance(body.instructions[0], Iterate) and body.instructions[0].counted


def test_augmented_assignment_is_in_place(snippets: Snippets) -> None:
    method = snippets.method("def f(xs: list[int], i: int):\n    xs[i] += 1\n    xs += [2]\n    return xs\n")
    assert [s.inplace for s in of_kind(method, Binary)] == [True, True]
    assert len(of_kind(method, GetItem)) == 1


def covered(method: Method, line: int) -> int:
    """How many handlers cover the block with the first instruction of this line."""
    for label, block in method.blocks.items():
        if any(step.span.line == line for step in [*block.instructions]):
            return sum(label in handler.blocks for handler in method.handlers)
    raise AssertionError(f"nothing was made of line {line}")


def test_a_handler_covers_the_body_and_nothing_else(snippets: Snippets) -> None:
    method = snippets.method(
        "def f(a: int):\n"
        "    b = a // 1\n"
        "    try:\n"
        "        c = a // 2\n"
        "    except ValueError:\n"
        "        d = a // 3\n"
        "    else:\n"
        "        e = a // 4\n"
        "    return a // 5\n"
    )
    assert [covered(method, line) for line in (2, 4, 6, 8, 9)] == [0, 1, 0, 0, 0]
    assert len(method.handlers) == 1
    assert [str(t) for s in of_kind(method, TypeTest) for t in s.types] == ["ValueError"]


def test_finally_is_copied_for_each_way_out(snippets: Snippets) -> None:
    method = snippets.method(
        "def f(xs: list[int], a: int):\n"
        "    for x in xs:\n"
        "        try:\n"
        "            if x: return 1\n"
        "            if a: break\n"
        "            if x + a: continue\n"
        "        finally:\n"
        "            xs.append(77)\n"
        "    return 2\n"
    )
    assert constants(method).count(77) == 5
    appends = {label for label, b in method.blocks.items() if any(isinstance(i, CallVirtual) for i in b.instructions)}
    assert len(appends) == 5
    assert all(not (handler.blocks & appends) for handler in method.handlers)


def test_inner_handlers_come_first(snippets: Snippets) -> None:
    method = snippets.method(
        "def f(a: int):\n"
        "    try:\n"
        "        try:\n"
        "            b = a // 1\n"
        "        except ValueError:\n"
        "            c = a // 2\n"
        "    except KeyError:\n"
        "        return 3\n"
    )
    inner, outer = method.handlers
    assert inner.blocks < outer.blocks
    assert [covered(method, line) for line in (4, 6)] == [2, 1]


def test_unhandled_exceptions_are_thrown_again(snippets: Snippets) -> None:
    method = snippets.method(
        "def f(a: int):\n    try:\n        return a // 0\n    except KeyError:\n        return 1\n"
    )
    (handler,) = method.handlers
    assert [t.exception for t in of_kind(method, Throw)] == [handler.exception]


def test_assertions_are_marked(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int):\n    assert a > 0, 'positive'\n    return a\n")
    assert natives(method) == ["assertion_error"]
    assert len(of_kind(method, Throw)) == 1


def test_objects_are_made_and_initialised(snippets: Snippets) -> None:
    method = snippets.method(
        "class A:\n    def __init__(self, x): self.x = x\nclass B(A): pass\ndef f(): return B(1)\n"
        "class C: pass\ndef g(): return C()\n"
    )
    assert [s.cls for s in of_kind(method, NewObject)] == ["snippet.B"]
    assert [(s.cls, s.name) for s in of_kind(method, CallStatic)] == [("snippet.A", "__init__")]


def test_exceptions_are_made_by_the_engine(snippets: Snippets) -> None:
    method = snippets.method(
        "class E(ValueError): pass\ndef f(a: int):\n    if a: raise KeyError(a)\n    raise E('x')\n"
    )
    assert natives(method) == ["new_exception", "init_exception"]


def test_builtins_with_instructions_of_their_own(snippets: Snippets) -> None:
    method = snippets.method("def f(xs: list[int]): return len(xs) + abs(1) + max(xs)\n")
    assert len(of_kind(method, Length)) == 1
    assert natives(method) == ["abs", "max"]


def test_a_local_name_hides_a_builtin(snippets: Snippets) -> None:
    method = snippets.method("def f(len: int, xs: list[int]): return len\n")
    assert of_kind(method, Length) == []
    assert [s.value for s in of_kind(method, Return)] == [0]


def test_comprehensions_are_loops(snippets: Snippets) -> None:
    method = snippets.method("def f(xs: list[int]): return [x + 1 for x in xs if x > 2]\n")
    assert len(of_kind(method, EnterLoop)) == 1
    assert [s.kind for s in of_kind(method, NewCollection)] == ["list"]
    assert [s.name for s in of_kind(method, CallVirtual)] == ["append"]


def test_module_functions_of_the_library_are_natives(snippets: Snippets) -> None:
    method = snippets.method(
        "import math\nfrom math import sqrt as root\ndef f(x: float): return math.floor(root(x))\n"
    )
    assert natives(method) == ["math.sqrt", "math.floor"]


def test_every_instruction_has_its_line(snippets: Snippets) -> None:
    method = snippets.method("def f(a: int):\n    b = [\n        a,\n        a + 1,\n    ]\n    return b\n")
    assert {step.span.line for step in steps(method)} <= {1, 2, 3, 4, 6}
    assert all(step.span.file == "snippet.py" and step.span.line for step in steps(method))

"""The SMT layer: Z3 through its C interface, incremental along paths; the only module that loads it.

A question is a conjunction. Constraints are asserted one per level, in the order of the path, so that the next question
pops what differs and keeps the rest: consecutive questions usually come from one path or from its neighbour. Hard
questions, about strings and products of unknowns, get a solver of their own and a time limit. Every model is checked by
evaluating the constraints, since some operations are only approximated (`encoding.py`, `characters.py`).
"""

from __future__ import annotations

import _thread
import ctypes
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from everypath.errors import BadInput, SolverUnknown
from everypath.logic.binary64 import Binary64Encoder, is_open
from everypath.logic.characters import CharacterEncoder
from everypath.logic.encoding import Encoder
from everypath.logic.ending import on_request
from everypath.logic.evaluate import evaluate
from everypath.logic.float_bounds import asked_about
from everypath.logic.float_questions import around_solution, completed, simplified, speaks_of_floats
from everypath.logic.library import IGNORE_ERRORS, bind
from everypath.logic.nodes import Term, Value, Var, variables
from everypath.logic.real_encoding import RealEncoder

MAX_EXPRESSIONS = 400_000
"""A context keeps every expression it made; past this many a new one is started."""
FEW, MANY = 10, 50
"""Positions of a string that are spelled out at first, and if a solution turns out to need longer strings."""
QUICK_MS = 400
"""Milliseconds for the first attempt at a hard question, and for making its solution more readable."""
QUICK_FLOATS_MS = 200
"""Milliseconds for each of the ways in which a question about floats is asked."""
MAX_STEPS = 2_000_000
"""The limit of the incremental core, in steps: a timer would take longer than most linear questions."""
MAX_WISH_STEPS = 200_000
"""The limit in steps for making a solution more readable."""
_OWN_SHARE = 0.7
"""A question that ended in time, but with less than this share of it for the solver, is asked again."""
_MORE_TIMES = 3
FOREVER_MS = 4_294_967_295
"""The solver's own default: no timer is started."""
MAX_MESSAGE = 200
MOST_OPEN = 4
"""The most contexts at a time: each takes megabytes, and an exploration that is over keeps its own for a while."""

SAT, UNSAT, UNKNOWN = 1, -1, 0


@cache
def _library() -> SimpleNamespace:
    # Only the package's shared library is loaded, when the first question needs it: its own layer is not used.
    package = find_spec("z3")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for path in sorted(Path(folder, "lib").glob("libz3.*")):
            if path.suffix not in (".a", ".lib"):
                on_request(_interrupt_all)
                return bind(str(path))
    from ctypes.util import find_library

    installed = find_library("z3")
    if installed is None:
        raise BadInput("the Z3 library was not found; install the package z3-solver")
    return bind(installed)


_open_contexts: list[Smt] = []
"""The solvers that have a context; the one that was asked last is at the end."""
_using = _thread.allocate_lock()
"""Held while a context is deleted, or interrupted from another thread."""


def _interrupt_all() -> None:
    with _using:
        for each in _open_contexts:
            each.spoilt = True
            each.interrupt()


class Smt:
    """Decides conjunctions; consecutive questions share the work for their common prefix.

    Its context is made when it is needed, and may be closed between two questions in favour of others.
    """

    def __init__(self, timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms
        self.checks = 0
        self._f = _library()
        self._c = 0
        """the context, 0 while there is none"""
        self._milliseconds = FOREVER_MS
        self.spoilt = False
        """whether it was interrupted, and so may not answer any more"""

    def _open(self) -> None:
        while len(_open_contexts) >= MOST_OPEN:
            _open_contexts[0].close()
        f = self._f
        config = f.mk_config()
        self._c, self.spoilt = f.mk_context(config), False
        _open_contexts.append(self)
        f.del_config(config)
        f.set_error_handler(self._c, IGNORE_ERRORS)
        self._encoder = Encoder(f, self._c)
        self._characters = CharacterEncoder(f, self._c, FEW)
        self._more_characters = CharacterEncoder(f, self._c, MANY)
        self._solver = f.mk_simple_solver(self._c)
        f.solver_inc_ref(self._c, self._solver)
        self._limit(self._solver, MAX_STEPS, FOREVER_MS)
        self._asserted: list[Term] = []
        self._bounded: list[list[Var]] = []
        self._seen: set[Var] = set()

    def close(self) -> None:
        """Free the context; the next question makes a new one."""
        if self._c:
            with _using:
                _open_contexts.remove(self)
                self._f.solver_dec_ref(self._c, self._solver)
                self._f.del_context(self._c)
                self._c = 0

    def interrupt(self) -> None:
        """Make what the solver does in another thread end soon, without an answer."""
        self._f.interrupt(self._c)

    def _limit(self, solver: int, steps: int, milliseconds: int) -> None:
        f, c = self._f, self._c
        params = f.mk_params(c)
        f.params_inc_ref(c, params)
        f.params_set_uint(c, params, f.mk_string_symbol(c, b"rlimit"), steps)
        f.params_set_uint(c, params, f.mk_string_symbol(c, b"timeout"), milliseconds)
        # Ctrl-C belongs to whoever explores: the solver must not turn it into an answer.
        f.params_set_bool(c, params, f.mk_string_symbol(c, b"ctrl_c"), False)
        f.solver_set_params(c, solver, params)
        f.params_dec_ref(c, params)
        self._milliseconds = milliseconds

    def _synchronise(self, constraints: Sequence[Term]) -> None:
        asserted = self._asserted
        # Terms are interned, so identity tells how long a beginning the two conjunctions share.
        shared = 0
        for have, want in zip(asserted, constraints):
            if have is not want:
                break
            shared += 1
        if shared < len(asserted):
            self._f.solver_pop(self._c, self._solver, len(asserted) - shared)
            del asserted[shared:]
            for added in self._bounded[shared:]:
                self._seen.difference_update(added)
            del self._bounded[shared:]
        for term in constraints[shared:]:
            self._push(term)

    def _push(self, term: Term) -> None:
        new = [v for v in variables(term) if v not in self._seen]
        self._f.solver_push(self._c, self._solver)
        self._assert(self._characters, self._solver, term, new)
        self._asserted.append(term)
        self._bounded.append(new)
        self._seen.update(new)

    def _assert(self, encoder: Encoder, solver: int, term: Term, new: Sequence[Var]) -> None:
        f, c = self._f, self._c
        expression = encoder.encode(term)
        for variable in new:
            for bound in encoder.within(variable):
                f.solver_assert(c, solver, bound)
        for side in encoder.sides.get(term, ()):
            f.solver_assert(c, solver, side)
        f.solver_assert(c, solver, expression)

    def solution(self, constraints: Sequence[Term]) -> dict[Var, Value] | None:
        """Values of all variables under which the constraints hold; None if there are none."""
        if self._c and (self.spoilt or self._expressions() > MAX_EXPRESSIONS):
            self.close()
        if self._c:
            _open_contexts.append(_open_contexts.pop(_open_contexts.index(self)))
        else:
            self._open()
        wanted = frozenset[Var]().union(*map(variables, constraints))
        ordered = sorted(wanted, key=lambda v: v.index)
        handles = self._characters.handles
        # Where some constraints are too hard for the core, the others alone may already exclude everything.
        easy = [term for term in constraints if handles(term)]
        if easy:
            self._synchronise(easy)
            answer = self._check(self._solver)
            if answer == UNSAT:
                return None
            if answer == SAT:
                model = self._core_values(easy, ordered)
                if _satisfies(model, constraints):
                    return model
        return self._whole_solution(constraints, ordered)

    def _expressions(self) -> int:
        return self._encoder.size + self._characters.size + self._more_characters.size

    def _core_values(self, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value]:
        encoder, solver = self._characters, self._solver
        model = self._values(encoder, solver, ordered)
        texts = [v for v in ordered if v.sort == "str"]
        if all(_readable(model[v]) and len(str(model[v])) <= encoder.spelled_out for v in texts):
            return model
        f, c = self._f, self._c
        self._limit(solver, MAX_WISH_STEPS, FOREVER_MS)
        f.solver_push(c, solver)
        try:
            model = self._again(encoder, solver, list(map(encoder.short, texts)), ordered) or model
            replaced = model | {variable: _printable(str(model[variable])) for variable in texts}
            if _satisfies(replaced, constraints):
                return replaced
            wishes = [wish for v in texts for wish in encoder.printable_like(v, str(model[v]))]
            return self._again(encoder, solver, wishes, ordered) or model
        finally:
            f.solver_pop(c, solver, 1)
            self._limit(solver, MAX_STEPS, FOREVER_MS)

    # Hard questions get a solver of their own: on strings the incremental core may work without end while an
    # assertion is added, where no limit applies. The plain core answers most of them at once; the other kind
    # of solver chooses tactics, which takes longer but finds more about products of unknowns.
    def _whole_solution(self, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value] | None:
        if any(map(speaks_of_floats, constraints)):
            return self._float_solution(constraints, ordered)
        f, c = self._f, self._c
        reason = ""
        quick = max(1, min(QUICK_MS, self.timeout_ms))
        attempts: list[tuple[Encoder, Callable[[int], int], int]] = [
            (self._encoder, f.mk_simple_solver, quick),
            (self._encoder, f.mk_solver, self.timeout_ms - quick),
        ]
        if all(map(self._more_characters.handles, constraints)):
            attempts.insert(0, (self._more_characters, f.mk_simple_solver, quick))
        for encoder, make, milliseconds in attempts:
            if milliseconds <= 0:
                break
            solver = make(c)
            f.solver_inc_ref(c, solver)
            try:
                self._limit(solver, 0, milliseconds)
                for term in constraints:
                    self._assert(encoder, solver, term, ordered if term is constraints[0] else ())
                answer = self._check(solver)
                if answer == UNSAT:
                    return None
                if answer == SAT and encoder is self._encoder:
                    return self._best_values(solver, constraints, ordered)
                if answer == SAT:
                    model = self._values(encoder, solver, ordered)
                    if _satisfies(model, constraints):
                        return model
                reason = f.solver_get_reason_unknown(c, solver).decode()
            finally:
                f.solver_dec_ref(c, solver)
        raise SolverUnknown(f"the solver gave up ({reason}) on: {str(constraints[-1])[:MAX_MESSAGE]}")

    # Without rounding most solutions are found, with it most contradictions; the theory of floats is the last resort.
    def _float_solution(self, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value] | None:
        simpler, replaced = simplified(constraints)
        if simpler is None:
            return None
        if replaced:
            remaining = [*simpler, *(term for term in constraints if not speaks_of_floats(term))]
            found: dict[Var, Value] | None = {}
            if remaining:
                found = self._solution_with_floats(list(dict.fromkeys(remaining)), ordered)
            if found is None:
                return None
            return _checked(completed(found, replaced), constraints)
        return self._solution_with_floats(constraints, ordered)

    def _solution_with_floats(self, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value] | None:
        f, c = self._f, self._c
        asked = frozenset[Var]().union(*map(asked_about, constraints))
        signed = frozenset[Var]().union(*(asked_about(each, ("fnegzero",)) for each in constraints))
        quick = max(1, min(QUICK_FLOATS_MS, self.timeout_ms))
        # The constraints about no other inputs than the goal's: a contradiction among them is found much faster.
        goal = variables(constraints[-1])
        close = [term for term in constraints if variables(term) <= goal]
        attempts: list[tuple[Encoder, int, Sequence[Term]]] = [
            (RealEncoder(f, c, asked, rounding=False), quick, constraints),
            (RealEncoder(f, c, asked, rounding=True), quick, constraints),
            (Binary64Encoder(f, c, asked, signed), quick, close),
            (Binary64Encoder(f, c, asked, signed), max(quick, self.timeout_ms // 4), constraints),
        ]
        if any(map(is_open, constraints[-1:])):
            del attempts[2:]
        elif len(close) == len(constraints):
            del attempts[2]
        for encoder, milliseconds, asserted in attempts:
            solver = f.mk_solver(c) if isinstance(encoder, Binary64Encoder) else f.mk_simple_solver(c)
            f.solver_inc_ref(c, solver)
            try:
                self._limit(solver, 0, milliseconds)
                for term in asserted:
                    self._assert(encoder, solver, term, ordered if term is asserted[0] else ())
                answer = self._check(solver)
                # Only where rounding is part of it does a contradiction count.
                if answer == UNSAT and encoder is not attempts[0][0]:
                    return None
                if answer == SAT:
                    for model in around_solution(self._values(encoder, solver, ordered), constraints):
                        if _satisfies(model, constraints):
                            return model
            finally:
                f.solver_dec_ref(c, solver)
                self._encoder.size += encoder.size
        raise SolverUnknown(f"no floats are found, nor excluded, for: {str(constraints[-1])[:MAX_MESSAGE]}")

    def _best_values(self, solver: int, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value]:
        model = self._values(self._encoder, solver, ordered)
        if not _satisfies(model, constraints):
            return self._within_digits(solver, constraints, ordered)
        texts = [v for v in ordered if v.sort == "str"]
        if all(_readable(model[v]) for v in texts):
            return model
        return self._readable_solution(solver, constraints, ordered, model, texts)

    def _within_digits(self, solver: int, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value]:
        wishes = [wish for term in constraints for wish in self._encoder.wishes.get(term, ())]
        self._limit(solver, 0, max(1, self.timeout_ms))
        model = self._again(self._encoder, solver, wishes, ordered) if wishes else {}
        if model is None:
            raise SolverUnknown("the solver finds no small operands or plain texts for the operations of the condition")
        return _checked(model, constraints)

    def _readable_solution(
        self,
        solver: int,
        constraints: Sequence[Term],
        ordered: list[Var],
        model: dict[Var, Value],
        texts: list[Var],
    ) -> dict[Var, Value]:
        replaced = model | {variable: _printable(str(model[variable])) for variable in texts}
        if _satisfies(replaced, constraints):
            return replaced
        self._limit(solver, 0, max(1, min(QUICK_MS, self.timeout_ms)))
        better = self._again(self._encoder, solver, list(map(self._encoder.printable, texts)), ordered)
        return better if better is not None and _satisfies(better, constraints) else model

    def _again(self, encoder: Encoder, solver: int, wishes: list[int], ordered: list[Var]) -> dict[Var, Value] | None:
        """Values for the last question under further wishes; None if they cannot be had in time."""
        for wish in wishes:
            self._f.solver_assert(self._c, solver, wish)
        return self._values(encoder, solver, ordered) if self._check(solver) == SAT else None

    def _check(self, solver: int) -> int:
        self.checks += 1
        begun = time.thread_time()
        answer: int = self._f.solver_check(self._c, solver)
        # The solver looks at the clock on the wall. On a busy machine it has not had the time that it was given.
        for _ in range(_MORE_TIMES):
            if answer in (SAT, UNSAT) or self._milliseconds * _OWN_SHARE < 1000 * (time.thread_time() - begun):
                break
            if self._f.solver_get_reason_unknown(self._c, solver) != b"timeout":
                break
            answer = self._f.solver_check(self._c, solver)
        code = self._f.get_error_code(self._c)
        if code:
            raise SolverUnknown(f"the solver reported: {self._f.get_error_msg(self._c, code).decode()}")
        return answer

    def _values(self, encoder: Encoder, solver: int, wanted: list[Var]) -> dict[Var, Value]:
        f, c = self._f, self._c
        model = f.solver_get_model(c, solver)
        f.model_inc_ref(c, model)
        out = ctypes.c_void_p()

        def evaluated(expression: int) -> ctypes.c_void_p:
            f.model_eval(c, model, expression, True, ctypes.byref(out))
            encoder.size += 1
            return out

        def number(expression: int) -> int:
            return int(f.get_numeral_string(c, evaluated(expression)))

        try:
            values: dict[Var, Value] = {}
            for variable in wanted:
                if variable.sort == "int":
                    values[variable] = number(encoder.encode(variable))
                elif variable.sort == "bool":
                    values[variable] = f.get_bool_value(c, evaluated(encoder.encode(variable))) == 1
                elif variable.sort == "float":
                    asked = isinstance(encoder, (RealEncoder, Binary64Encoder))
                    values[variable] = encoder.read(variable, evaluated) if asked else variable.default  # type: ignore[attr-defined]
                elif isinstance(encoder, CharacterEncoder):
                    values[variable] = encoder.read(variable, number)
                else:
                    values[variable] = self._text(evaluated(encoder.encode(variable)))
            return values
        finally:
            f.model_dec_ref(c, model)

    def _text(self, expression: ctypes.c_void_p) -> str:
        f, c = self._f, self._c
        length = f.get_string_length(c, expression)
        codes = (ctypes.c_uint * length)()
        f.get_string_contents(c, expression, length, codes)
        return "".join(map(chr, codes))


def _checked(model: dict[Var, Value], constraints: Sequence[Term]) -> dict[Var, Value]:
    if not _satisfies(model, constraints):
        raise SolverUnknown("the solver's model does not satisfy the condition it was asked about")
    return model


def _satisfies(model: dict[Var, Value], constraints: Sequence[Term]) -> bool:
    return all(evaluate(term, model) for term in constraints)


def _readable(text: Value) -> bool:
    return all(" " <= character <= "~" for character in str(text))


# Keeps equal characters equal and different ones different, as far as the letters last.
def _printable(text: str) -> str:
    letters = iter(sorted(set("abcdefghijklmnopqrstuvwxyz") - set(text)))
    images: dict[str, str] = {}
    for character in text:
        if not _readable(character) and character not in images:
            images[character] = next(letters, character)
    return "".join(images.get(character, character) for character in text)

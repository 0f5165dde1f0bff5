"""The SMT layer: Z3 through its C interface, incremental along paths; the only module that loads it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes.util import find_library
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from everypath.errors import BadInput, SolverUnknown
from everypath.logic.encoding import Encoder
from everypath.logic.evaluate import evaluate
from everypath.logic.library import IGNORE_ERRORS, bind
from everypath.logic.nodes import Term, Value, Var, variables

MAX_EXPRESSIONS = 400_000
"""A context keeps every expression it made; past this many a new one is started."""
QUICK_MS = 300
"""The incremental solver's share of the time limit before a solver for the whole question is tried."""
QUICK_STEPS = 2_000_000
"""The same in steps of the solver, for linear questions: a timer costs more than most of them take."""
FOREVER_MS = 4_294_967_295
"""The solver's own default: no timer is started."""
MAX_MESSAGE = 200

SAT, UNSAT, UNKNOWN = 1, -1, 0


@cache
def _library() -> SimpleNamespace:
    # Only the package's shared library is loaded, when the first question needs it: its Python layer is not used.
    package = find_spec("z3")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for path in sorted(Path(folder, "lib").glob("libz3.*")):
            if path.suffix not in (".a", ".lib"):
                return bind(str(path))
    installed = find_library("z3")
    if installed is None:
        raise BadInput("the Z3 library was not found; install the package z3-solver")
    return bind(installed)


class Smt:
    """Decides conjunctions; consecutive questions share the work for their common prefix."""

    def __init__(self, timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms
        self.checks = 0
        self._f = _library()
        self._open()

    def _open(self) -> None:
        f = self._f
        config = f.mk_config()
        self._c = f.mk_context(config)
        f.del_config(config)
        f.set_error_handler(self._c, IGNORE_ERRORS)
        self._encoder = Encoder(f, self._c)
        self._solver = f.mk_simple_solver(self._c)
        f.solver_inc_ref(self._c, self._solver)
        self._limits = (0, 0)
        self._asserted: list[Term] = []
        self._bounded: list[list[Var]] = []
        self._seen: set[Var] = set()

    def close(self) -> None:
        """Frees the context; the object can be used no more."""
        if self._c:
            self._f.solver_dec_ref(self._c, self._solver)
            self._f.del_context(self._c)
            self._c = None

    def __del__(self) -> None:
        if getattr(self, "_c", None):
            self.close()

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

    def _limit_core(self, steps: int, milliseconds: int) -> None:
        if (steps, milliseconds) != self._limits:
            self._limits = (steps, milliseconds)
            self._limit(self._solver, steps, milliseconds)

    def _synchronise(self, constraints: Sequence[Term]) -> None:
        if self._encoder.size > MAX_EXPRESSIONS:
            self.close()
            self._open()
        asserted = self._asserted
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
        expression = self._encoder.encode(term)
        new = [v for v in variables(term) if v not in self._seen]
        self._f.solver_push(self._c, self._solver)
        self._assert(self._solver, term, expression, new)
        self._asserted.append(term)
        self._bounded.append(new)
        self._seen.update(new)

    def _assert(self, solver: int, term: Term, expression: int, new: list[Var]) -> None:
        f, c, encoder = self._f, self._c, self._encoder
        for variable in new:
            for bound in encoder.within(variable):
                f.solver_assert(c, solver, bound)
        for operation in encoder.bitwise.get(term, ()):
            for definition in encoder.definitions(operation):
                f.solver_assert(c, solver, definition)
        f.solver_assert(c, solver, expression)

    def solution(self, constraints: Sequence[Term]) -> dict[Var, Value] | None:
        """Values of all variables under which the constraints hold, or None if there are none."""
        answer, solver = self._check(constraints)
        try:
            if answer == UNSAT:
                return None
            wanted = frozenset[Var]().union(*map(variables, constraints))
            ordered = sorted(wanted, key=lambda v: v.index)
            model = self._values(solver, ordered)
        finally:
            self._release(solver)
        if not _satisfies(model, constraints):
            return self._within_digits(constraints, ordered)
        texts = [v for v in ordered if v.sort == "str"]
        if texts and not all(map(_readable, (model[v] for v in texts))):
            return self._readable_solution(constraints, model, texts, ordered)
        return model

    def _within_digits(self, constraints: Sequence[Term], ordered: list[Var]) -> dict[Var, Value]:
        operations = [each for term in constraints for each in self._encoder.bitwise.get(term, ())]
        wanted = [small for each in operations for small in self._encoder.small_operands(each)]
        model = self._again(wanted, ordered, self.timeout_ms) if wanted else None
        if model is None or not _satisfies(model, constraints):
            raise SolverUnknown("the solver's model does not satisfy the condition it was asked about")
        return model

    def _again(self, wanted: list[int], ordered: list[Var], milliseconds: int) -> dict[Var, Value] | None:
        """Values for what was asked last under further wishes, if they can be had in time."""
        f, c = self._f, self._c
        f.solver_push(c, self._solver)
        try:
            for wish in wanted:
                f.solver_assert(c, self._solver, wish)
            self.checks += 1
            self._limit_core(0, milliseconds)
            return self._values(self._solver, ordered) if f.solver_check(c, self._solver) == SAT else None
        finally:
            f.solver_pop(c, self._solver, 1)

    def _check(self, constraints: Sequence[Term]) -> tuple[int, int]:
        self._synchronise(constraints)
        self.checks += 1
        hard = self._encoder.hard
        timed = any(term in hard for term in constraints)
        if timed:
            self._limit_core(0, min(QUICK_MS, self.timeout_ms))
        else:
            self._limit_core(QUICK_STEPS, FOREVER_MS)
        answer, solver = self._f.solver_check(self._c, self._solver), self._solver
        if answer == UNKNOWN and (self.timeout_ms > QUICK_MS or not timed):
            answer, solver = self._check_whole()
        self._complain()
        if answer == UNKNOWN:
            reason = self._f.solver_get_reason_unknown(self._c, solver).decode()
            self._release(solver)
            text = str(constraints[-1]) if constraints else "True"
            raise SolverUnknown(f"the solver gave up ({reason}) on: {text[:MAX_MESSAGE]}")
        return answer, solver

    # The incremental core is weak on products and divisions of unknowns; a fresh solver uses tactics for them.
    def _check_whole(self) -> tuple[int, int]:
        f, c = self._f, self._c
        solver = f.mk_solver(c)
        f.solver_inc_ref(c, solver)
        self._limit(solver, 0, max(1, self.timeout_ms - QUICK_MS))
        for term, new in zip(self._asserted, self._bounded):
            self._assert(solver, term, self._encoder.encode(term), new)
        return f.solver_check(c, solver), solver

    def _release(self, solver: int) -> None:
        if solver != self._solver:
            self._f.solver_dec_ref(self._c, solver)

    def _complain(self) -> None:
        code = self._f.get_error_code(self._c)
        if code:
            raise SolverUnknown(f"the solver reported: {self._f.get_error_msg(self._c, code).decode()}")

    def _readable_solution(
        self, constraints: Sequence[Term], model: dict[Var, Value], texts: list[Var], ordered: list[Var]
    ) -> dict[Var, Value]:
        replaced = dict(model)
        for variable in texts:
            replaced[variable] = _printable(str(model[variable]))
        if _satisfies(replaced, constraints):
            return replaced
        better = self._again(
            [self._encoder.printable(variable) for variable in texts], ordered, min(QUICK_MS, self.timeout_ms)
        )
        return better if better is not None and _satisfies(better, constraints) else model

    def _values(self, solver: int, wanted: list[Var]) -> dict[Var, Value]:
        f, c = self._f, self._c
        model = f.solver_get_model(c, solver)
        f.model_inc_ref(c, model)
        out = ctypes.c_void_p()
        values: dict[Var, Value] = {}
        for variable in wanted:
            f.model_eval(c, model, self._encoder.encode(variable), True, ctypes.byref(out))
            values[variable] = self._value(variable.sort, out)
        self._encoder.size += len(wanted)
        f.model_dec_ref(c, model)
        return values

    def _value(self, sort: str, expression: ctypes.c_void_p) -> Value:
        f, c = self._f, self._c
        if sort == "int":
            return int(f.get_numeral_string(c, expression))
        if sort == "bool":
            return bool(f.get_bool_value(c, expression) == 1)
        length = f.get_string_length(c, expression)
        codes = (ctypes.c_uint * length)()
        f.get_string_contents(c, expression, length, codes)
        return "".join(map(chr, codes))


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

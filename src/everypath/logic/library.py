"""The C functions of the Z3 library that we call, with their types."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

_P = ctypes.c_void_p
_I = ctypes.c_int
_U = ctypes.c_uint
_S = ctypes.c_char_p
_B = ctypes.c_bool

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "mk_config": (_P, ()),
    "del_config": (None, (_P,)),
    "mk_context": (_P, (_P,)),
    "del_context": (None, (_P,)),
    "set_error_handler": (None, (_P, _P)),
    "get_error_code": (_U, (_P,)),
    "get_error_msg": (_S, (_P, _U)),
    "mk_int_sort": (_P, (_P,)),
    "mk_bool_sort": (_P, (_P,)),
    "mk_string_sort": (_P, (_P,)),
    "mk_real_sort": (_P, (_P,)),
    "mk_fpa_sort_double": (_P, (_P,)),
    "mk_int_symbol": (_P, (_P, _I)),
    "mk_string_symbol": (_P, (_P, _S)),
    "mk_const": (_P, (_P, _P, _P)),
    "mk_fresh_func_decl": (_P, (_P, _S, _U, _P, _P)),
    "mk_app": (_P, (_P, _P, _U, _P)),
    "mk_fresh_const": (_P, (_P, _S, _P)),
    "mk_int64": (_P, (_P, ctypes.c_int64, _P)),
    "mk_numeral": (_P, (_P, _S, _P)),
    "mk_true": (_P, (_P,)),
    "mk_false": (_P, (_P,)),
    "mk_add": (_P, (_P, _U, _P)),
    "mk_mul": (_P, (_P, _U, _P)),
    "mk_unary_minus": (_P, (_P, _P)),
    "mk_div": (_P, (_P, _P, _P)),
    "mk_mod": (_P, (_P, _P, _P)),
    "mk_le": (_P, (_P, _P, _P)),
    "mk_lt": (_P, (_P, _P, _P)),
    "mk_eq": (_P, (_P, _P, _P)),
    "mk_not": (_P, (_P, _P)),
    "mk_and": (_P, (_P, _U, _P)),
    "mk_or": (_P, (_P, _U, _P)),
    "mk_ite": (_P, (_P, _P, _P, _P)),
    "mk_u32string": (_P, (_P, _U, _P)),
    "mk_seq_concat": (_P, (_P, _U, _P)),
    "mk_seq_length": (_P, (_P, _P)),
    "mk_seq_at": (_P, (_P, _P, _P)),
    "mk_seq_extract": (_P, (_P, _P, _P, _P)),
    "mk_seq_contains": (_P, (_P, _P, _P)),
    "mk_seq_prefix": (_P, (_P, _P, _P)),
    "mk_seq_suffix": (_P, (_P, _P, _P)),
    "mk_seq_index": (_P, (_P, _P, _P, _P)),
    "mk_seq_replace": (_P, (_P, _P, _P, _P)),
    "mk_str_lt": (_P, (_P, _P, _P)),
    "mk_str_le": (_P, (_P, _P, _P)),
    "mk_int_to_str": (_P, (_P, _P)),
    "mk_str_to_int": (_P, (_P, _P)),
    "mk_string_to_code": (_P, (_P, _P)),
    "mk_string_from_code": (_P, (_P, _P)),
    "mk_seq_to_re": (_P, (_P, _P)),
    "mk_seq_in_re": (_P, (_P, _P, _P)),
    "mk_re_range": (_P, (_P, _P, _P)),
    "mk_re_plus": (_P, (_P, _P)),
    "mk_re_star": (_P, (_P, _P)),
    "mk_re_option": (_P, (_P, _P)),
    "mk_re_union": (_P, (_P, _U, _P)),
    "mk_re_concat": (_P, (_P, _U, _P)),
    "mk_int2real": (_P, (_P, _P)),
    "mk_real2int": (_P, (_P, _P)),
    "mk_fpa_rne": (_P, (_P,)),
    "mk_fpa_numeral_double": (_P, (_P, ctypes.c_double, _P)),
    "mk_fpa_add": (_P, (_P, _P, _P, _P)),
    "mk_fpa_sub": (_P, (_P, _P, _P, _P)),
    "mk_fpa_mul": (_P, (_P, _P, _P, _P)),
    "mk_fpa_div": (_P, (_P, _P, _P, _P)),
    "mk_fpa_sqrt": (_P, (_P, _P, _P)),
    "mk_fpa_neg": (_P, (_P, _P)),
    "mk_fpa_abs": (_P, (_P, _P)),
    "mk_fpa_lt": (_P, (_P, _P, _P)),
    "mk_fpa_leq": (_P, (_P, _P, _P)),
    "mk_fpa_eq": (_P, (_P, _P, _P)),
    "mk_fpa_is_nan": (_P, (_P, _P)),
    "mk_fpa_is_infinite": (_P, (_P, _P)),
    "mk_fpa_is_zero": (_P, (_P, _P)),
    "mk_fpa_is_negative": (_P, (_P, _P)),
    "mk_fpa_to_ieee_bv": (_P, (_P, _P)),
    "mk_simple_solver": (_P, (_P,)),
    "mk_solver": (_P, (_P,)),
    "solver_inc_ref": (None, (_P, _P)),
    "solver_dec_ref": (None, (_P, _P)),
    "solver_set_params": (None, (_P, _P, _P)),
    "solver_push": (None, (_P, _P)),
    "solver_pop": (None, (_P, _P, _U)),
    "solver_assert": (None, (_P, _P, _P)),
    "solver_check": (_I, (_P, _P)),
    "solver_get_model": (_P, (_P, _P)),
    "solver_get_reason_unknown": (_S, (_P, _P)),
    "mk_params": (_P, (_P,)),
    "params_inc_ref": (None, (_P, _P)),
    "params_dec_ref": (None, (_P, _P)),
    "params_set_bool": (None, (_P, _P, _P, _B)),
    "params_set_uint": (None, (_P, _P, _P, _U)),
    "model_inc_ref": (None, (_P, _P)),
    "model_dec_ref": (None, (_P, _P)),
    "model_eval": (_B, (_P, _P, _P, _B, _P)),
    "get_numeral_string": (_S, (_P, _P)),
    "get_numeral_decimal_string": (_S, (_P, _P, _U)),
    "is_algebraic_number": (_B, (_P, _P)),
    "get_bool_value": (_I, (_P, _P)),
    "get_string_length": (_U, (_P, _P)),
    "get_string_contents": (None, (_P, _P, _U, _P)),
}


def bind(path: str) -> SimpleNamespace:
    """The functions of the library at `path`, named without their `Z3_` prefix."""
    # A library handle of our own: z3's own layer sets other signatures on its handle.
    handle = ctypes.CDLL(path)
    table = SimpleNamespace()
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(handle, f"Z3_{name}")
        function.restype = result
        function.argtypes = list(arguments)
        setattr(table, name, function)
    return table


IGNORE_ERRORS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)(lambda context, code: None)
"""An error handler that leaves the error code to be asked for, instead of ending the process."""

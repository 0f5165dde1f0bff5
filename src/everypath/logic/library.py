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

_SIGNATURES: dict[tuple[Any, ...], str] = {
    (_P,): "mk_config",
    (None, _P): "del_config del_context interrupt",
    (_P, _P): """
        mk_context mk_int_sort mk_bool_sort mk_string_sort mk_real_sort mk_fpa_sort_double mk_true mk_false
        mk_fpa_rne mk_simple_solver mk_solver mk_params
    """,
    (None, _P, _P): """
        set_error_handler solver_inc_ref solver_dec_ref solver_push params_inc_ref params_dec_ref model_inc_ref
        model_dec_ref
    """,
    (_U, _P): "get_error_code",
    (_S, _P, _U): "get_error_msg",
    (_P, _P, _I): "mk_int_symbol",
    (_P, _P, _S): "mk_string_symbol",
    (_P, _P, _P, _P): """
        mk_const mk_div mk_mod mk_le mk_lt mk_eq mk_seq_at mk_seq_contains mk_seq_prefix mk_seq_suffix mk_str_lt
        mk_str_le mk_seq_in_re mk_re_range mk_fpa_sqrt mk_fpa_lt mk_fpa_leq mk_fpa_eq
    """,
    (_P, _P, _S, _U, _P, _P): "mk_fresh_func_decl",
    (_P, _P, _P, _U, _P): "mk_app",
    (_P, _P, _S, _P): "mk_fresh_const mk_numeral",
    (_P, _P, ctypes.c_int64, _P): "mk_int64",
    (_P, _P, _U, _P): "mk_add mk_mul mk_and mk_or mk_u32string mk_seq_concat mk_re_union mk_re_concat",
    (_P, _P, _P): """
        mk_unary_minus mk_not mk_seq_length mk_int_to_str mk_str_to_int mk_string_to_code mk_string_from_code
        mk_seq_to_re mk_re_plus mk_re_star mk_re_option mk_int2real mk_real2int mk_fpa_neg mk_fpa_abs mk_fpa_is_nan
        mk_fpa_is_infinite mk_fpa_is_zero mk_fpa_is_negative mk_fpa_to_ieee_bv solver_get_model
    """,
    (_P, _P, _P, _P, _P): """
        mk_ite mk_seq_extract mk_seq_index mk_seq_replace mk_fpa_add mk_fpa_sub mk_fpa_mul mk_fpa_div
    """,
    (_P, _P, ctypes.c_double, _P): "mk_fpa_numeral_double",
    (None, _P, _P, _P): "solver_set_params solver_assert",
    (None, _P, _P, _U): "solver_pop",
    (_I, _P, _P): "solver_check get_bool_value",
    (_S, _P, _P): "solver_get_reason_unknown get_numeral_string",
    (None, _P, _P, _P, _B): "params_set_bool",
    (None, _P, _P, _P, _U): "params_set_uint",
    (_B, _P, _P, _P, _B, _P): "model_eval",
    (_S, _P, _P, _U): "get_numeral_decimal_string",
    (_B, _P, _P): "is_algebraic_number",
    (_U, _P, _P): "get_string_length",
    (None, _P, _P, _U, _P): "get_string_contents",
}
"""The types of the result and of the arguments -> the functions that have them."""


def bind(path: str) -> SimpleNamespace:
    """The functions of the library at `path`, named without their `Z3_` prefix."""
    # A library handle of our own: z3's own layer sets other signatures on its handle.
    handle = ctypes.CDLL(path)
    table = SimpleNamespace()
    for (result, *arguments), names in _SIGNATURES.items():
        for name in names.split():
            function = getattr(handle, f"Z3_{name}")
            function.restype = result
            function.argtypes = arguments
            setattr(table, name, function)
    return table


IGNORE_ERRORS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)(lambda context, code: None)
"""An error handler that leaves the error code to be asked for, instead of ending the process."""

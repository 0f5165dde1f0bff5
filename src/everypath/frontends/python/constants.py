"""Constants of library modules that are not translated: plain numbers and texts that never change."""

from __future__ import annotations

import importlib
import sys

_MODULES: dict[str, str] = {
    "math": "pi e tau inf nan",
    "sys": "maxsize platform byteorder maxunicode",
    "sys.float_info": "mant_dig max min epsilon dig radix max_exp min_exp",
    "datetime": "MINYEAR MAXYEAR",
    "re": "A ASCII I IGNORECASE L LOCALE M MULTILINE S DOTALL U UNICODE X VERBOSE NOFLAG DEBUG",
    "decimal": "ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP "
    "MAX_PREC MAX_EMAX MIN_EMIN",
    "os": "sep linesep name pathsep curdir pardir extsep",
    "os.path": "sep pathsep curdir pardir extsep",
    "sqlite3": "PARSE_DECLTYPES PARSE_COLNAMES",
    "unicodedata": "unidata_version",
    "errno": "ENOENT EEXIST EACCES EPERM EINVAL EAGAIN EINTR EPIPE EBADF ENOTDIR EISDIR",
    "logging": "DEBUG INFO WARNING WARN ERROR CRITICAL FATAL NOTSET",
}


def library_constant(module: str, name: str) -> int | float | str | None:
    """The value of `module.name` if it is such a constant, else None."""
    if name not in _MODULES.get(module, "").split():
        return None
    if module == "sys.float_info":
        return getattr(sys.float_info, name, None)
    value = getattr(importlib.import_module(module), name, None)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value if isinstance(value, float | str) else None

"""The formats in which one file holds a whole run, whatever its language."""

from __future__ import annotations

from everypath.cases.kinds import Kind
from everypath.languages.base import Writer


def whole_writer(format: str, kind: Kind) -> Writer:
    """What writes all cases of a run as JSON, or its findings as SARIF."""
    if format == "sarif":
        from everypath.languages.sarif_format import SarifWriter

        return SarifWriter()
    from everypath.languages.json_format import JsonWriter

    return JsonWriter(kind)

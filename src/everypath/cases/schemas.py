"""The JSON Schemas that come with the package."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def packaged_schema(name: str) -> dict[str, Any]:
    """The schema in the file of this name."""
    loaded = json.loads(resources.files("everypath.cases").joinpath(name).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded

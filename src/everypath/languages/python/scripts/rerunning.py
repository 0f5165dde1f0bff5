"""How a test runs a module itself: the kind of such an entry, and the function that it calls."""

from __future__ import annotations

SCRIPT = "script"
RUNNING = ("runpy", "run_module")
"""The module and name of what runs a module once more, and leaves the imported one as it is."""
MAIN = "__main__"
"""The name of a module that is run as a script."""

"""How often garbage is looked for: loading and exploring make many objects, and hardly any of them in cycles."""

from __future__ import annotations

import gc


def collect_hardly_ever() -> None:
    """While modules are loaded: what they make stays, so that looking for garbage there is in vain."""
    gc.set_threshold(1_000_000, 20, 20)


def collect_rarely() -> None:
    """From now on look for garbage now and then, but not among what was loaded."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)

"""What a layer can say about a condition."""

from __future__ import annotations

TRUE, FALSE, BOTH, UNSURE = 1, 2, 3, 0
"""The condition can only be true, can only be false, can be both, or the layer does not know."""

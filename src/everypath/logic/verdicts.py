"""What a layer can say about a condition."""

from __future__ import annotations

TRUE, FALSE, BOTH, UNSURE = 1, 2, 3, 0
"""It can only be true, it can only be false, both are possible, or the layer does not know."""

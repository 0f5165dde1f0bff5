"""What tells one path from another in few letters, the same in every process."""

from __future__ import annotations


def digest(key: object) -> str:
    """Equal for equal keys: made of texts, numbers, records, tuples and sets, whose order does not matter."""
    # Few commands come here before anything is shown.
    from _blake2 import blake2b

    return blake2b(_shown(key).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


def _shown(key: object) -> str:
    if isinstance(key, tuple):
        return f"({','.join(map(_shown, key))})"
    if isinstance(key, (frozenset, set)):
        return f"{{{','.join(sorted(map(_shown, key)))}}}"
    return repr(key)

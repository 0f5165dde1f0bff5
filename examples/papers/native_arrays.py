"""Stands for native code, which symbolic execution cannot look into; simp.summary says what it does."""

from __future__ import annotations


def array_copy(src: list[object] | None, dst: list[object] | None, length: int) -> None:
    if length < 0:
        raise ValueError()
    if length > 0:
        dst[:length] = src[:length]

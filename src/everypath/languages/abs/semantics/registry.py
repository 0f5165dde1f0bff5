"""The table of native operations of ABS: functions of its library that are not written in ABS."""

from __future__ import annotations

from everypath.explore.natives import Natives

NATIVES = Natives("everypath.languages.abs.semantics.every")
native = NATIVES.native

"""Symbolic values: the term type and every constructor, each folding to a concrete value when it can.

Values are concrete `int`, `bool`, `str` and `float`, or a `Term`. Integers are mathematical, floats are IEEE doubles.
This module defines nothing: it is where other folders find what the modules named here define.
"""

# ruff: noqa: F403
from everypath.logic.comparisons import *
from everypath.logic.equality import *
from everypath.logic.evaluate import *
from everypath.logic.floats import *
from everypath.logic.integers import *
from everypath.logic.nodes import *
from everypath.logic.strings import *

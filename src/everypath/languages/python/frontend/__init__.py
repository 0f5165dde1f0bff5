"""Python source to IR."""

from everypath.languages.base import EntryPoint
from everypath.languages.python.frontend.constructs import Problem
from everypath.languages.python.frontend.finder import Sources
from everypath.languages.python.frontend.hierarchy import PYTHON
from everypath.languages.python.frontend.load import Loaded, load_target

__all__ = ["PYTHON", "EntryPoint", "Loaded", "Problem", "Sources", "load_target"]

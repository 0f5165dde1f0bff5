"""Python source to IR."""

from everypath.languages.base import EntryPoint
from everypath.languages.python.frontend.finder import Sources
from everypath.languages.python.frontend.load import Loaded, load_target
from everypath.languages.python.frontend.problems import Problem
from everypath.languages.python.frontend.profile import PYTHON

__all__ = ["PYTHON", "EntryPoint", "Loaded", "Problem", "Sources", "load_target"]

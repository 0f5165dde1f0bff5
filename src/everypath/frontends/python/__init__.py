"""Python source to IR."""

from everypath.frontends.python.load import EntryPoint, Loaded, load_target
from everypath.frontends.python.problems import Problem
from everypath.frontends.python.profile import PYTHON

__all__ = ["PYTHON", "EntryPoint", "Loaded", "Problem", "load_target"]

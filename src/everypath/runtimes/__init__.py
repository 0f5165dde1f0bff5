"""Concrete execution of programs whose language has no runtime of ours to borrow."""

"""Guided search: selection criteria steer which paths are explored (section 3.6 of the tutorial)."""

"""Measures how much of real modules the tests of several tools reach."""

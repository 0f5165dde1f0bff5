"""Writes cases as JUnit 5 test classes."""

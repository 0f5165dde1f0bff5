"""Runs cases on a JVM."""

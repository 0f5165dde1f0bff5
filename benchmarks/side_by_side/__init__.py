"""Runs several test generators on the same programs and measures their tests in the same way."""

"""Tests of the intermediate representation."""

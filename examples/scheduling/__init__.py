"""Appointments in a database."""

"""Runs ABS programs: one schedule, or all of them."""

"""The run over all targets: explore, solve, validate, select, write."""

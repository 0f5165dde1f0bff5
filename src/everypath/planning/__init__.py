"""Which work a run does: targets, what is left out, what changed, how much time each function gets."""

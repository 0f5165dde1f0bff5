"""What the parameters of imported callables are, and expressions for values of theirs; imports nothing of ours."""

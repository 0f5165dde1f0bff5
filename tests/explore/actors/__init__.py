"""Actor programs explored symbolically and run concretely, compared."""

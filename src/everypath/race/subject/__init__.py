"""The class under test: how to make an object of it, and which calls are worth racing."""

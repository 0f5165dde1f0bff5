"""Cases as statements of Python: the same for the scripts that validation runs and for the tests in a file."""

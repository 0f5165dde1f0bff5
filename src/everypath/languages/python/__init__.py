"""Python: source files in, pytest files out, run on the interpreter that runs us."""

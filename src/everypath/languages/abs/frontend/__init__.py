"""The ABS front end: from source text to a program whose names are resolved and whose types are checked."""

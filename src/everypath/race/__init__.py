"""Thread safety of Python classes on real threads, after "Coverage-Driven Test Code Generation for Concurrent Classes".

`replay` is what generated tests call.
"""

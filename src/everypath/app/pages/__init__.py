"""Pages: which suites they show, what is found out for them, how they are written and served."""

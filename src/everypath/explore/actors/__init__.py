"""Actor programs: processors, tasks and futures in a symbolic state, and macro-steps over them."""

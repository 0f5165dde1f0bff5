"""Two real threads that take turns, and a world in which locks, clocks and chance are under control."""

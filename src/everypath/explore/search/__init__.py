"""In which order paths are explored, and from which starts."""

"""What is known about classes of the library: one card per class, one module per class or small family."""

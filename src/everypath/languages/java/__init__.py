"""Java: class files and jars in, JUnit tests out."""

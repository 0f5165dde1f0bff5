"""A case as statements in Java: what is run on the JVM is what is written into files."""

"""Reads class files, jars and the classes of the JDK, without a JVM."""

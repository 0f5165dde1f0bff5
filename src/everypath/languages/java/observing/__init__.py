"""Cases that were observed: calls that a search on the JVM has found, with what runs of them have shown."""

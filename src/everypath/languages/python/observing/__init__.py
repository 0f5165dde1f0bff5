"""Cases that were observed: calls that a search of the real module has found, with what runs of them have shown."""

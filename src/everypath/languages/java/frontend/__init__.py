"""From class files to the intermediate representation."""

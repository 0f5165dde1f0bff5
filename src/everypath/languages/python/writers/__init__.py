"""Cases as pytest files."""

"""What Java's operations mean for the machine."""

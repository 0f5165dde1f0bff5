"""What the operations of ABS mean on symbolic values."""

"""What the operations of Python mean on symbolic values."""

"""What only Python has among the inputs and results of a solved path."""

"""Front ends: source code to IR, one package per language."""

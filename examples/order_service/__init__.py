"""An order service: prices, stock, payment and mail, with everything outside handed in."""

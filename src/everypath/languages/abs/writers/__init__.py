"""Cases of actor programs as tests in ABS."""

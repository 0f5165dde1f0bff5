"""Code rewritten at import so that every access to shared memory is announced before it happens."""

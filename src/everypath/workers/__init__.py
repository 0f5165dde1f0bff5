"""Child processes: how they are started and spoken to, what they may not do, how they end."""

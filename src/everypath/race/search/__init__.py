"""Call sequences, predicted interleavings, enforced runs, and the faults that they show."""

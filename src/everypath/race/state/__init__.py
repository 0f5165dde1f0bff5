"""Snapshots of object graphs: comparing, naming and putting back what runs leave behind."""

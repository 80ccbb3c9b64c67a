"""Faults, one by one, at every system call of every command that writes."""

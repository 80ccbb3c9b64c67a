"""The packages and the lock, and a demonstration."""

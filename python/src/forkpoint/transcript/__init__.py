"""Transcript files: bytes to entries and back."""

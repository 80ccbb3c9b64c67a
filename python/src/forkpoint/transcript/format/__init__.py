"""The form of a transcript file: bytes to lines to entries, and back."""

"""Bytes on the disk: new files whole or not at all, appending, and the private folder of unfinished work."""

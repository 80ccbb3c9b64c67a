"""The clients whose conversations are read and written: what a client's format is, and a package for each client."""

"""Many writers on one store, servers and writers that are killed, and whether what all of them report has an explanation."""

"""The real client, offline, against forks of ours: what it sends for a fork is what it sends for the original at that point."""

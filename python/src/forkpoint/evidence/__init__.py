"""What branches bring home and merge: artifacts judged by gates, the ledger of forks and merges, memory that forks carry.

Chapters 15 and 16 decide; this package reads, writes and runs. It imports the core and the writer of new files, nothing else.
"""

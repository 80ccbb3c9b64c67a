"""Sessions on disk: where they live, what they are called, and which was forked from which. Nothing here writes to one."""

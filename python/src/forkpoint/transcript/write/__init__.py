"""What goes into a file: a fork, an export, a record, the node of a merge."""

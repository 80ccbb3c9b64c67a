"""Keeps all that stands before the point, whatever the point."""

from forkpoint.core.forks import append, fork_prefix, linear

fork = fork_prefix

__all__ = ["append", "fork", "fork_prefix", "linear"]

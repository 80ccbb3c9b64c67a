"""Keeps all that stands before the point, whatever the point."""

from forkpoint.core.forks import fork_prefix as fork

__all__ = ["fork"]

"""Fork conversations at a past point: git's ``checkout && branch`` for the transcripts of coding agents.

The names here are the core behind its contracts, and the operations on session files; ``__init__.pyi`` lists them.
``forkpoint.core`` is the core without contracts. A name is imported when it is first used, so that importing the package
costs next to nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0"

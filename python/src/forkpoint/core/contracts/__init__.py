"""The core's functions behind contracts: what their lemmas assume is asked, what their lemmas conclude is promised.

A wrapper holds no logic. A precondition raises the error that its function documents. Postconditions are said in the words
of ``core.definitions``, never by the algorithm that they judge. Those that cost no more than the operation are always on;
the others run when the environment variable ``FORKPOINT_CONTRACTS`` is ``full`` at import, as it is in the tests.
"""

from __future__ import annotations

import os
from typing import Final

FULL: Final = os.environ.get("FORKPOINT_CONTRACTS") == "full"
"""Whether the contracts that cost more than their operation are on."""

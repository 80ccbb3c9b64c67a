"""What is looked for in the bytes of lines, without reading them: in many lines at once, or in such as cannot be read.

A static rule reads every expression (``ci.check.expressions``), so the keys stand in them as they are.
"""

from __future__ import annotations

import re
from typing import Final

AGENT: Final = re.compile(rb'(?:agentId\\?"? ?: ?\\?"?|<task-id>)(?=([A-Za-z0-9_-]{1,255}))')
"""The name of a sub-agent, of which a line may hold several, in texts too."""
STARTED_AGENT: Final = re.compile(rb'agentId\\?"? ?: ?\\?"?([A-Za-z0-9_-]{1,64})')
"""The name of the sub-agent that a call started."""
RUN: Final = re.compile(rb'(?:runId\\?"? ?: ?\\?"?|subagents(?:/|\\++)workflows(?:/|\\++))(?=([A-Za-z0-9_-]{1,255}))')
"""The name of a run of a workflow."""
PARENT: Final = re.compile(rb'"parentUuid"\s*+:\s*+(?:"([^"\\]++)"|(null))')
"""The parent, wherever it stands in a piece of a line."""
FIRST_PARENT: Final = re.compile(rb'"parentUuid":(?:"([^"\\]*)"|(null))')
"""The parent as the first key, as clients write it."""

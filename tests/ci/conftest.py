"""Lets the tests import the project's tools, which are a package of the root and not of the port."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

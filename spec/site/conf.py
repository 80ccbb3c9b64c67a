"""How Sphinx builds the site. `ci/release/site.py` lays the pages out and runs it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "python" / "src")]
os.environ["FORKPOINT_CONTRACTS"] = "full"  # so that a contract is on the function, whatever it costs

project = "forkpoint"
author = project_copyright = ""
html_title = "forkpoint"
html_show_copyright = html_show_sphinx = False
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.mermaid", "sources"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext", ".src": "source"}
root_doc = "index"
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

myst_heading_anchors = 6
myst_heading_slug_func = "github"  # the links in the pages are GitHub's
myst_fence_as_directive = ["mermaid"]

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
add_module_names = False
toc_object_entries_show_parents = "hide"

# The browser draws the diagrams, with the script of `static/diagrams.js`; the extension's own page script would want a network,
# or a server, so that a page opened from a folder had no picture.
mermaid_output_format = "svg"

html_theme = "furo"
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("diagrams.js", {"defer": "defer"})]
html_copy_source = html_show_sourcelink = False

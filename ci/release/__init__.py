"""The packages, the locks and the site, and a demonstration."""

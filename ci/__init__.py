"""The project's own tools. Run them from the root of the project, as `python3 -m ci.NAME`; the Makefile names each."""

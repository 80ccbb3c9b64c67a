"""The project's own tools. Run them from the root of the project, as `python3 -m ci.GROUP.NAME`; the Makefile names most."""

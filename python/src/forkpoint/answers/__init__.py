"""The answers of operations, a module a family: what an operation gives, what ``--json`` prints, and what the published schema
describes. A field that is ``UNSET`` is not in the printed object."""

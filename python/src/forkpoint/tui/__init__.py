"""The terminal application: sessions, the tree of one, the conversation at the cursor, and a key an operation."""

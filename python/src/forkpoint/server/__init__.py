"""The service: the calls of an open store over HTTP, their description, and a page on it."""

"""Worldlines: many futures of one conversation in one database, as chapter 21 has them."""

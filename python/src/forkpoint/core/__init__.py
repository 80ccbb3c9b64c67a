"""The verified core, a module for each chapter of the model: entries, order, ancestries, contexts, balance, turns, forks,
backfill, stores, splice, rendering, rewriting, overlays, merging, evidence, memories. Pure and undecorated;
``forkpoint.contracts`` has the same functions behind their laws, and
``forkpoint.laws.definitions`` the model's definitions, said plainly and slowly.
"""

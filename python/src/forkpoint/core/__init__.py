"""The verified core, a module for each chapter of the model: entries, order, ancestries, contexts, balance, turns, forks,
backfill, stores, splice, rendering, rewriting, overlays, merging, evidence, memories. Pure and undecorated;
``core.contracts`` has the same functions behind the lemmas' hypotheses and conclusions, and ``core.definitions`` the model's
definitions, said plainly and slowly.
"""

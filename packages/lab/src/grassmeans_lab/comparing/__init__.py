"""Ours and its rivals on the same corpus and test sets."""

"""Scores of published test sets, and the test sets themselves."""

"""The police lineup of the paper: which meanings belong to a word."""

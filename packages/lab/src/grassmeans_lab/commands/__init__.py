"""The commands that run the laboratory: thin shells over its functions, as those of `cli`."""

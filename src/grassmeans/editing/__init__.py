"""A model, changed by new text; corrections that people make are the explorer's."""

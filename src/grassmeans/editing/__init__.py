"""A model, changed: by a person's corrections, or by new text."""

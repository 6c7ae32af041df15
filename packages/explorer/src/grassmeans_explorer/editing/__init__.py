"""A model, changed by a person's corrections: words, versions, and two versions merged."""

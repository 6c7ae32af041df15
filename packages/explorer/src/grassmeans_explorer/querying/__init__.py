"""Queries of a corpus by words, lemmas, tags and senses; n-grams, keywords, headwords, samples."""

"""Pictures of words: planes of contexts, contexts between their senses, senses of many words."""

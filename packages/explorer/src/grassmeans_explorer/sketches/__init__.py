"""Word sketches: collocates of a word, or of its senses, by grammatical relation or position."""

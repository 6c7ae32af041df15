"""Words that stand near a word, or near one of its senses."""

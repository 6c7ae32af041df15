"""Ways to find the senses of words: ours and its rivals, behind one interface."""

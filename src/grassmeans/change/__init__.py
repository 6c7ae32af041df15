"""How the senses of words differ between groups of documents."""

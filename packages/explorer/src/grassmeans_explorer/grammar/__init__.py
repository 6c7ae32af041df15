"""Layers of grammar beside a corpus: the lemma, tag, head and relation of every token."""

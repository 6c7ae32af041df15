"""The corpus, asked in the language of queries, by phrases, and for tables of its words."""

"""WordNet: its database, vectors of its synsets, and links from induced senses to them."""

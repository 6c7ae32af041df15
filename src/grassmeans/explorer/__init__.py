"""The explorer: the senses of words in a browser, and an HTTP API behind it."""

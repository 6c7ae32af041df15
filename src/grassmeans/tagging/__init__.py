"""Text -> the sense of every known word in it, and what decided."""

"""Test sets: instances of words in context, read from the files their authors published."""

"""Published test sets, read from the files of their authors, each added to `evaluate`."""
